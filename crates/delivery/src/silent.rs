//! The words with which a model says that there is nothing to say.
//!
//! Models decorate them: bold, in backticks, in tags, with a full stop. A word counts when nothing else is said; inside a
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

/// What a model says when people are told nothing.
const QUIET: [&str; 4] = [NO_REPLY, HEARTBEAT_OK, REPLY_SKIP, ANNOUNCE_SKIP];

/// The shortest beginning of such a word that is taken for one: a single letter may be anything.
const SHORTEST: usize = 2;

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

/// Whether an answer that was cut off is the beginning of a word for silence and nothing else: `NO` of `NO_REPLY`.
#[must_use]
pub fn is_cut_silence(text: &str) -> bool {
    let said = text.trim();
    said.len() >= SHORTEST && [NO_REPLY, HEARTBEAT_OK].iter().any(|word| word.starts_with(said))
}

/// Whether a line says nothing but that there is nothing to say to people.
pub(crate) fn is_silent_line(line: &str) -> bool {
    let bare = bare(line);
    line.len() <= LONGEST && QUIET.iter().any(|word| bare.eq_ignore_ascii_case(word))
}

/// Whether the beginning of a line may become one that says nothing else.
pub(crate) fn may_become_silent_line(line: &str) -> bool {
    // Most lines begin with the letter of another word, and no decoration around that takes it away.
    let begins_otherwise = |first: char| {
        first.is_alphanumeric() && !QUIET.iter().any(|word| word.starts_with(first.to_ascii_uppercase()))
    };
    if line.chars().next().is_some_and(begins_otherwise) {
        return false;
    }
    let bare = undecorated(line, Ending::Open);
    let begins =
        |word: &&str| word.get(..bare.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(&bare));
    line.len() <= LONGEST && QUIET.iter().any(begins)
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
fn bare(line: &str) -> String {
    undecorated(line, Ending::Whole)
}

/// Whether more of a line may come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Whole,
    Open,
}

/// A line without tags, escapes and what is no letter around it. While more may come, a tag at its end need not be whole.
fn undecorated(line: &str, ending: Ending) -> String {
    let trim = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    if line.len() > LONGEST || !line.contains(['<', '\\', '&']) {
        return trim(line);
    }
    let mut words = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let mark = match c {
            '\\' => Some(1),
            '<' => tag(rest, ending),
            '&' => entity(rest, ending),
            _ => None,
        };
        if mark.is_none() {
            words.push(c);
        }
        rest = &rest[mark.unwrap_or(c.len_utf8())..];
    }
    trim(&words)
}

/// The length of the tag that a text begins with.
fn tag(text: &str, ending: Ending) -> Option<usize> {
    let name = text[1..].trim_start_matches('/');
    let inner = name.find(['<', '>']).unwrap_or(name.len());
    let named = name[..inner].chars().next().is_none_or(|c| c.is_ascii_alphabetic());
    let length = text.len() - name.len() + inner;
    match text[length..].chars().next() {
        Some('>') if named && inner > 0 => Some(length + 1),
        None if named && ending == Ending::Open => Some(length),
        _ => None,
    }
}

/// The length of the blank that a text begins with, written as HTML writes it.
fn entity(text: &str, ending: Ending) -> Option<usize> {
    const BLANK: &str = "&nbsp;";
    if text.starts_with(BLANK) {
        return Some(BLANK.len());
    }
    (ending == Ending::Open && BLANK.starts_with(text)).then_some(text.len())
}
