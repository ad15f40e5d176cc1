//! Takes out of foreign text what could pass for ours: fence brackets, our markers, controls, hidden characters.
//!
//! Pure. A line is for names: strict, because nobody needs markers in a name. A block is for content: it stays as it
//! is as far as possible, because tools read programs and programs hold all kinds of brackets.

use super::fence::{CLOSES, OPENS};

/// Words that our own code looks for in answers, or that the model takes for ours. None may come from a name.
const MARKERS: [&str; 8] =
    ["NO_REPLY", "HEARTBEAT_OK", "REPLY_SKIP", "ANNOUNCE_SKIP", "MEDIA:", "[System Message]", "[[", "]]"];
/// What is put where a marker is broken up.
const BREAK: char = '·';

/// A text as one line of at most `most` characters, without anything that could pass for a marker.
pub(super) fn clean_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in clean_block(text).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let mut line = break_markers(&line);
    if let Some((end, _)) = line.char_indices().nth(most) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// A text with its line breaks, without fence brackets, controls, hidden characters and marks of chat templates.
pub(super) fn clean_block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => out.push(letter),
            '\u{2028}' | '\u{2029}' | '\u{85}' => out.push('\n'),
            letter if letter.is_control() || is_hidden(letter) => {}
            letter => out.push(unbracketed(letter).unwrap_or(letter)),
        }
    }
    break_system_messages(&break_template_marks(&out))
}

/// A text of our own people with the brackets of fences replaced, and nothing else changed.
pub(super) fn without_fences(text: &str) -> String {
    text.chars().map(|letter| unbracketed(letter).unwrap_or(letter)).collect()
}

/// What stands for a bracket of a fence, or for one that looks the same.
fn unbracketed(letter: char) -> Option<char> {
    match letter {
        OPENS | '〚' => Some('['),
        CLOSES | '〛' => Some(']'),
        _ => None,
    }
}

/// Characters that are not seen: directions, joiners, tags, variation selectors of the kind that carries text.
/// The two joiners are kept: many scripts and emoji need them.
fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Breaks `<|word|>`, which servers with chat templates may take for the end of a message.
fn break_template_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("<|") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let inside = from.get(2..).unwrap_or_default();
        let end = inside.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
        let is_mark =
            end.is_some_and(|end| end > 0 && inside.get(end..).is_some_and(|tail| tail.starts_with("|>")));
        out.push('<');
        if is_mark {
            out.push(BREAK);
        }
        out.push('|');
        rest = inside;
    }
    out.push_str(rest);
    out
}

fn break_system_messages(text: &str) -> String {
    const NOTICE: &str = "[System Message]";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = find_ignoring_case(rest, NOTICE) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        out.push('(');
        out.push_str(from.get(1..NOTICE.len() - 1).unwrap_or_default());
        out.push(')');
        rest = from.get(NOTICE.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Breaks every marker after its first character, until none is left.
fn break_markers(text: &str) -> String {
    let mut text = text.to_owned();
    for marker in MARKERS {
        while let Some(at) = find_ignoring_case(&text, marker) {
            text.insert(at + 1, BREAK);
        }
    }
    text
}

/// Where an ASCII text begins in another, in any case.
fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    text.as_bytes().windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}
