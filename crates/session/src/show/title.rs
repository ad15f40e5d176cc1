//! A title for a session that nobody named: from its group, or from the first words a person said.
//!
//! Pure.

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{Message, SessionEntry};

use super::preview::{message, words};

/// The longest title, in letters.
const LETTERS: usize = 60;
/// A title is cut at a space, when that leaves at least so much of it, in hundredths.
const AT_LEAST: usize = 60;

/// The title of a session.
pub(crate) fn title(entry: &SessionEntry, first_words: Option<&str>) -> String {
    let named = |name: &Option<String>| {
        name.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned)
    };
    let spoken = || {
        let words = first_words?.split_whitespace().collect::<Vec<_>>().join(" ");
        (!words.is_empty()).then(|| shortened(&words))
    };
    named(&entry.facts.display_name)
        .or_else(|| named(&entry.facts.subject))
        .or_else(spoken)
        .unwrap_or_else(|| by_id(entry))
}

/// The first words a person said.
pub(crate) fn first_words(branch: &[StoredEntry]) -> Option<String> {
    branch.iter().filter_map(message).find_map(|message| match message {
        Message::User(_) => words(message),
        _ => None,
    })
}

fn by_id(entry: &SessionEntry) -> String {
    let id: String = entry.session_id.as_str().chars().take(8).collect();
    match jiff::Timestamp::from_millisecond(entry.updated_at.0) {
        Ok(at) if entry.updated_at.0 > 0 => format!("{id} ({})", at.strftime("%Y-%m-%d")),
        _ => id,
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LETTERS {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LETTERS - 1).collect();
    match cut.rsplit_once(' ') {
        Some((words, _)) if words.chars().count() * 100 > LETTERS * AT_LEAST => format!("{words}…"),
        _ => format!("{cut}…"),
    }
}
