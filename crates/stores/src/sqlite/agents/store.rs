//! The contract of sessions, routed to the database of the agent in question.
//!
//! Only routing: what a call reads and writes is in the files beside this one. Reading about an agent without a
//! database gives what an empty one would give.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::stores::{
    Append, Archive, Archived, BranchQuery, EntryChange, RunEnded, RunFinish, RunRecord, RunStart,
    SessionStore, StoreError, StoredEntry,
};
use openclaw_types::{AgentId, EntryId, RunId, SessionEntry, SessionId, SessionKey, UnixMillis};
use rusqlite::Connection;

use super::{AgentDatabases, append, archive, branch, runs, sessions};
use crate::error::Fault;

impl AgentDatabases {
    /// Reads from an agent's database; the default of `T` when there is none.
    async fn read<T, F>(&self, agent: &AgentId, action: &'static str, work: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Default + Send + 'static,
    {
        match self.existing(agent).await? {
            Some(database) => database.read(action, work).await,
            None => Ok(T::default()),
        }
    }

    /// The same with one statement that finds its row by a key.
    async fn look<T, F>(&self, agent: &AgentId, action: &'static str, work: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Default + Send + 'static,
    {
        match self.existing(agent).await? {
            Some(database) => database.look(action, work).await,
            None => Ok(T::default()),
        }
    }

    /// Writes to an agent's database, and makes it first when there is none.
    async fn write<T, F>(&self, agent: &AgentId, action: &'static str, work: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        self.database(agent).await?.write(action, work).await
    }

    /// The same for what is only about a conversation.
    async fn note<T, F>(&self, agent: &AgentId, action: &'static str, work: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        self.database(agent).await?.note(action, work).await
    }

    /// Changes what an agent's database holds; does nothing when there is none.
    async fn amend<T, F>(&self, agent: &AgentId, action: &'static str, work: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Default + Send + 'static,
    {
        match self.existing(agent).await? {
            Some(database) => database.write(action, work).await,
            None => Ok(T::default()),
        }
    }
}

#[async_trait]
impl SessionStore for AgentDatabases {
    async fn release(&self, of: &AgentId) -> Result<(), StoreError> {
        Self::release(self, of).await
    }

    async fn agents(&self) -> Result<Vec<AgentId>, StoreError> {
        self.listed().await
    }

    async fn entry(&self, of: &AgentId, key: &SessionKey) -> Result<Option<Arc<SessionEntry>>, StoreError> {
        let (key, known) = (key.clone(), Arc::clone(&self.parsed));
        self.look(of, "read a session", move |connection| sessions::one(connection, &key, &known)).await
    }

    async fn entries(&self, of: &AgentId) -> Result<Vec<(SessionKey, SessionEntry)>, StoreError> {
        self.read(of, "list the sessions", sessions::all).await
    }

    async fn change(
        &self,
        of: &AgentId,
        key: &SessionKey,
        change: EntryChange,
    ) -> Result<Option<Arc<SessionEntry>>, StoreError> {
        let (key, known) = (key.clone(), Arc::clone(&self.parsed));
        self.note(of, "save a session", move |connection| sessions::change(connection, &key, change, &known))
            .await
    }

    async fn append(&self, append: Append) -> Result<Vec<EntryId>, StoreError> {
        let (agent, session) = (append.agent.clone(), append.session.clone());
        let database = self.database(&agent).await?;
        let appended = database
            .order("add to a transcript", append.flush, move |connection| {
                if let Some(start) = append.begins {
                    runs::begin(connection, start)?;
                }
                append::append(connection, &append.session, append.run.as_ref(), &append.lines)
            })
            .await?;
        if let Some(added) = appended.added {
            self.recent.grow(&agent, &session, &added);
        }
        Ok(appended.ids)
    }

    async fn leaf(&self, of: &AgentId, session: &SessionId) -> Result<Option<EntryId>, StoreError> {
        let session = session.clone();
        self.look(of, "read a transcript", move |connection| branch::leaf(connection, &session)).await
    }

    async fn set_leaf(&self, of: &AgentId, session: &SessionId, leaf: &EntryId) -> Result<bool, StoreError> {
        let (session, leaf) = (session.clone(), leaf.clone());
        self.amend(of, "branch a transcript", move |connection| append::set_leaf(connection, &session, &leaf))
            .await
    }

    async fn branch(&self, query: BranchQuery) -> Result<Vec<StoredEntry>, StoreError> {
        let agent = query.agent.clone();
        let recent = Arc::clone(&self.recent);
        if let Some(known) = recent.of(&agent, &query.session, query.reach) {
            let (query, recent) = (query.clone(), Arc::clone(&recent));
            let work = move |connection: &Connection| branch::read_on(connection, &query, &known, &recent);
            if let Some(entries) = self.look(&agent, "read a transcript", work).await? {
                return Ok(entries);
            }
        }
        self.read(&agent, "read a transcript", move |connection| branch::branch(connection, &query, &recent))
            .await
    }

    async fn transcript(&self, of: &AgentId, session: &SessionId) -> Result<Vec<StoredEntry>, StoreError> {
        let session = session.clone();
        self.read(of, "read a transcript", move |connection| branch::everything(connection, &session)).await
    }

    async fn holds_message(&self, of: &AgentId, session: &SessionId, key: &str) -> Result<bool, StoreError> {
        let (session, key) = (session.clone(), key.to_owned());
        self.look(of, "look for a message", move |connection| {
            branch::holds_message(connection, &session, &key)
        })
        .await
    }

    async fn archive(&self, archive: Archive) -> Result<(), StoreError> {
        let agent = archive.agent.clone();
        self.write(&agent, "archive a transcript", move |connection| archive::put(connection, &archive)).await
    }

    async fn archived(&self, of: &AgentId) -> Result<Vec<Archived>, StoreError> {
        let agent = of.clone();
        self.read(of, "list the archived transcripts", move |connection| archive::all(connection, &agent))
            .await
    }

    async fn erase(&self, of: &AgentId, session: &SessionId) -> Result<(), StoreError> {
        let session = session.clone();
        self.recent.forget(of, Some(&session));
        self.amend(of, "erase a transcript", move |connection| archive::erase(connection, &session)).await
    }

    async fn begin_run(&self, run: RunStart) -> Result<RunRecord, StoreError> {
        let agent = run.agent.clone();
        self.note(&agent, "note that a run begins", move |connection| runs::begin(connection, run)).await
    }

    async fn end_run(&self, end: RunFinish, change: Option<EntryChange>) -> Result<RunEnded, StoreError> {
        let (agent, known) = (end.agent.clone(), Arc::clone(&self.parsed));
        let (ended, added) = self
            .write(&agent, "note how a run ended", move |connection| {
                runs::end(connection, end, change, &known)
            })
            .await?;
        if let Some((session, added)) = added {
            self.recent.grow(&agent, &session, &added);
        }
        Ok(ended)
    }

    async fn run(&self, of: &AgentId, run: &RunId) -> Result<Option<RunRecord>, StoreError> {
        let (agent, run) = (of.clone(), run.clone());
        self.look(of, "read a run", move |connection| runs::one(connection, &agent, &run)).await
    }

    async fn unfinished(&self, of: &AgentId) -> Result<Vec<RunRecord>, StoreError> {
        let agent = of.clone();
        self.read(of, "list the runs under way", move |connection| runs::under_way(connection, &agent)).await
    }

    async fn forget_runs(&self, of: &AgentId, before: UnixMillis) -> Result<u64, StoreError> {
        self.amend(of, "forget old runs", move |connection| runs::forget(connection, before)).await
    }
}
