//! The one writer of a database: a thread that commits what waits in groups.
//!
//! Each of several jobs runs in a savepoint of its own inside one transaction; the transaction is committed once, and only
//! then are the callers answered. A job that fails takes back its own changes and nobody else's. Many callers, one flush;
//! none where all of them can wait for the next one. A single job of that kind does not need the thread: while nothing
//! else is under way its caller runs it, since waking a thread takes longer than the job.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use openclaw_ports::stores::{Flush, StoreError};
use rusqlite::{Connection, ErrorCode};
use tokio::sync::{mpsc, oneshot};

use super::log_file;
use super::open::{LOCK_WAIT, WAL_BYTES_KEPT};
use crate::error::Fault;

/// The most jobs that share one commit; bounds how long the first of them waits.
pub(super) const GROUP_LIMIT: usize = 256;

/// After how many commits the log is moved into the file. SQLite does so by itself only when a few of them were huge.
const CHECKPOINT_COMMITS: usize = 256;

/// After how many commits it is looked how long the log is.
const LOOK_AT_LOG: usize = 16;

/// Something to write, and the one who waits for it.
pub(super) trait Job: Send {
    /// Makes the changes and keeps the outcome for `answer`.
    fn run(&mut self, connection: &Connection) -> JobOutcome;
    /// How it gets to the disk.
    fn flush(&self) -> Flush;
    /// Tells the caller how it ended.
    fn answer(self: Box<Self>, ending: &TransactionEnd);
}

/// Whether a job's changes are to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobOutcome {
    Keep,
    TakeBack,
}

/// What became of the transaction a job ran in.
#[derive(Debug, Clone)]
pub(super) enum TransactionEnd {
    Committed,
    Lost(Arc<rusqlite::Error>),
}

/// What the thread is asked to do.
pub(super) enum WriterOrder {
    Write(Box<dyn Job>),
    Close(oneshot::Sender<Result<(), StoreError>>),
}

/// A closure that writes, with the caller's return path.
pub(super) struct Write<F, T> {
    action: &'static str,
    flush: Flush,
    work: Option<F>,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<F, T> Write<F, T>
where
    F: FnOnce(&Connection) -> Result<T, Fault> + Send,
    T: Send,
{
    pub(super) fn new(
        action: &'static str,
        flush: Flush,
        work: F,
    ) -> (Self, oneshot::Receiver<Result<T, StoreError>>) {
        let (reply, answer) = oneshot::channel();
        (Self { action, flush, work: Some(work), outcome: None, reply }, answer)
    }
}

impl<F, T> Job for Write<F, T>
where
    F: FnOnce(&Connection) -> Result<T, Fault> + Send,
    T: Send,
{
    fn run(&mut self, connection: &Connection) -> JobOutcome {
        let Some(work) = self.work.take() else { return JobOutcome::TakeBack };
        // A panic in one caller's closure must not end the writer for everybody.
        let result = catch_unwind(AssertUnwindSafe(|| work(connection)))
            .unwrap_or_else(|_| Err(Fault::Refused("the write panicked".into())));
        let outcome = if result.is_ok() { JobOutcome::Keep } else { JobOutcome::TakeBack };
        self.outcome = Some(result.map_err(|fault| fault.during(self.action)));
        outcome
    }

    fn flush(&self) -> Flush {
        self.flush
    }

    fn answer(self: Box<Self>, ending: &TransactionEnd) {
        let result = match (self.outcome, ending) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(value)), TransactionEnd::Committed) => Ok(value),
            (_, TransactionEnd::Lost(error)) => Err(lost(self.action, error)),
            (None, TransactionEnd::Committed) => Err(StoreError::Closed),
        };
        if self.reply.send(result).is_err() {
            tracing::debug!(action = self.action, "nobody waits for this write any more");
        }
    }
}

/// The same error is told to everybody whose changes went with the transaction.
fn lost(action: &'static str, error: &Arc<rusqlite::Error>) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        _ => StoreError::Failed { action, source: Box::new(Arc::clone(error)) },
    }
}

