//! Copies of a database taken before it is migrated: `<file>.backup-v<version>-<time>`, the last three kept.
//!
//! A copy is made with SQLite's own backup call, so it is whole even while others write, and appears under its name
//! only when it is complete. `open` calls this; people are told the newest name when a database is damaged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use openclaw_types::UnixMillis;
use rusqlite::Connection;
use rusqlite::backup::Backup;

use crate::error::OpenError;
use crate::files;

/// How many copies stay.
const KEPT: usize = 3;

/// Copies the database and drops the oldest copies beyond the last three.
pub(crate) fn take(
    connection: &Connection,
    path: &Path,
    version: i64,
    now: UnixMillis,
) -> Result<PathBuf, OpenError> {
    let copy = files::sibling(path, &format!(".backup-v{version}-{}", stamp(now)));
    let draft = files::sibling(&copy, ".partial");
    copy_to(connection, &draft).map_err(|source| OpenError::failed("make a backup of", path, source))?;
    fs::rename(&draft, &copy)
        .and_then(|()| files::sync_parent(&copy))
        .and_then(|()| drop_oldest(path))
        .map_err(|source| OpenError::failed("keep a backup of", path, source))?;
    Ok(copy)
}

/// The newest copy beside a database, if any.
pub(crate) fn newest(path: &Path) -> io::Result<Option<PathBuf>> {
    Ok(existing(path)?.pop())
}

fn copy_to(connection: &Connection, draft: &Path) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    // A draft that a crash left behind is no copy of anything.
    match fs::remove_file(draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => files::private_file(draft)?,
    }
    let mut target = Connection::open(draft)?;
    Backup::new(connection, &mut target)?.step(-1)?;
    target.close().map_err(|(_, error)| error)?;
    fs::File::open(draft)?.sync_all()?;
    Ok(())
}

/// The moment in a form that sorts: `20260101T000000.000Z`.
fn stamp(now: UnixMillis) -> String {
    let moment = jiff::Timestamp::from_millisecond(now.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.strftime("%Y%m%dT%H%M%S.%3fZ").to_string()
}

fn drop_oldest(path: &Path) -> io::Result<()> {
    let copies = existing(path)?;
    let surplus = copies.len().saturating_sub(KEPT);
    copies.iter().take(surplus).try_for_each(fs::remove_file)
}

/// The complete copies beside a database, oldest first.
fn existing(path: &Path) -> io::Result<Vec<PathBuf>> {
    let Some((folder, name)) = path.parent().zip(path.file_name().and_then(|name| name.to_str())) else {
        return Ok(Vec::new());
    };
    let prefix = format!("{name}.backup-v");
    let mut copies = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file_name = entry?.file_name();
        let Some(rest) = file_name.to_str().and_then(|name| name.strip_prefix(&prefix)) else { continue };
        if let Some((version, stamp)) = rest.split_once('-')
            && stamp.ends_with('Z')
            && let Ok(version) = version.parse::<i64>()
        {
            copies.push((stamp.to_owned(), version, folder.join(&file_name)));
        }
    }
    copies.sort();
    Ok(copies.into_iter().map(|(_, _, copy)| copy).collect())
}
