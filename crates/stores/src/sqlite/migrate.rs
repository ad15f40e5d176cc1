//! Numbered, forward-only migrations.
//!
//! A schema is a list of SQL scripts; the database's `user_version` counts those that ran. Each script runs in one
//! transaction with the count, so a crash leaves the version before or the version after. The backup that precedes
//! a migration is `backup`'s business, called from `open`.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::OpenError;

/// A database's schema: who made the file, and the scripts that build it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schema {
    /// Marks the file as ours and tells our databases apart.
    pub(crate) application_id: i32,
    /// Script number `n`, counted from 1, brings version `n - 1` to `n`.
    pub(crate) migrations: &'static [&'static str],
}

impl Schema {
    /// The version that this program writes.
    pub(crate) fn newest(&self) -> i64 {
        i64::try_from(self.migrations.len()).unwrap_or(i64::MAX)
    }
}

/// The version a database has.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Runs what has not run yet.
pub(crate) fn migrate(connection: &mut Connection, schema: &Schema, path: &Path) -> Result<(), OpenError> {
    for (from, script) in (0_i64..).zip(schema.migrations) {
        step(connection, schema, from, script).map_err(|source| OpenError::Migration {
            path: path.to_owned(),
            from,
            to: from + 1,
            source,
        })?;
    }
    Ok(())
}

/// Brings version `from` one further; does nothing when another step or another process already did.
fn step(connection: &mut Connection, schema: &Schema, from: i64, script: &str) -> rusqlite::Result<()> {
    // Looked at first without a lock: a database that is up to date is not written to.
    if version(connection)? > from {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if version(&transaction)? == from {
        transaction.execute_batch(script)?;
        transaction.pragma_update(None, "application_id", schema.application_id)?;
        transaction.pragma_update(None, "user_version", from + 1)?;
    }
    transaction.commit()
}
