//! Hides what must not be read as Markdown before it is read, and shows it again in what comes out.
//!
//! HTML is text for us, so that marks inside it count and nothing of it is lost; addresses keep their underscores; a
//! definition that nothing refers to is a line that somebody wrote; and where words are written without spaces, punctuation
//! does not keep marks from their words. A hidden character is a code point that means nothing, so the place does not
//! matter: code gets its character back too.

use std::collections::HashMap;

/// What is hidden. The place in this list is the place of the code point behind `FIRST`.
const SHOWN: [char; 31] = [
    '<', '*', '_', '~', '[', ')', '「', '」', '『', '』', '（', '）', '【', '】', '《', '》', '〈', '〉',
    '、', '。', '！', '？', '：', '；', '，', '．', '“', '”', '‘', '’', '…',
];
/// The first code point that means nothing and never will.
const FIRST: u32 = 0xFDD0;

/// How far back the beginning of an address is looked for, in bytes.
const ADDRESS: usize = 2048;

/// A source whose delicate characters are hidden.
pub(super) struct Shielded {
    /// What to read.
    pub(super) text: String,
    active: bool,
}

impl Shielded {
    /// A part of what was read, as it was written.
    pub(super) fn shown(&self, part: &str) -> String {
        if !self.active {
            return part.to_owned();
        }
        part.chars().map(|c| shown(c).unwrap_or(c)).collect()
    }
}

/// Hides what must not be read as Markdown.
pub(super) fn shielded(source: &str) -> Shielded {
    if source.contains(|c| shown(c).is_some()) {
        return Shielded { text: source.to_owned(), active: false };
    }
    let definitions = lonely_definitions(source);
    let mut text = String::with_capacity(source.len() + 16);
    let mut address_end = 0;
    let mut escaped = false;
    let mut previous = None;
    for (at, c) in source.char_indices() {
        if at >= address_end && !previous.is_some_and(char::is_alphanumeric) {
            address_end = address_end.max(at + address(&source[at..]));
        }
        let hide = match c {
            '<' => !escaped && !is_autolink(&source[at..]) && !is_destination(&source[..at]),
            '*' | '_' | '~' => at < address_end,
            '[' => definitions.binary_search(&at).is_ok(),
            c => separates(c, &source[..at], &source[at + c.len_utf8()..]),
        };
        text.push(if hide { hidden(c) } else { c });
        escaped = c == '\\' && !escaped;
        previous = Some(c);
    }
    Shielded { text, active: true }
}

fn shown(c: char) -> Option<char> {
    let place = u32::from(c).checked_sub(FIRST)?;
    SHOWN.get(usize::try_from(place).ok()?).copied()
}

fn hidden(c: char) -> char {
    let place = SHOWN.iter().zip(FIRST..).find(|(shown, _)| **shown == c);
    place.and_then(|(_, code)| char::from_u32(code)).unwrap_or(c)
}

/// Whether punctuation stands between a mark and its words where scripts have no spaces: `**「a」**b` is bold there, though
/// Markdown wants a space before `b`.
fn separates(c: char, before: &str, after: &str) -> bool {
    let foreign = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && c.is_alphanumeric());
    let marks = |c: char| c == '*' || c == '~';
    if !SHOWN[5..].contains(&c) {
        return false;
    }
    let ends = after.starts_with(marks) && foreign(after.trim_start_matches(marks).chars().next());
    let begins = before.ends_with(marks) && foreign(before.trim_end_matches(marks).chars().next_back());
    (ends || begins) && !(c == ')' && closes_link(before))
}

/// Whether a bracket after these words ends the address of a link.
fn closes_link(before: &str) -> bool {
    let near = &before[before.floor_char_boundary(before.len().saturating_sub(ADDRESS))..];
    near.rfind("](").is_some_and(|open| !near[open..].contains([')', '\n']))
}

/// How many bytes of an address a text begins with, without punctuation at its end.
fn address(text: &str) -> usize {
    let Some(scheme) = ["https://", "http://"].into_iter().find(|scheme| {
        text.get(..scheme.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(scheme))
    }) else {
        return 0;
    };
    let ends = |c: char| c.is_whitespace() || "<>()[]|\"'`\\".contains(c);
    let length = text[scheme.len()..].find(ends).unwrap_or(text.len() - scheme.len());
    text[..scheme.len() + length].trim_end_matches(|c: char| "*_~.,;:!?".contains(c)).len()
}

/// Whether a text begins with an address in angle brackets.
fn is_autolink(text: &str) -> bool {
    let Some(inner) = text[1..].find(['<', '>', ' ', '\t', '\n']).map(|end| &text[1..=end]) else {
        return false;
    };
    // An address with a label in the same brackets is a platform's own link.
    if !text[1 + inner.len()..].starts_with('>') || inner.contains('|') {
        return false;
    }
    if let Some((scheme, _)) = inner.split_once(':') {
        return (2..=32).contains(&scheme.len())
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    }
    inner.split_once('@').is_some_and(|(name, host)| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._%+-".contains(c);
        !name.is_empty() && name.chars().all(allowed) && !host.is_empty() && host.chars().all(allowed)
    })
}

/// Whether what follows is where a link leads.
fn is_destination(before: &str) -> bool {
    before.ends_with("](") || before.trim_end_matches([' ', '\t']).ends_with("]:")
}

/// Where definitions begin that nothing refers to.
fn lonely_definitions(source: &str) -> Vec<usize> {
    let mut defined: Vec<(usize, String)> = Vec::new();
    let mut mentioned: HashMap<String, usize> = HashMap::new();
    let mut rest = 0;
    while let Some(start) = source[rest..].find('[').map(|found| rest + found) {
        rest = start + 1;
        let Some(end) = source[rest..].find(['[', ']']).map(|found| rest + found) else { break };
        if source[end..].starts_with('[') {
            continue;
        }
        let label = source[rest..end].trim().to_lowercase();
        if source[end + 1..].starts_with(':') && begins_line(&source[..start]) {
            defined.push((start, label));
        } else {
            *mentioned.entry(label).or_default() += 1;
        }
        rest = end;
    }
    defined.retain(|(_, label)| label.starts_with('^') || !mentioned.contains_key(label));
    defined.into_iter().map(|(start, _)| start).collect()
}

/// Whether nothing but space and marks of blocks stands before, in the same line.
fn begins_line(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    line.chars().all(|c| c.is_whitespace() || c.is_ascii_digit() || ">-*+.)".contains(c))
}
