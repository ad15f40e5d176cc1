//! Reads transcripts from SQLite: a branch as far as it is asked for, or everything.
//!
//! A branch is one query, whatever its length: SQLite walks from the leaf along the numbers of the parents and hands
//! out the lines on the way.

use std::sync::Arc;

use openclaw_ports::stores::{BranchQuery, BranchReach, StoredEntry};
use openclaw_types::{EntryId, LineRecord, Residue, SessionId, TranscriptLine};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::super::columns::parsed;
use super::recent::{Extent, Known, Recent};
use crate::error::Fault;
use crate::transcripts::{since_compaction, sums_up};

/// How much is a page that somebody looks at.
const PAGE: usize = 100;

/// The walk from entry `?1` to the root, over at most `?2` entries.
pub(super) const COUNTED: &str = "
    WITH RECURSIVE way (number, parent, walked) AS (
        SELECT number, parent, 1 FROM entries WHERE number = ?1 AND ?2 > 0
        UNION ALL
        SELECT entries.number, entries.parent, walked + 1
        FROM way JOIN entries ON entries.number = way.parent
        WHERE walked < ?2
    )
    SELECT entries.sequence, entries.run, entries.residue, entries.body
    FROM way CROSS JOIN entries ON entries.number = way.number";

/// The walk from entry `?1` to the oldest entry that the first compaction on the way kept.
pub(super) const TO_KEPT: &str = "
    WITH RECURSIVE way (number, parent, kept) AS (
        SELECT number, parent, kept FROM entries WHERE number = ?1
        UNION ALL
        SELECT entries.number, entries.parent, coalesce(way.kept, entries.kept)
        FROM way JOIN entries ON entries.number = way.parent
        WHERE way.number IS NOT way.kept
    )
    SELECT entries.sequence, entries.run, entries.residue, entries.body
    FROM way CROSS JOIN entries ON entries.number = way.number";

/// The walk from entry `?1` back to entry `?2`, or past the place where it would stand, as long as it is short.
const SINCE_KNOWN: &str = "
    WITH RECURSIVE way (number, parent) AS (
        SELECT number, parent FROM entries WHERE number = ?1
        UNION ALL
        SELECT entries.number, entries.parent
        FROM way JOIN entries ON entries.number = way.parent
        WHERE way.number > ?2
        LIMIT 128
    )
    SELECT entries.sequence, entries.run, entries.residue, entries.body, entries.number, entries.entry_id
    FROM way CROSS JOIN entries ON entries.number = way.number";

/// The current leaf of a transcript.
pub(super) fn leaf(connection: &Connection, session: &SessionId) -> Result<Option<EntryId>, Fault> {
    let leaf: Option<String> = connection
        .prepare_cached(
            "SELECT entries.entry_id FROM transcripts JOIN entries ON entries.number = transcripts.leaf
             WHERE transcripts.session = ?1",
        )?
        .query_row([session.as_str()], |row| row.get(0))
        .optional()?;
    leaf.map(|leaf| parsed(&leaf, || format!("the leaf of transcript {session}"))).transpose()
}

/// The way from the root to a leaf, oldest first.
pub(super) fn branch(
    connection: &Connection,
    query: &BranchQuery,
    recent: &Recent,
) -> Result<Vec<StoredEntry>, Fault> {
    let Some(leaf) = end_of(connection, query)? else { return Ok(Vec::new()) };
    let most = match query.reach {
        BranchReach::Whole => i64::MAX,
        BranchReach::Newest(most) => i64::try_from(most).unwrap_or(i64::MAX),
        BranchReach::SinceCompaction => {
            let Walked { entries, bytes } = walk(connection, &query.session, TO_KEPT, params![leaf])?;
            let entries = since_compaction(in_order(entries));
            let known = Known { extent: Extent::SinceCompaction, leaf, entries: entries.clone(), bytes };
            recent.put(&query.agent, &query.session, known);
            return Ok(entries);
        }
    };
    let Walked { entries, bytes } = walk(connection, &query.session, COUNTED, params![leaf, most])?;
    let entries = in_order(entries);
    // What lists show of a session is short, and of many of them.
    if matches!(query.reach, BranchReach::Newest(most) if most >= PAGE) && query.leaf.is_none() {
        let known = Known { extent: Extent::Newest, leaf, entries: entries.clone(), bytes };
        recent.put(&query.agent, &query.session, known);
    }
    Ok(entries)
}

/// The way since the newest compaction, or its newest entries, read on from where it is remembered; nothing when that has
/// to be read anew.
pub(super) fn read_on(
    connection: &Connection,
    query: &BranchQuery,
    known: &Known,
    recent: &Recent,
) -> Result<Option<Vec<StoredEntry>>, Fault> {
    let Some(leaf) = end_of(connection, query)? else { return Ok(None) };
    let Some(tail) = since_known(connection, &query.session, leaf, known)? else { return Ok(None) };
    // Of a long branch a few entries are read again each time: remembering it anew takes longer.
    let late = tail.entries.len() > known.entries.len() / 64;
    let (newer, bytes) = (in_order(tail.entries), known.bytes + tail.bytes);
    let all = || known.entries.iter().chain(&newer).cloned();
    if late {
        let longer = Known { extent: known.extent, leaf, entries: all().collect(), bytes };
        recent.put(&query.agent, &query.session, longer);
    }
    let length = known.entries.len() + newer.len();
    Ok(match query.reach {
        BranchReach::Newest(most) => Some(all().skip(length.saturating_sub(most)).collect()),
        BranchReach::Whole => None,
        BranchReach::SinceCompaction => Some(all().collect()),
    })
}

