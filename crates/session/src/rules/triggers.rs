//! Finds the words that begin a session anew, such as `/new`, and what is said after them.
//!
//! Pure. Whether the sender may do that, and taking a mention off the front, is the caller's business.

/// A message that begins a session anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetTrigger<'a> {
    /// The word, as it stands in the settings.
    pub word: &'a str,
    /// What is said after it; empty when nothing is.
    pub rest: &'a str,
}

/// Looks for one of the words at the front of a message. Case does not matter; the word must stand alone.
#[must_use]
pub fn reset_trigger<'a>(triggers: &'a [String], message: &'a str) -> Option<ResetTrigger<'a>> {
    let message = message.trim();
    triggers.iter().filter(|word| !word.is_empty()).find_map(|word| {
        let rest = after(message, word)?;
        let alone = rest.is_empty() || rest.starts_with(char::is_whitespace);
        alone.then(|| ResetTrigger { word, rest: rest.trim_start() })
    })
}

/// What follows `word`, compared letter by letter without regard to case.
fn after<'a>(message: &'a str, word: &str) -> Option<&'a str> {
    let mut letters = message.chars();
    for expected in word.chars() {
        let found = letters.next()?;
        if !found.to_lowercase().eq(expected.to_lowercase()) {
            return None;
        }
    }
    Some(letters.as_str())
}
