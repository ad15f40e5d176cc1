//! What a session's own entry says about its queue.
//!
//! Words that nobody understands count as absent. The file's settings are `openclaw_config::QueueSettings`.

use std::time::Duration;

use openclaw_config::QueueOverrides;
use openclaw_types::SessionFacts;

use crate::commands::{parse_queue_drop, parse_queue_mode};

/// The choices that are stored with a session.
#[must_use]
pub fn session_choices(facts: &SessionFacts) -> QueueOverrides {
    QueueOverrides {
        mode: facts.queue_mode.as_deref().and_then(parse_queue_mode),
        debounce: facts.queue_debounce_ms.map(Duration::from_millis),
        cap: facts.queue_cap.map(|cap| usize::try_from(cap).unwrap_or(usize::MAX)),
        drop: facts.queue_drop.as_deref().and_then(parse_queue_drop),
    }
}
