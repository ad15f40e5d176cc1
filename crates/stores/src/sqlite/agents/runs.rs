//! Runs in SQLite: begun once, ended once, the end together with the last lines of the transcript.

use openclaw_ports::stores::{EntryChange, RunEnded, RunFinish, RunRecord, RunStart};
use openclaw_types::{AbortCause, AgentId, RunEnding, RunId, SessionId, UnixMillis};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::columns::parsed;
use super::append::Appended;
use super::parsed::Parsed;
use super::recent::Added;
use super::{append, sessions};
use crate::error::Fault;
use crate::transcripts::StoreRefusal;

const COLUMNS: &str = "SELECT run, key, session, began_at, ended_at, ending, detail FROM runs";

/// Notes that a run begins, unless it is noted, and gives what is known. The column `orders` is of earlier days: programs
/// that know it may still be running.
pub(super) fn begin(connection: &Connection, start: RunStart) -> Result<RunRecord, Fault> {
    let begun = connection
        .prepare_cached(
            "INSERT INTO runs (run, key, session, began_at, orders) VALUES (?1, ?2, ?3, ?4, 'null')
             ON CONFLICT (run) DO NOTHING",
        )?
        .execute(params![start.run.as_str(), start.key.as_str(), start.session.as_str(), start.at.0])?;
    match begun {
        0 => one(connection, &start.agent, &start.run)?
            .ok_or_else(|| Fault::Corrupt(format!("run {}", start.run))),
        _ => Ok(RunRecord { start, end: None }),
    }
}

/// Notes how a run ended and changes its session, unless that is noted.
pub(super) fn end(
    connection: &Connection,
    finish: RunFinish,
    change: Option<EntryChange>,
    parsed: &Parsed,
) -> Result<(RunEnded, Option<(SessionId, Added)>), Fault> {
    let known = match finish.begins {
        Some(start) => begin(connection, start)?,
        None => one(connection, &finish.agent, &finish.run)?
            .ok_or_else(|| Fault::from_refusal(StoreRefusal::UnknownRun { run: finish.run.clone() }))?,
    };
    if known.end.is_some() {
        return Ok((RunEnded::default(), None));
    }
    let appended = match finish.last.is_empty() {
        true => Appended::default(),
        false => append::append(connection, &known.start.session, Some(&finish.run), &finish.last)?,
    };
    let (ending, detail) = words(&finish.how);
    connection
        .prepare_cached("UPDATE runs SET ended_at = ?2, ending = ?3, detail = ?4 WHERE run = ?1")?
        .execute(params![finish.run.as_str(), finish.at.0, ending, detail])?;
    let session = match change {
        Some(change) => sessions::change(connection, &known.start.key, change, parsed)?,
        None => None,
    };
    let ended = RunEnded { entries: appended.ids, session };
    Ok((ended, appended.added.map(|added| (known.start.session, added))))
}

/// One run.
pub(super) fn one(connection: &Connection, agent: &AgentId, run: &RunId) -> Result<Option<RunRecord>, Fault> {
    let mut statement = connection.prepare_cached(&format!("{COLUMNS} WHERE run = ?1"))?;
    statement.query_row([run.as_str()], |row| Ok(record(row, agent))).optional()?.transpose()
}

/// Runs that have not ended, oldest first.
pub(super) fn under_way(connection: &Connection, agent: &AgentId) -> Result<Vec<RunRecord>, Fault> {
    let sql = format!("{COLUMNS} WHERE ended_at IS NULL ORDER BY began_at, number");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        runs.push(record(row, agent)?);
    }
    Ok(runs)
}

/// Forgets runs that ended before a moment.
pub(super) fn forget(connection: &Connection, before: UnixMillis) -> Result<u64, Fault> {
    let gone = connection.prepare_cached("DELETE FROM runs WHERE ended_at < ?1")?.execute([before.0])?;
    Ok(gone as u64)
}

fn record(row: &Row<'_>, agent: &AgentId) -> Result<RunRecord, Fault> {
    let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let run: RunId = parsed(text(0)?, || "the name of a run".to_owned())?;
    let what = || format!("run {run}");
    let ended_at: Option<i64> = row.get(4)?;
    let end = match ended_at {
        Some(at) => {
            let ending = ending(row.get(5)?, row.get(6)?).ok_or_else(|| Fault::Corrupt(what()))?;
            Some((UnixMillis(at), ending))
        }
        None => None,
    };
    let start = RunStart {
        agent: agent.clone(),
        key: parsed(text(1)?, what)?,
        session: parsed(text(2)?, what)?,
        at: UnixMillis(row.get(3)?),
        run: run.clone(),
    };
    Ok(RunRecord { start, end })
}

fn words(how: &RunEnding) -> (&'static str, Option<&str>) {
    match how {
        RunEnding::Answered => ("answered", None),
        RunEnding::Aborted(cause) => ("aborted", Some(cause.as_str())),
        RunEnding::Failed { message } => ("failed", Some(message)),
    }
}

fn ending(word: Option<String>, detail: Option<String>) -> Option<RunEnding> {
    match (word?.as_str(), detail) {
        ("answered", _) => Some(RunEnding::Answered),
        ("aborted", Some(cause)) => cause_of(&cause).map(RunEnding::Aborted),
        ("failed", Some(message)) => Some(RunEnding::Failed { message }),
        _ => None,
    }
}

fn cause_of(word: &str) -> Option<AbortCause> {
    let causes = [
        AbortCause::Request,
        AbortCause::Word,
        AbortCause::Timeout,
        AbortCause::Superseded,
        AbortCause::Shutdown,
    ];
    causes.into_iter().find(|cause| cause.as_str() == word)
}
