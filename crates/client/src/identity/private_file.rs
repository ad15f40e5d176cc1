//! Writes small files that only their owner may read: in full or not at all.
//!
//! Used for the identity files; nothing else in this crate writes to disk.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Replaces `path` with `text`, mode 0600, creating its folder with mode 0700 when it is missing.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let file = prepare(path, text)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes `path` only when it does not exist yet; the error kind is `AlreadyExists` when it does.
pub(super) fn create(path: &Path, text: &str) -> io::Result<()> {
    let file = prepare(path, text)?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

fn prepare(path: &Path, text: &str) -> io::Result<tempfile::NamedTempFile> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    make_private_folder(folder)?;
    // The temporary file is made with mode 0600 and keeps it when it is renamed.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(unix)]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}
