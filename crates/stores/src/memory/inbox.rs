//! Accepted messages in memory: the twin of `sqlite::inbox`.

use std::fmt;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_ports::stores::{
    Acceptance, Inbox, InboxEnd, InboxId, InboxKey, InboxMessage, InboxRow, StoreError,
};
use openclaw_ports::{Clock, SystemClock};
use openclaw_types::{RunId, UnixMillis};

use super::lock;

/// Keeps accepted messages as long as the process lives. By default the machine's clock dates their end.
pub struct MemoryInbox {
    clock: Arc<dyn Clock>,
    shelf: Mutex<Shelf>,
}

/// The rows in the order they were accepted, each with the moment it was dealt with.
#[derive(Debug, Default)]
struct Shelf {
    last: i64,
    rows: Vec<(InboxRow, Option<UnixMillis>)>,
}

impl MemoryInbox {
    /// An empty inbox whose ends are dated by a clock.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, shelf: Mutex::default() }
    }

    /// Changes the open ones among some messages.
    fn change(&self, messages: &[InboxId], change: impl Fn(&mut InboxRow, &mut Option<UnixMillis>)) {
        let mut shelf = lock(&self.shelf);
        let open = shelf.rows.iter_mut().filter(|(row, _)| row.end.is_none());
        for (row, ended) in open.filter(|(row, _)| messages.contains(&row.id)) {
            change(row, ended);
        }
    }
}

impl Default for MemoryInbox {
    fn default() -> Self {
        Self::new(Arc::new(SystemClock::new()))
    }
}

impl fmt::Debug for MemoryInbox {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("MemoryInbox").field("rows", &lock(&self.shelf).rows.len()).finish_non_exhaustive()
    }
}

#[async_trait]
impl Inbox for MemoryInbox {
    async fn accept(&self, message: InboxMessage) -> Result<Acceptance, StoreError> {
        let mut shelf = lock(&self.shelf);
        if let Some((known, _)) = shelf.rows.iter().find(|(row, _)| row.message.key == message.key) {
            return Ok(Acceptance::Known(Box::new(known.clone())));
        }
        shelf.last += 1;
        let id = InboxId(shelf.last);
        shelf.rows.push((InboxRow { id, message, run: None, attempts: 0, end: None }, None));
        Ok(Acceptance::New(id))
    }

    async fn assign(&self, messages: Vec<InboxId>, run: RunId) -> Result<(), StoreError> {
        self.change(&messages, |row, _| {
            row.run = Some(run.clone());
            row.attempts += 1;
        });
        Ok(())
    }

    async fn release(&self, messages: Vec<InboxId>) -> Result<(), StoreError> {
        self.change(&messages, |row, _| row.run = None);
        Ok(())
    }

    async fn finish(&self, messages: Vec<InboxId>, how: InboxEnd) -> Result<(), StoreError> {
        let now = self.clock.now();
        self.change(&messages, |row, ended| (row.end, *ended) = (Some(how), Some(now)));
        Ok(())
    }

    async fn open_messages(&self) -> Result<Vec<InboxRow>, StoreError> {
        let shelf = lock(&self.shelf);
        let open = shelf.rows.iter().filter(|(row, _)| row.end.is_none());
        Ok(open.map(|(row, _)| row.clone()).collect())
    }

    async fn find(&self, key: &InboxKey) -> Result<Option<InboxRow>, StoreError> {
        let shelf = lock(&self.shelf);
        Ok(shelf.rows.iter().find(|(row, _)| row.message.key == *key).map(|(row, _)| row.clone()))
    }

    async fn forget(&self, before: UnixMillis) -> Result<u64, StoreError> {
        let mut shelf = lock(&self.shelf);
        let count = shelf.rows.len();
        shelf.rows.retain(|(_, ended)| ended.is_none_or(|ended| ended >= before));
        Ok((count - shelf.rows.len()) as u64)
    }
}