/// What came after a branch that is remembered; nothing when the way from the leaf does not lead over its end any more,
/// when older parts were summed up since, or when it is much.
fn since_known(
    connection: &Connection,
    session: &SessionId,
    leaf: i64,
    known: &Known,
) -> Result<Option<Walked>, Fault> {
    let mut statement = connection.prepare_cached(SINCE_KNOWN)?;
    let mut rows = statement.query(params![leaf, known.leaf])?;
    let mut tail = Walked { entries: Vec::new(), bytes: 0 };
    let mut reached = false;
    while let Some(row) = rows.next()? {
        match row.get::<_, i64>(4)? == known.leaf {
            // A number may be given again once its entry was erased; its own name is not.
            true => {
                reached = is_last(known, row.get_ref(5)?.as_str_or_null().map_err(rusqlite::Error::from)?)
            }
            false => tail.push(row, stored(row, session)?)?,
        }
    }
    let summed_up = tail.entries.iter().any(|entry| sums_up(&entry.line));
    Ok((reached && !summed_up).then_some(tail))
}

/// Whether the last entry that is remembered has this name.
fn is_last(known: &Known, name: Option<&str>) -> bool {
    let last = known.entries.last().map(|stored| &stored.line.record);
    match last {
        Some(LineRecord::Entry(entry)) => entry.id.as_ref().map(EntryId::as_str) == name,
        _ => false,
    }
}

/// A parent is always written before its children.
fn in_order(mut entries: Vec<StoredEntry>) -> Vec<StoredEntry> {
    entries.sort_unstable_by_key(|entry| entry.sequence);
    entries
}

/// Every line in the order it was written.
pub(super) fn everything(connection: &Connection, session: &SessionId) -> Result<Vec<StoredEntry>, Fault> {
    let all = "SELECT sequence, run, residue, body FROM entries
               WHERE transcript = (SELECT number FROM transcripts WHERE session = ?1) ORDER BY sequence";
    Ok(walk(connection, session, all, [session.as_str()])?.entries)
}

/// Whether a person's message with this key is stored.
pub(super) fn holds_message(connection: &Connection, session: &SessionId, key: &str) -> Result<bool, Fault> {
    let holds = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM entries
             WHERE transcript = (SELECT number FROM transcripts WHERE session = ?1) AND message_key = ?2)",
        )?
        .query_row([session.as_str(), key], |row| row.get(0))?;
    Ok(holds)
}

/// The number of the entry that a branch ends with.
fn end_of(connection: &Connection, query: &BranchQuery) -> Result<Option<i64>, Fault> {
    let session = query.session.as_str();
    let found: Option<Option<i64>> = match &query.leaf {
        Some(leaf) => connection
            .prepare_cached(
                "SELECT number FROM entries
                 WHERE transcript = (SELECT number FROM transcripts WHERE session = ?1) AND entry_id = ?2",
            )?
            .query_row([session, leaf.as_str()], |row| row.get(0))
            .optional()?,
        None => connection
            .prepare_cached("SELECT leaf FROM transcripts WHERE session = ?1")?
            .query_row([session], |row| row.get(0))
            .optional()?,
    };
    Ok(found.flatten())
}

fn walk(
    connection: &Connection,
    session: &SessionId,
    sql: &str,
    params: impl Params,
) -> Result<Walked, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut walked = Walked { entries: Vec::new(), bytes: 0 };
    while let Some(row) = rows.next()? {
        walked.push(row, stored(row, session)?)?;
    }
    Ok(walked)
}

/// Entries in the order of a walk, and how many bytes their lines take.
struct Walked {
    entries: Vec<StoredEntry>,
    bytes: usize,
}

impl Walked {
    fn push(&mut self, row: &Row<'_>, entry: StoredEntry) -> Result<(), Fault> {
        self.bytes += row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?.len();
        self.entries.push(entry);
        Ok(())
    }
}

fn stored(row: &Row<'_>, session: &SessionId) -> Result<StoredEntry, Fault> {
    let sequence: i64 = row.get(0)?;
    let what = || format!("line {sequence} of transcript {session}");
    let broken = |error: &dyn std::fmt::Display| Fault::Corrupt(format!("{}: {error}", what()));
    let run = match row.get_ref(1)?.as_str_or_null().map_err(rusqlite::Error::from)? {
        Some(run) => Some(parsed(run, what)?),
        None => None,
    };
    let body = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
    let record = LineRecord::parse(body).map_err(|error| broken(&error))?;
    let residue = match row.get_ref(2)? {
        ValueRef::Text(residue) => serde_json::from_slice(residue).map_err(|error| broken(&error))?,
        _ => Residue::Same,
    };
    Ok(StoredEntry { sequence, run, line: Arc::new(TranscriptLine { record, residue }) })
}
