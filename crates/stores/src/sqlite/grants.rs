//! Permissions for commands in SQLite: one JSON record for each, and a column for when it was last used.

use async_trait::async_trait;
use openclaw_ports::stores::{Grant, GrantStore, StoreError};
use openclaw_types::UnixMillis;
use rusqlite::{Row, params};

use super::columns::{from_json, json};
use super::state_database::StateDatabase;
use crate::error::Fault;

#[async_trait]
impl GrantStore for StateDatabase {
    async fn add(&self, grant: &Grant) -> Result<(), StoreError> {
        let mut grant = grant.clone();
        self.database
            .write("save a permission", move |connection| {
                let last_used = grant.last_used_at.take().map(|at| at.0);
                connection
                    .prepare_cached(
                        "INSERT INTO grants (id, created_at, last_used_at, record) VALUES (?1, ?2, ?3, ?4)
                         ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at,
                             last_used_at = excluded.last_used_at, record = excluded.record",
                    )?
                    .execute(params![grant.id, grant.created_at.0, last_used, json(&grant)?])?;
                Ok(())
            })
            .await
    }

    async fn all(&self) -> Result<Vec<Grant>, StoreError> {
        self.database
            .read("list the permissions", |connection| {
                let mut statement = connection
                    .prepare_cached("SELECT record, last_used_at FROM grants ORDER BY created_at, number")?;
                let mut rows = statement.query([])?;
                let mut grants = Vec::new();
                while let Some(row) = rows.next()? {
                    grants.push(read(row)?);
                }
                Ok(grants)
            })
            .await
    }

    async fn used(&self, id: &str, at: UnixMillis) -> Result<(), StoreError> {
        let id = id.to_owned();
        self.database
            .write("note that a permission was used", move |connection| {
                connection
                    .prepare_cached("UPDATE grants SET last_used_at = ?2 WHERE id = ?1")?
                    .execute(params![id, at.0])?;
                Ok(())
            })
            .await
    }

    async fn revoke(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.database
            .write("take a permission back", move |connection| {
                let gone = connection.prepare_cached("DELETE FROM grants WHERE id = ?1")?.execute([id])?;
                Ok(gone > 0)
            })
            .await
    }
}

fn read(row: &Row<'_>) -> Result<Grant, Fault> {
    let grant: Grant = from_json(row, 0, || "a permission".to_owned())?;
    let last_used: Option<i64> = row.get(1)?;
    Ok(Grant { last_used_at: last_used.map(UnixMillis), ..grant })
}
