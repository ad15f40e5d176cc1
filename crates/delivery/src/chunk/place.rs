//! Chooses where to cut: the best place in what fits.

use openclaw_types::{RichText, Style};
use unicode_segmentation::GraphemeCursor;

/// What fits, and where a cut is to be found.
pub(super) struct Window<'a> {
    /// The words; the piece begins where they begin.
    pub(super) words: &'a RichText,
    /// The furthest place where it may end.
    pub(super) full: usize,
}

/// Where to end a piece; never at its beginning. `fits` says whether a piece that ends there fits (what counts may
/// shrink and grow), `whole` whether a part fits into a piece of its own.
pub(super) fn choose(
    window: &Window<'_>,
    fits: impl Fn(usize) -> bool,
    whole: impl Fn(usize, usize) -> bool,
) -> usize {
    let Window { words, full } = *window;
    let text = words.text();
    if let Some((begin, end)) = code_at(words, full) {
        let words_before = !text[..begin].trim().is_empty();
        // Code that would be cut moves as a whole, if that helps.
        if words_before && whole(begin, end) {
            return begin;
        }
        if let Some(line) = text[begin..full].rfind('\n').filter(|line| *line > 0) {
            return begin + line + 1;
        }
        return if words_before { begin } else { grapheme_floor(text, full) };
    }
    let candidates = [
        last_paragraph(window, full / 3),
        last_line(window, full / 3),
        last_sentence(window, full / 2),
        last_word(window),
    ];
    candidates
        .into_iter()
        .flatten()
        .find(|end| *end > 0 && fits(*end))
        .unwrap_or_else(|| grapheme_floor(text, full))
}

/// The code block around a place.
pub(super) fn code_at(words: &RichText, at: usize) -> Option<(usize, usize)> {
    words
        .styles()
        .iter()
        .take_while(|span| span.start <= at)
        .filter(|span| matches!(span.style, Style::CodeBlock { .. }))
        .find(|span| at < span.end)
        .map(|span| (span.start, span.end))
}

/// The last boundary between two characters as people see them; the last between two code points when one is too long.
pub(super) fn grapheme_floor(text: &str, full: usize) -> usize {
    let mut cursor = GraphemeCursor::new(full, text.len(), true);
    if cursor.is_boundary(text, 0) == Ok(true) {
        return full;
    }
    match cursor.prev_boundary(text, 0) {
        Ok(Some(boundary)) if boundary > 0 => boundary,
        _ => full,
    }
}

/// A place between two lines or words is good unless it tears code apart.
fn in_code(window: &Window<'_>, at: usize) -> bool {
    code_at(window.words, at).is_some_and(|(begin, _)| begin < at)
}

fn last_paragraph(window: &Window<'_>, least: usize) -> Option<usize> {
    let text = &window.words.text()[..ceiling(window)];
    text[least_boundary(text, least)..]
        .rmatch_indices("\n\n")
        .map(|(at, _)| least_boundary(text, least) + at)
        .find(|at| *at <= window.full && !in_code(window, *at))
}

fn last_line(window: &Window<'_>, least: usize) -> Option<usize> {
    let text = &window.words.text()[..ceiling(window)];
    text[least_boundary(text, least)..]
        .rmatch_indices('\n')
        .map(|(at, _)| least_boundary(text, least) + at)
        .find(|at| *at <= window.full && !in_code(window, *at))
}

fn last_sentence(window: &Window<'_>, least: usize) -> Option<usize> {
    let text = &window.words.text()[..ceiling(window)];
    let from = least_boundary(text, least);
    let spaces = text[from..].char_indices().rev().filter(|(_, c)| c.is_whitespace());
    spaces
        .map(|(at, _)| from + at)
        .find(|at| *at <= window.full && ends_sentence(&text[..*at]) && !in_code(window, *at))
        .or_else(|| last_full_width_stop(window, from))
}

/// Scripts that write without spaces end sentences with marks of their own.
fn last_full_width_stop(window: &Window<'_>, from: usize) -> Option<usize> {
    let text = &window.words.text()[from..window.full];
    let found = text.char_indices().rev().find(|(_, c)| "。！？".contains(*c));
    found.map(|(at, c)| from + at + c.len_utf8()).filter(|at| !in_code(window, *at))
}

fn last_word(window: &Window<'_>) -> Option<usize> {
    let text = &window.words.text()[..ceiling(window)];
    let spaces = text.char_indices().rev().filter(|(_, c)| c.is_whitespace());
    spaces
        .map(|(at, _)| at)
        .find(|at| *at <= window.full && *at > 0 && !in_code(window, *at) && !is_only_mark(&text[..*at]))
}

/// One character more than what fits: white space there ends a piece that is exactly full.
fn ceiling(window: &Window<'_>) -> usize {
    let text = window.words.text();
    window.full + text[window.full..].chars().next().map_or(0, char::len_utf8)
}

fn least_boundary(text: &str, least: usize) -> usize {
    text.ceil_char_boundary(least.min(text.len()))
}

fn ends_sentence(text: &str) -> bool {
    let closed = text.trim_end_matches(['"', '\'', ')', ']', '”', '’', '»']);
    closed.ends_with(['.', '!', '?', '…', '。', '！', '？'])
}

/// Whether a line ends with the mark of a list item, which belongs to the words after it.
fn is_only_mark(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or(text).trim();
    line == "•" || line.strip_suffix('.').is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}
