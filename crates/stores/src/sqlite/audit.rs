//! The audit ledger in SQLite. The table's triggers refuse every change but adding at the end.

use async_trait::async_trait;
use openclaw_ports::stores::{AuditEntry, AuditLedger, AuditQuery, AuditRecord, ChainReport, StoreError};
use openclaw_types::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::state_database::StateDatabase;
use crate::chain::{Link, Walk, WalkStep};
use crate::error::Fault;

#[async_trait]
impl AuditLedger for StateDatabase {
    async fn append(&self, entry: AuditEntry) -> Result<AuditRecord, StoreError> {
        self.database.write("add to the audit ledger", move |connection| append(connection, entry)).await
    }

    async fn query(&self, query: AuditQuery) -> Result<Vec<AuditRecord>, StoreError> {
        self.database.read("read the audit ledger", move |connection| select(connection, &query)).await
    }

    async fn verify(&self) -> Result<ChainReport, StoreError> {
        self.database.read("check the audit ledger", walk).await
    }
}

fn append(connection: &Connection, entry: AuditEntry) -> Result<AuditRecord, Fault> {
    let last: Option<(i64, String)> = connection
        .prepare_cached("SELECT id, hash FROM audit_records ORDER BY id DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (last, previous) = last.unwrap_or_default();
    let detail = entry.detail.to_string();
    let hash = Link::new(last + 1, &entry, &detail).hash_after(&previous);
    connection
        .prepare_cached(
            "INSERT INTO audit_records (id, at, actor, action, subject, detail, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![last + 1, entry.at.0, entry.actor, entry.action, entry.subject, detail, hash])?;
    Ok(AuditRecord { id: last + 1, entry, hash })
}

fn select(connection: &Connection, query: &AuditQuery) -> Result<Vec<AuditRecord>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT id, at, actor, action, subject, detail, hash FROM audit_records
         WHERE id < ?1 AND substr(action, 1, length(?2)) = ?2
         ORDER BY id DESC LIMIT ?3",
    )?;
    let limit = i64::try_from(query.most()).unwrap_or(i64::MAX);
    let before = query.before_id.unwrap_or(i64::MAX);
    let mut rows = statement.query(params![before, query.action_prefix.as_deref().unwrap_or(""), limit])?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(record(row)?);
    }
    Ok(records)
}

fn record(row: &Row<'_>) -> Result<AuditRecord, Fault> {
    let id = row.get(0)?;
    let detail: String = row.get(5)?;
    let detail = serde_json::from_str(&detail)
        .map_err(|error| Fault::Corrupt(format!("the detail of audit record {id} is not JSON: {error}")))?;
    let entry = AuditEntry {
        at: UnixMillis(row.get(1)?),
        actor: row.get(2)?,
        action: row.get(3)?,
        subject: row.get(4)?,
        detail,
    };
    Ok(AuditRecord { id, entry, hash: row.get(6)? })
}

fn walk(connection: &Connection) -> Result<ChainReport, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT id, at, actor, action, subject, detail, hash FROM audit_records ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    let mut walk = Walk::default();
    while let Some(row) = rows.next()? {
        let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
        let link = Link {
            id: row.get(0)?,
            at: row.get(1)?,
            actor: text(2)?,
            action: text(3)?,
            subject: row.get_ref(4)?.as_str_or_null().map_err(rusqlite::Error::from)?,
            detail: text(5)?,
        };
        if walk.step(&link, text(6)?) == WalkStep::Stop {
            break;
        }
    }
    Ok(walk.report())
}
