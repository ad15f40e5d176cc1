//! How the log of a database is written: a commit in one piece, and flushed only when that is wanted.
//!
//! SQLite writes a commit as two pieces for every page, and flushes each one or none, by a setting that is parsed again
//! whenever it changes. This layer between SQLite and its files (a "VFS") changes both for the log of the connection that
//! writes: what a commit writes is gathered until SQLite asks for the flush that ends it, goes to the file as one piece
//! before the commit counts, and is flushed if the writer said so. Everything else passes through, to the system's files.

#![expect(unsafe_code, reason = "SQLite calls this through its C interface")]

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use openclaw_ports::stores::Flush;
use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

const NAME: &CStr = c"openclaw-log";

/// How much of a commit is gathered before it is written in several pieces after all. A turn's are a third of this;
/// more than twice this the system's layer would not write at once.
const GATHERED_MOST: usize = 64 * 1024;

/// What stands at the beginning of a log. SQLite flushes it before anything else is written there.
const HEADER_BYTES: usize = 32;

/// The layer's name, by which a connection is opened with it.
pub(super) fn layer() -> rusqlite::Result<&'static CStr> {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    match *REGISTERED.get_or_init(register) {
        ffi::SQLITE_OK => Ok(NAME),
        code => Err(failure(code)),
    }
}

/// Makes a commit whose part of the log is written in one piece, and flushed when it has to be. Tells whether it was.
///
/// `buffer` is where it is gathered; it is empty before and afterwards. The connection has to be one of this layer and
/// set to `synchronous = FULL`, as the flush it asks for is what ends the piece.
pub(super) fn commit(
    flush: Flush,
    buffer: &mut Vec<u8>,
    commit: impl FnOnce() -> rusqlite::Result<usize>,
) -> rusqlite::Result<Flush> {
    let gathered =
        Gathered { flush, log: Log(ptr::null_mut()), start: 0, bytes: std::mem::take(buffer), ended: None };
    COMMIT.set(Some(gathered));
    let committed = commit();
    let Some(mut gathered) = COMMIT.take() else { return committed.map(|_| Flush::Now) };
    debug_assert!(committed.is_err() || gathered.bytes.is_empty(), "no flush was asked for");
    // What a commit that failed had gathered is not part of the log.
    let left = if committed.is_ok() { gathered.write_out() } else { ffi::SQLITE_OK };
    gathered.bytes.clear();
    *buffer = gathered.bytes;
    match left {
        ffi::SQLITE_OK => committed.map(|_| gathered.ended.unwrap_or(Flush::WithNext)),
        code => Err(failure(code)),
    }
}

thread_local! {
    /// The commit that this thread makes.
    static COMMIT: RefCell<Option<Gathered>> = const { RefCell::new(None) };
}

/// What a commit wrote and the file does not have yet.
struct Gathered {
    flush: Flush,
    log: Log,
    /// Where in the log `bytes` belong.
    start: i64,
    bytes: Vec<u8>,
    /// How it was flushed, once SQLite asked for it. What comes afterwards passes through.
    ended: Option<Flush>,
}

impl Gathered {
    fn write(&mut self, log: Log, piece: &[u8], offset: i64) -> c_int {
        if self.ended.is_some() {
            return log.write(piece, offset);
        }
        let follows = self.log == log && self.start + self.bytes.len() as i64 == offset;
        if !follows || self.bytes.len() + piece.len() > GATHERED_MOST {
            let written = self.write_out();
            if written != ffi::SQLITE_OK {
                return written;
            }
            (self.log, self.start) = (log, offset);
        }
        self.bytes.extend_from_slice(piece);
        ffi::SQLITE_OK
    }

    fn write_out(&mut self) -> c_int {
        if self.bytes.is_empty() {
            return ffi::SQLITE_OK;
        }
        let written = self.log.write(&self.bytes, self.start);
        self.start += self.bytes.len() as i64;
        self.bytes.clear();
        written
    }

    fn sync(&mut self, log: Log, flags: c_int) -> c_int {
        let only_header = self.start == 0 && self.bytes.len() == HEADER_BYTES;
        let written = self.write_out();
        if written != ffi::SQLITE_OK || self.ended.is_some() || only_header {
            return if written == ffi::SQLITE_OK { log.sync(flags) } else { written };
        }
        self.ended = Some(self.flush);
        match self.flush {
            Flush::Now => log.sync(flags),
            Flush::WithNext => ffi::SQLITE_OK,
        }
    }
}

/// The log as the system's own layer opened it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Log(*mut sqlite3_file);

impl Log {
    /// The system's file lies right behind ours.
    fn behind(file: *mut sqlite3_file) -> Self {
        Self(file.wrapping_byte_add(OWN_BYTES).cast())
    }

