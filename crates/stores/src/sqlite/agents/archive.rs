//! Transcripts of the past in SQLite, and the end of transcripts.

use openclaw_ports::stores::{Archive, ArchiveReason, Archived};
use openclaw_types::{AgentId, SessionId, UnixMillis};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::columns::parsed;
use super::append;
use crate::error::Fault;

/// Notes that a transcript is of the past; the latest note counts.
pub(super) fn put(connection: &Connection, archive: &Archive) -> Result<(), Fault> {
    let number = append::transcript(connection, &archive.session)?;
    connection
        .prepare_cached(
            "UPDATE transcripts SET archived_at = ?2, archive_key = ?3, archive_reason = ?4 WHERE number = ?1",
        )?
        .execute(params![number, archive.at.0, archive.key.as_str(), word(archive.reason)])?;
    Ok(())
}

/// Every archived transcript, newest first.
pub(super) fn all(connection: &Connection, agent: &AgentId) -> Result<Vec<Archived>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT session, archive_key, archive_reason, archived_at, entries, bytes FROM transcripts
         WHERE archived_at IS NOT NULL ORDER BY archived_at DESC, session",
    )?;
    let mut rows = statement.query([])?;
    let mut archived = Vec::new();
    while let Some(row) = rows.next()? {
        archived.push(read(row, agent)?);
    }
    Ok(archived)
}

/// Removes a transcript and everything in it.
pub(super) fn erase(connection: &Connection, session: &SessionId) -> Result<(), Fault> {
    let number: Option<i64> = connection
        .prepare_cached("SELECT number FROM transcripts WHERE session = ?1")?
        .query_row([session.as_str()], |row| row.get(0))
        .optional()?;
    let Some(number) = number else { return Ok(()) };
    connection.prepare_cached("DELETE FROM entries WHERE transcript = ?1")?.execute([number])?;
    connection.prepare_cached("DELETE FROM transcripts WHERE number = ?1")?.execute([number])?;
    Ok(())
}

fn read(row: &Row<'_>, agent: &AgentId) -> Result<Archived, Fault> {
    let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let session: SessionId = parsed(text(0)?, || "the name of an archived transcript".to_owned())?;
    let what = || format!("the note on archived transcript {session}");
    let archive = Archive {
        agent: agent.clone(),
        key: parsed(text(1)?, what)?,
        reason: reason(text(2)?).ok_or_else(|| Fault::Corrupt(what()))?,
        at: UnixMillis(row.get(3)?),
        session: session.clone(),
    };
    let count = |column| Ok::<_, Fault>(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0));
    Ok(Archived { archive, entries: count(4)?, bytes: count(5)? })
}

fn word(reason: ArchiveReason) -> &'static str {
    match reason {
        ArchiveReason::Reset => "reset",
        ArchiveReason::Deleted => "deleted",
        ArchiveReason::Compacted => "compacted",
    }
}

fn reason(word: &str) -> Option<ArchiveReason> {
    match word {
        "reset" => Some(ArchiveReason::Reset),
        "deleted" => Some(ArchiveReason::Deleted),
        "compacted" => Some(ArchiveReason::Compacted),
        _ => None,
    }
}
