//! What an event is as far as waiting for more goes.

use openclaw_types::{Inbound, InboundKind};

use crate::access::{Us, command_text};
use crate::commands::is_abort_word;

/// What an event is as far as waiting for more goes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nature {
    /// Words: more of them may come.
    Words,
    /// A part of an album: the others come right after it.
    Part(String),
    /// A command, media, a button: goes on at once, after what waits.
    AtOnce,
}

/// What an event is.
#[must_use]
pub fn nature(inbound: &Inbound, us: Us<'_>) -> Nature {
    if let (InboundKind::Message, Some(bundle)) = (&inbound.kind, &inbound.bundle) {
        return Nature::Part(bundle.clone());
    }
    let talk =
        inbound.kind == InboundKind::Message && inbound.media.is_empty() && !inbound.text.trim().is_empty();
    // What is for another program is talk to us; it waits like any other.
    let command = command_text(&inbound.text, us)
        .is_some_and(|text| text.starts_with(['/', '!']) || is_abort_word(&text));
    match talk && !command {
        true => Nature::Words,
        false => Nature::AtOnce,
    }
}
