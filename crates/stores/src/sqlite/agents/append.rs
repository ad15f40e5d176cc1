//! Adds to transcripts in SQLite, and moves their leaf.
//!
//! Every function runs inside the transaction of the writer: all of an append is stored or nothing.
//! Invariant: a parent is stored before its children, so numbers grow along every branch and no branch has a gap.

use std::sync::Arc;

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{EntryBody, EntryId, LineEntry, RunId, SessionId, TranscriptLine};
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::super::columns::{json, parsed};
use super::recent::Added;
use crate::error::Fault;
use crate::transcripts::{self, LinePosition, StoreRefusal};

/// What was appended.
#[derive(Default)]
pub(super) struct Appended {
    /// The ids of the entries, in order.
    pub(super) ids: Vec<EntryId>,
    /// The entries, where all of them follow the leaf there was and none sums up others.
    pub(super) added: Option<Added>,
}

/// A transcript that is being written to.
struct Writing<'a> {
    connection: &'a Connection,
    run: Option<&'a RunId>,
    transcript: i64,
    leaf: Option<i64>,
    /// What the leaf is called.
    leaf_id: Option<String>,
    lines: i64,
    entries: i64,
    bytes: i64,
    /// What followed the leaf so far.
    followed: Vec<StoredEntry>,
}

/// Adds lines. What is stored already is left as it is.
pub(super) fn append(
    connection: &Connection,
    session: &SessionId,
    run: Option<&RunId>,
    lines: &[TranscriptLine],
) -> Result<Appended, Fault> {
    let mut writing = Writing::begin(connection, session, run)?;
    let (after, before) = (writing.leaf, writing.bytes);
    let mut ids = Vec::with_capacity(lines.len());
    for line in lines {
        match transcripts::place(line) {
            LinePosition::Tree { id, parent, body } => {
                writing.entry(line, (id, parent), body)?;
                ids.push(id.clone());
            }
            LinePosition::Leaf(entry) => ids.push(writing.follow(entry)?),
            LinePosition::Beside => writing.beside(line)?,
        }
    }
    let entries = std::mem::take(&mut writing.followed);
    let bytes = usize::try_from(writing.bytes - before).unwrap_or(0);
    let whole = entries.len() == lines.len() && !lines.iter().any(transcripts::sums_up);
    let leaf = writing.leaf.filter(|_| whole);
    writing.finish()?;
    Ok(Appended { ids, added: leaf.map(|leaf| Added { after, leaf, entries, bytes }) })
}

/// Makes an entry of a transcript its leaf; false when there is no such entry.
pub(super) fn set_leaf(connection: &Connection, session: &SessionId, leaf: &EntryId) -> Result<bool, Fault> {
    let changed = connection
        .prepare_cached(
            "UPDATE transcripts SET leaf = entries.number FROM entries
             WHERE transcripts.session = ?1 AND entries.transcript = transcripts.number AND entries.entry_id = ?2",
        )?
        .execute([session.as_str(), leaf.as_str()])?;
    Ok(changed > 0)
}

/// The number of a transcript, which is made when it does not exist.
pub(super) fn transcript(connection: &Connection, session: &SessionId) -> Result<i64, Fault> {
    connection
        .prepare_cached("INSERT INTO transcripts (session) VALUES (?1) ON CONFLICT (session) DO NOTHING")?
        .execute([session.as_str()])?;
    let number = connection
        .prepare_cached("SELECT number FROM transcripts WHERE session = ?1")?
        .query_row([session.as_str()], |row| row.get(0))?;
    Ok(number)
}

impl<'a> Writing<'a> {
    fn begin(connection: &'a Connection, session: &SessionId, run: Option<&'a RunId>) -> Result<Self, Fault> {
        let known = connection
            .prepare_cached(
                "SELECT transcripts.number, leaf, entry_id, lines, entries, bytes FROM transcripts
                 LEFT JOIN entries ON entries.number = leaf WHERE session = ?1",
            )?
            .query_row([session.as_str()], |row| {
                Ok(Self {
                    connection,
                    run,
                    transcript: row.get(0)?,
                    leaf: row.get(1)?,
                    leaf_id: row.get(2)?,
                    lines: row.get(3)?,
                    entries: row.get(4)?,
                    bytes: row.get(5)?,
                    followed: Vec::new(),
                })
            })
            .optional()?;
        if let Some(known) = known {
            return Ok(known);
        }
        let transcript = transcript(connection, session)?;
        let (leaf, leaf_id, lines, entries, bytes) = (None, None, 0, 0, 0);
        Ok(Self { connection, run, transcript, leaf, leaf_id, lines, entries, bytes, followed: Vec::new() })
    }