/// Runs until the database is closed or nobody can write to it any more.
pub(super) fn run(slot: &WriterSlot, mut orders: mpsc::Receiver<WriterOrder>) {
    let mut closer = None;
    while let Some(first) = orders.blocking_recv() {
        let mut group = Vec::new();
        let mut next = Some(first);
        while let Some(order) = next {
            match order {
                WriterOrder::Write(job) => group.push(job),
                WriterOrder::Close(reply) => {
                    // What is queued already is still written; what comes later is refused.
                    orders.close();
                    closer = Some(reply);
                }
            }
            next = if group.len() < GROUP_LIMIT { orders.try_recv().ok() } else { None };
        }
        slot.work_off(group);
    }
    let ended = slot.close();
    match closer {
        Some(reply) => {
            if reply.send(ended).is_err() {
                tracing::debug!("nobody waits for the database to close any more");
            }
        }
        None => {
            if let Err(error) = ended {
                tracing::warn!(%error, "the database was dropped and did not close cleanly");
            }
        }
    }
}

/// Where jobs are run: by the thread, or by a caller whose job is the only one.
pub(super) struct WriterSlot(Mutex<Option<Pen>>);

impl WriterSlot {
    pub(super) fn new(connection: Connection) -> Self {
        Self(Mutex::new(Some(Pen::new(connection))))
    }

    /// Runs a job that need not be flushed, here and now; gives it back when it has to queue.
    pub(super) fn run_here(&self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        let mut held = match self.0.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Some(job),
        };
        match held.as_mut().filter(|pen| pen.since_checkpoint < CHECKPOINT_COMMITS) {
            Some(pen) => pen.commit_at_once(job),
            None => Some(job),
        }
    }

    /// Runs one statement that only reads, here and now; gives `work` back while something is written, or after the end.
    pub(super) fn look<T, F>(&self, work: F) -> Result<Result<T, Fault>, F>
    where
        F: FnOnce(&Connection) -> Result<T, Fault>,
    {
        match self.0.try_lock() {
            Ok(held) => match held.as_ref() {
                Some(pen) => Ok(work(&pen.connection)),
                None => Err(work),
            },
            Err(_under_way) => Err(work),
        }
    }

    /// How the last commit got to the disk.
    #[cfg(test)]
    pub(super) fn last_flush(&self) -> Option<Flush> {
        self.held().as_ref().and_then(|pen| pen.last)
    }

    fn work_off(&self, group: Vec<Box<dyn Job>>) {
        if let Some(pen) = self.held().as_mut() {
            pen.commit_group(group);
            pen.checkpoint_when_due();
        }
    }

    fn close(&self) -> Result<(), StoreError> {
        match self.held().take() {
            Some(pen) => finish(pen.connection),
            None => Ok(()),
        }
    }

    fn held(&self) -> MutexGuard<'_, Option<Pen>> {
        // A job that panics is caught, so nothing is left half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The connection that writes, and what is known of its log.
struct Pen {
    connection: Connection,
    /// Where the part of a commit that goes into the log is put together.
    gathered: Vec<u8>,
    /// How many commits there were since the log was moved into the file.
    since_checkpoint: usize,
    /// How the last commit got to the disk.
    #[cfg(test)]
    last: Option<Flush>,
}

impl Pen {
    fn new(connection: Connection) -> Self {
        Self {
            connection,
            gathered: Vec::new(),
            since_checkpoint: 0,
            #[cfg(test)]
            last: None,
        }
    }

