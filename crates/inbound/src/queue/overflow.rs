//! What happens to messages when more wait than may.
//!
//! Pure: takes messages out of the backlog and says where they go. `session` calls it before it lets one wait.

use std::collections::VecDeque;

use openclaw_config::sections::QueueDrop;

use super::session::Item;

/// The messages that had to leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Overflow<T> {
    /// Those that are forgotten.
    pub(super) dropped: Vec<Item<T>>,
    /// Those that are named in the next prompt.
    pub(super) summed: Vec<Item<T>>,
}

/// Takes out of the backlog what is more than `cap`.
pub(super) fn trim<T>(backlog: &mut VecDeque<Item<T>>, cap: usize, rule: QueueDrop) -> Overflow<T> {
    let excess = backlog.len().saturating_sub(cap);
    let mut overflow = Overflow { dropped: Vec::new(), summed: Vec::new() };
    match rule {
        QueueDrop::New => overflow.dropped = backlog.split_off(backlog.len() - excess).into(),
        QueueDrop::Old => overflow.dropped = backlog.drain(..excess).collect(),
        QueueDrop::Summarize => overflow.summed = backlog.drain(..excess).collect(),
    }
    overflow
}
