//! The entries of sessions that were read or written last, each beside the text it stands for.
//!
//! A turn looks at the entry of its session several times, and most of what that takes is reading the same text again.
//! The file stays what counts: what is remembered here is used only where the file holds the very text it was read from.
//! Bounded in entries and in text.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use openclaw_types::{SessionEntry, SessionKey};

use crate::error::Fault;

/// How many entries are remembered: about as many conversations as go on at a time.
const ENTRIES: usize = 64;
/// The longest text that is remembered. Longer ones are rare, and are read anew.
const MOST_BYTES: usize = 8 * 1024;

/// The entries that were read or written last, the newest at the back.
#[derive(Debug, Default)]
pub(super) struct Parsed(Mutex<VecDeque<(Box<str>, Arc<SessionEntry>)>>);

impl Parsed {
    /// The entry that a text stands for.
    pub(super) fn read(&self, key: &SessionKey, text: &str) -> Result<Arc<SessionEntry>, Fault> {
        if let Some(entry) = self.take_up(text) {
            return Ok(entry);
        }
        let entry: SessionEntry = serde_json::from_str(text)
            .map_err(|error| Fault::Corrupt(format!("the session {}: {error}", key.as_str())))?;
        let entry = Arc::new(entry);
        self.put(text, &entry);
        Ok(entry)
    }

    /// Remembers an entry and the text it was written as.
    pub(super) fn put(&self, text: &str, entry: &Arc<SessionEntry>) {
        if text.len() > MOST_BYTES {
            return;
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One entry for a conversation: what it was before is not asked for again.
        match all.iter().position(|(_, other)| other.session_id == entry.session_id) {
            Some(older) => drop(all.remove(older)),
            None if all.len() >= ENTRIES => drop(all.pop_front()),
            None => {}
        }
        all.push_back((text.into(), Arc::clone(entry)));
    }

    fn take_up(&self, text: &str) -> Option<Arc<SessionEntry>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().rev().find(|(known, _)| **known == *text).map(|(_, entry)| Arc::clone(entry))
    }
}

#[cfg(test)]
mod tests {
    use openclaw_types::{SessionId, UnixMillis};

    use super::*;

    fn entry(session: &str, at: i64) -> (String, Arc<SessionEntry>) {
        let entry = SessionEntry::new(SessionId::new(session).unwrap(), UnixMillis(at));
        (serde_json::to_string(&entry).unwrap(), Arc::new(entry))
    }

    #[test]
    fn a_text_means_the_same_entry_however_often_it_is_read() {
        let (parsed, key) = (Parsed::default(), "agent:main:main".parse().unwrap());
        let (first, expected) = entry("one", 1);
        assert_eq!(parsed.read(&key, &first).unwrap(), expected);
        assert_eq!(parsed.read(&key, &first).unwrap(), expected);
        let (changed, after) = entry("one", 2);
        parsed.put(&changed, &after);
        assert_eq!(parsed.read(&key, &changed).unwrap(), after);
        // What somebody else put back into the file counts, not what is remembered.
        assert_eq!(parsed.read(&key, &first).unwrap(), expected);
        assert!(parsed.read(&key, "{").is_err());
    }

    #[test]
    fn it_stays_small_however_many_sessions_there_are() {
        let parsed = Parsed::default();
        for number in 0..ENTRIES * 3 {
            let (text, entry) = entry(&format!("session-{number}"), 1);
            parsed.put(&text, &entry);
        }
        let (long, _) = entry("long", 1);
        let (_, of_long) = entry("long", 1);
        parsed.put(&format!("{long}{}", " ".repeat(MOST_BYTES)), &of_long);
        let all = parsed.0.lock().unwrap();
        assert_eq!(all.len(), ENTRIES);
        assert!(all.iter().all(|(text, _)| text.len() <= MOST_BYTES));
    }
}
