//! Pieces to send in SQLite. The unique key of the table is what keeps a piece from being written twice.

use async_trait::async_trait;
use openclaw_ports::channel::Landed;
use openclaw_ports::stores::{
    NewPiece, Outbox, OutboxChange, OutboxId, OutboxQuery, OutboxRow, OutboxState, StoreError,
};
use openclaw_types::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::columns::{from_json, json};
use super::state_database::StateDatabase;
use crate::error::Fault;

const COLUMNS: &str =
    "SELECT id, source, at, state, attempts, due, last_error, receipt, piece, doubt FROM outbox";

#[async_trait]
impl Outbox for StateDatabase {
    async fn add(&self, pieces: Vec<NewPiece>) -> Result<Vec<OutboxId>, StoreError> {
        self.database
            .write("keep what is to be sent", move |connection| {
                pieces.iter().map(|piece| add(connection, piece)).collect()
            })
            .await
    }

    async fn begin(&self, id: OutboxId, at: UnixMillis) -> Result<bool, StoreError> {
        self.database
            .write("note that a piece is being sent", move |connection| {
                let begun = connection
                    .prepare_cached(
                        "UPDATE outbox SET state = 'sending', attempts = attempts + 1, \
                         doubt = COALESCE(doubt, ?2) WHERE id = ?1 AND ended_at IS NULL",
                    )?
                    .execute([id.0, at.0])?;
                Ok(begun > 0)
            })
            .await
    }

    async fn settle(&self, id: OutboxId, change: OutboxChange) -> Result<(), StoreError> {
        self.database
            .write("note what became of a piece", move |connection| settle(connection, id, &change))
            .await
    }

    async fn open_pieces(&self) -> Result<Vec<OutboxRow>, StoreError> {
        self.database
            .read("list what is to be sent", |connection| {
                rows(connection, &format!("{COLUMNS} WHERE ended_at IS NULL ORDER BY id"), [])
            })
            .await
    }

    async fn list(&self, query: OutboxQuery) -> Result<Vec<OutboxRow>, StoreError> {
        self.database
            .read("list what was and is to be sent", move |connection| {
                let state = query.state.map(word);
                let place = query.target.as_ref().map(json).transpose()?;
                let limit = query.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
                let sql = format!(
                    "{COLUMNS} WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR place = ?2) \
                     ORDER BY id DESC LIMIT ?3"
                );
                rows(connection, &sql, params![state, place, limit])
            })
            .await
    }

    async fn find(&self, id: OutboxId) -> Result<Option<OutboxRow>, StoreError> {
        self.database
            .look("look for a piece", move |connection| {
                Ok(rows(connection, &format!("{COLUMNS} WHERE id = ?1"), [id.0])?.pop())
            })
            .await
    }

    async fn named(&self, key: &str) -> Result<Option<OutboxRow>, StoreError> {
        let key = key.to_owned();
        self.database
            .look("look for a piece by its key", move |connection| {
                Ok(rows(connection, &format!("{COLUMNS} WHERE key = ?1"), [key])?.pop())
            })
            .await
    }

    async fn forget(&self, sent_before: UnixMillis, failed_before: UnixMillis) -> Result<u64, StoreError> {
        self.database
            .write("forget old pieces", move |connection| {
                let gone = connection
                    .prepare_cached(
                        "DELETE FROM outbox WHERE ended_at < CASE state WHEN 'sent' THEN ?1 ELSE ?2 END",
                    )?
                    .execute([sent_before.0, failed_before.0])?;
                Ok(gone as u64)
            })
            .await
    }
}

fn add(connection: &Connection, new: &NewPiece) -> Result<OutboxId, Fault> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT id FROM outbox WHERE key = ?1")?
        .query_row([&new.piece.key], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(OutboxId(id));
    }
    connection
        .prepare_cached(
            "INSERT INTO outbox (key, place, source, at, state, due, piece) \
             VALUES (?1, ?2, ?3, ?4, 'waiting', ?4, ?5)",
        )?
        .execute(
            params![new.piece.key, json(&new.piece.target)?, new.source, new.at.0, json(&new.piece)?,],
        )?;
    Ok(OutboxId(connection.last_insert_rowid()))
}

