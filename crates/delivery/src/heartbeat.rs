//! `HEARTBEAT_OK`, the word that acknowledges a heartbeat, where a model says it in an ordinary answer.
//!
//! It is taken out at the beginning and at the end of an answer. Anywhere else somebody talks about it, and it stays.

use crate::silent::{HEARTBEAT_OK, is_only};

/// How many characters of punctuation may follow the word at the end.
const TAIL: usize = 4;

/// An ordinary answer, or a part of one, without the word, which has no business there.
#[must_use]
pub fn without_heartbeat(text: String) -> String {
    strip(&text).unwrap_or(text)
}

/// A text without the word at its ends; nothing when it is not there.
fn strip(text: &str) -> Option<String> {
    if is_only(text, HEARTBEAT_OK) {
        return Some(String::new());
    }
    let mut rest = text.trim();
    let mut found = false;
    while let Some(shorter) = strip_start(rest).or_else(|| strip_end(rest)) {
        rest = shorter.trim();
        found = true;
    }
    found.then(|| rest.to_owned())
}

fn strip_start(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_decoration).strip_prefix(HEARTBEAT_OK)?;
    let ends = rest.chars().next().is_none_or(|c| !is_word(c));
    ends.then(|| rest.trim_start_matches(|c: char| is_decoration(c) || ".!,:;".contains(c)))
}

fn strip_end(text: &str) -> Option<&str> {
    let at = text.rfind(HEARTBEAT_OK)?;
    let (before, after) = (&text[..at], &text[at + HEARTBEAT_OK.len()..]);
    let tail = after.chars().count() <= TAIL && !after.contains(is_word_or_number);
    let begins = before.chars().next_back().is_none_or(|c| !is_word(c) || is_decoration(c));
    (tail && begins).then(|| before.trim_end_matches(|c: char| is_decoration(c) || c.is_whitespace()))
}

fn is_decoration(c: char) -> bool {
    matches!(c, '*' | '`' | '~' | '_')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_word_or_number(c: char) -> bool {
    c.is_alphanumeric()
}
