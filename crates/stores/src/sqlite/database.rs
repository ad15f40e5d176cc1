//! A database with one writer and several readers, for any schema.
//!
//! Callers hand in closures that see a connection; `write` returns when the change is durable, `read` sees what is
//! committed. The queue to the writer is bounded: when it is full a caller waits a little and is then told `Busy`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use openclaw_ports::stores::{Flush, StoreError};
use openclaw_ports::{Clock, Deadline, TimedOut};
use openclaw_types::UnixMillis;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::readers::Readers;
use super::writer::{self, Job, Write, WriterOrder, WriterSlot};
use crate::error::{Fault, OpenError};

/// How many writes may wait. When the queue is full, a caller waits up to `PATIENCE`, then gets `Busy`.
pub(super) const QUEUE_CAPACITY: usize = 1024;

/// How long a caller waits for a place in the queue or for a reader.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// An open database.
pub(crate) struct Database {
    clock: Arc<dyn Clock>,
    slot: Arc<WriterSlot>,
    orders: mpsc::Sender<WriterOrder>,
    readers: Readers,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Database").field("readers", &self.readers).finish_non_exhaustive()
    }
}

impl Database {
    /// Starts the writer on a connection that `open::writing` prepared.
    pub(crate) fn start(
        path: PathBuf,
        connection: Connection,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, OpenError> {
        let (orders, waiting) = mpsc::channel(QUEUE_CAPACITY);
        let slot = Arc::new(WriterSlot::new(connection));
        let thread = thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn({
                let slot = Arc::clone(&slot);
                move || writer::run(&slot, waiting)
            })
            .map_err(|source| OpenError::failed("start the writer of", &path, source))?;
        Ok(Self { clock, slot, orders, readers: Readers::new(path), thread: Mutex::new(Some(thread)) })
    }

    /// Makes a change and returns when it is durable. A caller that goes away after queueing does not undo it.
    pub(crate) async fn write<T, F>(&self, action: &'static str, work: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        self.order(action, Flush::Now, work).await
    }

    /// Makes a change that outlasts the process; a loss of power it outlasts from the next `write` on. For what is only
    /// about something that was written: without it, that is dealt with as after a crash.
    pub(crate) async fn note<T, F>(&self, action: &'static str, work: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        self.order(action, Flush::WithNext, work).await
    }

    /// `write` or `note`, as the caller's caller says.
    pub(crate) async fn order<T, F>(
        &self,
        action: &'static str,
        flush: Flush,
        work: F,
    ) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        let (job, answer) = Write::new(action, flush, work);
        let mut job: Box<dyn Job> = Box::new(job);
        let nobody_waits = self.orders.capacity() == self.orders.max_capacity();
        if flush == Flush::WithNext && nobody_waits && !self.orders.is_closed() {
            match self.slot.run_here(job) {
                None => return answer.await.unwrap_or(Err(StoreError::Closed)),
                Some(back) => job = back,
            }
        }
        let place = Deadline::after(&*self.clock, PATIENCE)
            .bound(&*self.clock, self.orders.reserve())
            .await
            .map_err(|TimedOut| StoreError::Busy)?
            .map_err(|_closed| StoreError::Closed)?;
        place.send(WriterOrder::Write(job));
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Reads one snapshot of what is committed.
    pub(crate) async fn read<T, F>(&self, action: &'static str, work: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        self.readers.read(&*self.clock, PATIENCE, action, work).await
    }

    /// Reads with one statement that finds a row or a few by a key. Does not leave the thread as long as a connection is free.
    /// The writer's is asked first: it has the pages that it wrote at hand, where any other reads them again.
    pub(crate) async fn look<T, F>(&self, action: &'static str, work: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        let found = self.slot.look(work).or_else(|work| self.readers.look(work));
        match found {
            Ok(found) => found.map_err(|fault| fault.during(action)),
            Err(work) => self.read(action, work).await,
        }
    }

    /// The time that what is written now is dated with.
    pub(crate) fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    /// How the last commit got to the disk.
    #[cfg(test)]
    pub(super) fn last_flush(&self) -> Option<Flush> {
        self.slot.last_flush()
    }

    /// How many writes wait in the queue.
    #[cfg(test)]
    pub(super) fn queued(&self) -> usize {
        self.orders.max_capacity() - self.orders.capacity()
    }

    /// Writes what is queued, moves the WAL into the file, and closes it. Later calls find it closed and say so
    /// by doing nothing. The caller bounds the wait.
    ///
    /// # Errors
    /// When the file could not be closed cleanly. What was acknowledged is durable all the same.
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        self.readers.close().await;
        let (reply, closed) = oneshot::channel();
        if self.orders.send(WriterOrder::Close(reply)).await.is_err() {
            return Ok(());
        }
        let ended = closed.await.unwrap_or(Ok(()));
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The thread answered as its last act, so this does not block for long.
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer of the database ended in a panic");
        }
        ended
    }
}
