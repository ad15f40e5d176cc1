//! Accepted messages in SQLite. The unique key of the table is what makes a repeated message show.

use async_trait::async_trait;
use openclaw_ports::stores::{
    Acceptance, Flush, Inbox, InboxEnd, InboxId, InboxKey, InboxMessage, InboxRow, StoreError,
};
use openclaw_types::{RunId, UnixMillis};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::columns::{from_json, json, parsed};
use super::state_database::StateDatabase;
use crate::error::Fault;

const COLUMNS: &str =
    "SELECT id, source, account, event, session, at, run, ending, body, attempts FROM inbox";

#[async_trait]
impl Inbox for StateDatabase {
    async fn accept(&self, message: InboxMessage) -> Result<Acceptance, StoreError> {
        self.database.write("accept a message", move |connection| accept(connection, &message)).await
    }

    async fn assign(&self, messages: Vec<InboxId>, run: RunId) -> Result<(), StoreError> {
        self.database
            .note("note who answers a message", move |connection| {
                let mut statement = connection.prepare_cached(
                    "UPDATE inbox SET run = ?2, attempts = attempts + 1 WHERE id = ?1 AND ended_at IS NULL",
                )?;
                for InboxId(id) in messages {
                    statement.execute(params![id, run.as_str()])?;
                }
                Ok(())
            })
            .await
    }

    async fn release(&self, messages: Vec<InboxId>) -> Result<(), StoreError> {
        self.database
            .note("note that nobody answers a message yet", move |connection| {
                let mut statement = connection
                    .prepare_cached("UPDATE inbox SET run = NULL WHERE id = ?1 AND ended_at IS NULL")?;
                for InboxId(id) in messages {
                    statement.execute([id])?;
                }
                Ok(())
            })
            .await
    }

    async fn finish(&self, messages: Vec<InboxId>, how: InboxEnd) -> Result<(), StoreError> {
        let now = self.database.now();
        // A message that was answered is found to be so; one that was withdrawn must not come back.
        let flush = match how {
            InboxEnd::Answered => Flush::WithNext,
            _ => Flush::Now,
        };
        self.database
            .order("note that a message is dealt with", flush, move |connection| {
                let mut statement = connection.prepare_cached(
                    "UPDATE inbox SET ended_at = ?2, ending = ?3 WHERE id = ?1 AND ended_at IS NULL",
                )?;
                for InboxId(id) in messages {
                    statement.execute(params![id, now.0, word(how)])?;
                }
                Ok(())
            })
            .await
    }

    async fn open_messages(&self) -> Result<Vec<InboxRow>, StoreError> {
        self.database
            .read("list the messages that wait", |connection| {
                let sql = format!("{COLUMNS} WHERE ended_at IS NULL ORDER BY id");
                let mut statement = connection.prepare_cached(&sql)?;
                let mut rows = statement.query([])?;
                let mut messages = Vec::new();
                while let Some(row) = rows.next()? {
                    messages.push(read(row)?);
                }
                Ok(messages)
            })
            .await
    }

    async fn find(&self, key: &InboxKey) -> Result<Option<InboxRow>, StoreError> {
        let key = key.clone();
        self.database.look("look for a message", move |connection| find(connection, &key)).await
    }

    async fn forget(&self, before: UnixMillis) -> Result<u64, StoreError> {
        self.database
            .write("forget old messages", move |connection| {
                let gone = connection
                    .prepare_cached("DELETE FROM inbox WHERE ended_at < ?1")?
                    .execute([before.0])?;
                Ok(gone as u64)
            })
            .await
    }
}

fn accept(connection: &Connection, message: &InboxMessage) -> Result<Acceptance, Fault> {
    let accepted = connection
        .prepare_cached(
            "INSERT INTO inbox (source, account, event, session, at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (source, account, event) DO NOTHING",
        )?
        .execute(params![
            message.key.source,
            message.key.account,
            message.key.event,
            message.session.as_str(),
            message.at.0,
            json(&message.body)?,
        ])?;
    if accepted == 0 {
        let known = find(connection, &message.key)?;
        let known = known.ok_or_else(|| Fault::Corrupt("a message of the inbox".to_owned()))?;
        return Ok(Acceptance::Known(Box::new(known)));
    }
    Ok(Acceptance::New(InboxId(connection.last_insert_rowid())))
}

fn find(connection: &Connection, key: &InboxKey) -> Result<Option<InboxRow>, Fault> {
    let sql = format!("{COLUMNS} WHERE source = ?1 AND account = ?2 AND event = ?3");
    connection
        .prepare_cached(&sql)?
        .query_row([&key.source, &key.account, &key.event], |row| Ok(read(row)))
        .optional()?
        .transpose()
}

fn read(row: &Row<'_>) -> Result<InboxRow, Fault> {
    let id: i64 = row.get(0)?;
    let what = || format!("message {id} of the inbox");
    let text = |column| row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from);
    let run = text(6)?.map(|run| parsed(run, what)).transpose()?;
    let end = text(7)?.map(|word| end(word).ok_or_else(|| Fault::Corrupt(what()))).transpose()?;
    let message = InboxMessage {
        key: InboxKey { source: row.get(1)?, account: row.get(2)?, event: row.get(3)? },
        session: parsed(text(4)?.unwrap_or_default(), what)?,
        at: UnixMillis(row.get(5)?),
        body: from_json(row, 8, what)?,
    };
    let attempts = u64::try_from(row.get::<_, i64>(9)?).map_err(|_negative| Fault::Corrupt(what()))?;
    Ok(InboxRow { id: InboxId(id), message, run, attempts, end })
}

fn word(how: InboxEnd) -> &'static str {
    match how {
        InboxEnd::Answered => "answered",
        InboxEnd::Withdrawn => "withdrawn",
    }
}

fn end(word: &str) -> Option<InboxEnd> {
    match word {
        "answered" => Some(InboxEnd::Answered),
        "withdrawn" => Some(InboxEnd::Withdrawn),
        _ => None,
    }
}
