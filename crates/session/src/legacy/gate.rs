//! Makes the users of sessions wait while sessions of an earlier installation are imported.
//!
//! The gateway listens before the import ends. A session that is read meanwhile would look empty, and one that is written
//! would block the import of its own past. Everything but the import itself therefore uses the stores through
//! `GatedStore`, whose calls wait until the gate is open, for `IMPORT_WAIT` at most. `health` and `status` ask whether the
//! gate is open and answer without sessions while it is closed. There is one gate for the process: the list of one agent
//! may hold sessions of others.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::stores::{
    Append, Archive, Archived, BranchQuery, BudgetScope, EntryChange, Hold, HoldId, ImportedCall, Limit,
    Reservation, RunEnded, RunFinish, RunRecord, RunStart, SessionStore, Spending, StoreError, StoredEntry,
    UsageGroup, UsageLedger, UsageQuery, UsageRecord, UsageSum,
};
use openclaw_ports::{Clock, Deadline};
use openclaw_types::{AgentId, EntryId, RunId, SessionEntry, SessionId, SessionKey, UnixMillis};
use tokio::sync::watch;

/// How long a call waits for the import before it is answered with `StoreError::Importing`.
pub const IMPORT_WAIT: Duration = Duration::from_secs(30);

/// Whether sessions may be read and written. Open at first.
#[derive(Clone)]
pub struct ImportGate {
    open: watch::Sender<bool>,
    clock: Arc<dyn Clock>,
}

impl ImportGate {
    /// An open gate.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { open: watch::Sender::new(true), clock }
    }

    /// Makes calls wait from now on.
    pub fn close(&self) {
        self.open.send_replace(false);
    }

    /// Lets everybody through who waits, and whoever comes.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Whether nobody has to wait.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self.open.borrow()
    }

    /// Waits until the gate is open, however long that takes.
    pub async fn until_open(&self) {
        // The gate itself keeps the sender, so that this never fails.
        self.open.subscribe().wait_for(|open| *open).await.ok();
    }

    /// Waits until the gate is open. Nothing is lost when the caller stops waiting.
    ///
    /// # Errors
    /// `Importing` when it did not open in time.
    async fn wait_to_pass(&self) -> Result<(), StoreError> {
        if self.is_open() {
            return Ok(());
        }
        let clock = self.clock.as_ref();
        let opened = Deadline::after(clock, IMPORT_WAIT).bound(clock, self.until_open()).await;
        opened.map_err(|_late| StoreError::Importing)
    }
}

impl std::fmt::Debug for ImportGate {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("ImportGate").field(&*self.open.borrow()).finish()
    }
}

/// A store whose calls wait until the gate is open.
#[derive(Debug)]
pub struct GatedStore<S: ?Sized> {
    gate: ImportGate,
    store: Arc<S>,
}

impl<S: ?Sized> GatedStore<S> {
    /// Puts the gate before a store.
    #[must_use]
    pub fn new(gate: ImportGate, store: Arc<S>) -> Self {
        Self { gate, store }
    }
}

#[async_trait]
impl<S: SessionStore + ?Sized> SessionStore for GatedStore<S> {
    async fn agents(&self) -> Result<Vec<AgentId>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.agents().await
    }

    async fn release(&self, of: &AgentId) -> Result<(), StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.release(of).await
    }

    async fn entry(&self, of: &AgentId, key: &SessionKey) -> Result<Option<Arc<SessionEntry>>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.entry(of, key).await
    }

    async fn entries(&self, of: &AgentId) -> Result<Vec<(SessionKey, SessionEntry)>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.entries(of).await
    }

    async fn change(
        &self,
        of: &AgentId,
        key: &SessionKey,
        change: EntryChange,
    ) -> Result<Option<Arc<SessionEntry>>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.change(of, key, change).await
    }

    async fn append(&self, append: Append) -> Result<Vec<EntryId>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.append(append).await
    }

    async fn leaf(&self, of: &AgentId, session: &SessionId) -> Result<Option<EntryId>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.leaf(of, session).await
    }

    async fn set_leaf(&self, of: &AgentId, session: &SessionId, leaf: &EntryId) -> Result<bool, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.set_leaf(of, session, leaf).await
    }

    async fn branch(&self, branch: BranchQuery) -> Result<Vec<StoredEntry>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.branch(branch).await
    }

    async fn transcript(&self, of: &AgentId, session: &SessionId) -> Result<Vec<StoredEntry>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.transcript(of, session).await
    }

    async fn holds_message(&self, of: &AgentId, session: &SessionId, key: &str) -> Result<bool, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.holds_message(of, session, key).await
    }

    async fn archive(&self, archive: Archive) -> Result<(), StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.archive(archive).await
    }

    async fn archived(&self, of: &AgentId) -> Result<Vec<Archived>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.archived(of).await
    }

    async fn erase(&self, of: &AgentId, session: &SessionId) -> Result<(), StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.erase(of, session).await
    }

    async fn begin_run(&self, run: RunStart) -> Result<RunRecord, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.begin_run(run).await
    }

    async fn end_run(&self, end: RunFinish, change: Option<EntryChange>) -> Result<RunEnded, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.end_run(end, change).await
    }

    async fn run(&self, of: &AgentId, run: &RunId) -> Result<Option<RunRecord>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.run(of, run).await
    }

    async fn unfinished(&self, of: &AgentId) -> Result<Vec<RunRecord>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.unfinished(of).await
    }

    async fn forget_runs(&self, of: &AgentId, before: UnixMillis) -> Result<u64, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.forget_runs(of, before).await
    }
}

/// Reading waits; entering what a call took does not.
#[async_trait]
impl<S: UsageLedger + ?Sized> UsageLedger for GatedStore<S> {
    async fn reserve(&self, hold: Hold, limits: Vec<Limit>) -> Result<Reservation, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.reserve(hold, limits).await
    }

    async fn settle(&self, id: HoldId, record: UsageRecord) -> Result<(), StoreError> {
        self.store.settle(id, record).await
    }

    async fn release(&self, id: HoldId) -> Result<(), StoreError> {
        self.store.release(id).await
    }

    async fn settle_interrupted(&self, now: UnixMillis) -> Result<u64, StoreError> {
        self.store.settle_interrupted(now).await
    }

    async fn import(&self, calls: Vec<ImportedCall>) -> Result<u64, StoreError> {
        self.store.import(calls).await
    }

    async fn spent(&self, scope: &BudgetScope, within: Range<UnixMillis>) -> Result<Spending, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.spent(scope, within).await
    }

    async fn sums(&self, query: UsageQuery, by: Vec<UsageGroup>) -> Result<Vec<UsageSum>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.sums(query, by).await
    }

    async fn records(&self, query: UsageQuery, limit: usize) -> Result<Vec<UsageRecord>, StoreError> {
        self.gate.wait_to_pass().await?;
        self.store.records(query, limit).await
    }
}
