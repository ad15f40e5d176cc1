//! Opens a database file: private, whole, ours, up to date, and set for durable commits.
//!
//! The order matters: nothing is written before it is known that the file is a sound database of this program and
//! not of a newer version. Nothing is ever deleted. `state_database` calls `writing` and `examine`, `readers` calls `reading`.

use std::path::Path;
use std::time::Duration;

use openclaw_types::UnixMillis;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::backup;
use super::log_file;
use super::migrate::{self, Schema};
use crate::error::OpenError;
use crate::files;

/// How long SQLite itself waits for a lock that another process holds.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(5);

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// How many prepared statements a connection keeps.
const STATEMENTS: usize = 64;

/// How much of a file a connection keeps in memory, in KiB. The system keeps it as well, for all of them together.
const READER_CACHE: i64 = 256;
const WRITER_CACHE: i64 = 1024;

/// The writer moves the WAL into the file after some commits; SQLite itself only when that many pages are in it.
const WAL_PAGES_MOST: i64 = 6_000;

/// The file of the WAL keeps its size up to this, and what is longer is cut back to it: a log that is written over and
/// over in the same place is flushed without a word about the file itself. Longer than this the writer takes for long.
pub(super) const WAL_BYTES_KEPT: u32 = 12 * 1024 * 1024;

/// Opens the one connection that writes, after checks, backup and migrations.
pub(crate) fn writing(path: &Path, schema: &Schema, now: UnixMillis) -> Result<Connection, OpenError> {
    prepare_files(path, FolderMode::Close)?;
    open_to_write(path, schema, now, Check::Always)
}

/// The same for files that grow large: one that was closed in order is not read through again.
pub(crate) fn writing_trusting(
    path: &Path,
    folder: FolderMode,
    schema: &Schema,
    now: UnixMillis,
) -> Result<Connection, OpenError> {
    prepare_files(path, folder)?;
    open_to_write(path, schema, now, Check::AfterCrash)
}

/// What happens to who may look into a folder that is there already. One that is made is private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FolderMode {
    /// It is closed to others.
    Close,
    /// It stays: a person chose the folder and may share it. The files in it are private all the same.
    Keep,
}

/// When the whole file is read through before it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Always,
    /// Only when it was not closed in order. Damage that shows later is told by the read that meets it.
    AfterCrash,
}

fn open_to_write(
    path: &Path,
    schema: &Schema,
    now: UnixMillis,
    check: Check,
) -> Result<Connection, OpenError> {
    let thorough = check == Check::Always || was_cut_off(path)?;
    let mut connection = log_file::layer()
        .and_then(|layer| Connection::open_with_flags_and_vfs(path, FLAGS, layer))
        .and_then(set_up)
        .map_err(|error| classify(path, "open", error))?;
    check_owner(&connection, path, schema)?;
    if thorough {
        check_integrity(&connection, path, "PRAGMA quick_check(1)")?;
    }
    set_for_writing(&connection).map_err(|error| classify(path, "set up", error))?;
    bring_up_to_date(&mut connection, path, schema, now)?;
    Ok(connection)
}

/// Opens a connection that cannot write.
pub(crate) fn reading(path: &Path) -> rusqlite::Result<Connection> {
    let connection = set_up(Connection::open_with_flags(path, FLAGS)?)?;
    connection.pragma_update(None, "query_only", "ON")?;
    connection.pragma_update(None, "cache_size", -READER_CACHE)?;
    Ok(connection)
}

/// Checks an existing file without changing it, more thoroughly than at start, and gives its version.
pub(crate) fn examine(path: &Path, schema: &Schema) -> Result<i64, OpenError> {
    let refuse = |error| classify(path, "examine", error);
    let connection = reading(path).map_err(refuse)?;
    check_owner(&connection, path, schema)?;
    check_integrity(&connection, path, "PRAGMA integrity_check(1)")?;
    migrate::version(&connection).map_err(refuse)
}

