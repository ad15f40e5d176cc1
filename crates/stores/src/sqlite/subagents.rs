//! Sub-agents in SQLite: one JSON record for each run, in the order they were first saved.

use async_trait::async_trait;
use openclaw_ports::stores::{StoreError, Subagent, SubagentStore};
use openclaw_types::RunId;
use rusqlite::params;

use super::columns::{from_json, json};
use super::state_database::StateDatabase;

#[async_trait]
impl SubagentStore for StateDatabase {
    async fn save(&self, subagent: &Subagent) -> Result<(), StoreError> {
        let subagent = subagent.clone();
        self.database
            .write("save a sub-agent", move |connection| {
                connection
                    .prepare_cached(
                        "INSERT INTO subagents (run, created_at, record) VALUES (?1, ?2, ?3)
                         ON CONFLICT (run) DO UPDATE
                         SET created_at = excluded.created_at, record = excluded.record",
                    )?
                    .execute(params![subagent.run.as_str(), subagent.created_at.0, json(&subagent)?])?;
                Ok(())
            })
            .await
    }

    async fn all(&self) -> Result<Vec<Subagent>, StoreError> {
        self.database
            .read("list the sub-agents", |connection| {
                let mut statement =
                    connection.prepare_cached("SELECT record FROM subagents ORDER BY created_at, number")?;
                let mut rows = statement.query([])?;
                let mut subagents = Vec::new();
                while let Some(row) = rows.next()? {
                    subagents.push(from_json(row, 0, || "a sub-agent".to_owned())?);
                }
                Ok(subagents)
            })
            .await
    }

    async fn remove(&self, run: &RunId) -> Result<(), StoreError> {
        let run = run.clone();
        self.database
            .write("forget a sub-agent", move |connection| {
                connection.prepare_cached("DELETE FROM subagents WHERE run = ?1")?.execute([run.as_str()])?;
                Ok(())
            })
            .await
    }
}
