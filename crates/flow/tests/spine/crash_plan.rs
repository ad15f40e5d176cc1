//! Ends a process at a given step: the step does not happen, or happens and is never told.
//!
//! Steps are calls of the stores and the effects of tools. Whatever comes after the end waits for ever, until the
//! runtime of that life is dropped with everything in it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_ports::stores::{
    Acceptance, Append, Archive, Archived, BranchQuery, EntryChange, Inbox, InboxEnd, InboxId, InboxKey,
    InboxMessage, InboxRow, NewPiece, Outbox, OutboxChange, OutboxId, OutboxQuery, OutboxRow, RunEnded,
    RunFinish, RunRecord, RunStart, SessionStore, StoreError, StoredEntry, Subagent, SubagentStore,
};
use openclaw_types::{AgentId, EntryId, RunId, SessionEntry, SessionId, SessionKey, UnixMillis};
use tokio::sync::{Notify, Semaphore};

/// On which side of its step a process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// How long a step takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// It is done at once.
    AtOnce,
    /// Others get a turn before it is done and before it is told.
    Slow,
}

/// Counts steps and ends a life at one of them.
pub(crate) struct CrashPlan {
    end: Option<(u64, Side)>,
    pace: Pace,
    steps: AtomicU64,
    ended: Notify,
    /// Submissions with this in their name are not taken before the way is free.
    knot: Mutex<Option<(&'static str, Arc<Semaphore>)>>,
}

impl CrashPlan {
    /// Nobody dies.
    pub(crate) fn never() -> Arc<Self> {
        Self::new(None, Pace::AtOnce)
    }

    /// Nobody dies, but every step takes its time.
    pub(crate) fn slow() -> Arc<Self> {
        Self::new(None, Pace::Slow)
    }

    /// The life ends at this step, counted from one.
    pub(crate) fn at(step: u64, side: Side) -> Arc<Self> {
        Self::new(Some((step, side)), Pace::AtOnce)
    }

    fn new(end: Option<(u64, Side)>, pace: Pace) -> Arc<Self> {
        Arc::new(Self { end, pace, steps: AtomicU64::new(0), ended: Notify::new(), knot: Mutex::default() })
    }

    /// Keeps submissions with this in their name from being taken until the semaphore has a permit for them.
    pub(crate) fn tie(&self, name: &'static str) -> Arc<Semaphore> {
        let way = Arc::new(Semaphore::new(0));
        *self.knot.lock().unwrap() = Some((name, way.clone()));
        way
    }

    async fn untied(&self, name: &str) {
        let knot = self.knot.lock().unwrap().clone();
        if let Some((_, way)) = knot.filter(|(tied, _)| name.contains(tied)) {
            way.acquire().await.unwrap().forget();
        }
    }

    /// How many steps there were.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.load(Ordering::SeqCst)
    }

    /// Waits for the end.
    pub(crate) async fn ended(&self) {
        self.ended.notified().await;
    }

    /// One step of the life.
    pub(crate) async fn step<T>(&self, work: impl Future<Output = T>) -> T {
        let number = self.steps.fetch_add(1, Ordering::SeqCst) + 1;
        if self.pace == Pace::Slow {
            tokio::task::yield_now().await;
            let done = work.await;
            tokio::task::yield_now().await;
            return done;
        }
        let Some((last, side)) = self.end else { return work.await };
        if number > last || (number == last && side == Side::Before) {
            self.die().await;
        }
        let done = work.await;
        if number == last {
            self.die().await;
        }
        done
    }

    async fn die(&self) {
        self.ended.notify_one();
        std::future::pending::<()>().await;
    }
}

/// A store whose every call is a step.
pub(crate) struct CrashingStore<S> {
    pub(crate) store: Arc<S>,
    pub(crate) crash_plan: Arc<CrashPlan>,
}

#[async_trait]
impl<S: SessionStore> SessionStore for CrashingStore<S> {
    async fn agents(&self) -> Result<Vec<AgentId>, StoreError> {
        self.crash_plan.step(self.store.agents()).await
    }

    async fn release(&self, of: &AgentId) -> Result<(), StoreError> {
        self.crash_plan.step(self.store.release(of)).await
    }

    async fn entry(&self, of: &AgentId, key: &SessionKey) -> Result<Option<Arc<SessionEntry>>, StoreError> {
        self.crash_plan.step(self.store.entry(of, key)).await
    }

    async fn entries(&self, of: &AgentId) -> Result<Vec<(SessionKey, SessionEntry)>, StoreError> {
        self.crash_plan.step(self.store.entries(of)).await
    }

    async fn change(
        &self,
        of: &AgentId,
        key: &SessionKey,
        change: EntryChange,
    ) -> Result<Option<Arc<SessionEntry>>, StoreError> {
        self.crash_plan.step(self.store.change(of, key, change)).await
    }

    async fn append(&self, append: Append) -> Result<Vec<EntryId>, StoreError> {
        self.crash_plan.step(self.store.append(append)).await
    }

    async fn leaf(&self, of: &AgentId, session: &SessionId) -> Result<Option<EntryId>, StoreError> {
        self.crash_plan.step(self.store.leaf(of, session)).await
    }

    async fn set_leaf(&self, of: &AgentId, session: &SessionId, leaf: &EntryId) -> Result<bool, StoreError> {
        self.crash_plan.step(self.store.set_leaf(of, session, leaf)).await
    }

