//! Commits that go into the log in one piece are what SQLite would have written itself: to other connections, after a
//! crash at any moment, and when the disk refuses.

use std::cell::Cell;
use std::path::Path;

use openclaw_ports::stores::Flush;
use openclaw_testkit::TempHome;
use proptest::collection::vec;
use proptest::prelude::*;
use rusqlite::{Connection, ffi};

use super::super::log_file;

/// So few pages in memory that SQLite writes into the log before a larger commit, and some of that twice.
const SMALL_CACHE: &str = "PRAGMA cache_size = 4";

struct Bench {
    home: TempHome,
    connection: Connection,
    buffer: Vec<u8>,
}

impl Bench {
    fn new() -> Self {
        let home = TempHome::new();
        let connection = Connection::open_with_flags_and_vfs(
            home.path("words.sqlite"),
            rusqlite::OpenFlags::default(),
            log_file::layer().unwrap(),
        )
        .unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 40;
                 CREATE TABLE words (place INTEGER PRIMARY KEY, word TEXT) STRICT",
            )
            .unwrap();
        connection.execute_batch(SMALL_CACHE).unwrap();
        Self { home, connection, buffer: Vec::new() }
    }

    fn begin(&self) {
        self.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    }

    fn put(&self, place: u8, word: &str) {
        self.connection.execute("REPLACE INTO words VALUES (?1, ?2)", (place, word)).unwrap();
    }

    fn commit(&mut self, flush: Flush) -> rusqlite::Result<Flush> {
        let connection = &self.connection;
        log_file::commit(flush, &mut self.buffer, || connection.execute("COMMIT", []))
    }

    /// What a crash at this moment would leave to the next program.
    fn after_crash(&self) -> Vec<(u8, u32)> {
        let crashed = TempHome::new();
        for name in ["words.sqlite", "words.sqlite-wal"] {
            std::fs::copy(self.home.path(name), crashed.path(name)).unwrap();
        }
        seen_from(&crashed.path("words.sqlite"))
    }

    /// What another connection sees, one without this layer.
    fn outside(&self) -> Vec<(u8, u32)> {
        seen_from(&self.home.path("words.sqlite"))
    }
}

fn seen_from(path: &Path) -> Vec<(u8, u32)> {
    let connection = Connection::open(path).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let mut words = connection.prepare("SELECT place, length(word) FROM words ORDER BY place").unwrap();
    let found = words.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    found.collect::<rusqlite::Result<_>>().unwrap()
}

#[test]
fn a_commit_is_flushed_when_it_has_to_be() {
    let mut bench = Bench::new();
    for flush in [Flush::Now, Flush::WithNext, Flush::Now] {
        bench.begin();
        bench.put(1, "word");
        assert_eq!(bench.commit(flush).unwrap(), flush);
    }
    bench.begin();
    assert_eq!(bench.commit(Flush::Now).unwrap(), Flush::WithNext, "there was nothing to write");
}

/// What one transaction puts where, whether it is kept, and how it gets to the disk.
type Step = (Vec<(u8, u32)>, bool, bool);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = vec((0_u8..40, prop_oneof![0_u32..200, 3_000_u32..60_000]), 1..20);
    vec((words, prop::bool::weighted(0.8), any::<bool>()), 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn others_see_every_commit_and_nothing_else_also_after_a_crash(steps in steps()) {
        let mut bench = Bench::new();
        let mut kept = std::collections::BTreeMap::new();
        for (words, keep, flush) in steps {
            bench.begin();
            for (place, length) in &words {
                bench.put(*place, &"x".repeat(*length as usize));
            }
            if keep {
                bench.commit(if flush { Flush::Now } else { Flush::WithNext }).unwrap();
                kept.extend(words);
            } else {
                bench.connection.execute_batch("ROLLBACK").unwrap();
            }
            prop_assert!(bench.buffer.is_empty());
            let wanted: Vec<_> = kept.iter().map(|(place, length)| (*place, *length)).collect();
            prop_assert_eq!(bench.outside(), wanted.clone());
            prop_assert_eq!(bench.after_crash(), wanted);
        }
    }
}

thread_local! {
    /// How many writes to files this thread may still make.
    static WRITES_LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

#[expect(unsafe_code, reason = "stands in for a call to the system")]
unsafe extern "C" fn limited_write(
    file: libc::c_int,
    bytes: *const libc::c_void,
    amount: usize,
    offset: i64,
) -> isize {
    let left = WRITES_LEFT.get();
    WRITES_LEFT.set(left.saturating_sub(1));
    // SAFETY: SQLite hands over what the call asks for.
    unsafe {
        if left == 0 {
            *libc::__errno_location() = libc::ENOSPC;
            return -1;
        }
        libc::pwrite64(file, bytes, amount, offset)
    }
}

#[expect(unsafe_code, reason = "SQLite's own way to test for a full disk")]
fn limit_writes() {
    type Call = unsafe extern "C" fn();
    type Write = unsafe extern "C" fn(libc::c_int, *const libc::c_void, usize, i64) -> isize;
    // SAFETY: the function has the form of the call it stands in for, and stays for as long as the program.
    unsafe {
        let system = ffi::sqlite3_vfs_find(std::ptr::null());
        let replace = (*system).xSetSystemCall.unwrap();
        let call = std::mem::transmute::<Write, Call>(limited_write);
        assert_eq!(replace(system, c"pwrite".as_ptr(), Some(call)), ffi::SQLITE_OK);
    }
}

#[test]
fn a_full_disk_fails_the_commit_and_loses_nothing_else() {
    limit_writes();
    let mut bench = Bench::new();
    bench.begin();
    bench.put(1, "kept");
    bench.commit(Flush::WithNext).unwrap();
    for flush in [Flush::Now, Flush::WithNext] {
        bench.begin();
        bench.put(2, "lost");
        WRITES_LEFT.set(0);
        let refused = bench.commit(flush).unwrap_err();
        WRITES_LEFT.set(usize::MAX);
        assert_eq!(refused.sqlite_error_code(), Some(rusqlite::ErrorCode::DiskFull));
        assert!(bench.buffer.is_empty());
        if !bench.connection.is_autocommit() {
            bench.connection.execute_batch("ROLLBACK").unwrap();
        }
        assert_eq!(bench.outside(), [(1, 4)]);
        assert_eq!(bench.after_crash(), [(1, 4)]);
    }
    bench.begin();
    bench.put(3, "there again");
    bench.commit(Flush::Now).unwrap();
    assert_eq!(bench.after_crash(), [(1, 4), (3, 11)]);
}