fn settle(connection: &Connection, id: OutboxId, change: &OutboxChange) -> Result<(), Fault> {
    match change {
        OutboxChange::Sent { receipt, at } => connection
            .prepare_cached(
                "UPDATE outbox SET state = 'sent', receipt = ?2, ended_at = ?3, last_error = NULL, doubt = NULL \
                 WHERE id = ?1",
            )?
            .execute(params![id.0, json(receipt)?, at.0])?,
        OutboxChange::Again { due, error, landed } => {
            let state = match landed {
                Landed::No => OutboxState::Waiting,
                Landed::Maybe => OutboxState::Sending,
            };
            connection
                .prepare_cached(
                    "UPDATE outbox SET state = ?4, due = ?2, last_error = ?3, \
                     doubt = CASE ?4 WHEN 'sending' THEN doubt END WHERE id = ?1 AND ended_at IS NULL",
                )?
                .execute(params![id.0, due.0, error, word(state)])?
        }
        OutboxChange::Replaced { piece, error } => connection
            .prepare_cached(
                "UPDATE outbox SET state = 'waiting', piece = ?2, place = ?3, last_error = ?4, doubt = NULL \
                 WHERE id = ?1 AND ended_at IS NULL",
            )?
            .execute(params![id.0, json(piece)?, json(&piece.target)?, error])?,
        OutboxChange::Failed { error, at, landed } => connection
            .prepare_cached(
                "UPDATE outbox SET state = 'failed', last_error = ?2, ended_at = ?3, \
                 doubt = CASE ?4 WHEN 1 THEN doubt END WHERE id = ?1 AND ended_at IS NULL",
            )?
            .execute(params![id.0, error, at.0, *landed == Landed::Maybe])?,
        OutboxChange::Dropped { at } => connection
            .prepare_cached(
                "UPDATE outbox SET state = 'dropped', ended_at = ?2 WHERE id = ?1 AND state <> 'sent'",
            )?
            .execute(params![id.0, at.0])?,
        OutboxChange::Retry { at } => connection
            .prepare_cached(
                "UPDATE outbox SET state = CASE WHEN doubt IS NULL THEN 'waiting' ELSE 'sending' END, \
                 at = ?2, due = ?2, attempts = 0, ended_at = NULL WHERE id = ?1 AND state <> 'sent'",
            )?
            .execute(params![id.0, at.0])?,
    };
    Ok(())
}

fn rows(connection: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<Vec<OutboxRow>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(values)?;
    let mut pieces = Vec::new();
    while let Some(row) = rows.next()? {
        pieces.push(read(row)?);
    }
    Ok(pieces)
}

fn read(row: &Row<'_>) -> Result<OutboxRow, Fault> {
    let id: i64 = row.get(0)?;
    let what = || format!("piece {id} of the outbox");
    let corrupt = || Fault::Corrupt(what());
    let written: String = row.get(3)?;
    let receipt: Option<String> = row.get(7)?;
    let attempts: i64 = row.get(4)?;
    Ok(OutboxRow {
        id: OutboxId(id),
        source: row.get(1)?,
        at: UnixMillis(row.get(2)?),
        state: state(&written).ok_or_else(corrupt)?,
        attempts: u32::try_from(attempts).map_err(|_negative| corrupt())?,
        due: UnixMillis(row.get(5)?),
        last_error: row.get(6)?,
        receipt: receipt.is_some().then(|| from_json(row, 7, what)).transpose()?,
        piece: from_json(row, 8, what)?,
        doubt: row.get::<_, Option<i64>>(9)?.map(UnixMillis),
    })
}

fn word(state: OutboxState) -> &'static str {
    match state {
        OutboxState::Waiting => "waiting",
        OutboxState::Sending => "sending",
        OutboxState::Sent => "sent",
        OutboxState::Failed => "failed",
        OutboxState::Dropped => "dropped",
    }
}

fn state(word: &str) -> Option<OutboxState> {
    match word {
        "waiting" => Some(OutboxState::Waiting),
        "sending" => Some(OutboxState::Sending),
        "sent" => Some(OutboxState::Sent),
        "failed" => Some(OutboxState::Failed),
        "dropped" => Some(OutboxState::Dropped),
        _ => None,
    }
}
