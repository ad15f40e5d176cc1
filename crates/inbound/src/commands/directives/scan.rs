//! Finds where in a text a name with a slash stands, and takes pieces out of it.
//!
//! Code is skipped: fenced blocks and what stands between backticks. A name begins the text or follows space, and ends
//! where the text ends, or before space or a colon; so paths and addresses are none.

use crate::commands::name::is_name_char;

/// A slash and a name. Positions are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) start: usize,
    pub(super) name_end: usize,
    /// Behind the name and its colon, if it has one.
    pub(super) end: usize,
}

/// A piece to take out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A word with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) start: usize,
    pub(super) text: &'a str,
}

/// Every name with a slash outside code, in order.
pub(super) fn marks(text: &str) -> Vec<Mark> {
    let code = code_spans(text);
    let mut marks = Vec::new();
    for (start, _) in text.match_indices('/') {
        let begins = text[..start].chars().next_back().is_none_or(char::is_whitespace);
        let next = code.partition_point(|span| span.end <= start);
        if !begins || code.get(next).is_some_and(|span| span.start <= start) {
            continue;
        }
        let after = &text[start + 1..];
        let length = after.find(|c: char| !is_name_char(c)).unwrap_or(after.len());
        let ends = after[length..].chars().next().is_none_or(|c| c.is_whitespace() || c == ':');
        // `/c:/windows` and `/t://x` are addresses; a colon that belongs to a name is followed by neither.
        let address = after[length..].starts_with(":/");
        if length > 0 && ends && !address {
            let name_end = start + 1 + length;
            let colon = usize::from(after[length..].starts_with(':'));
            marks.push(Mark { start, name_end, end: name_end + colon });
        }
    }
    marks
}

/// The words after a mark up to a limit, on the mark's own line.
pub(super) fn arguments<'a>(text: &'a str, mark: &Mark, limit: usize) -> Vec<Word<'a>> {
    let line_end = text[mark.end..limit].find('\n').map_or(limit, |at| mark.end + at);
    let mut at = mark.end;
    let mut words = Vec::new();
    while let Some(offset) = text[at..line_end].find(|c: char| !c.is_whitespace()) {
        let start = at + offset;
        let end = text[start..line_end].find(char::is_whitespace).map_or(line_end, |length| start + length);
        words.push(Word { start, text: &text[start..end] });
        at = end;
    }
    words
}

/// A text without pieces of it. Where a piece stood between spaces one of them goes, too; line breaks stay.
pub(super) fn without(text: &str, cuts: &[Cut]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        kept.push_str(&text[at..cut.start]);
        at = cut.end;
        if kept.chars().next_back().is_none_or(char::is_whitespace) {
            let blank = |c: char| c == ' ' || c == '\t';
            at += text[at..].len() - text[at..].trim_start_matches(blank).len();
        }
    }
    kept.push_str(&text[at..]);
    kept.trim().to_owned()
}

/// Where code stands. A block without an end reaches to the end of the text; a backtick without a partner is text.
fn code_spans(text: &str) -> Vec<Cut> {
    let mut spans = Vec::new();
    let mut fence: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        match (fence, is_fence) {
            (None, true) => fence = Some(at),
            (Some(start), true) => {
                spans.push(Cut { start, end: at + line.len() });
                fence = None;
            }
            (None, false) => inline_spans(line, at, &mut spans),
            (Some(_), false) => {}
        }
        at += line.len();
    }
    if let Some(start) = fence {
        spans.push(Cut { start, end: text.len() });
    }
    spans
}

fn inline_spans(line: &str, offset: usize, spans: &mut Vec<Cut>) {
    let mut ticks = line.match_indices('`').map(|(at, _)| at);
    while let (Some(open), Some(close)) = (ticks.next(), ticks.next()) {
        spans.push(Cut { start: offset + open, end: offset + close + 1 });
    }
}
