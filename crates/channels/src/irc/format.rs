//! Our words as IRC clients show them: bold and slanted by control codes, addresses behind their words, code in quotes.

use openclaw_types::{RichText, Style};

const BOLD: char = '\u{02}';
const ITALIC: char = '\u{1d}';
const STRUCK: char = '\u{1e}';

/// Writes words for IRC. Control characters inside the words are left out: they could be read as codes.
pub(super) fn format(text: &RichText) -> String {
    let mut marks: Vec<(usize, u8, String)> = Vec::new();
    for span in text.styles() {
        let (open, close) = match span.style {
            Style::Bold => (BOLD.to_string(), BOLD.to_string()),
            Style::Italic => (ITALIC.to_string(), ITALIC.to_string()),
            Style::Strikethrough => (STRUCK.to_string(), STRUCK.to_string()),
            Style::Code => ("`".to_owned(), "`".to_owned()),
            Style::Quote => {
                marks.extend(
                    line_starts(text.text(), span.start, span.end).map(|at| (at, 1, "> ".to_owned())),
                );
                continue;
            }
            Style::Spoiler | Style::CodeBlock { .. } => continue,
        };
        marks.push((span.start, 2, open));
        marks.push((span.end, 0, close));
    }
    for link in text.links() {
        let words = &text.text()[link.start..link.end];
        if !link.address.is_empty() && words != link.address {
            marks.push((link.end, 0, format!(" <{}>", clean(&link.address))));
        }
    }
    marks.sort_by_key(|(at, kind, _)| (*at, *kind));
    let mut out = String::with_capacity(text.text().len() + marks.len() * 2);
    let mut done = 0;
    for (at, _, mark) in marks {
        out.push_str(&clean(&text.text()[done..at]));
        out.push_str(&mark);
        done = at;
    }
    out.push_str(&clean(&text.text()[done..]));
    out
}

/// The most bytes that `reopened` adds to a line.
pub(super) const REOPENED: usize = 3;

/// Lines with what was open at the end of the line before opened again: clients forget codes where a line ends. Lines
/// of codes alone show nothing and are left out.
pub(super) fn reopened(lines: Vec<String>) -> Vec<String> {
    let mut open: Vec<char> = Vec::new();
    let mut shown = Vec::new();
    for line in lines {
        let before: String = open.iter().collect();
        for code in line.chars().filter(is_code) {
            match open.iter().position(|each| *each == code) {
                Some(place) => drop(open.remove(place)),
                None => open.push(code),
            }
        }
        if !line.chars().all(|letter| is_code(&letter) || letter.is_whitespace()) {
            shown.push(before + &line);
        }
    }
    shown
}

fn is_code(letter: &char) -> bool {
    matches!(*letter, BOLD | ITALIC | STRUCK)
}

fn line_starts(text: &str, start: usize, end: usize) -> impl Iterator<Item = usize> {
    let inner =
        text[start..end].match_indices('\n').map(move |(at, _)| start + at + 1).filter(move |at| *at < end);
    std::iter::once(start).chain(inner)
}

fn clean(text: &str) -> String {
    let shown = text.chars().map(|letter| if letter == '\t' { ' ' } else { letter });
    shown.filter(|letter| !letter.is_control() || *letter == '\n').collect()
}