    /// Moves the log into the file once it has grown: that flushes, so it is left to the thread.
    fn checkpoint_when_due(&mut self) {
        if self.since_checkpoint < CHECKPOINT_COMMITS {
            return;
        }
        self.since_checkpoint = 0;
        if let Err(error) = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
            tracing::warn!(%error, "the log of a database could not be moved into its file; it is tried again");
        }
    }

    /// Commits a job alone, unless another process writes at the moment: for that only the thread may wait.
    fn commit_at_once(&mut self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        let impatient = self.connection.busy_timeout(Duration::ZERO);
        let begun = impatient.and_then(|()| self.begin());
        if self.connection.busy_timeout(LOCK_WAIT).and(begun).is_err() {
            return Some(job);
        }
        self.count_commit();
        let (done, ending) = self.commit_some(&mut vec![job].into_iter());
        done.into_iter().for_each(|job| job.answer(&ending));
        None
    }

    /// Writes a group in as few transactions as SQLite allows: one, unless an error of the disk ends it early.
    fn commit_group(&mut self, group: Vec<Box<dyn Job>>) {
        self.count_commit();
        let mut waiting = group.into_iter();
        while waiting.len() > 0 {
            let (done, ending) = match self.begin() {
                Ok(()) => self.commit_some(&mut waiting),
                Err(error) => (waiting.by_ref().collect(), TransactionEnd::Lost(Arc::new(error))),
            };
            done.into_iter().for_each(|job| job.answer(&ending));
        }
    }

    /// Counts a commit. A log that grew long through a few of them is moved soon, before SQLite does it by itself,
    /// wherever it is.
    fn count_commit(&mut self) {
        self.since_checkpoint += 1;
        if self.since_checkpoint.is_multiple_of(LOOK_AT_LOG) && self.is_log_long() {
            self.since_checkpoint = CHECKPOINT_COMMITS;
        }
    }

    fn is_log_long(&self) -> bool {
        let log = self.connection.path().map(|path| format!("{path}-wal"));
        log.and_then(|log| std::fs::metadata(log).ok())
            .is_some_and(|facts| facts.len() > WAL_BYTES_KEPT.into())
    }

    /// Runs jobs in the transaction that was begun and commits it. Stops early when SQLite gave the whole transaction up.
    fn commit_some(
        &mut self,
        waiting: &mut std::vec::IntoIter<Box<dyn Job>>,
    ) -> (Vec<Box<dyn Job>>, TransactionEnd) {
        let connection = &self.connection;
        let mut done = Vec::with_capacity(waiting.len());
        let alone = waiting.len() == 1;
        for mut job in waiting.by_ref() {
            let kept = match alone {
                true => run_alone(connection, job.as_mut()),
                false => run_in_savepoint(connection, job.as_mut()),
            };
            done.push(job);
            if let Err(error) = kept {
                return (done, TransactionEnd::Lost(Arc::new(give_up(connection, error))));
            }
        }
        let flush = match done.iter().any(|job| job.flush() == Flush::Now) {
            true => Flush::Now,
            false => Flush::WithNext,
        };
        let committed = log_file::commit(flush, &mut self.gathered, || {
            connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]))
        });
        #[cfg(test)]
        {
            self.last = committed.as_ref().ok().copied();
        }
        match committed {
            Ok(_) => (done, TransactionEnd::Committed),
            Err(error) => (done, TransactionEnd::Lost(Arc::new(give_up(connection, error)))),
        }
    }

    fn begin(&self) -> rusqlite::Result<()> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([]).map(|_| ())
    }
}

/// What a job alone in its transaction takes back is the transaction; an empty one follows for the commit.
fn run_alone(connection: &Connection, job: &mut dyn Job) -> rusqlite::Result<()> {
    if job.run(connection) == JobOutcome::TakeBack {
        // An error of the disk may have ended it already.
        if !connection.is_autocommit() {
            connection.prepare_cached("ROLLBACK")?.execute([])?;
        }
        connection.prepare_cached("BEGIN")?.execute([])?;
    }
    Ok(())
}

fn run_in_savepoint(connection: &Connection, job: &mut dyn Job) -> rusqlite::Result<()> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    if job.run(connection) == JobOutcome::TakeBack {
        connection.prepare_cached("ROLLBACK TO job")?.execute([])?;
    }
    connection.prepare_cached("RELEASE job")?.execute([])?;
    Ok(())
}

/// Leaves no transaction open after an error, and gives the error back.
fn give_up(connection: &Connection, error: rusqlite::Error) -> rusqlite::Error {
    // A full disk or a failed flush has ended the transaction already.
    if !connection.is_autocommit()
        && let Err(stuck) = connection.execute_batch("ROLLBACK")
    {
        tracing::error!(%stuck, "a failed transaction could not be rolled back");
    }
    error
}

/// Moves the WAL into the database file and closes it.
fn finish(connection: Connection) -> Result<(), StoreError> {
    let failed = |error| Fault::Sqlite(error).during("close the database");
    let checkpoint = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    connection.close().map_err(|(_, error)| failed(error))?;
    checkpoint.map_err(failed)
}
