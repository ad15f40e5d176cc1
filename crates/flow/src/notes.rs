//! Lines that the gateway tells an agent with the next message of a session: a command that ended behind, a change.
//!
//! Only memory, and bounded: the oldest go first. What must not be lost is a letter.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use openclaw_types::SessionKey;

/// How many lines wait for one session.
const MOST_LINES: usize = 20;
/// How many sessions have lines waiting.
const MOST_SESSIONS: usize = 1_000;

/// The lines that wait.
#[derive(Default)]
pub(crate) struct Notes(Mutex<HashMap<SessionKey, VecDeque<String>>>);

impl Notes {
    /// Adds a line. The same line twice in a row is one line.
    pub(crate) fn add(&self, key: &SessionKey, line: &str) {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains_key(key) && notes.len() >= MOST_SESSIONS {
            return;
        }
        let lines = notes.entry(key.clone()).or_default();
        if lines.back() == Some(&line) {
            return;
        }
        if lines.len() == MOST_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The lines of a session as text to stand before a message; they are taken.
    pub(crate) fn take(&self, key: &SessionKey) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key).unwrap_or_default();
        let mut text = String::new();
        for line in &lines {
            // Writing to a string cannot fail.
            if writeln!(text, "System: {line}").is_err() {
                break;
            }
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The lines that wait, by session, for those who show them.
    pub(crate) fn waiting(&self, key: &SessionKey) -> Vec<String> {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.get(key).map(|lines| lines.iter().cloned().collect()).unwrap_or_default()
    }
}