/// A database that is closed in order leaves no WAL with anything in it.
fn was_cut_off(path: &Path) -> Result<bool, OpenError> {
    match std::fs::metadata(files::sibling(path, "-wal")) {
        Ok(wal) => Ok(wal.len() > 0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(OpenError::failed("look for the WAL of", path, error)),
    }
}

fn set_up(connection: Connection) -> rusqlite::Result<Connection> {
    connection.busy_timeout(LOCK_WAIT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

fn prepare_files(path: &Path, mode: FolderMode) -> Result<(), OpenError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    if mode == FolderMode::Close || !folder.is_dir() {
        files::private_dir(folder).map_err(|source| OpenError::failed("make the folder of", path, source))?;
    }
    files::private_file(path).map_err(|source| OpenError::failed("make", path, source))
}

/// Refuses files of other programs and of newer versions, before anything is written.
fn check_owner(connection: &Connection, path: &Path, schema: &Schema) -> Result<(), OpenError> {
    let refuse = |error| classify(path, "read", error);
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(refuse)?;
    let application_id: i32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(refuse)?;
    let fresh = tables == 0 && application_id == 0;
    if !fresh && application_id != schema.application_id {
        return Err(OpenError::Foreign { path: path.to_owned(), application_id });
    }
    let found = migrate::version(connection).map_err(refuse)?;
    if found > schema.newest() {
        return Err(OpenError::Newer { path: path.to_owned(), found, known: schema.newest() });
    }
    Ok(())
}

fn check_integrity(connection: &Connection, path: &Path, check: &str) -> Result<(), OpenError> {
    let finding: String =
        connection.query_row(check, [], |row| row.get(0)).map_err(|error| classify(path, "check", error))?;
    if finding == "ok" { Ok(()) } else { Err(damaged(path, finding)) }
}

/// Acknowledged means durable: every commit is flushed to the disk, also against a loss of power, unless the writer says
/// for one that it need not be (`log_file`).
fn set_for_writing(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE)?;
    // What a statement would take back is small; in a file it would be given 64 KB at once.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", WAL_PAGES_MOST, |_| Ok(()))?;
    // Only macOS knows these two: there, a plain flush may stay in the drive's cache.
    connection.pragma_update(None, "fullfsync", "ON")?;
    connection.pragma_update(None, "checkpoint_fullfsync", "ON")?;
    connection.pragma_update_and_check(None, "journal_size_limit", WAL_BYTES_KEPT, |_| Ok(()))?;
    connection.pragma_update(None, "foreign_keys", "ON")
}

fn bring_up_to_date(
    connection: &mut Connection,
    path: &Path,
    schema: &Schema,
    now: UnixMillis,
) -> Result<(), OpenError> {
    let found = migrate::version(connection).map_err(|error| classify(path, "read", error))?;
    if found == schema.newest() {
        return Ok(());
    }
    if found > 0 {
        let copy = backup::take(connection, path, found, now)?;
        tracing::info!(from = found, to = schema.newest(), backup = %copy.display(), "migrating the database");
    }
    migrate::migrate(connection, schema, path)
}

/// Tells what a person can do about an error of SQLite.
fn classify(path: &Path, action: &'static str, error: rusqlite::Error) -> OpenError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            OpenError::NotADatabase { path: path.to_owned(), newest_backup: newest_backup(path) }
        }
        Some(ErrorCode::DatabaseCorrupt) => damaged(path, error.to_string()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            OpenError::InUse { path: path.to_owned() }
        }
        _ => OpenError::failed(action, path, error),
    }
}

fn damaged(path: &Path, finding: String) -> OpenError {
    OpenError::Damaged { path: path.to_owned(), finding, newest_backup: newest_backup(path) }
}

/// The restore hint goes without a backup when the folder cannot be listed; the damage is what has to be told.
fn newest_backup(path: &Path) -> Option<std::path::PathBuf> {
    backup::newest(path).unwrap_or_else(|error| {
        tracing::warn!(%error, "the folder of the database could not be searched for backups");
        None
    })
}
