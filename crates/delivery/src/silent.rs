//! The words with which a model says that there is nothing to say.
//!
//! Models decorate them: bold, in backticks, with a full stop. A word counts when nothing else is said; inside a
//! sentence it is part of the sentence. While words still come, text that may become such a word is held back.

use crate::media;

/// Nothing is to be said.
pub const NO_REPLY: &str = "NO_REPLY";
/// Nothing needs attention.
pub const HEARTBEAT_OK: &str = "HEARTBEAT_OK";
/// An answer between sessions that is not to be answered again.
pub const REPLY_SKIP: &str = "REPLY_SKIP";
/// A result that is not to be announced.
pub const ANNOUNCE_SKIP: &str = "ANNOUNCE_SKIP";

/// The longest beginning that is held back.
const LONGEST: usize = 512;

/// Whether a text says nothing but `NO_REPLY`, however it is decorated.
#[must_use]
pub fn is_silent(text: &str) -> bool {
    is_only(text, NO_REPLY)
}

/// Whether a text says nothing but a word, however it is decorated, once or several times.
#[must_use]
pub fn is_only(text: &str, word: &str) -> bool {
    let mut said = false;
    text.len() <= LONGEST
        && text.lines().all(|line| {
            let bare = bare(line);
            said |= bare.eq_ignore_ascii_case(word);
            bare.is_empty() || bare.eq_ignore_ascii_case(word)
        })
        && said
}

/// Whether a line says nothing but `NO_REPLY`.
pub(crate) fn is_silent_line(line: &str) -> bool {
    line.len() <= LONGEST && bare(line).eq_ignore_ascii_case(NO_REPLY)
}

/// Whether the beginning of a line may become one that says nothing but `NO_REPLY`.
pub(crate) fn may_become_silent_line(line: &str) -> bool {
    let bare = bare(line);
    line.len() <= LONGEST
        && NO_REPLY.get(..bare.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(bare))
}

/// Whether the beginning of an answer may become one that says nothing, apart from files to attach.
pub(crate) fn may_become_silent(text: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let (whole, last) = text.rsplit_once('\n').unwrap_or(("", text));
    whole.lines().all(says_nothing) && (may_become_silent_line(last) || media::may_become_line(last))
}

/// Whether a whole answer says nothing, apart from files to attach.
pub(crate) fn says_only_silence(text: &str) -> bool {
    text.len() <= LONGEST && text.lines().all(says_nothing) && text.lines().any(is_silent_line)
}

fn says_nothing(line: &str) -> bool {
    bare(line).is_empty() || is_silent_line(line) || media::parse_line(line).is_some()
}

/// A line without the decoration around it.
fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| !c.is_alphanumeric())
}
