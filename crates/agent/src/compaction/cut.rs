//! Chooses where a conversation is cut: what lies before is summed up, what lies behind stays word for word.
//!
//! Pure. A call of a tool is never parted from its result. A turn is cut in two only when it alone is more than may
//! stay. A summary that stands first belongs to neither side: it is folded into the new one.

use std::collections::HashMap;

use openclaw_types::{Message, ToolCallId};

use crate::context::estimate_tokens;

/// How much stays, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Keep {
    /// How much is wanted.
    pub(super) recent: u64,
    /// The most, for the sake of a turn that would be cut.
    pub(super) most: u64,
}

/// Where a conversation is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// The first message that is summed up.
    pub(super) from: usize,
    /// The first message that stays.
    pub(super) first_kept: usize,
    /// Whether the last turn is cut in two, and its question lies before the cut.
    pub(super) splits_turn: bool,
}

/// Chooses the cut; nothing when nothing can be summed up.
pub(super) fn choose_cut(messages: &[&Message], keep: Keep) -> Option<Cut> {
    let from = usize::from(matches!(messages.first(), Some(Message::CompactionSummary { .. })));
    let whole = whole_places(messages);
    let wanted = recent_from(messages, keep.recent);
    if wanted <= from {
        return None;
    }
    let usable = |place: &usize| *place > from && whole.get(*place).copied().unwrap_or(false);
    let cut = turn_start(messages, wanted, keep.recent, &usable)
        .or_else(|| (wanted..messages.len()).find(&usable))
        .or_else(|| (from + 1..wanted.min(messages.len())).rev().find(&usable))?;
    let question = messages.iter().rposition(|message| matches!(message, Message::User(_)));
    let Some(question) = question.filter(|question| *question < cut) else {
        return Some(Cut { from, first_kept: cut, splits_turn: false })
            .filter(|cut| holds_talk(messages, *cut));
    };
    let before_turn = (from + 1..=question)
        .rev()
        .find(usable)
        .filter(|place| tokens(messages.get(*place..).unwrap_or_default()) <= keep.most);
    let chosen = match before_turn {
        Some(place) => Cut { from, first_kept: place, splits_turn: false },
        None => Cut { from, first_kept: cut, splits_turn: true },
    };
    Some(chosen).filter(|cut| holds_talk(messages, *cut))
}

pub(super) fn tokens(messages: &[&Message]) -> u64 {
    messages.iter().map(|message| estimate_tokens(message)).fold(0, u64::saturating_add)
}

/// The next turn behind a place, when at least half of what should stay lies behind its start.
fn turn_start(
    messages: &[&Message],
    wanted: usize,
    recent: u64,
    usable: &impl Fn(&usize) -> bool,
) -> Option<usize> {
    let asks = |place: &usize| matches!(messages.get(*place), Some(Message::User(_)));
    let start = (wanted..messages.len()).find(|place| usable(place) && asks(place))?;
    let stays = tokens(messages.get(start..).unwrap_or_default());
    (stays >= recent / 2).then_some(start)
}

/// Where the largest end begins that has no more than so many tokens; the last message is always in it.
fn recent_from(messages: &[&Message], recent: u64) -> usize {
    let mut kept = 0_u64;
    let mut place = messages.len();
    for (index, message) in messages.iter().enumerate().rev() {
        kept = kept.saturating_add(estimate_tokens(message));
        if kept > recent && place < messages.len() {
            break;
        }
        place = index;
    }
    place
}

/// Whether a cut in front of each message parts no call from its result. Results may come late, behind words that were
/// said meanwhile.
fn whole_places(messages: &[&Message]) -> Vec<bool> {
    let mut whole = vec![true; messages.len()];
    let mut open: HashMap<&ToolCallId, usize> = HashMap::new();
    for (index, message) in messages.iter().enumerate() {
        match message {
            Message::Assistant(answer) => open.extend(answer.tool_calls().map(|call| (&call.id, index))),
            Message::ToolResult(result) => {
                let called = open.get(&result.call).copied().unwrap_or(index.saturating_sub(1));
                for place in whole.iter_mut().take(index + 1).skip(called + 1) {
                    *place = false;
                }
            }
            _ => {}
        }
    }
    whole
}

/// Whether what would be summed up holds anything that was said or done.
fn holds_talk(messages: &[&Message], cut: Cut) -> bool {
    let said = |message: &&&Message| {
        matches!(message, Message::User(_) | Message::Assistant(_) | Message::ToolResult(_))
    };
    messages.get(cut.from..cut.first_kept).unwrap_or_default().iter().any(|message| said(&message))
}
