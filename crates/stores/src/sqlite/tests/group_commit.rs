//! How writes share commits, wait, fail and end; and what readers see meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use openclaw_ports::stores::{Flush, StoreError};
use openclaw_testkit::{SimClock, TempHome};
use rusqlite::Connection;
use tokio::task::JoinSet;

use super::super::database::{Database, PATIENCE, QUEUE_CAPACITY};
use super::super::migrate::Schema;
use super::super::open;
use super::super::writer::GROUP_LIMIT;
use crate::error::Fault;

const SCHEMA: Schema = Schema {
    application_id: 0x7e57,
    migrations: &["CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT"],
};

/// A database of numbers whose commits are counted.
struct Numbers {
    database: Arc<Database>,
    commits: Arc<AtomicUsize>,
    clock: Arc<SimClock>,
    home: TempHome,
}

/// Keeps the writer busy until it is dropped.
struct Gate {
    _open: mpsc::Sender<()>,
    held: tokio::task::JoinHandle<Result<(), StoreError>>,
}

impl Numbers {
    fn new() -> Self {
        let (home, clock) = (TempHome::new(), Arc::new(SimClock::new()));
        let path = home.path("numbers.sqlite");
        let connection = open::writing(&path, &SCHEMA, openclaw_types::UnixMillis(0)).unwrap();
        let commits = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&commits);
        connection
            .commit_hook(Some(move || {
                count.fetch_add(1, Ordering::SeqCst);
                false
            }))
            .unwrap();
        let database = Arc::new(Database::start(path, connection, clock.clone()).unwrap());
        Self { database, commits, clock, home }
    }

    fn commits(&self) -> usize {
        self.commits.load(Ordering::SeqCst)
    }

    async fn add(&self, number: i64) -> Result<(), StoreError> {
        self.database.write("add a number", move |connection| insert(connection, number)).await
    }

    async fn all(&self) -> Vec<i64> {
        self.database.read("read the numbers", select).await.unwrap()
    }

    /// Occupies the writer, so that what follows has to queue.
    async fn hold_writer(&self) -> Gate {
        let (open, wait) = mpsc::channel::<()>();
        let (entered, inside) = tokio::sync::oneshot::channel();
        let database = Arc::clone(&self.database);
        let held = on_task(async move {
            database
                .write("hold the writer", move |_| {
                    entered.send(()).unwrap();
                    // Ends with an error when the gate is dropped, which is what opens it.
                    assert!(wait.recv().is_err());
                    Ok(())
                })
                .await
        });
        inside.await.unwrap();
        Gate { _open: open, held }
    }

    /// Starts writes as tasks and waits until all are queued.
    async fn queue(&self, numbers: impl Iterator<Item = i64>) -> JoinSet<Result<(), StoreError>> {
        let mut tasks = JoinSet::new();
        for number in numbers {
            let database = Arc::clone(&self.database);
            tasks.spawn(async move {
                database.write("add a number", move |connection| insert(connection, number)).await
            });
        }
        while self.database.queued() < tasks.len() {
            tokio::task::yield_now().await;
        }
        tasks
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's own task, joined by the test")]
fn on_task<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> tokio::task::JoinHandle<T> {
    tokio::spawn(work)
}

impl Gate {
    async fn open(self) {
        drop(self._open);
        self.held.await.unwrap().unwrap();
    }
}

fn insert(connection: &Connection, number: i64) -> Result<(), Fault> {
    connection.prepare_cached("INSERT INTO numbers VALUES (?1)")?.execute([number])?;
    Ok(())
}

fn select(connection: &Connection) -> Result<Vec<i64>, Fault> {
    let mut statement = connection.prepare_cached("SELECT number FROM numbers ORDER BY number")?;
    let numbers = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(numbers)
}

async fn all_ok(tasks: JoinSet<Result<(), StoreError>>) {
    for result in tasks.join_all().await {
        result.unwrap();
    }
}

#[tokio::test]
async fn writes_that_wait_share_one_commit() {
    let numbers = Numbers::new();
    let gate = numbers.hold_writer().await;
    let before = numbers.commits();
    let waiting = numbers.queue(1..=200).await;
    gate.open().await;
    all_ok(waiting).await;
    // At most one more for the write that held the others up, one for all the others.
    assert!(numbers.commits() - before <= 2, "{} commits for 200 writes", numbers.commits() - before);
    assert_eq!(numbers.all().await, (1..=200).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_group_has_a_limit() {
    let numbers = Numbers::new();
    let gate = numbers.hold_writer().await;
    let before = numbers.commits();
    let waiting = numbers.queue(1..=i64::try_from(GROUP_LIMIT * 2).unwrap()).await;
    gate.open().await;
    all_ok(waiting).await;
    assert!((2..=4).contains(&(numbers.commits() - before)));
}

#[tokio::test]
async fn a_failing_write_takes_back_its_own_changes_and_no_others() {
    let numbers = Numbers::new();
    numbers.add(2).await.unwrap();
    let gate = numbers.hold_writer().await;
    let good = numbers.queue(3..=4).await;
    let database = Arc::clone(&numbers.database);
    let bad = on_task(async move {
        database
            .write("add two numbers", |connection| {
                insert(connection, 5)?;
                insert(connection, 2)
            })
            .await
    });
    while numbers.database.queued() < 3 {
        tokio::task::yield_now().await;
    }
    let database = Arc::clone(&numbers.database);
    let later = on_task(async move { database.write("add", |connection| insert(connection, 6)).await });
    gate.open().await;
    all_ok(good).await;
    later.await.unwrap().unwrap();
    let refused = bad.await.unwrap();
    assert!(matches!(refused, Err(StoreError::Failed { action: "add two numbers", .. })), "{refused:?}");
    assert_eq!(numbers.all().await, [2, 3, 4, 6]);
}

#[tokio::test]
async fn a_write_that_panics_fails_alone() {
    let numbers = Numbers::new();
    let panicked: Result<(), _> = numbers
        .database
        .write("panic", |connection| {
            insert(connection, 1)?;
            panic!("a bug in one write")
        })
        .await;
    assert!(matches!(panicked, Err(StoreError::Failed { action: "panic", .. })), "{panicked:?}");
    numbers.add(2).await.unwrap();
    assert_eq!(numbers.all().await, [2]);
}

#[tokio::test]
async fn nobody_is_told_ok_when_the_whole_transaction_is_lost() {
    let numbers = Numbers::new();
    let gate = numbers.hold_writer().await;
    let mut before = numbers.queue(1..=2).await;
    // What SQLite does by itself when the disk is full.
    let database = Arc::clone(&numbers.database);
    let ender =
        on_task(async move { database.write("end", |held| Ok(held.execute_batch("ROLLBACK")?)).await });
    while numbers.database.queued() < 3 {
        tokio::task::yield_now().await;
    }
    let database = Arc::clone(&numbers.database);
    let after = on_task(async move { database.write("add", |connection| insert(connection, 3)).await });
    while numbers.database.queued() < 4 {
        tokio::task::yield_now().await;
    }
    gate.open().await;
    while let Some(told) = before.join_next().await {
        assert!(matches!(told.unwrap(), Err(StoreError::Failed { .. })));
    }
    assert!(matches!(ender.await.unwrap(), Err(StoreError::Failed { .. })));
    after.await.unwrap().unwrap();
    assert_eq!(numbers.all().await, [3]);
}

#[tokio::test]
async fn readers_see_only_what_is_committed() {
    let numbers = Numbers::new();
    let (finish, wait) = mpsc::channel::<()>();
    let (entered, inside) = tokio::sync::oneshot::channel();
    let database = Arc::clone(&numbers.database);
    let writing = on_task(async move {
        database
            .write("add slowly", move |connection| {
                insert(connection, 1)?;
                entered.send(()).unwrap();
                wait.recv().unwrap();
                Ok(())
            })
            .await
    });
    inside.await.unwrap();
    assert_eq!(numbers.all().await, Vec::<i64>::new());
    finish.send(()).unwrap();
    writing.await.unwrap().unwrap();
    assert_eq!(numbers.all().await, [1]);
}

#[tokio::test]
async fn one_read_sees_one_snapshot() {
    let numbers = Numbers::new();
    let (written, wait) = mpsc::channel::<()>();
    let (looked, first_look) = tokio::sync::oneshot::channel();
    let database = Arc::clone(&numbers.database);
    let reading = on_task(async move {
        database
            .read("look twice", move |connection| {
                let first = select(connection)?;
                looked.send(()).unwrap();
                wait.recv().unwrap();
                Ok((first, select(connection)?))
            })
            .await
    });
    first_look.await.unwrap();
    numbers.add(1).await.unwrap();
    written.send(()).unwrap();
    assert_eq!(reading.await.unwrap().unwrap(), (vec![], vec![]));
    assert_eq!(numbers.all().await, [1]);
}

#[tokio::test]
async fn readers_cannot_write() {
    let numbers = Numbers::new();
    let refused = numbers.database.read("cheat", |connection| insert(connection, 1)).await;
    assert!(matches!(refused, Err(StoreError::Failed { action: "cheat", .. })), "{refused:?}");
    assert_eq!(numbers.all().await, Vec::<i64>::new());
}

#[tokio::test]
async fn a_full_queue_lets_callers_wait_a_little_and_then_says_busy() {
    let numbers = Numbers::new();
    let gate = numbers.hold_writer().await;
    let count = i64::try_from(QUEUE_CAPACITY).unwrap();
    let waiting = numbers.queue(1..=count).await;
    let database = Arc::clone(&numbers.database);
    let surplus = on_task(async move { database.write("add", |connection| insert(connection, 0)).await });
    numbers.clock.until_asleep(1).await;
    numbers.clock.advance(PATIENCE - Duration::from_millis(1)).await;
    assert!(!surplus.is_finished());
    numbers.clock.advance(Duration::from_millis(1)).await;
    assert!(matches!(surplus.await.unwrap(), Err(StoreError::Busy)));
    gate.open().await;
    all_ok(waiting).await;
    assert_eq!(numbers.all().await, (1..=count).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_caller_that_waits_for_a_place_gets_it_when_the_queue_moves() {
    let numbers = Numbers::new();
    let gate = numbers.hold_writer().await;
    let waiting = numbers.queue(1..=i64::try_from(QUEUE_CAPACITY).unwrap()).await;
    let database = Arc::clone(&numbers.database);
    let surplus = on_task(async move { database.write("add", |connection| insert(connection, 0)).await });
    numbers.clock.until_asleep(1).await;
    gate.open().await;
    surplus.await.unwrap().unwrap();
    all_ok(waiting).await;
    assert_eq!(numbers.all().await.len(), QUEUE_CAPACITY + 1);
}

#[tokio::test]
async fn too_many_readers_are_told_busy_after_a_wait() {
    let numbers = Numbers::new();
    let mut gates = Vec::new();
    let mut readers = JoinSet::new();
    for _ in 0..4 {
        let (open, wait) = mpsc::channel::<()>();
        let database = Arc::clone(&numbers.database);
        let (entered, inside) = tokio::sync::oneshot::channel();
        readers.spawn(async move {
            let look = move |_: &Connection| {
                entered.send(()).unwrap();
                assert!(wait.recv().is_err());
                Ok(())
            };
            database.read("read slowly", look).await
        });
        inside.await.unwrap();
        gates.push(open);
    }
    let database = Arc::clone(&numbers.database);
    let surplus = on_task(async move { database.read("read", select).await });
    numbers.clock.until_asleep(1).await;
    numbers.clock.advance(PATIENCE).await;
    assert!(matches!(surplus.await.unwrap(), Err(StoreError::Busy)));
    drop(gates);
    all_ok(readers).await;
}

#[tokio::test]
async fn a_write_whose_caller_went_away_is_still_written() {
    let numbers = Numbers::new();
    let gate = numbers.hold_writer().await;
    let mut waiting = numbers.queue(1..=1).await;
    waiting.shutdown().await;
    gate.open().await;
    numbers.add(2).await.unwrap();
    assert_eq!(numbers.all().await, [1, 2]);
}

#[tokio::test]
async fn closing_writes_what_is_queued_and_refuses_what_comes_later() {
    let numbers = Numbers::new();
    let gate = numbers.hold_writer().await;
    let waiting = numbers.queue(1..=50).await;
    let database = Arc::clone(&numbers.database);
    let closing = on_task(async move { database.close().await });
    while numbers.database.queued() < 51 {
        tokio::task::yield_now().await;
    }
    gate.open().await;
    closing.await.unwrap().unwrap();
    all_ok(waiting).await;
    assert!(matches!(numbers.add(51).await, Err(StoreError::Closed)));
    let read = numbers.database.read("read", select).await;
    assert!(matches!(read, Err(StoreError::Closed)), "{read:?}");
    numbers.database.close().await.unwrap();
    assert!(!numbers.home.path("numbers.sqlite-wal").exists(), "the WAL was moved into the file");
    let found = select(&Connection::open(numbers.home.path("numbers.sqlite")).unwrap()).unwrap();
    assert_eq!(found, (1..=50).collect::<Vec<_>>());
}

#[tokio::test]
async fn notes_are_flushed_with_the_next_write_and_a_group_as_its_most_careful_member() {
    let numbers = Numbers::new();
    let database = &numbers.database;
    let note = |number| database.note("note a number", move |connection| insert(connection, number));
    numbers.add(1).await.unwrap();
    assert_eq!(database.last_flush(), Some(Flush::Now));
    note(2).await.unwrap();
    assert_eq!(database.last_flush(), Some(Flush::WithNext));
    numbers.add(3).await.unwrap();
    assert_eq!(database.last_flush(), Some(Flush::Now));
    note(4).await.unwrap();
    let gate = numbers.hold_writer().await;
    let together = async { tokio::join!(numbers.add(5), note(6)) };
    // Both are queued when the gate opens: futures that are joined are polled in their order.
    let ((write, note), ()) = tokio::join!(together, gate.open());
    write.unwrap();
    note.unwrap();
    assert_eq!(database.last_flush(), Some(Flush::Now));
    assert_eq!(numbers.all().await, [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn who_makes_a_note_does_not_stand_still_while_another_process_writes() {
    let numbers = Numbers::new();
    let other = Connection::open(numbers.home.path("numbers.sqlite")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; INSERT INTO numbers VALUES (1)").unwrap();
    let note = numbers.database.note("note a number", |connection| insert(connection, 2));
    let mut note = std::pin::pin!(note);
    // The only thread of this test goes on, and the note waits for the other process where nobody else has to.
    tokio::select! {
        biased;
        made = &mut note => panic!("made although the other process writes: {made:?}"),
        () = std::future::ready(()) => {}
    }
    other.execute_batch("COMMIT").unwrap();
    note.await.unwrap();
    assert_eq!(numbers.all().await, [1, 2]);
}

#[tokio::test]
async fn a_log_that_grew_long_in_a_few_notes_is_moved_by_the_thread() {
    let numbers = Numbers::new();
    let log = numbers.home.path("numbers.sqlite-wal");
    let fill = |connection: &Connection| {
        connection.execute_batch("CREATE TABLE IF NOT EXISTS words (word TEXT)").map_err(Fault::from)?;
        let long = "x".repeat(1024 * 1024);
        connection.execute("INSERT INTO words VALUES (?1)", [long]).map_err(Fault::from)?;
        Ok(())
    };
    for _ in 0..15 {
        numbers.database.note("note much", fill).await.unwrap();
    }
    assert!(std::fs::metadata(&log).unwrap().len() > 12 * 1024 * 1024);
    // The first of these finds that the log is long, the second leaves it to the thread, which moves it.
    for number in 0..2 {
        numbers.database.note("note a number", move |connection| insert(connection, number)).await.unwrap();
    }
    numbers.add(7).await.unwrap();
    let file = std::fs::metadata(numbers.home.path("numbers.sqlite")).unwrap().len();
    assert!(file > 8 * 1024 * 1024, "{file}");
    // The next log begins anew, and is not taken for a long one again.
    numbers.add(8).await.unwrap();
    let log = std::fs::metadata(&log).unwrap().len();
    assert_eq!(log, 12 * 1024 * 1024);
}