    async fn branch(&self, branch: BranchQuery) -> Result<Vec<StoredEntry>, StoreError> {
        self.crash_plan.step(self.store.branch(branch)).await
    }

    async fn transcript(&self, of: &AgentId, session: &SessionId) -> Result<Vec<StoredEntry>, StoreError> {
        self.crash_plan.step(self.store.transcript(of, session)).await
    }

    async fn holds_message(&self, of: &AgentId, session: &SessionId, key: &str) -> Result<bool, StoreError> {
        self.crash_plan.step(self.store.holds_message(of, session, key)).await
    }

    async fn archive(&self, archive: Archive) -> Result<(), StoreError> {
        self.crash_plan.step(self.store.archive(archive)).await
    }

    async fn archived(&self, of: &AgentId) -> Result<Vec<Archived>, StoreError> {
        self.crash_plan.step(self.store.archived(of)).await
    }

    async fn erase(&self, of: &AgentId, session: &SessionId) -> Result<(), StoreError> {
        self.crash_plan.step(self.store.erase(of, session)).await
    }

    async fn begin_run(&self, run: RunStart) -> Result<RunRecord, StoreError> {
        self.crash_plan.step(self.store.begin_run(run)).await
    }

    async fn end_run(&self, end: RunFinish, change: Option<EntryChange>) -> Result<RunEnded, StoreError> {
        self.crash_plan.step(self.store.end_run(end, change)).await
    }

    async fn run(&self, of: &AgentId, run: &RunId) -> Result<Option<RunRecord>, StoreError> {
        self.crash_plan.step(self.store.run(of, run)).await
    }

    async fn unfinished(&self, of: &AgentId) -> Result<Vec<RunRecord>, StoreError> {
        self.crash_plan.step(self.store.unfinished(of)).await
    }

    async fn forget_runs(&self, of: &AgentId, before: UnixMillis) -> Result<u64, StoreError> {
        self.crash_plan.step(self.store.forget_runs(of, before)).await
    }
}

#[async_trait]
impl<S: Inbox> Inbox for CrashingStore<S> {
    async fn accept(&self, message: InboxMessage) -> Result<Acceptance, StoreError> {
        self.crash_plan.untied(&message.key.event).await;
        self.crash_plan.step(self.store.accept(message)).await
    }

    async fn assign(&self, messages: Vec<InboxId>, run: RunId) -> Result<(), StoreError> {
        self.crash_plan.step(self.store.assign(messages, run)).await
    }

    async fn release(&self, messages: Vec<InboxId>) -> Result<(), StoreError> {
        self.crash_plan.step(self.store.release(messages)).await
    }

    async fn finish(&self, messages: Vec<InboxId>, how: InboxEnd) -> Result<(), StoreError> {
        self.crash_plan.step(self.store.finish(messages, how)).await
    }

    async fn open_messages(&self) -> Result<Vec<InboxRow>, StoreError> {
        self.crash_plan.step(self.store.open_messages()).await
    }

    async fn find(&self, key: &InboxKey) -> Result<Option<InboxRow>, StoreError> {
        self.crash_plan.step(self.store.find(key)).await
    }

    async fn forget(&self, before: UnixMillis) -> Result<u64, StoreError> {
        self.crash_plan.step(self.store.forget(before)).await
    }
}

#[async_trait]
impl<S: SubagentStore> SubagentStore for CrashingStore<S> {
    async fn save(&self, subagent: &Subagent) -> Result<(), StoreError> {
        self.crash_plan.step(self.store.save(subagent)).await
    }

    async fn all(&self) -> Result<Vec<Subagent>, StoreError> {
        self.crash_plan.step(self.store.all()).await
    }

    async fn remove(&self, run: &RunId) -> Result<(), StoreError> {
        self.crash_plan.step(self.store.remove(run)).await
    }
}

#[async_trait]
impl<S: Outbox> Outbox for CrashingStore<S> {
    async fn add(&self, pieces: Vec<NewPiece>) -> Result<Vec<OutboxId>, StoreError> {
        self.crash_plan.step(self.store.add(pieces)).await
    }

    async fn begin(&self, id: OutboxId, at: UnixMillis) -> Result<bool, StoreError> {
        self.crash_plan.step(self.store.begin(id, at)).await
    }

    async fn settle(&self, id: OutboxId, change: OutboxChange) -> Result<(), StoreError> {
        self.crash_plan.step(self.store.settle(id, change)).await
    }

    async fn open_pieces(&self) -> Result<Vec<OutboxRow>, StoreError> {
        self.crash_plan.step(self.store.open_pieces()).await
    }

    async fn list(&self, query: OutboxQuery) -> Result<Vec<OutboxRow>, StoreError> {
        self.crash_plan.step(self.store.list(query)).await
    }

    async fn find(&self, id: OutboxId) -> Result<Option<OutboxRow>, StoreError> {
        self.crash_plan.step(self.store.find(id)).await
    }

    async fn named(&self, key: &str) -> Result<Option<OutboxRow>, StoreError> {
        self.crash_plan.step(self.store.named(key)).await
    }

    async fn forget(&self, sent_before: UnixMillis, failed_before: UnixMillis) -> Result<u64, StoreError> {
        self.crash_plan.step(self.store.forget(sent_before, failed_before)).await
    }
}
