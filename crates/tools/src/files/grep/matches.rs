//! Lines of one file that match, with the lines around them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use regex::bytes::Regex;
use tokio_util::sync::CancellationToken;

use super::super::content::{SNIFFED, is_binary};
use super::super::listing::CappedList;
use super::super::off_thread::stopped;
use crate::stop::Stop;

/// How much of a line is looked at, and how much of it is shown.
const LOOKED_AT: usize = 1024 * 1024;
const SHOWN: usize = 500;
/// After how many lines a stop is looked for.
const LOOK_UP: u64 = 4096;

/// What is searched for.
pub(super) struct Search {
    pub(super) pattern: Regex,
    /// How many lines are shown around a match.
    pub(super) around: usize,
}

impl Search {
    /// Adds the matches of a file. What is not text or cannot be read has none.
    pub(super) fn file(
        &self,
        mut file: File,
        name: &str,
        listing: &mut CappedList,
        stop: &CancellationToken,
    ) -> Result<(), Stop> {
        let mut head = Vec::new();
        let sniffed = (&mut file).take(SNIFFED as u64).read_to_end(&mut head);
        if sniffed.is_err() || is_binary(&head) || file.seek(SeekFrom::Start(0)).is_err() {
            return Ok(());
        }
        let mut reader = BufReader::with_capacity(64 * 1024, file);
        let mut found = Found::new(name, self.around);
        let mut line = Vec::new();
        let mut number = 0_u64;
        while let Ok(true) = next_line(&mut reader, &mut line) {
            number += 1;
            if number.is_multiple_of(LOOK_UP) && stop.is_cancelled() {
                return Err(stopped());
            }
            let matches = self.pattern.is_match(&line);
            found.line(number, &line, matches, listing);
            if matches && listing.is_full() && !found.waits() {
                found.flush(listing);
                // One more, so that the note says there is more.
                listing.add("");
                return Ok(());
            }
        }
        found.flush(listing);
        Ok(())
    }
}

/// Puts together the lines of one match.
struct Found<'a> {
    name: &'a str,
    around: usize,
    before: VecDeque<String>,
    entry: Option<String>,
    after: usize,
}

impl<'a> Found<'a> {
    fn new(name: &'a str, around: usize) -> Self {
        Self { name, around, before: VecDeque::new(), entry: None, after: 0 }
    }

    fn waits(&self) -> bool {
        self.after > 0
    }

    fn line(&mut self, number: u64, line: &[u8], matches: bool, listing: &mut CappedList) {
        if matches {
            self.flush(listing);
            let mut entry: Vec<String> = self.before.drain(..).collect();
            entry.push(format!("{}:{number}: {}", self.name, shown(line)));
            self.entry = Some(entry.join("\n"));
            self.after = self.around;
            if self.after == 0 {
                self.flush(listing);
            }
        } else if self.after > 0 {
            if let Some(entry) = &mut self.entry {
                entry.push_str(&format!("\n{}-{number}- {}", self.name, shown(line)));
            }
            self.after -= 1;
            if self.after == 0 {
                self.flush(listing);
            }
        } else if self.around > 0 {
            if self.before.len() == self.around {
                self.before.pop_front();
            }
            self.before.push_back(format!("{}-{number}- {}", self.name, shown(line)));
        }
    }

    fn flush(&mut self, listing: &mut CappedList) {
        if let Some(entry) = self.entry.take() {
            listing.add(&entry);
        }
        self.after = 0;
    }
}

/// A line for people: without its end, not too long.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches('\r');
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}… [line cut]", &text[..cut]),
        None => text.to_owned(),
    }
}

/// Reads a line without its end. What is longer than is looked at is passed over. False at the end of the file.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let piece = match reader.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if piece.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let text = &piece[..end.unwrap_or(piece.len())];
        let room = LOOKED_AT.saturating_sub(line.len()).min(text.len());
        line.extend_from_slice(&text[..room]);
        let used = end.map_or(piece.len(), |end| end + 1);
        reader.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}
