//! Files and folders that only their owner may read.
//!
//! Used for the database, its backups, the seal key and exported device files. Nothing here knows what is inside.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Makes a folder, missing parents included, and closes it to others. What was made survives a power loss.
pub(crate) fn private_dir(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.permissions().mode() & 0o077 == 0 => Ok(()),
        Ok(_) => fs::set_permissions(path, Permissions::from_mode(0o700)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => make_dir(path),
        Err(error) => Err(error),
    }
}

fn make_dir(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists()) {
        make_dir(parent)?;
    }
    match DirBuilder::new().mode(0o700).create(path) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync_parent(path),
    }
}

/// Makes an empty file when there is none, and closes it to others.
pub(crate) fn private_file(path: &Path) -> io::Result<()> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        Ok(file) => {
            file.sync_all()?;
            sync_parent(path)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
                fs::set_permissions(path, Permissions::from_mode(0o600))?;
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// What happens to a file that is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It is replaced in one step.
    Replace,
    /// It stays, and the caller gets `AlreadyExists`.
    Keep,
}

/// Writes a whole private file so that it is there complete or not at all, also after a power loss.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
    // A name of its own for every call, so that two writers never share a draft.
    let mark = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    let draft = sibling(path, &format!(".{mark:016x}.tmp"));
    let written = write_draft(&draft, bytes).and_then(|()| match existing {
        Existing::Replace => fs::rename(&draft, path),
        // A link, unlike a rename, refuses to replace.
        Existing::Keep => fs::hard_link(&draft, path).and_then(|()| fs::remove_file(&draft)),
    });
    if let Err(error) = written {
        return match fs::remove_file(&draft) {
            Err(left) if left.kind() != io::ErrorKind::NotFound => Err(left),
            _ => Err(error),
        };
    }
    sync_parent(path)
}

fn write_draft(draft: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The path with `suffix` behind its file name.
pub(crate) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Makes the names in a file's folder durable.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}
