//! Where fenced code begins and ends in Markdown that may not be whole.

/// Fenced code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    /// Where its first line begins.
    pub(super) start: usize,
    /// Where its last line ends, without the line end; the end of the text when it is not closed.
    pub(super) end: usize,
    /// The line that opens it, without the line end.
    pub(super) opening: String,
    /// The line that closes it.
    pub(super) closing: String,
    /// Whether that line is there.
    pub(super) closed: bool,
}

/// The fenced code of a text, in order.
pub(super) fn fences(text: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut open: Option<(Fence, char, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let mark = mark(bare);
        open = match (open, mark) {
            (None, Some(mark)) => {
                let fence = Fence {
                    start: at,
                    end: text.len(),
                    opening: bare.to_owned(),
                    closing: format!("{}{}", mark.indent, mark.letter.to_string().repeat(mark.length)),
                    closed: false,
                };
                Some((fence, mark.letter, mark.length))
            }
            (Some((mut fence, letter, length)), Some(mark))
                if mark.letter == letter && mark.length >= length && mark.info.is_empty() =>
            {
                fence.end = at + bare.len();
                fence.closed = true;
                found.push(fence);
                None
            }
            (open, _) => open,
        };
        at += line.len();
    }
    found.extend(open.map(|(fence, ..)| fence));
    found
}

/// The fenced code around a place where a cut would tear it.
pub(super) fn around(fences: &[Fence], at: usize) -> Option<&Fence> {
    fences.iter().find(|fence| fence.start < at && (at < fence.end || (!fence.closed && at == fence.end)))
}

struct Mark<'a> {
    indent: &'a str,
    letter: char,
    length: usize,
    info: &'a str,
}

fn mark(line: &str) -> Option<Mark<'_>> {
    let body = line.trim_start_matches(' ');
    let indent = &line[..line.len() - body.len()];
    let letter = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = body.trim_start_matches(letter);
    let length = body.len() - info.len();
    let info = info.trim();
    let fits = indent.len() <= 3 && length >= 3 && !(letter == '`' && info.contains('`'));
    fits.then_some(Mark { indent, letter, length, info })
}
