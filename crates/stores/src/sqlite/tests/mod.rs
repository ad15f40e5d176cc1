//! Tests of the database below the store contracts: files, migrations, commits, snapshots.
//!
//! What the contracts promise is tested by the conformance suite in `crates/stores/tests`.

mod aggregates;
mod group_commit;
#[cfg(target_os = "linux")]
mod log_file;
mod migrations;
mod opening;
mod reservations;
mod sign_ins;

use std::path::PathBuf;
use std::sync::Arc;

use openclaw_ports::Clock;
use openclaw_testkit::{SimClock, TempHome};
use openclaw_types::UnixMillis;
use rusqlite::Connection;

use super::state_database::{StateDatabase, StateLocation};
use crate::error::OpenError;

/// A home with a clock that stands still.
struct World {
    home: TempHome,
    clock: Arc<SimClock>,
}

impl World {
    fn new() -> Self {
        Self { home: TempHome::new(), clock: Arc::new(SimClock::new()) }
    }

    fn location(&self) -> StateLocation {
        StateLocation::within(self.home.state_dir())
    }

    fn file(&self) -> PathBuf {
        self.location().database
    }

    fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    async fn open(&self) -> Result<StateDatabase, OpenError> {
        StateDatabase::open(self.location(), self.clock.clone()).await
    }

    /// A connection behind the database's back.
    fn raw(&self) -> Connection {
        Connection::open(self.file()).unwrap()
    }

    /// The names in the database's folder, without those that SQLite keeps while it is open.
    fn names(&self) -> Vec<String> {
        let folder = std::fs::read_dir(self.file().parent().unwrap()).unwrap();
        let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> =
            names.filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm")).collect();
        names.sort();
        names
    }
}
