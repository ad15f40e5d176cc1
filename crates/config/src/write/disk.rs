//! Puts a file on disk so that a crash at any instant leaves either the old or the new one, never half of one.
//!
//! Temporary file in the same directory, flushed, renamed, directory flushed; mode 0600. Five earlier versions stay
//! beside the configuration as `.bak`, `.bak.1` to `.bak.4`.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::error::WriteError;

/// How many earlier versions are kept.
const BACKUPS: usize = 5;
/// Only the owner reads and writes.
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_DIRECTORY: u32 = 0o700;

/// Keeps other processes from writing until it is dropped.
#[derive(Debug)]
pub(crate) struct DirectoryLock(
    #[expect(dead_code, reason = "the lock lasts as long as the file is open")] File,
);

/// Makes the directory when it is missing, and locks it against other writers.
pub(crate) fn lock_directory(directory: &Path) -> Result<DirectoryLock, WriteError> {
    make_private_directory(directory).map_err(at(directory))?;
    let handle = File::open(directory).map_err(at(directory))?;
    match flock(&handle, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(DirectoryLock(handle)),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(WriteError::Busy),
        // Some network file systems cannot lock; the base hash still guards against lost changes there.
        Err(_) => Ok(DirectoryLock(handle)),
    }
}

/// Replaces the configuration file and keeps the earlier versions. A link stays a link: its target is replaced.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), WriteError> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    keep_backup(path, &target).map_err(at(path))?;
    write_atomically(&target, text).map_err(at(&target))
}

/// Replaces a file that has no backups, making its directory.
pub(crate) fn replace_private(path: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        make_private_directory(directory)?;
    }
    write_atomically(path, text)
}

fn make_private_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_DIRECTORY).create(directory)
}

fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::Builder::new()
        .prefix(".openclaw-")
        .suffix(".tmp")
        .permissions(fs::Permissions::from_mode(PRIVATE_FILE))
        .tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    File::open(directory)?.sync_all()
}

/// Shifts the backups by one and copies the present version to `.bak`.
fn keep_backup(path: &Path, target: &Path) -> io::Result<()> {
    let Some(present) = absent_is_fine(fs::read(target))? else { return Ok(()) };
    for number in (0..BACKUPS - 1).rev() {
        absent_is_fine(fs::rename(backup(path, number), backup(path, number + 1)))?;
    }
    let newest = backup(path, 0);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(&newest)?;
    file.write_all(&present)?;
    file.sync_all()
}

/// `.bak` for the newest, then `.bak.1` and so on.
fn backup(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".bak");
    if number > 0 {
        name.push(format!(".{number}"));
    }
    PathBuf::from(name)
}

fn absent_is_fine<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_path_buf();
    move |source| WriteError::Io { path, source }
}
