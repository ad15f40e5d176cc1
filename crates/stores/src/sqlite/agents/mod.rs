//! The databases of agents, `agents/<agent>/agent/agent.sqlite`: sessions, transcripts and runs.
//!
//! `AgentDatabases` opens each file when it is first needed and keeps it open; `store` routes the contract to them.
//! The aggregates are `sessions` (with `parsed`), `append`, `branch` (with `recent`), `archive` and `runs`. An agent without a file has nothing stored,
//! and asking about it makes no file. `app` makes the value at start and closes it after the last run has ended.

mod append;
mod archive;
mod branch;
mod parsed;
mod recent;
mod runs;
mod sessions;
mod store;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_ports::Clock;
use openclaw_ports::stores::StoreError;
use openclaw_types::AgentId;
use tokio::sync::OnceCell;

use self::parsed::Parsed;
use self::recent::Recent;
use super::database::Database;
use super::migrate::Schema;
use super::open;
use crate::error::{Fault, OpenError};
use crate::transcripts::check_agent;

/// The schema of an agent's database. Scripts are only ever added.
pub(super) const SCHEMA: Schema = Schema {
    // "OCag" in ASCII.
    application_id: 0x4f43_6167,
    migrations: &[include_str!("migrations/0001_sessions.sql")],
};

/// Where an agent's database is inside its folder.
const FILE: [&str; 2] = ["agent", "agent.sqlite"];

/// What opening is called in errors.
const OPENING: &str = "open the sessions of an agent";

/// The databases of all agents below one state directory. Implements `SessionStore`.
pub struct AgentDatabases {
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    databases: Mutex<Shelf>,
    recent: Arc<Recent>,
    parsed: Arc<Parsed>,
}

/// A database that is open or being opened.
type Cell = Arc<OnceCell<Arc<Database>>>;

/// What is open.
#[derive(Debug)]
enum Shelf {
    Open(HashMap<AgentId, Cell>),
    Closed,
}

impl std::fmt::Debug for AgentDatabases {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("AgentDatabases").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl AgentDatabases {
    /// The databases below a state directory. Nothing is opened or made yet.
    #[must_use]
    pub fn within(state_dir: &Path, clock: Arc<dyn Clock>) -> Self {
        let databases = Mutex::new(Shelf::Open(HashMap::new()));
        Self {
            folder: state_dir.join("agents"),
            clock,
            databases,
            recent: Arc::default(),
            parsed: Arc::default(),
        }
    }

    /// Looks at one agent's file without changing it, the whole of it; an agent without one is in order.
    ///
    /// Blocks while it reads; for `doctor`, not for a running gateway's threads.
    ///
    /// # Errors
    /// What a person can do about it.
    pub fn examine(state_dir: &Path, agent: &AgentId) -> Result<(), OpenError> {
        let path = file(&state_dir.join("agents"), agent);
        check_agent(agent).map_err(|refusal| OpenError::failed("find", &path, refusal))?;
        match path.try_exists().map_err(|source| OpenError::failed("find", &path, source))? {
            true => open::examine(&path, &SCHEMA).map(drop),
            false => Ok(()),
        }
    }

    /// Closes one agent's database, so that its folder can be moved away. The next write makes it anew.
    ///
    /// # Errors
    /// When the file could not be closed cleanly. What was acknowledged is durable all the same.
    pub async fn release(&self, agent: &AgentId) -> Result<(), StoreError> {
        self.recent.forget(agent, None);
        let cell = match &mut *self.shelf() {
            Shelf::Open(cells) => cells.remove(agent),
            Shelf::Closed => None,
        };
        match cell {
            Some(cell) => close_cell(&cell).await,
            None => Ok(()),
        }
    }

    /// Writes what is queued and closes every file; every later call gives `Closed`. The caller bounds the wait.
    ///
    /// # Errors
    /// The first file that could not be closed cleanly; the others are closed all the same.
    pub async fn close(&self) -> Result<(), StoreError> {
        let shelf = std::mem::replace(&mut *self.shelf(), Shelf::Closed);
        let Shelf::Open(cells) = shelf else { return Ok(()) };
        let mut outcome = Ok(());
        for cell in cells.values() {
            let closed = close_cell(cell).await;
            outcome = outcome.and(closed);
        }
        outcome
    }