    fn entry(
        &mut self,
        line: &TranscriptLine,
        (id, parent): (&EntryId, Option<&EntryId>),
        body: &EntryBody,
    ) -> Result<(), Fault> {
        if self.number_of(id)?.is_some() {
            return Ok(());
        }
        let parent = match parent {
            Some(parent) => Some(self.number_of(parent)?.ok_or_else(|| {
                Fault::from_refusal(StoreRefusal::UnknownParent { entry: id.clone(), parent: parent.clone() })
            })?),
            None => None,
        };
        self.put(line, (id, parent), body)
    }

    /// Adds an entry after the leaf, under an id of its own.
    fn follow(&mut self, entry: &LineEntry) -> Result<EntryId, Fault> {
        let id = loop {
            let id = transcripts::chance_id().map_err(Fault::from_refusal)?;
            if self.number_of(&id)?.is_none() {
                break id;
            }
        };
        let what = || "the leaf of a transcript".to_owned();
        let parent = match (self.leaf, &self.leaf_id) {
            (None, _) => None,
            (Some(_), Some(id)) => Some(parsed(id, what)?),
            (Some(_), None) => return Err(Fault::Corrupt(what())),
        };
        let line = transcripts::placed(entry, id.clone(), parent);
        self.put(&line, (&id, self.leaf), &entry.body)?;
        let (sequence, run) = (self.lines, self.run.cloned());
        self.followed.push(StoredEntry { sequence, run, line: Arc::new(line) });
        Ok(id)
    }

    fn put(
        &mut self,
        line: &TranscriptLine,
        (id, parent): (&EntryId, Option<i64>),
        body: &EntryBody,
    ) -> Result<(), Fault> {
        let kept = self.kept(body)?;
        let (body_text, residue) = texts(line)?;
        let body_bytes = bytes_of(line, &body_text);
        self.insert()?.execute(params![
            self.transcript,
            self.lines + 1,
            parent,
            kept,
            id.as_str(),
            transcripts::message_key(body),
            self.run.map(RunId::as_str),
            residue,
            body_text,
        ])?;
        self.leaf = Some(self.connection.last_insert_rowid());
        self.leaf_id = Some(id.as_str().to_owned());
        self.entries += 1;
        self.count(body_bytes);
        Ok(())
    }

    /// Keeps a line that stands in no branch, once.
    fn beside(&mut self, line: &TranscriptLine) -> Result<(), Fault> {
        let (body, residue) = texts(line)?;
        let bytes = bytes_of(line, &body);
        let stored: bool = self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM entries
                 WHERE transcript = ?1 AND entry_id IS NULL AND body = ?2 AND residue IS ?3)",
            )?
            .query_row(params![self.transcript, body, residue], |row| row.get(0))?;
        if stored {
            return Ok(());
        }
        let run = self.run.map(RunId::as_str);
        let nothing = None::<&str>;
        self.insert()?.execute(params![
            self.transcript,
            self.lines + 1,
            nothing,
            nothing,
            nothing,
            nothing,
            run,
            residue,
            body
        ])?;
        self.count(bytes);
        Ok(())
    }

    /// For a compaction, the oldest entry that it kept; nothing when the transcript has no such entry.
    fn kept(&self, body: &EntryBody) -> Result<Option<i64>, Fault> {
        let Some(compaction) = transcripts::compaction(body) else { return Ok(None) };
        match &compaction.first_kept {
            Some(kept) => self.number_of(kept),
            None => Ok(None),
        }
    }

    fn number_of(&self, id: &EntryId) -> Result<Option<i64>, Fault> {
        let number = self
            .connection
            .prepare_cached("SELECT number FROM entries WHERE transcript = ?1 AND entry_id = ?2")?
            .query_row(params![self.transcript, id.as_str()], |row| row.get(0))
            .optional()?;
        Ok(number)
    }

    fn insert(&self) -> rusqlite::Result<CachedStatement<'a>> {
        self.connection.prepare_cached(
            "INSERT INTO entries
             (transcript, sequence, parent, kept, entry_id, message_key, run, residue, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )
    }

    fn count(&mut self, bytes: u64) {
        self.lines += 1;
        self.bytes += i64::try_from(bytes).unwrap_or(0);
    }

    fn finish(self) -> Result<(), Fault> {
        self.connection
            .prepare_cached(
                "UPDATE transcripts SET leaf = ?2, lines = ?3, entries = ?4, bytes = ?5 WHERE number = ?1",
            )?
            .execute(params![self.transcript, self.leaf, self.lines, self.entries, self.bytes])?;
        Ok(())
    }
}

/// How many bytes a line takes in a file, of which its own spelling is known.
fn bytes_of(line: &TranscriptLine, own: &str) -> u64 {
    match line.residue.is_same() {
        true => own.len() as u64,
        false => transcripts::bytes(line),
    }
}

/// A line as two columns have it: in our own spelling, and what it said beyond that.
fn texts(line: &TranscriptLine) -> Result<(String, Option<String>), Fault> {
    if line.residue.is_same() {
        return Ok((line.to_text(), None));
    }
    let plain = TranscriptLine::new(line.record.clone());
    Ok((plain.to_text(), Some(json(&line.residue)?)))
}
