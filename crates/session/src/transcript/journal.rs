//! Writes entries to the end of transcripts: gives them ids and parents, one writer at a time.
//!
//! An entry follows the leaf of the moment it is written, so that a note put in from outside while a run writes does
//! not fork the conversation. Everything that appends to transcripts of one store shares one journal.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use openclaw_ports::Clock;
use openclaw_ports::stores::{Append, BranchQuery, Reach, RunFinish, SessionStore, StoreError};
use openclaw_types::{
    AgentId, EntryBody, EntryId, IdError, LineEntry, LineRecord, RunEnding, RunId, SessionId, TranscriptLine,
    UnixMillis,
};

use crate::SessionError;

/// How many locks are kept before those nobody holds are looked for.
const LOCKS: usize = 256;

/// Writes to the end of transcripts.
pub struct Journal {
    store: Arc<dyn SessionStore>,
    clock: Arc<dyn Clock>,
    locks: Mutex<HashMap<SessionId, Weak<tokio::sync::Mutex<()>>>>,
}

/// What is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Writing {
    /// Whose session it is.
    pub agent: AgentId,
    /// Which transcript.
    pub session: SessionId,
    /// The run that writes.
    pub run: Option<RunId>,
    /// What happened, in order.
    pub bodies: Vec<EntryBody>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// Who answered.
    pub agent: AgentId,
    /// In which transcript.
    pub session: SessionId,
    /// Which run.
    pub run: RunId,
    /// How it ended.
    pub how: RunEnding,
    /// What happened last; empty when it is written already.
    pub bodies: Vec<EntryBody>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The new entries, in order.
    pub entries: Vec<EntryId>,
    /// When.
    pub at: UnixMillis,
}

impl Journal {
    /// A journal over a store.
    #[must_use]
    pub fn new(store: Arc<dyn SessionStore>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, locks: Mutex::default() }
    }

    /// Appends to a transcript. Durable on return.
    ///
    /// # Errors
    /// When the store cannot; nothing is written then.
    pub async fn append(&self, writing: Writing) -> Result<Written, SessionError> {
        let lock = self.lock(&writing.session);
        let _held = lock.lock().await;
        let (lines, written) = self.lines(&writing.agent, &writing.session, writing.bodies).await?;
        if !lines.is_empty() {
            let append = Append { agent: writing.agent, session: writing.session, run: writing.run, lines };
            self.store.append(append).await?;
        }
        Ok(written)
    }

    /// Ends a run together with its last entries, in one transaction.
    ///
    /// # Errors
    /// When the store cannot; the run counts as under way then.
    pub async fn finish(&self, finish: Finish) -> Result<Written, SessionError> {
        let lock = self.lock(&finish.session);
        let _held = lock.lock().await;
        let (last, written) = self.lines(&finish.agent, &finish.session, finish.bodies).await?;
        let Finish { agent, run, how, .. } = finish;
        self.store.end_run(RunFinish { agent, run, at: written.at, how, last }).await?;
        Ok(written)
    }

    /// Does something with a transcript while nobody writes to it. The work must not write through the journal itself.
    pub async fn alone<T>(&self, session: &SessionId, work: impl Future<Output = T>) -> T {
        let lock = self.lock(session);
        let _held = lock.lock().await;
        work.await
    }

    async fn lines(
        &self,
        agent: &AgentId,
        session: &SessionId,
        bodies: Vec<EntryBody>,
    ) -> Result<(Vec<TranscriptLine>, Written), SessionError> {
        let at = self.clock.now();
        let mut parent = match bodies.is_empty() {
            true => None,
            false => self.store.leaf(agent, session).await?,
        };
        let mut taken = HashSet::new();
        let mut lines = Vec::with_capacity(bodies.len());
        let mut entries = Vec::with_capacity(bodies.len());
        for body in bodies {
            let id = self.free_id(agent, session, &taken).await?;
            taken.insert(id.clone());
            entries.push(id.clone());
            let entry = LineEntry { id: Some(id.clone()), parent: parent.replace(id), at: Some(at), body };
            lines.push(TranscriptLine::new(LineRecord::Entry(Box::new(entry))));
        }
        Ok((lines, Written { entries, at }))
    }

    /// An id that no entry of the transcript has. The store takes an id it knows for a repetition and drops the entry,
    /// so this is looked up, however unlikely it is.
    async fn free_id(
        &self,
        agent: &AgentId,
        session: &SessionId,
        taken: &HashSet<EntryId>,
    ) -> Result<EntryId, SessionError> {
        loop {
            let id = entry_id()?;
            if !taken.contains(&id) && !self.knows(agent, session, &id).await? {
                return Ok(id);
            }
        }
    }

    async fn knows(&self, agent: &AgentId, session: &SessionId, id: &EntryId) -> Result<bool, StoreError> {
        let query = BranchQuery {
            agent: agent.clone(),
            session: session.clone(),
            leaf: Some(id.clone()),
            reach: Reach::Newest(1),
        };
        Ok(!self.store.branch(query).await?.is_empty())
    }

    fn lock(&self, session: &SessionId) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(session).and_then(Weak::upgrade) {
            return lock;
        }
        if locks.len() >= LOCKS {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        locks.insert(session.clone(), Arc::downgrade(&lock));
        lock
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Journal")
    }
}

/// Eight hexadecimal digits, by chance.
fn entry_id() -> Result<EntryId, IdError> {
    let digits = uuid::Uuid::new_v4().simple().to_string();
    EntryId::new(digits.get(..8).unwrap_or(&digits))
}

/// A name for a new transcript.
pub(crate) fn session_id() -> Result<SessionId, IdError> {
    SessionId::new(uuid::Uuid::new_v4().to_string())
}
