//! Takes out of foreign text what could pass for ours: fence brackets, our markers, controls, hidden characters.
//!
//! Pure, and the one place for it: fences, results of tools and what is summed up go through here. A line is for names:
//! strict, because nobody needs markers in a name. A block is for content: it stays as it is as far as possible,
//! because models edit what they have read, letter by letter, and vendors' caches and wrapping both cost tokens.
//! Only what a model would take for the gateway's own voice is broken: fences, the notes of the gateway, the marks of
//! chat templates. Words like NO_REPLY or reply tags mean something in a model's answer alone and stay in a block.

use std::borrow::Cow;

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

/// A text with its line breaks, without fence brackets, controls, hidden characters, marks of chat templates and notes
/// that pass for the gateway's.
#[must_use]
pub fn clean_block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => out.push(letter),
            '\u{2028}' | '\u{2029}' | '\u{85}' => out.push('\n'),
            letter if letter.is_control() || is_hidden(letter) => {}
            letter => out.push(unbracketed(letter).unwrap_or(letter)),
        }
    }
    break_notes(&break_template_marks(&out))
}

/// The same for text that nobody put marks around yet: imitations of those that the tools of the web write are broken.
pub(crate) fn clean_unmarked(text: &str) -> String {
    break_where(&clean_block(text), '<', |rest| {
        ["<<<external_untrusted_content", "<<<end_external_untrusted_content"]
            .iter()
            .any(|mark| begins(rest, mark))
            .then_some("< ")
    })
}

/// A text of our own people with the brackets of fences replaced, and nothing else changed.
pub(super) fn without_fences(text: &str) -> Cow<'_, str> {
    // Most files have none, and are long.
    if text.is_ascii() || !text.contains(|letter| unbracketed(letter).is_some()) {
        return Cow::Borrowed(text);
    }
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
        let end =
            inside.find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '▁')));
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

/// How notes of ours begin: those that are put into a conversation, and those that are put into results.
const NOTES: [&str; 2] = ["[system message]", "[note from the gateway"];

/// Gives notes that are not ours another bracket.
fn break_notes(text: &str) -> String {
    break_where(text, '[', |rest| {
        let named = NOTES.iter().any(|note| begins(rest, note));
        let cut = rest.strip_prefix("[… ").and_then(|rest| {
            rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).strip_prefix(" bytes left out")
        });
        (named || cut.is_some()).then_some("(")
    })
}

/// Puts something else for a letter, or one that looks like it, wherever the text from it on asks for it.
fn break_where(text: &str, letter: char, instead: impl Fn(&str) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, found) in text.char_indices() {
        let instead = match folded(found) == letter {
            true => text.get(at..).and_then(&instead),
            false => None,
        };
        match instead {
            Some(instead) => out.push_str(instead),
            None => out.push(found),
        }
    }
    out
}

/// Whether a text begins like a mark: in any case, in wide letters or ones that look the same, with any white space.
fn begins(text: &str, mark: &str) -> bool {
    let mut letters = text.chars().map(folded).peekable();
    mark.chars().all(|wanted| match wanted {
        ' ' | '_' => {
            let mut gap = false;
            while letters.next_if(|letter| matches!(letter, ' ' | '_')).is_some() {
                gap = true;
            }
            gap
        }
        wanted => letters.next() == Some(wanted),
    })
}

/// A letter in its plainest form.
fn folded(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter).to_ascii_lowercase()
        }
        '‹' | '〈' | '⟨' | '❮' => '<',
        '❲' | '〔' | '【' => '[',
        '❳' | '〕' | '】' => ']',
        '-' | '‐'..='―' => '_',
        letter if letter.is_whitespace() => ' ',
        // Letters of other scripts that look the same.
        'А' | 'а' | 'Α' | 'α' => 'a',
        'С' | 'с' => 'c',
        'Е' | 'е' | 'Ε' => 'e',
        'М' | 'м' | 'Μ' => 'm',
        'Н' | 'Ν' => 'n',
        'О' | 'о' | 'Ο' | 'ο' => 'o',
        'Р' | 'р' => 'r',
        'Ѕ' | 'ѕ' => 's',
        'Т' | 'т' | 'Τ' => 't',
        'У' | 'у' => 'y',
        'Х' | 'х' | 'Χ' => 'x',
        letter => letter.to_ascii_lowercase(),
    }
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