    fn write(self, piece: &[u8], offset: i64) -> c_int {
        let Ok(amount) = c_int::try_from(piece.len()) else { return ffi::SQLITE_IOERR_WRITE };
        // SAFETY: SQLite opened this file and has not closed it, since it is in a call of its.
        unsafe {
            match (*(*self.0).pMethods).xWrite {
                Some(write) => write(self.0, piece.as_ptr().cast(), amount, offset),
                None => ffi::SQLITE_IOERR_WRITE,
            }
        }
    }

    fn sync(self, flags: c_int) -> c_int {
        // SAFETY: as in `write`.
        unsafe {
            match (*(*self.0).pMethods).xSync {
                Some(sync) => sync(self.0, flags),
                None => ffi::SQLITE_IOERR_FSYNC,
            }
        }
    }
}

/// What this layer puts before the system's file: which functions SQLite calls for it.
const OWN_BYTES: usize = size_of::<sqlite3_file>();

/// A log's functions, of the first version of the interface: the later ones are for the database itself.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// Registers a copy of the system's layer that opens logs in its own way.
fn register() -> c_int {
    // SAFETY: SQLite is part of the program, and a layer it knows stays where it is for as long as the program runs, as
    // this one does.
    unsafe {
        let system = ffi::sqlite3_vfs_find(ptr::null());
        if system.is_null() {
            return ffi::SQLITE_ERROR;
        }
        let own = sqlite3_vfs {
            szOsFile: (*system).szOsFile + OWN_BYTES as c_int,
            pNext: ptr::null_mut(),
            zName: NAME.as_ptr(),
            pAppData: system.cast(),
            xOpen: Some(open),
            ..*system
        };
        ffi::sqlite3_vfs_register(Box::into_raw(Box::new(own)), 0)
    }
}

/// Opens a file. A log gets this layer's functions; every other file is the system's alone.
unsafe extern "C" fn open(
    layer: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    found: *mut c_int,
) -> c_int {
    // SAFETY: `register` put the system's layer there, and SQLite gives room for both files.
    unsafe {
        let system: *mut sqlite3_vfs = (*layer).pAppData.cast();
        let Some(open) = (*system).xOpen else { return ffi::SQLITE_CANTOPEN };
        if flags & ffi::SQLITE_OPEN_WAL == 0 {
            return open(system, name, file, flags, found);
        }
        let opened = open(system, name, Log::behind(file).0, flags, found);
        (*file).pMethods = if opened == ffi::SQLITE_OK { &raw const METHODS } else { ptr::null() };
        opened
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    piece: *const c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    let Ok(length) = usize::try_from(amount) else { return ffi::SQLITE_IOERR_WRITE };
    // SAFETY: SQLite hands over that many bytes, and they stay where they are during the call.
    let piece = unsafe { std::slice::from_raw_parts(piece.cast::<u8>(), length) };
    let log = Log::behind(file);
    COMMIT.with_borrow_mut(|commit| match commit {
        Some(commit) => commit.write(log, piece, offset),
        None => log.write(piece, offset),
    })
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    let log = Log::behind(file);
    COMMIT.with_borrow_mut(|commit| match commit {
        Some(commit) => commit.sync(log, flags),
        None => log.sync(flags),
    })
}

/// Functions that are the system's, after it was given what is gathered.
macro_rules! passed_through {
    ($($name:ident => $method:ident ($($argument:ident: $kind:ty),*);)*) => {$(
        unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $kind)*) -> c_int {
            let written = COMMIT.with_borrow_mut(|commit| commit.as_mut().map(Gathered::write_out));
            if let Some(code) = written.filter(|code| *code != ffi::SQLITE_OK) {
                return code;
            }
            let log = Log::behind(file).0;
            // SAFETY: SQLite opened this file, has not closed it, and gives the arguments the method asks for.
            unsafe {
                match (*(*log).pMethods).$method {
                    Some(method) => method(log $(, $argument)*),
                    None => ffi::SQLITE_IOERR,
                }
            }
        }
    )*};
}

passed_through! {
    close => xClose();
    read => xRead(into: *mut c_void, amount: c_int, offset: i64);
    truncate => xTruncate(size: i64);
    file_size => xFileSize(size: *mut i64);
    lock => xLock(level: c_int);
    unlock => xUnlock(level: c_int);
    check_reserved_lock => xCheckReservedLock(found: *mut c_int);
    file_control => xFileControl(what: c_int, argument: *mut c_void);
    sector_size => xSectorSize();
    device_characteristics => xDeviceCharacteristics();
}

fn failure(code: c_int) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
}
