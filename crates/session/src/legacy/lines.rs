//! Reads and writes the lines of a transcript file.
//!
//! Older files leave out ids and parents, and damaged ones repeat ids or name parents that are gone. Every line finds
//! a place in the tree and still comes out as it was. Ids that are given here depend on the file alone, so that reading
//! it twice gives the same ones.

use std::collections::HashSet;

use openclaw_types::{EntryId, LineEntry, LineRecord, Residue, TranscriptLine};
use serde_json::{Value, json};

/// Under what name a line that is no JSON is kept.
const DAMAGED: &str = "openclaw:damaged";

/// Something about a line that a person may want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineProblem {
    /// It is no JSON. It is kept as it is, and nobody is shown it.
    Damaged {
        /// Which line, counted from one.
        line: usize,
    },
    /// It is JSON, but no line of a transcript. It is kept as it is.
    Foreign {
        /// Which line, counted from one.
        line: usize,
    },
    /// It follows an entry that is not in the file. It was put behind the one before it.
    LostParent {
        /// Which line, counted from one.
        line: usize,
    },
    /// Another line had its id before. It got one of its own.
    RepeatedId {
        /// Which line, counted from one.
        line: usize,
    },
}

/// Lines that were read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct LegacyLines {
    pub(super) lines: Vec<TranscriptLine>,
    pub(super) problems: Vec<LineProblem>,
}

/// Reads a whole file.
pub(super) fn read(file: &[u8]) -> LegacyLines {
    let mut reader = Reader::default();
    for (at, bytes) in file.split(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes));
        if !text.trim().is_empty() {
            reader.line(at + 1, &text);
        }
    }
    reader.read
}

/// Writes a line as it stood in its file.
pub(super) fn write(line: &TranscriptLine) -> String {
    match &line.record {
        LineRecord::Foreign(Value::Object(object)) => match object.get(DAMAGED).and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => line.to_text(),
        },
        _ => line.to_text(),
    }
}

#[derive(Default)]
struct Reader {
    read: LegacyLines,
    known: HashSet<EntryId>,
    last: Option<EntryId>,
}

impl Reader {
    fn line(&mut self, number: usize, text: &str) {
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            self.read.problems.push(LineProblem::Damaged { line: number });
            let kept = json!({ DAMAGED: text, "line": number });
            self.read.lines.push(TranscriptLine::new(LineRecord::Foreign(kept)));
            return;
        };
        let line = TranscriptLine::from_value(&value);
        let line = match line.record {
            LineRecord::Entry(entry) => self.placed(number, *entry, &value, line.residue),
            LineRecord::Foreign(_) => {
                self.read.problems.push(LineProblem::Foreign { line: number });
                line
            }
            LineRecord::Header(_) => line,
        };
        self.read.lines.push(line);
    }

    /// Gives an entry an id of its own and a parent that exists, and keeps what it had.
    fn placed(
        &mut self,
        number: usize,
        mut entry: LineEntry,
        value: &Value,
        residue: Residue,
    ) -> TranscriptLine {
        let written = (entry.id.clone(), entry.parent.clone());
        let names_parent = value.get("parentId").is_some();
        if entry.id.as_ref().is_some_and(|id| self.known.contains(id)) {
            self.read.problems.push(LineProblem::RepeatedId { line: number });
            entry.id = None;
        }
        let id = entry.id.take().or_else(|| self.made(number, value));
        let lost = entry.parent.as_ref().is_some_and(|parent| !self.known.contains(parent));
        if lost {
            self.read.problems.push(LineProblem::LostParent { line: number });
        }
        if lost || !names_parent {
            entry.parent = self.last.clone();
        }
        self.known.extend(id.clone());
        self.last = id.clone().or(self.last.take());
        entry.id = id;
        let unchanged = written == (entry.id.clone(), entry.parent.clone());
        let record = LineRecord::Entry(Box::new(entry));
        if unchanged {
            return TranscriptLine { record, residue };
        }
        let plain = TranscriptLine::new(record).to_value();
        let residue = Residue::between(&plain, value);
        let TranscriptLine { record, .. } = TranscriptLine::from_value(&plain);
        TranscriptLine { record, residue }
    }

    /// An id from the line's place and text.
    fn made(&self, number: usize, value: &Value) -> Option<EntryId> {
        let text = value.to_string();
        (0_u64..).find_map(|attempt| {
            let hash = fnv(&[&number.to_le_bytes(), &attempt.to_le_bytes(), text.as_bytes()]);
            let id = EntryId::new(format!("{:08x}", hash & 0xffff_ffff)).ok()?;
            (!self.known.contains(&id)).then_some(id)
        })
    }
}

/// FNV-1a: small, and the same everywhere and always.
fn fnv(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
