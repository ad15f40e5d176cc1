//! Finds how much fits, and takes that off, again and again.

use openclaw_types::{ChunkMode, RichText, Style};

use super::place::{self, Window};
use crate::markdown::Formatted;

/// How much a message holds.
#[derive(Clone, Copy)]
pub struct Room<'a> {
    /// The most, in the measure.
    pub limit: usize,
    /// The most lines.
    pub lines: Option<usize>,
    /// Where long words are cut.
    pub mode: ChunkMode,
    /// How long a piece is, markup and all.
    pub measure: &'a dyn Fn(&RichText) -> usize,
}

impl Room<'_> {
    /// Whether a piece fits.
    #[must_use]
    pub fn fits(&self, piece: &RichText) -> bool {
        let tall = self
            .lines
            .is_some_and(|most| piece.text().bytes().filter(|byte| *byte == b'\n').count() >= most.max(1));
        !tall && (self.measure)(piece) <= self.limit
    }
}

/// Cuts words that were read into pieces that fit. No piece is empty. A single character that does not fit even
/// without markup is a piece all the same, so that there is always an end.
#[must_use]
pub fn chunk(words: &Formatted, room: &Room<'_>) -> Vec<RichText> {
    let length = words.text.text().len();
    let mut pieces = Vec::new();
    let mut start = 0;
    if room.mode == ChunkMode::Newline {
        for next in words.paragraphs.iter().copied().filter(|next| *next < length) {
            if next > start {
                cut_part(&words.text.slice(start, next), room, &mut pieces);
                start = next;
            }
        }
    }
    cut_part(&words.text.slice(start, length), room, &mut pieces);
    pieces
}

fn cut_part(words: &RichText, room: &Room<'_>, pieces: &mut Vec<RichText>) {
    let mut rest = words.slice(skip_space(words, 0), words.text().len());
    while !rest.is_empty() {
        let length = rest.text().len();
        // Only what is near decides, so that long words cost no more than short ones for each piece.
        let near = rest.slice(0, room.limit.saturating_mul(8).saturating_add(4096).min(length));
        let near = if near.text().len() < length && room.fits(&near) { &rest } else { &near };
        let (end, markup) = next_end(near, room);
        let piece = match markup {
            Markup::Kept => trimmed(near, end),
            Markup::TooMuch => RichText::plain(near.text()[..end].trim_end()),
        };
        if !piece.text().trim().is_empty() {
            pieces.push(piece);
        }
        rest = rest.slice(skip_space(&rest, end), length);
    }
}

/// Whether a piece keeps its spans.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Markup {
    Kept,
    /// Not even one character fits with them.
    TooMuch,
}

/// Where the first piece of words ends; never at their beginning.
fn next_end(words: &RichText, room: &Room<'_>) -> (usize, Markup) {
    let length = words.text().len();
    let full = fullest(words, room);
    if full == length {
        return (length, Markup::Kept);
    }
    if full > 0 {
        let fits = |end: usize| room.fits(&trimmed(words, end));
        let whole = |from: usize, to: usize| room.fits(&words.slice(from, to));
        return (place::choose(&Window { words, full }, fits, whole), Markup::Kept);
    }
    // Markup alone takes the room: the words go without.
    let full = fullest(&RichText::plain(words.text()), room);
    let end = place::grapheme_floor(words.text(), full);
    let first = words.text().chars().next().map_or(1, char::len_utf8);
    (end.max(first), Markup::TooMuch)
}

/// The furthest end that fits, at a character boundary; the beginning when nothing does.
fn fullest(words: &RichText, room: &Room<'_>) -> usize {
    let text = words.text();
    let fits = |end: usize| room.fits(&trimmed(words, end));
    let (mut low, mut high) = (0, 0);
    let mut step = room.limit.clamp(1, 1 << 20);
    loop {
        high = text.floor_char_boundary(usize::saturating_add(high, step).min(text.len()));
        if high > low && !fits(high) {
            break;
        }
        if high == text.len() {
            return high;
        }
        low = high;
        step = step.saturating_mul(2);
    }
    while let Some(middle) = between(text, low, high) {
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// A character boundary strictly between two.
fn between(text: &str, low: usize, high: usize) -> Option<usize> {
    let middle = text.floor_char_boundary(low + (high - low) / 2);
    let middle = if middle > low { middle } else { text.ceil_char_boundary(low + 1) };
    (low < middle && middle < high).then_some(middle)
}

/// The words up to a place, without white space at their end. Code keeps its own, apart from one line end.
fn trimmed(words: &RichText, end: usize) -> RichText {
    let part = &words.text()[..end];
    let part = match place::code_at(words, end.saturating_sub(1)) {
        Some(_) => part.strip_suffix('\n').unwrap_or(part),
        None => part.trim_end(),
    };
    words.slice(0, part.len())
}

/// The place after white space. Inside code only the end of the line is skipped.
fn skip_space(words: &RichText, at: usize) -> usize {
    let rest = &words.text()[at..];
    match place::code_at(words, at) {
        // A block that begins here keeps its first line; one that was cut begins with its next.
        Some((start, _)) if start == at => at,
        Some(_) => at + usize::from(rest.starts_with('\n')),
        None => {
            let space = rest.len() - rest.trim_start().len();
            // White space before a block of code ends where the block begins.
            let block = words
                .styles()
                .iter()
                .filter(|span| matches!(span.style, Style::CodeBlock { .. }))
                .find(|span| span.start > at && span.start < at + space);
            block.map_or(at + space, |block| block.start)
        }
    }
}
