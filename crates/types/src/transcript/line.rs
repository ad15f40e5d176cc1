//! One line of a transcript file.
//!
//! A line is read into the domain plus a residue: whatever the line said beyond the domain, or in another spelling.
//! Writing gives the domain in today's spelling with the residue laid over it, so an untouched line comes out as the
//! same JSON value it was read from, whatever it held.

use serde_json::Value;

use super::entry::{EntryBody, SessionHeader, TranscriptEntry};
use super::tape::Tape;
use super::{read_entry, residue::Residue, write_entry};
use crate::{EntryId, TranscriptError, UnixMillis};

/// One line of a transcript file.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptLine {
    /// What the line means.
    pub record: LineRecord,
    /// What the line said beyond its meaning.
    pub residue: Residue,
}

/// What a line means.
#[derive(Debug, Clone, PartialEq)]
pub enum LineRecord {
    /// The header.
    Header(Box<SessionHeader>),
    /// An event.
    Entry(Box<LineEntry>),
    /// Something that is no line of a transcript; kept as it is.
    Foreign(Value),
}

/// An event as a line has it: older files leave out ids and times.
#[derive(Debug, Clone, PartialEq)]
pub struct LineEntry {
    /// Names the entry inside its transcript.
    pub id: Option<EntryId>,
    /// The entry it follows.
    pub parent: Option<EntryId>,
    /// When it was written.
    pub at: Option<UnixMillis>,
    /// What happened.
    pub body: EntryBody,
}

impl TranscriptLine {
    /// Reads a line of text.
    ///
    /// # Errors
    /// `NotJson` when the text is not JSON; any JSON value is accepted.
    pub fn parse(text: &str) -> Result<Self, TranscriptError> {
        serde_json::from_str(text).map(|value| Self::from_value(&value)).map_err(TranscriptError::NotJson)
    }

    /// Reads a line that is already JSON.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        let record = read_entry::record(Tape::of(value).root());
        let residue = Residue::between(&write_entry::record(&record), value);
        Self { record, residue }
    }

    /// A line that holds nothing beyond the domain.
    #[must_use]
    pub fn new(record: LineRecord) -> Self {
        Self { record, residue: Residue::Same }
    }

    /// Writes the line as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.residue.apply(write_entry::record(&self.record))
    }

    /// Writes the line as text, without a line break.
    #[must_use]
    pub fn to_text(&self) -> String {
        let written = match self.residue.is_same() {
            true => serde_json::to_string(&write_entry::WrittenRecord(&self.record)),
            false => serde_json::to_string(&self.to_value()),
        };
        // Names and values alone, which can always be written.
        written.unwrap_or_else(|_never| self.to_value().to_string())
    }
}

impl LineRecord {
    /// Reads what a line of text means, and nothing of what it said beyond: for lines in our own spelling.
    ///
    /// # Errors
    /// `NotJson` when the text is not JSON; any JSON value is accepted.
    pub fn parse(text: &str) -> Result<Self, TranscriptError> {
        let tape = Tape::parse(text).map_err(TranscriptError::NotJson)?;
        Ok(read_entry::record(tape.root()))
    }
}

impl LineEntry {
    /// Gives the entry what an older file left out.
    #[must_use]
    pub fn complete(self, missing: MissingParts) -> TranscriptEntry {
        TranscriptEntry {
            id: self.id.unwrap_or(missing.id),
            parent: self.parent.or(missing.parent),
            at: self.at.or_else(|| message_time(&self.body)).unwrap_or(missing.at),
            body: self.body,
        }
    }
}

/// What an entry gets where its line left it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingParts {
    /// A fresh id.
    pub id: EntryId,
    /// The entry of the line before.
    pub parent: Option<EntryId>,
    /// The time of the line before, or of the file.
    pub at: UnixMillis,
}

fn message_time(body: &EntryBody) -> Option<UnixMillis> {
    match body {
        EntryBody::Message(message) => message.at(),
        _ => None,
    }
}

impl From<TranscriptEntry> for LineEntry {
    fn from(entry: TranscriptEntry) -> Self {
        Self { id: Some(entry.id), parent: entry.parent, at: Some(entry.at), body: entry.body }
    }
}
