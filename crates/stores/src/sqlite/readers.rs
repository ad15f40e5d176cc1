//! A small pool of connections that only read.
//!
//! Each read sees one snapshot of what is committed and never waits for the writer. Connections are opened when
//! they are first needed and used off the async threads, except for a look at one row: that takes less time than waking
//! another thread.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use openclaw_ports::stores::StoreError;
use openclaw_ports::{Clock, Deadline, TimedOut};
use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::open;
use crate::error::Fault;

/// How many reads run at once. Further ones wait, and are told `Busy` when they waited too long.
const CONNECTIONS: usize = 4;

/// The pool.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, permits: Arc::new(Semaphore::new(CONNECTIONS)), idle: Arc::default() }
    }

    /// Runs `work` on a snapshot, waiting at most `patience` for a free connection.
    pub(super) async fn read<T, F>(
        &self,
        clock: &dyn Clock,
        patience: Duration,
        action: &'static str,
        work: F,
    ) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        let permit = Deadline::after(clock, patience)
            .bound(clock, Arc::clone(&self.permits).acquire_owned())
            .await
            .map_err(|TimedOut| StoreError::Busy)?
            .map_err(|_closed| StoreError::Closed)?;
        let (path, idle) = (self.path.clone(), Arc::clone(&self.idle));
        let reading = tokio::task::spawn_blocking(move || {
            let result = on_snapshot(&path, &idle, work);
            drop(permit);
            result
        });
        let result =
            reading.await.map_err(|source| StoreError::Failed { action, source: Box::new(source) })?;
        result.map_err(|fault| fault.during(action))
    }

    /// Runs one statement that finds its row by a key, here and now; gives `work` back when no open connection is free.
    pub(super) fn look<T, F>(&self, work: F) -> Result<Result<T, Fault>, F>
    where
        F: FnOnce(&Connection) -> Result<T, Fault>,
    {
        let Ok(_permit) = self.permits.try_acquire() else { return Err(work) };
        let waiting = lock(&self.idle).pop();
        let Some(connection) = waiting else { return Err(work) };
        let value = work(&connection);
        lock(&self.idle).push(connection);
        Ok(value)
    }

    /// Refuses further reads, waits for those that run, and closes the connections.
    pub(super) async fn close(&self) {
        if let Ok(_all) = self.permits.acquire_many(CONNECTIONS as u32).await {
            self.permits.close();
        }
        lock(&self.idle).clear();
    }
}

fn on_snapshot<T>(
    path: &std::path::Path,
    idle: &Mutex<Vec<Connection>>,
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let waiting = lock(idle).pop();
    let mut connection = match waiting {
        Some(connection) => connection,
        None => open::reading(path)?,
    };
    // One transaction, so that all statements of one read see the same snapshot.
    let snapshot = connection.transaction()?;
    let value = work(&snapshot)?;
    snapshot.finish()?;
    lock(idle).push(connection);
    Ok(value)
}

fn lock(idle: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
