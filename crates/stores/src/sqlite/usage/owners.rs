//! Which processes hold reservations, and whether they still live.
//!
//! A process that reserves locks a file of its own, `holders/<name>` beside the database, for as long as it has the
//! database open. The kernel drops the lock with the process, whatever ended it, so a reservation whose file can be
//! locked, or is gone, belongs to nobody any more. Process numbers are not used: they are given out again. A command
//! that runs beside the gateway keeps its lock, and with it its reservations.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::files;

/// The folder of lock files, and our own.
#[derive(Debug)]
pub(crate) struct Owners {
    folder: PathBuf,
    own: Mutex<Option<Own>>,
}

/// Our own lock; the file goes when this is dropped.
#[derive(Debug)]
struct Own {
    name: String,
    path: PathBuf,
    _locked: File,
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the lock file of this process was not there any more");
        }
    }
}

/// Whether the process behind a name still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Lives,
    IsGone,
}

impl Owners {
    /// The owners of reservations in the database at `path`.
    pub(crate) fn beside(path: &Path) -> Self {
        Self { folder: path.with_file_name("holders"), own: Mutex::default() }
    }

    /// Gives up our own name: what is still reserved under it counts as left behind.
    pub(crate) fn leave(&self) {
        self.own().take();
    }

    /// Our own name, with its lock held from the first call on.
    pub(super) fn own_name(&self) -> io::Result<String> {
        let mut own = self.own();
        if let Some(own) = &*own {
            return Ok(own.name.clone());
        }
        let enrolled = enrol(&self.folder)?;
        let name = enrolled.name.clone();
        *own = Some(enrolled);
        Ok(name)
    }

    /// Looks whether an owner lives. Its reservations are written after its lock, so a missing file means it is gone.
    pub(super) fn look(&self, name: &str) -> io::Result<Owner> {
        if self.own().as_ref().is_some_and(|own| own.name == name) {
            return Ok(Owner::Lives);
        }
        match File::open(self.folder.join(name)) {
            Ok(file) => probe(&file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Owner::IsGone),
            Err(error) => Err(error),
        }
    }

    /// Removes the lock files of processes that are gone.
    pub(super) fn sweep(&self) -> io::Result<()> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let Ok(file) = File::open(&path) else { continue };
            // Removed while we hold the lock, so that a process about to enrol under this file sees that it is gone.
            if file.try_lock().is_ok() {
                remove(&path)?;
            }
        }
        Ok(())
    }

    fn own(&self) -> MutexGuard<'_, Option<Own>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A shared lock is refused exactly while the owner holds its own; ours ends with the file handle.
fn probe(file: &File) -> io::Result<Owner> {
    match file.try_lock_shared() {
        Ok(()) => Ok(Owner::IsGone),
        Err(TryLockError::WouldBlock) => Ok(Owner::Lives),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn enrol(folder: &Path) -> io::Result<Own> {
    files::private_dir(folder)?;
    loop {
        let mark = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
        let name = format!("{mark:016x}");
        let path = folder.join(&name);
        let locked = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        locked.lock()?;
        // A sweep between making and locking the file may have taken it for a dead one.
        if leads_to(&path, &locked)? {
            return Ok(Own { name, path, _locked: locked });
        }
    }
}

fn leads_to(path: &Path, file: &File) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) => Ok(found.ino() == file.metadata()?.ino()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use openclaw_testkit::TempHome;

    use super::{Owner, Owners};

    #[test]
    fn an_owner_lives_until_it_leaves_and_its_file_goes_with_it() {
        let home = TempHome::new();
        let database = home.path("gateway.sqlite");
        let (one, other) = (Owners::beside(&database), Owners::beside(&database));
        let name = one.own_name().unwrap();
        assert_eq!(one.own_name().unwrap(), name);
        assert_eq!((one.look(&name).unwrap(), other.look(&name).unwrap()), (Owner::Lives, Owner::Lives));
        one.leave();
        assert_eq!((one.look(&name).unwrap(), other.look(&name).unwrap()), (Owner::IsGone, Owner::IsGone));
        assert_eq!(fs::read_dir(home.path("holders")).unwrap().count(), 0);
    }

    #[test]
    fn a_sweep_removes_what_the_dead_left_and_nothing_else() {
        let home = TempHome::new();
        let owners = Owners::beside(&home.path("gateway.sqlite"));
        owners.sweep().unwrap();
        let name = owners.own_name().unwrap();
        fs::write(home.path("holders/0123456789abcdef"), b"").unwrap();
        assert_eq!(owners.look("0123456789abcdef").unwrap(), Owner::IsGone);
        Owners::beside(&home.path("gateway.sqlite")).sweep().unwrap();
        let left: Vec<_> =
            fs::read_dir(home.path("holders")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [name.as_str()]);
        assert_eq!(owners.look(&name).unwrap(), Owner::Lives);
    }
}
