//! Writes entries to the end of transcripts, one writer at a time.
//!
//! An entry follows the leaf of the moment it is written, so that a note put in from outside while a run writes does
//! not fork the conversation; the store finds its parent and its id. Everything that appends to transcripts of one store
//! shares one journal, so that `alone` keeps all of them out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use openclaw_ports::Clock;
use openclaw_ports::stores::{Append, EntryChange, Flush, RunEnded, RunFinish, RunStart, SessionStore};
use openclaw_types::{
    AgentId, EntryBody, EntryId, IdError, LineEntry, LineRecord, RunEnding, RunId, SessionEntry, SessionId,
    TranscriptLine, UnixMillis,
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
    /// The same run, when it begins with this.
    pub begins: Option<RunStart>,
    /// How it gets to the disk.
    pub flush: Flush,
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
    /// The same run, when nothing of it was written before.
    pub begins: Option<RunStart>,
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

    /// Appends to a transcript. Outlasts the process on return.
    ///
    /// # Errors
    /// When the store cannot; nothing is written then.
    pub async fn append(&self, writing: Writing) -> Result<Written, SessionError> {
        let lock = self.lock(&writing.session);
        let _held = lock.lock().await;
        let at = self.clock.now();
        let Writing { agent, session, run, begins, flush, bodies } = writing;
        if bodies.is_empty() {
            return Ok(Written { entries: Vec::new(), at });
        }
        let append = Append { agent, session, run, begins, flush, lines: lines(bodies, at) };
        let entries = self.store.append(append).await?;
        Ok(Written { entries, at })
    }

    /// Ends a run together with its last entries and a change of its session, in one transaction. Gives the session
    /// after the change.
    ///
    /// # Errors
    /// When the store cannot; the run counts as under way then.
    pub async fn finish(
        &self,
        finish: Finish,
        change: Option<EntryChange>,
    ) -> Result<(Written, Option<Arc<SessionEntry>>), SessionError> {
        let lock = self.lock(&finish.session);
        let _held = lock.lock().await;
        let at = self.clock.now();
        let Finish { agent, run, how, begins, bodies, .. } = finish;
        let end = RunFinish { agent, run, at, how, begins, last: lines(bodies, at) };
        let RunEnded { entries, session } = self.store.end_run(end, change).await?;
        Ok((Written { entries, at }, session))
    }

    /// Does something with a transcript while nobody writes to it. The work must not write through the journal itself.
    pub async fn alone<T>(&self, session: &SessionId, work: impl Future<Output = T>) -> T {
        let lock = self.lock(session);
        let _held = lock.lock().await;
        work.await
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

/// Entries that follow the leaf.
fn lines(bodies: Vec<EntryBody>, at: UnixMillis) -> Vec<TranscriptLine> {
    let entry = |body| LineEntry { id: None, parent: None, at: Some(at), body };
    bodies.into_iter().map(|body| TranscriptLine::new(LineRecord::Entry(Box::new(entry(body))))).collect()
}

/// A name for a new transcript.
pub(crate) fn session_id() -> Result<SessionId, IdError> {
    SessionId::new(uuid::Uuid::new_v4().to_string())
}
