//! What is kept about sessions beside their transcripts, in SQLite: one JSON text for each key.

use std::sync::Arc;

use openclaw_ports::stores::EntryChange;
use openclaw_types::{SessionEntry, SessionKey};
use rusqlite::{Connection, OptionalExtension, params};

use super::super::columns::{json, parsed};
use super::parsed::Parsed;
use crate::error::Fault;

/// One session.
pub(super) fn one(
    connection: &Connection,
    key: &SessionKey,
    known: &Parsed,
) -> Result<Option<Arc<SessionEntry>>, Fault> {
    connection
        .prepare_cached("SELECT entry FROM sessions WHERE key = ?1")?
        .query_row([key.as_str()], |row| Ok(known.read(key, row.get_ref(0)?.as_str()?)))
        .optional()?
        .transpose()
}

/// Every session, the one that changed last first.
pub(super) fn all(connection: &Connection) -> Result<Vec<(SessionKey, SessionEntry)>, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT key, entry FROM sessions ORDER BY updated_at DESC, key")?;
    let mut rows = statement.query([])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
        let key: SessionKey = parsed(text(0)?, || "the key of a session".to_owned())?;
        let entry = serde_json::from_str(text(1)?)
            .map_err(|error| Fault::Corrupt(format!("the session {}: {error}", key.as_str())))?;
        sessions.push((key, entry));
    }
    Ok(sessions)
}

/// Changes a session; runs inside the transaction of the writer, so nothing comes between.
pub(super) fn change(
    connection: &Connection,
    key: &SessionKey,
    change: EntryChange,
    known: &Parsed,
) -> Result<Option<Arc<SessionEntry>>, Fault> {
    let stored = one(connection, key, known)?;
    let changed = change(stored.as_deref().cloned());
    if changed.as_ref() == stored.as_deref() {
        return Ok(stored);
    }
    let changed = changed.map(Arc::new);
    match &changed {
        Some(entry) => {
            let text = json(entry)?;
            known.put(&text, entry);
            connection
                .prepare_cached(
                    "INSERT INTO sessions (key, updated_at, entry) VALUES (?1, ?2, ?3)
                     ON CONFLICT (key) DO UPDATE SET updated_at = excluded.updated_at, entry = excluded.entry",
                )?
                .execute(params![key.as_str(), entry.updated_at.0, text])?
        }
        None => connection.prepare_cached("DELETE FROM sessions WHERE key = ?1")?.execute([key.as_str()])?,
    };
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use openclaw_types::{SessionId, UnixMillis};

    use super::*;

    #[test]
    fn a_change_that_changes_nothing_is_not_written() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("migrations/0001_sessions.sql")).unwrap();
        let (known, key) = (Parsed::default(), "agent:main:main".parse().unwrap());
        let entry = SessionEntry::new(SessionId::new("s").unwrap(), UnixMillis(1));
        let made = entry.clone();
        change(&connection, &key, Box::new(move |_| Some(made)), &known).unwrap();
        let written = connection.total_changes();
        assert_eq!(
            change(&connection, &key, Box::new(|stored| stored), &known).unwrap(),
            Some(Arc::new(entry))
        );
        assert_eq!(connection.total_changes(), written);
        change(&connection, &key, Box::new(|_| None), &known).unwrap();
        assert_eq!(one(&connection, &key, &known).unwrap(), None);
    }
}
