//! Notes for the main session that wait until it runs next.
//!
//! In memory, as in the original: at most twenty, the oldest makes room, and the same note twice in a row is one.
//! `system-event` adds to it, `status` shows it.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// How many notes wait at most.
const CAPACITY: usize = 20;

/// The notes that wait.
#[derive(Debug, Default)]
pub(crate) struct SystemEvents(Mutex<VecDeque<String>>);

impl SystemEvents {
    /// Adds a note.
    pub(crate) fn queue(&self, text: &str) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.back().is_some_and(|last| last == text) {
            return;
        }
        if waiting.len() == CAPACITY {
            waiting.pop_front();
        }
        waiting.push_back(text.to_owned());
    }

    /// The notes that wait, oldest first.
    pub(crate) fn waiting(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_notes_are_one_and_the_oldest_makes_room() {
        let events = SystemEvents::default();
        for number in 0..CAPACITY + 2 {
            events.queue(&number.to_string());
            events.queue(&number.to_string());
        }
        let expected: Vec<String> = (2..CAPACITY + 2).map(|number| number.to_string()).collect();
        assert_eq!(events.waiting(), expected);
    }
}
