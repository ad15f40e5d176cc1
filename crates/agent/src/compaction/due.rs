//! When a conversation is summed up, and how much room there is: pure arithmetic over settings and a model's window.
//!
//! Settings are written for large windows. A small one caps them, so that a model that reads little is not told that
//! its context is full before anything was said.

use std::borrow::Borrow;

use openclaw_config::CompactionSettings;
use openclaw_types::{Message, StopReason};

use crate::context::estimate_tokens;

/// The room of a conversation in a model's window, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionRoom {
    /// How much the model reads and writes together.
    pub window: u64,
    /// How much is kept free for the answer.
    pub reserve: u64,
    /// How much of the latest conversation stays word for word.
    pub keep_recent: u64,
    /// The most of it that stays when less would cut a turn in two.
    pub keep_most: u64,
    /// The most of the older conversation that is summed up with one call.
    pub one_call: u64,
}

impl CompactionRoom {
    /// Fits the settings to a window.
    #[must_use]
    pub fn of(settings: &CompactionSettings, window: u64) -> Self {
        let window = window.max(1);
        let reserve = settings.reserve_tokens.min(window / 2);
        let keep_most = (window - reserve) / 2;
        let whole = window - reserve;
        let one_call = match settings.mode {
            openclaw_config::sections::CompactionMode::Default => whole,
            openclaw_config::sections::CompactionMode::Safeguard => {
                share(window, settings.max_history_share).min(whole)
            }
        };
        Self { window, reserve, keep_recent: settings.keep_recent_tokens.min(keep_most), keep_most, one_call }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a share between 0 and 1 of a window stays within it"
)]
fn share(window: u64, share: f64) -> u64 {
    (window as f64 * share.clamp(0.0, 1.0)) as u64
}

/// Whether a context of so many tokens leaves too little room for an answer.
#[must_use]
pub fn should_compact(tokens: u64, room: &CompactionRoom) -> bool {
    tokens > room.window.saturating_sub(room.reserve)
}

/// How full the context is: what the last call counted, and what came after it by estimate.
///
/// Counts of calls made before the newest summary are of a conversation that no longer stands, and are not used. Where
/// nothing was counted everything is estimated; the system prompt and the tools are not in that number.
#[must_use]
pub fn context_tokens<M: Borrow<Message>>(messages: &[M]) -> u64 {
    let (from, tokens) = last_count(messages).map_or((0, 0), |(index, tokens)| (index + 1, tokens));
    messages
        .iter()
        .skip(from)
        .map(|message| estimate_tokens(message.borrow()))
        .fold(tokens, u64::saturating_add)
}

/// Whether a call has counted the conversation as it stands, with the system prompt and the tools.
pub(crate) fn is_counted<M: Borrow<Message>>(messages: &[M]) -> bool {
    last_count(messages).is_some()
}

/// The newest count that still holds, and the message it came with.
fn last_count<M: Borrow<Message>>(messages: &[M]) -> Option<(usize, u64)> {
    let summed_up = messages.iter().rev().find_map(|message| match message.borrow() {
        Message::CompactionSummary { at, .. } => *at,
        _ => None,
    });
    messages.iter().enumerate().rev().find_map(|(index, message)| {
        let Message::Assistant(answer) = message.borrow() else { return None };
        let whole = !matches!(answer.stop, Some(StopReason::Error | StopReason::Aborted));
        let stands = summed_up.is_none_or(|summed_up| answer.at.is_some_and(|at| at > summed_up));
        let usage = answer.usage.filter(|_| whole && stands)?;
        let tokens = usage.total_tokens.max(usage.sum());
        (tokens > 0).then_some((index, tokens))
    })
}
