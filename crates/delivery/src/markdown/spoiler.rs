//! Spoilers: `||words||`, which Markdown itself does not know.
//!
//! Looked for in the finished words of one block, outside code. Both marks touch the words between them, so that
//! `a || b || c` stays what it is; a mark without a partner stays too.

use openclaw_types::{Style, StyleSpan};

use super::page::Page;

const MARK: usize = 2;

/// Makes spoilers of what was written from `from` on.
pub(super) fn settle(page: &mut Page, from: usize) {
    if !page.text[from..].contains("||") {
        return;
    }
    let pairs = pairs(page, from);
    if pairs.is_empty() {
        return;
    }
    let marks: Vec<usize> = pairs.iter().flat_map(|(start, end)| [*start, *end]).collect();
    let moved = |at: usize| {
        let before = marks.partition_point(|mark| *mark < at);
        // A place inside a mark moves to where the mark was.
        let last = before.checked_sub(1).map_or(0, |last| MARK - (at - marks[last]).min(MARK));
        at + last - MARK * before
    };
    // Spans of this block were written last.
    for span in page.styles.iter_mut().rev().take_while(|span| span.end > from) {
        (span.start, span.end) = (moved(span.start), moved(span.end));
    }
    for link in page.links.iter_mut().rev().take_while(|link| link.end > from) {
        (link.start, link.end) = (moved(link.start), moved(link.end));
    }
    page.styles.extend(pairs.iter().map(|(start, end)| StyleSpan {
        start: moved(start + MARK),
        end: moved(*end),
        style: Style::Spoiler,
    }));
    let mut text = String::with_capacity(page.text.len());
    let mut reached = 0;
    for mark in &marks {
        text.push_str(&page.text[reached..*mark]);
        reached = mark + MARK;
    }
    text.push_str(&page.text[reached..]);
    page.text = text;
    page.escaped.clear();
}

/// The marks that belong together.
fn pairs(page: &Page, from: usize) -> Vec<(usize, usize)> {
    let text = &page.text;
    let mut open: Option<usize> = None;
    let mut pairs = Vec::new();
    for at in marks(page, from) {
        let before = text[..at].chars().next_back();
        let after = text[at + MARK..].chars().next();
        let touches = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
        match open {
            Some(start) if at > start + MARK && touches(before) => {
                pairs.push((start, at));
                open = None;
            }
            _ if touches(after) => open = Some(at),
            _ => {}
        }
    }
    pairs
}

/// Places where exactly two bars stand that are neither escaped nor code.
fn marks(page: &Page, from: usize) -> Vec<usize> {
    let bytes = page.text.as_bytes();
    let mut code: Vec<(usize, usize)> = page
        .styles
        .iter()
        .rev()
        .take_while(|span| span.end > from)
        .filter(|span| matches!(span.style, Style::Code | Style::CodeBlock { .. }))
        .map(|span| (span.start, span.end))
        .collect();
    code.sort_unstable();
    let mut found = Vec::new();
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] != b'|' {
            at += 1;
            continue;
        }
        let run = bytes[at..].iter().take_while(|byte| **byte == b'|').count();
        let before = page.escaped.partition_point(|escaped| *escaped < at);
        let escaped = page.escaped.get(before).is_some_and(|escaped| *escaped < at + run);
        let passed = code.partition_point(|(start, _)| *start <= at);
        let in_code = passed > 0 && code[passed - 1].1 > at;
        if run == MARK && !escaped && !in_code {
            found.push(at);
        }
        at += run;
    }
    found
}
