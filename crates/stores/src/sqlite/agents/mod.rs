//! The databases of agents, `agents/<agent>/agent/agent.sqlite`: sessions, transcripts and runs.
//!
//! An agent may have been given another folder; `folders` decides which file that means.
//! `AgentDatabases` opens each file when it is first needed and keeps it open; `store` routes the contract to them.
//! The aggregates are `sessions` (with `parsed`), `append`, `branch` (with `recent`), `archive` and `runs`. An agent without a file has nothing stored,
//! and asking about it makes no file. `app` makes the value at start and closes it after the last run has ended.

mod append;
mod archive;
mod branch;
mod folders;
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

use self::folders::Folders;
use self::parsed::Parsed;
use self::recent::Recent;
use super::database::Database;
use super::migrate::Schema;
use super::open::{self, FolderMode};
use crate::error::{Fault, OpenError};
use crate::transcripts::check_agent;

pub use self::folders::GivenFolders;

/// The schema of an agent's database. Scripts are only ever added.
pub(super) const SCHEMA: Schema = Schema {
    // "OCag" in ASCII.
    application_id: 0x4f43_6167,
    migrations: &[include_str!("migrations/0001_sessions.sql"), include_str!("migrations/0002_runs.sql")],
};

/// What opening is called in errors.
const OPENING: &str = "open the sessions of an agent";

/// The databases of all agents of one state directory. Implements `SessionStore`.
pub struct AgentDatabases {
    folders: Folders,
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
        out.debug_struct("AgentDatabases").field("folders", &self.folders).finish_non_exhaustive()
    }
}

impl AgentDatabases {
    /// The databases below a state directory. Nothing is opened or made yet.
    #[must_use]
    pub fn within(state_dir: &Path, clock: Arc<dyn Clock>) -> Self {
        let databases = Mutex::new(Shelf::Open(HashMap::new()));
        Self {
            folders: Folders::within(state_dir),
            clock,
            databases,
            recent: Arc::default(),
            parsed: Arc::default(),
        }
    }

    /// The same with agents that were given folders of their own.
    #[must_use]
    pub fn with_folders(mut self, given: GivenFolders) -> Self {
        self.folders.given = given;
        self
    }

    /// The file that an agent's sessions are kept in, there or not, for telling people.
    ///
    /// A file that is in the usual folder already goes on being used until there is one in the given folder: an agent
    /// never begins empty because somebody wrote down a folder. Where nobody may look, it is the one that should be
    /// used; opening it says what is wrong. Blocks while it looks.
    #[must_use]
    pub fn file(&self, agent: &AgentId) -> PathBuf {
        let folders = self.folders.now();
        folders.file(agent).unwrap_or_else(|_unseen| folders.wanted(agent))
    }

    /// The file that an agent's sessions should be kept in by the folder it was given.
    #[must_use]
    pub fn wanted_file(&self, agent: &AgentId) -> PathBuf {
        self.folders.now().wanted(agent)
    }

    /// Looks at one agent's file without changing it, the whole of it; an agent without one is in order.
    ///
    /// Blocks while it reads; for `doctor`, not for a running gateway's threads.
    ///
    /// # Errors
    /// What a person can do about it.
    pub fn examine(&self, agent: &AgentId) -> Result<(), OpenError> {
        let folders = self.folders.now();
        let wanted = folders.wanted(agent);
        check_agent(agent).map_err(|refusal| OpenError::failed("find", &wanted, refusal))?;
        let path = folders.file(agent).map_err(|source| OpenError::failed("find", &wanted, source))?;
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
        let (folders, of) = (self.folders.now(), agent.clone());
        if known || blocking(OPENING, move || is_there(&folders.file(&of)?)).await? {
            return self.database(agent).await.map(Some);
        }
        Ok(None)
    }

    async fn open(&self, agent: &AgentId) -> Result<Arc<Database>, StoreError> {
        let (folders, of, clock) = (self.folders.now(), agent.clone(), Arc::clone(&self.clock));
        let opening = tokio::task::spawn_blocking(move || {
            let unseen = |source: io::Error| OpenError::failed("find", &folders.wanted(&of), source);
            let path = folders.file(&of).map_err(unseen)?;
            let folder = if folders.is_in_given(&path) { FolderMode::Keep } else { FolderMode::Close };
            let connection = open::writing_trusting(&path, folder, &SCHEMA, clock.now())?;
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
        let folders = self.folders.now();
        blocking("list the agents", move || folders.agents()).await
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.databases.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
