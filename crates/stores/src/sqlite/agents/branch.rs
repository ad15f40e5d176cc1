//! Reads transcripts from SQLite: a branch as far as it is asked for, or everything.
//!
//! A branch is one query, whatever its length: SQLite walks from the leaf along the numbers of the parents and hands
//! out the lines on the way.

use openclaw_ports::stores::{BranchQuery, Reach, StoredEntry};
use openclaw_types::{EntryId, LineRecord, Residue, SessionId, TranscriptLine};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::super::columns::parsed;
use crate::error::Fault;
use crate::transcripts::since_compaction;

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
pub(super) fn branch(connection: &Connection, query: &BranchQuery) -> Result<Vec<StoredEntry>, Fault> {
    let Some(leaf) = end_of(connection, query)? else { return Ok(Vec::new()) };
    let session = &query.session;
    let mut entries = match query.reach {
        Reach::Whole => walk(connection, session, COUNTED, params![leaf, i64::MAX])?,
        Reach::Newest(most) => {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            walk(connection, session, COUNTED, params![leaf, most])?
        }
        Reach::SinceCompaction => walk(connection, session, TO_KEPT, params![leaf])?,
    };
    // A parent is always written before its children.
    entries.sort_unstable_by_key(|entry| entry.sequence);
    match query.reach {
        Reach::SinceCompaction => Ok(since_compaction(entries)),
        Reach::Whole | Reach::Newest(_) => Ok(entries),
    }
}

/// Every line in the order it was written.
pub(super) fn everything(connection: &Connection, session: &SessionId) -> Result<Vec<StoredEntry>, Fault> {
    let all = "SELECT sequence, run, residue, body FROM entries
               WHERE transcript = (SELECT number FROM transcripts WHERE session = ?1) ORDER BY sequence";
    walk(connection, session, all, [session.as_str()])
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
) -> Result<Vec<StoredEntry>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(stored(row, session)?);
    }
    Ok(entries)
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
    Ok(StoredEntry { sequence, run, line: TranscriptLine { record, residue } })
}
