//! The gateway-wide database, `state/gateway.sqlite`: which schema it has and where its files are.
//!
//! The aggregates beside this file implement the store contracts on `StateDatabase`, so one value serves all of them. `app` opens it at start and closes it last.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openclaw_ports::Clock;
use openclaw_ports::stores::StoreError;
use rusqlite::Connection;

use super::database::Database;
use super::migrate::Schema;
use super::open;
use super::usage::{Owners, Unclaimed};
use crate::error::OpenError;
use crate::seal::{KeySource, MissingKey, Sealer};

/// The schema of the gateway-wide database. Scripts are only ever added.
pub(super) const SCHEMA: Schema = Schema {
    // "OCst" in ASCII.
    application_id: 0x4f43_7374,
    migrations: &[
        include_str!("migrations/0001_devices_and_state.sql"),
        include_str!("migrations/0002_audit_ledger.sql"),
        include_str!("migrations/0003_sign_ins_and_health.sql"),
        include_str!("migrations/0004_usage.sql"),
        include_str!("migrations/0005_inbox_subagents_grants.sql"),
        include_str!("migrations/0006_grant_variables.sql"),
        include_str!("migrations/0007_inbox_attempts.sql"),
        include_str!("migrations/0008_outbox_and_senders.sql"),
        include_str!("migrations/0009_outbox_doubt.sql"),
    ],
};

/// Where the gateway-wide database and its key are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateLocation {
    /// The database file.
    pub database: PathBuf,
    /// Where the key that seals tokens and sign-ins comes from.
    pub key: KeySource,
}

impl StateLocation {
    /// The usual places inside a state directory.
    #[must_use]
    pub fn within(state_dir: &Path) -> Self {
        let folder = state_dir.join("state");
        Self { database: folder.join("gateway.sqlite"), key: KeySource::File(folder.join("seal.key")) }
    }
}

/// What an examination of the files found when nothing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateHealth {
    /// There is no database yet; the gateway makes one when it starts.
    Absent,
    /// The database is whole.
    Sound {
        /// Its schema version.
        schema: i64,
        /// The schema version this program brings it to when the gateway starts.
        newest: i64,
    },
}

/// The gateway-wide database. Implements every store contract but that of sessions.
#[derive(Debug)]
pub struct StateDatabase {
    pub(super) database: Database,
    pub(super) sealer: Arc<Sealer>,
    pub(super) owners: Arc<Owners>,
    pub(super) unclaimed: Arc<Unclaimed>,
}

impl StateDatabase {
    /// Opens the database, or makes it; checks it, backs it up and migrates it when it is of an older version.
    ///
    /// # Errors
    /// Says what a person can do about it. Nothing is deleted, and a file that is damaged, foreign or newer than
    /// this program is not changed.
    pub async fn open(location: StateLocation, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let path = location.database.clone();
        tokio::task::spawn_blocking(move || Self::open_blocking(location, clock))
            .await
            .unwrap_or_else(|panicked| Err(OpenError::failed("open", &path, panicked)))
    }

    /// Looks at the files without changing them: the whole database and the permissions of its key.
    ///
    /// Blocks while it reads; for `doctor`, not for a running gateway's threads.
    ///
    /// # Errors
    /// The same that `open` would give.
    pub fn examine(location: &StateLocation) -> Result<StateHealth, OpenError> {
        location.key.examine()?;
        let exists = location
            .database
            .try_exists()
            .map_err(|source| OpenError::failed("find", &location.database, source))?;
        if !exists {
            return Ok(StateHealth::Absent);
        }
        let schema = open::examine(&location.database, &SCHEMA)?;
        Ok(StateHealth::Sound { schema, newest: SCHEMA.newest() })
    }

    fn open_blocking(location: StateLocation, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let StateLocation { database: path, key } = location;
        let connection = open::writing(&path, &SCHEMA, clock.now())?;
        let missing = missing_key(&connection).map_err(|source| OpenError::failed("read", &path, source))?;
        let sealer = Arc::new(Sealer::from_source(&key, missing)?);
        let owners = Arc::new(Owners::beside(&path));
        let database = Database::start(path, connection, clock)?;
        Ok(Self { database, sealer, owners, unclaimed: Arc::default() })
    }

    /// Writes what is queued and closes the file; every later call gives `Closed`. The caller bounds the wait.
    ///
    /// # Errors
    /// When the file could not be closed cleanly. What was acknowledged is durable all the same.
    pub async fn close(&self) -> Result<(), StoreError> {
        let closed = self.database.close().await;
        self.owners.leave();
        closed
    }
}

/// A new key would make secrets that are stored already unreadable for ever.
fn missing_key(connection: &Connection) -> rusqlite::Result<MissingKey> {
    let sealed: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM device_tokens)
             OR EXISTS (SELECT 1 FROM auth_profiles WHERE sealed_secret IS NOT NULL OR sealed_refresh IS NOT NULL)",
        [],
        |row| row.get(0),
    )?;
    Ok(if sealed { MissingKey::Refuse } else { MissingKey::Make })
}
