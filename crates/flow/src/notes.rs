//! Lines that the gateway tells an agent with the next message of a session: a command that ended behind, a change.
//!
//! Only memory, and bounded: the oldest go first. What must not be lost is a submission.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::tz::TimeZone;
use openclaw_types::{SessionKey, UnixMillis};

use crate::stamp::stamped;

/// How many lines wait for one session.
const MOST_LINES: usize = 20;
/// How many sessions have lines waiting.
const MOST_SESSIONS: usize = 1_000;

/// The lines that wait.
#[derive(Default)]
pub(crate) struct Notes(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    lines: HashMap<SessionKey, VecDeque<Line>>,
    /// The sessions, the one that waits longest first.
    order: VecDeque<SessionKey>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    text: String,
    until: Until,
    noted_at: UnixMillis,
}

/// How long a line waits at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// Until the next message.
    Message,
    /// Until the session rests: then its agent is woken for it.
    Rest,
}

impl Notes {
    /// Adds a line. The same line twice in a row is one line.
    pub(crate) fn add(&self, key: &SessionKey, line: &str, now: UnixMillis) {
        self.put(key, line, Until::Message, now);
    }

    /// Adds a line for which the agent is woken when its session rests before the next message comes.
    pub(crate) fn add_waking(&self, key: &SessionKey, line: &str, now: UnixMillis) {
        self.put(key, line, Until::Rest, now);
    }

    fn put(&self, key: &SessionKey, line: &str, until: Until, now: UnixMillis) {
        let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = Line { text, until, noted_at: now };
        let mut pages = self.pages();
        if !pages.lines.contains_key(key) {
            pages.order.push_back(key.clone());
            if pages.order.len() > MOST_SESSIONS
                && let Some(oldest) = pages.order.pop_front()
            {
                pages.lines.remove(&oldest);
            }
        }
        let lines = pages.lines.entry(key.clone()).or_default();
        if lines.back().is_some_and(|last| (&last.text, last.until) == (&line.text, line.until)) {
            return;
        }
        if lines.len() == MOST_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The lines of a session with their times, as text to stand before a message; they are taken.
    pub(crate) fn take(&self, key: &SessionKey, zone: &TimeZone) -> String {
        let lines = {
            let mut pages = self.pages();
            pages.order.retain(|each| each != key);
            pages.lines.remove(key).unwrap_or_default()
        };
        let mut text = String::new();
        for line in &lines {
            // Writing to a string cannot fail.
            if writeln!(text, "System: {}", stamped(&line.text, line.noted_at, zone)).is_err() {
                break;
            }
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The lines for which an agent is woken now that its session rests; they are taken. The others stay.
    pub(crate) fn take_waking(&self, key: &SessionKey) -> Vec<String> {
        let mut pages = self.pages();
        let Some(lines) = pages.lines.get_mut(key) else { return Vec::new() };
        let (waking, others) = lines.drain(..).partition(|line| line.until == Until::Rest);
        let waking: VecDeque<Line> = waking;
        *lines = others;
        if lines.is_empty() {
            pages.lines.remove(key);
            pages.order.retain(|each| each != key);
        }
        waking.into_iter().map(|line| line.text).collect()
    }

    /// The lines that wait, by session, for those who show them.
    pub(crate) fn waiting(&self, key: &SessionKey) -> Vec<String> {
        let pages = self.pages();
        pages.lines.get(key).into_iter().flatten().map(|line| line.text.clone()).collect()
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