    /// An agent's database for writing; it is made when there is none.
    async fn database(&self, agent: &AgentId) -> Result<Arc<Database>, StoreError> {
        check_agent(agent).map_err(|refusal| Fault::from_refusal(refusal).during(OPENING))?;
        let cell = match &mut *self.shelf() {
            Shelf::Open(cells) => Arc::clone(cells.entry(agent.clone()).or_default()),
            Shelf::Closed => return Err(StoreError::Closed),
        };
        // Whoever comes first opens; the others wait for the same database.
        let opened = cell.get_or_try_init(|| self.open(agent)).await?;
        Ok(Arc::clone(opened))
    }

    /// An agent's database for reading; nothing when there is none.
    async fn existing(&self, agent: &AgentId) -> Result<Option<Arc<Database>>, StoreError> {
        check_agent(agent).map_err(|refusal| Fault::from_refusal(refusal).during(OPENING))?;
        let known = match &*self.shelf() {
            Shelf::Open(cells) => match cells.get(agent) {
                Some(cell) => match cell.get() {
                    Some(open) => return Ok(Some(Arc::clone(open))),
                    None => true,
                },
                None => false,
            },
            Shelf::Closed => return Err(StoreError::Closed),
        };
        let path = file(&self.folder, agent);
        if known || blocking(OPENING, move || is_there(&path)).await? {
            return self.database(agent).await.map(Some);
        }
        Ok(None)
    }

    async fn open(&self, agent: &AgentId) -> Result<Arc<Database>, StoreError> {
        let (path, clock) = (file(&self.folder, agent), Arc::clone(&self.clock));
        let opening = tokio::task::spawn_blocking(move || {
            let connection = open::writing_trusting(&path, &SCHEMA, clock.now())?;
            Database::start(path, connection, clock)
        });
        let opened =
            opening.await.map_err(|source| StoreError::Failed { action: OPENING, source: source.into() })?;
        opened.map(Arc::new).map_err(|error| error.during(OPENING))
    }

    /// The agents that have a file, by name.
    async fn listed(&self) -> Result<Vec<AgentId>, StoreError> {
        if matches!(*self.shelf(), Shelf::Closed) {
            return Err(StoreError::Closed);
        }
        let folder = self.folder.clone();
        blocking("list the agents", move || agents_in(&folder)).await
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.databases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn file(folder: &Path, agent: &AgentId) -> PathBuf {
    FILE.iter().fold(folder.join(agent.as_str()), |path, part| path.join(part))
}

fn agents_in(folder: &Path) -> io::Result<Vec<AgentId>> {
    let listing = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listing => listing?,
    };
    let mut agents = Vec::new();
    for found in listing {
        let name = found?.file_name();
        // A folder with another name is none of ours.
        let Some(Ok(agent)) = name.to_str().map(AgentId::new) else { continue };
        if check_agent(&agent).is_ok() && is_there(&file(folder, &agent))? {
            agents.push(agent);
        }
    }
    agents.sort();
    Ok(agents)
}

/// Whether there is a file. One where a folder of ours would be is none of ours.
fn is_there(path: &Path) -> io::Result<bool> {
    match path.try_exists() {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        outcome => outcome,
    }
}

/// Waits for an opening that is under way, then closes what came of it.
async fn close_cell(cell: &Cell) -> Result<(), StoreError> {
    match cell.get_or_try_init(|| async { Err(()) }).await {
        Ok(database) => database.close().await,
        Err(()) => Ok(()),
    }
}

async fn blocking<T: Send + 'static>(
    action: &'static str,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, StoreError> {
    let done = tokio::task::spawn_blocking(work).await;
    let failed = |source| StoreError::Failed { action, source };
    done.map_err(|source| failed(source.into()))?.map_err(|source| failed(source.into()))
}
