//! Makes a tool's result fit for a model: no control characters, nothing that passes for our own voice, no pictures that
//! no model takes, not longer than allowed. Whoever calls keeps the whole text on disk first and says here where it is.
//!
//! A result is not fenced once more: vendors keep results of tools apart from what people say, and the prompt says what
//! they are. What in it could be taken for the gateway's words is broken by `prompt::clean`, whatever tool gave it.
//! Pure. `run::tools` calls it for every result before it goes into the transcript.

use std::path::Path;

use openclaw_ports::tool::ToolGroup;
use openclaw_types::{Content, Image, ImageData};

use crate::prompt::{clean_block, clean_unmarked};

/// The most text of one result that goes into a transcript, in bytes.
const LONGEST_RESULT: usize = 64 * 1024;

/// Maximum length of a text in the details of a tool that clients are shown, in characters.
const LONGEST_SHOWN_TEXT: usize = 8_000;

/// The largest picture that vendors take, in bytes.
const LARGEST_PICTURE: usize = 5 * 1024 * 1024;

/// How many bytes a token stands for, for estimates.
const BYTES_OF_A_TOKEN: u64 = 4;

/// How much of a model's window one result may take, in hundredths.
const SHARE_OF_WINDOW: u64 = 30;

/// The most text of one result for a model with such a window.
pub(crate) fn longest_for(window: Option<u64>) -> usize {
    let share = window.map(|tokens| tokens.saturating_mul(BYTES_OF_A_TOKEN * SHARE_OF_WINDOW) / 100);
    let share = share.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(LONGEST_RESULT);
    share.min(LONGEST_RESULT)
}

/// Takes out what models and terminals stumble over, what passes for our own words, and pictures that are too large.
pub(crate) fn clean(content: Vec<Content>) -> Vec<Content> {
    cleaned(content, plain)
}

/// The same for the result of a tool of ours. Those of the web mark what came from outside, and their marks stay.
pub(crate) fn clean_result(group: ToolGroup, content: Vec<Content>) -> Vec<Content> {
    match group {
        ToolGroup::Web | ToolGroup::Media => cleaned(content, |text| clean_block(&unescaped(text))),
        _ => clean(content),
    }
}

fn cleaned(content: Vec<Content>, plain: impl Fn(&str) -> String) -> Vec<Content> {
    let kept: Vec<Content> = content.into_iter().filter_map(|content| piece(content, &plain)).collect();
    if kept.is_empty() { vec![Content::text("(no output)")] } else { kept }
}

fn piece(piece: Content, plain: impl Fn(&str) -> String) -> Option<Content> {
    match piece {
        Content::Text(text) => {
            let text = plain(&text.text);
            (!text.is_empty()).then(|| Content::text(text))
        }
        Content::Image(image) => Some(picture(image)),
        // A result is words and pictures; a tool that gives thoughts or calls forges a model's message.
        _ => None,
    }
}

/// Text without control characters and imitations of our marks; line breaks and tabs stay.
pub(crate) fn plain(text: &str) -> String {
    clean_unmarked(&unescaped(text))
}

/// Text without the escape sequences of terminals; a carriage return alone becomes a line break.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' if letters.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            '\u{1b}' => skip_escape(&mut letters),
            letter => out.push(letter),
        }
    }
    out
}

/// Passes over a terminal's escape sequence.
fn skip_escape(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match letters.next_if(|letter| matches!(letter, '[' | ']' | '(' | ')')) {
        Some('[') => while letters.next().is_some_and(|letter| !('@'..='~').contains(&letter)) {},
        Some(']') => while letters.next().is_some_and(|letter| letter != '\u{7}' && letter != '\\') {},
        Some(_) => {
            letters.next();
        }
        None => {}
    }
}

fn picture(image: Image) -> Content {
    let bytes = match &image.data {
        // Four letters of Base64 stand for three bytes.
        ImageData::Inline(data) => data.len() / 4 * 3,
        ImageData::Url(_) | ImageData::Omitted { .. } => 0,
    };
    if bytes <= LARGEST_PICTURE {
        return Content::Image(image);
    }
    let kind = image.media_type.as_deref().unwrap_or("picture");
    Content::text(format!(
        "[a {kind} of {} MB was left out: models take pictures up to {} MB; make it smaller first]",
        bytes.div_ceil(1024 * 1024),
        LARGEST_PICTURE / (1024 * 1024)
    ))
}

/// Whether a tool's own record is small enough for a transcript.
pub(crate) fn is_small(details: &serde_json::Value) -> bool {
    details.to_string().len() <= LONGEST_RESULT
}

/// A tool's own record as clients are shown it: long texts are cut, and one that is still too large is left out.
pub(crate) fn shown_details(details: &serde_json::Value) -> Option<serde_json::Value> {
    Some(with_short_texts(details)).filter(is_small)
}

fn with_short_texts(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => match text.char_indices().nth(LONGEST_SHOWN_TEXT) {
            Some((end, _)) => format!("{}\n…(truncated)…", text.get(..end).unwrap_or(text)).into(),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(with_short_texts).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), with_short_texts(value))).collect()
        }
        other => other.clone(),
    }
}

/// How many bytes of text there are.
pub(crate) fn text_bytes(content: &[Content]) -> usize {
    content.iter().filter_map(Content::as_text).map(str::len).sum()
}

/// All the text, as it is kept on disk.
pub(crate) fn whole_text(content: &[Content]) -> String {
    content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n")
}

/// Cuts the text of a result in the middle when it is longer than allowed. Pictures stay.
pub(crate) fn cut(content: Vec<Content>, longest: usize, kept: Option<&Path>) -> Vec<Content> {
    if text_bytes(&content) <= longest {
        return content;
    }
    let text = middle_out(&whole_text(&content), longest, kept);
    let pictures = content.into_iter().filter(|piece| matches!(piece, Content::Image(_)));
    std::iter::once(Content::text(text)).chain(pictures).collect()
}

fn middle_out(text: &str, longest: usize, kept: Option<&Path>) -> String {
    // The beginning says what it is, the end how it went: two thirds and one third.
    let head = floor_boundary(text, longest / 3 * 2);
    let tail = ceil_boundary(text, text.len().saturating_sub(longest / 3));
    let (head, tail) = (text.get(..head).unwrap_or(""), text.get(tail..).unwrap_or(""));
    let left_out = text.len().saturating_sub(head.len() + tail.len());
    let place = match kept {
        Some(path) => format!("; the whole text is in {}, read the part you need from there", path.display()),
        None => "; ask for less at once to see it".to_owned(),
    };
    format!("{head}\n\n[… {left_out} bytes left out{place} …]\n\n{tail}")
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil_boundary(text: &str, mut at: usize) -> usize {
    while at < text.len() && !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests;
