//! Puts a folder into the trash of the person, where it can be taken out again.
//!
//! The places are those that file managers know: `~/.Trash` on macOS, the freedesktop.org trash elsewhere. Nothing is
//! copied: what lies on another disk stays where it is, and the person is told.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::print;

/// What became of a folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// There was none.
    Absent,
    /// It is in the trash now.
    Moved(PathBuf),
}

/// Moves a folder into the trash.
pub(super) fn discard(context: &Context, path: &Path) -> io::Result<Fate> {
    if !path.try_exists()? {
        return Ok(Fate::Absent);
    }
    let name =
        path.file_name().ok_or_else(|| io::Error::other("this is no folder that could be put away"))?;
    let name = name.to_string_lossy().into_owned();
    let (files, notes) = places(context);
    fs::create_dir_all(&files)?;
    let free = free_name(&files, &name);
    if let Some(notes) = notes {
        fs::create_dir_all(&notes)?;
        let mut note = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(notes.join(format!("{free}.trashinfo")))?;
        let when = print::trash_stamp(context.clock.now().0);
        write!(note, "[Trash Info]\nPath={}\nDeletionDate={when}\n", escaped(path))?;
    }
    let place = files.join(free);
    fs::rename(path, &place)?;
    Ok(Fate::Moved(place))
}

/// Where files go, and where notes about them go.
fn places(context: &Context) -> (PathBuf, Option<PathBuf>) {
    if cfg!(target_os = "macos") {
        return (context.environment.home().join(".Trash"), None);
    }
    let data = context
        .environment
        .get_trimmed("XDG_DATA_HOME")
        .map_or_else(|| context.environment.home().join(".local/share"), PathBuf::from);
    (data.join("Trash/files"), Some(data.join("Trash/info")))
}

fn free_name(files: &Path, name: &str) -> String {
    let taken = |name: &str| fs::symlink_metadata(files.join(name)).is_ok();
    if !taken(name) {
        return name.to_owned();
    }
    (2_u32..)
        .map(|count| format!("{name}.{count}"))
        .find(|name| !taken(name))
        .unwrap_or_else(|| name.to_owned())
}

/// A path as the note wants it: bytes that could be misread are written as in addresses.
fn escaped(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    bytes
        .iter()
        .map(|byte| if plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
