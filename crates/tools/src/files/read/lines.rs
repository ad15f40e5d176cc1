//! Takes some lines out of a stream, whatever its length: only what is shown is held.

use std::io::{self, Read};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The most lines and bytes that are shown at once.
pub(super) const MOST_LINES: u64 = 2000;
pub(super) const MOST_BYTES: usize = 50 * 1024;

/// How far the lines after those shown are counted, in bytes.
const COUNTED: u64 = 64 * 1024 * 1024;

/// Which lines are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page {
    /// The first one, from 1.
    pub(super) offset: u64,
    /// How many.
    pub(super) limit: Option<u64>,
}

/// What ended the lines that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The file.
    File,
    /// The number of lines that was asked for.
    Limit,
    /// The most lines there are at once.
    Lines,
    /// The most bytes there are at once.
    Bytes,
    /// The first line alone is longer than what is shown at once.
    LongLine,
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    /// How many lines the text has.
    pub(super) count: u64,
    pub(super) end: End,
    /// How many lines the file has; nothing when it is too long to count.
    pub(super) total: Option<u64>,
}

/// Reads the lines that are wanted.
pub(super) fn page(file: &mut impl Read, page: Page, stop: &CancellationToken) -> io::Result<Shown> {
    let mut state = State::new(page);
    let mut buffer = vec![0_u8; 64 * 1024];
    let mut after = 0_u64;
    loop {
        if stop.is_cancelled() {
            return Err(io::Error::other("it was stopped"));
        }
        let read = match file.read(&mut buffer) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if read == 0 {
            return Ok(state.ended());
        }
        state.take(&buffer[..read]);
        if state.end.is_some() {
            after += read as u64;
            if after > COUNTED {
                return Ok(state.cut());
            }
        }
    }
}

struct State {
    page: Page,
    /// The number of the line that is being read, from 1.
    line: u64,
    /// Whether that line has anything yet.
    begun: bool,
    /// Complete lines with their ends, then the one that is being read.
    kept: Vec<u8>,
    /// Where the line that is being read begins.
    line_start: usize,
    count: u64,
    end: Option<End>,
}

impl State {
    fn new(page: Page) -> Self {
        Self { page, line: 1, begun: false, kept: Vec::new(), line_start: 0, count: 0, end: None }
    }

    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let whole = piece.ends_with(b"\n");
            if self.line >= self.page.offset && self.end.is_none() {
                self.keep(piece, whole);
            }
            self.begun = !whole;
            if whole {
                self.line += 1;
            }
        }
    }

    fn keep(&mut self, piece: &[u8], whole: bool) {
        if !self.begun {
            if self.page.limit.is_some_and(|limit| self.count >= limit) {
                self.end = Some(End::Limit);
                return;
            }
            if self.count >= MOST_LINES {
                self.end = Some(End::Lines);
                return;
            }
        }
        let text = piece.strip_suffix(b"\n").unwrap_or(piece);
        if self.kept.len() + text.len() > MOST_BYTES {
            if self.count == 0 {
                let room = MOST_BYTES.saturating_sub(self.kept.len());
                self.kept.extend_from_slice(&text[..room.min(text.len())]);
                self.count = 1;
                self.end = Some(End::LongLine);
            } else {
                self.kept.truncate(self.line_start);
                self.end = Some(End::Bytes);
            }
            return;
        }
        self.kept.extend_from_slice(piece);
        if whole {
            self.count += 1;
            self.line_start = self.kept.len();
        }
    }

    /// All was read.
    fn ended(mut self) -> Shown {
        let total = if self.begun { self.line } else { self.line - 1 };
        if self.end.is_none() && self.begun && self.line >= self.page.offset {
            self.count += 1;
        }
        let end = self.end.unwrap_or(End::File);
        self.shown(end, Some(total))
    }

    /// Counting was given up.
    fn cut(self) -> Shown {
        let end = self.end.unwrap_or(End::File);
        self.shown(end, None)
    }

    fn shown(self, end: End, total: Option<u64>) -> Shown {
        let bytes = self.kept.strip_suffix(b"\n").unwrap_or(&self.kept);
        // A cut inside a letter leaves a mark that stands for nothing.
        let text = String::from_utf8_lossy(bytes);
        let text = if end == End::LongLine { text.trim_end_matches('\u{fffd}') } else { &text };
        Shown { text: text.to_owned(), count: self.count, end, total }
    }
}

impl Shown {
    /// What to tell besides the lines.
    pub(super) fn note(&self, page: Page) -> Option<String> {
        let of = match self.total {
            Some(total) => format!("of {total}"),
            None => "of very many".to_owned(),
        };
        let last = page.offset.saturating_add(self.count).saturating_sub(1);
        let on = last.saturating_add(1);
        match self.end {
            End::File if self.count == 0 && self.total.unwrap_or(0) > 0 => Some(format!(
                "[The file has {} lines; offset {} is behind its end.]",
                self.total.unwrap_or(0),
                page.offset
            )),
            End::File => None,
            End::Limit if self.total.is_some_and(|total| last >= total) => None,
            End::Limit | End::Lines => {
                Some(format!("[Lines {}-{last} {of} are shown. Read on with offset={on}.]", page.offset))
            }
            End::Bytes => Some(format!(
                "[Lines {}-{last} {of} are shown, {} KB at once. Read on with offset={on}.]",
                page.offset,
                MOST_BYTES / 1024
            )),
            End::LongLine => Some(format!(
                "[Line {} {of} is longer than {} KB and only its beginning is shown. Search in it with grep, or cut \
                 it with a command. The next line is at offset={on}.]",
                page.offset,
                MOST_BYTES / 1024
            )),
        }
    }

    /// The same for programs.
    pub(super) fn details(&self, page: Page) -> Option<Value> {
        let by = match self.end {
            End::Lines => "lines",
            End::Bytes | End::LongLine => "bytes",
            End::File | End::Limit => return None,
        };
        Some(json!({ "truncation": {
            "truncated": true,
            "truncatedBy": by,
            "totalLines": self.total,
            "outputLines": self.count,
            "outputBytes": self.text.len(),
            "nextOffset": page.offset.saturating_add(self.count),
        } }))
    }
}
