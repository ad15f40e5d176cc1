//! Named values in SQLite.

use async_trait::async_trait;
use openclaw_ports::stores::{StateStore, StoreError};
use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use super::state_database::StateDatabase;
use crate::error::Fault;

#[async_trait]
impl StateStore for StateDatabase {
    async fn get(&self, namespace: &str, key: &str) -> Result<Option<Value>, StoreError> {
        let (namespace, key) = (namespace.to_owned(), key.to_owned());
        self.database
            .look("read a stored value", move |connection| {
                let text: Option<String> = connection
                    .prepare_cached("SELECT value FROM state_values WHERE namespace = ?1 AND key = ?2")?
                    .query_row(params![namespace, key], |row| row.get(0))
                    .optional()?;
                text.map(|text| parse(&namespace, &key, &text)).transpose()
            })
            .await
    }

    async fn put(&self, namespace: &str, key: &str, value: Value) -> Result<(), StoreError> {
        let (namespace, key, text) = (namespace.to_owned(), key.to_owned(), value.to_string());
        self.database
            .write("save a value", move |connection| {
                connection
                    .prepare_cached(
                        "INSERT INTO state_values (namespace, key, value) VALUES (?1, ?2, ?3)
                         ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value",
                    )?
                    .execute(params![namespace, key, text])?;
                Ok(())
            })
            .await
    }

    async fn remove(&self, namespace: &str, key: &str) -> Result<bool, StoreError> {
        let (namespace, key) = (namespace.to_owned(), key.to_owned());
        self.database
            .write("forget a value", move |connection| {
                let removed = connection
                    .prepare_cached("DELETE FROM state_values WHERE namespace = ?1 AND key = ?2")?
                    .execute(params![namespace, key])?;
                Ok(removed > 0)
            })
            .await
    }

    async fn list(&self, namespace: &str) -> Result<Vec<(String, Value)>, StoreError> {
        let namespace = namespace.to_owned();
        self.database
            .read("list stored values", move |connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT key, value FROM state_values WHERE namespace = ?1 ORDER BY key",
                )?;
                let mut rows = statement.query([&namespace])?;
                let mut entries = Vec::new();
                while let Some(row) = rows.next()? {
                    let key: String = row.get(0)?;
                    let value =
                        parse(&namespace, &key, row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
                    entries.push((key, value));
                }
                Ok(entries)
            })
            .await
    }
}

fn parse(namespace: &str, key: &str, text: &str) -> Result<Value, Fault> {
    serde_json::from_str(text)
        .map_err(|error| Fault::Corrupt(format!("the value {namespace}/{key} is not JSON: {error}")))
}
