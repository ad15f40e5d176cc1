//! The content of files: reading it within limits, replacing it whole, and telling text from other things.
//!
//! A file is replaced by writing a new one beside it and renaming that, so that nobody ever sees half of it.

use std::fs::File;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;

use super::reach::{OpenFile, WriteTarget, trouble_with};
use crate::stop::Stop;

/// The largest file that is changed, in bytes: it is held in memory twice.
pub(super) const LARGEST_CHANGED: u64 = 16 * 1024 * 1024;

/// How much of a file is looked at to tell text from other things.
pub(super) const SNIFFED: usize = 8 * 1024;

/// Distinguishes files that are written at the same time.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// The whole content of a text file that is to be changed.
pub(super) fn whole_text(mut open: OpenFile, shown: &str) -> Result<String, Stop> {
    if open.size > LARGEST_CHANGED {
        return Err(Stop::failed(format!(
            "{shown} has {}, and files are changed up to {}. Use a command that works on streams.",
            size(open.size),
            size(LARGEST_CHANGED)
        )));
    }
    let mut bytes = Vec::new();
    // A file that grows meanwhile is read no further than the limit.
    (&mut open.file)
        .take(LARGEST_CHANGED + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Stop::failed(format!("{shown} could not be read: {error}.")))?;
    String::from_utf8(bytes).map_err(|_not_text| {
        Stop::failed(format!("{shown} is not text in UTF-8, so it is not changed with this tool."))
    })
}

/// Whether bytes from the beginning of a file are something else than text.
pub(super) fn is_binary(start: &[u8]) -> bool {
    if start.contains(&0) {
        return true;
    }
    let odd =
        start.iter().filter(|byte| matches!(byte, 0x01..=0x08 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)).count();
    odd * 20 > start.len()
}

/// Replaces the content of a file, or makes it. Mode and owner stay as they are.
pub(super) fn replace(target: &WriteTarget, content: &[u8]) -> Result<(), Stop> {
    let staged = stage(target, content, None)?;
    commit(target, &staged)
}

/// Content that is written but not in place yet.
#[derive(Debug)]
pub(super) struct Staged {
    name: String,
}

/// Writes content beside the file it is for. A file that is new may be given the permissions of another.
pub(super) fn stage(target: &WriteTarget, content: &[u8], mode_of_new: Option<u32>) -> Result<Staged, Stop> {
    let number = WRITES.fetch_add(1, Ordering::Relaxed);
    let name = format!(".openclaw-{}-{number}.tmp", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = if target.existing.is_some() { 0o600 } else { 0o666 };
    let opened = rustix::fs::openat(&target.folder, &name, flags, Mode::from_raw_mode(mode))
        .map_err(|errno| trouble_with(errno, &target.shown))?;
    let staged = Staged { name };
    match fill(File::from(opened), target, content, mode_of_new) {
        Ok(()) => Ok(staged),
        Err(stop) => {
            discard(target, &staged);
            Err(stop)
        }
    }
}

fn fill(mut file: File, target: &WriteTarget, content: &[u8], mode_of_new: Option<u32>) -> Result<(), Stop> {
    let fail = |error: std::io::Error| match Errno::from_io_error(&error) {
        Some(errno) => trouble_with(errno, &target.shown),
        None => Stop::failed(format!("{} could not be written: {error}.", target.shown)),
    };
    file.write_all(content).map_err(fail)?;
    if let Some(existing) = target.existing {
        let (owner, group) = (Uid::from_raw(existing.owner.0), Gid::from_raw(existing.owner.1));
        if let Err(errno) = rustix::fs::fchown(&file, Some(owner), Some(group)) {
            // Only the owner and root can; anybody else makes the file their own, as every editor does.
            tracing::debug!(%errno, "a file changed its owner by being written");
        }
    }
    if let Some(mode) = target.existing.map(|existing| existing.mode).or(mode_of_new) {
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))
            .map_err(|errno| trouble_with(errno, &target.shown))?;
    }
    file.sync_all().map_err(fail)
}

/// Puts staged content in place, unless the file became another one meanwhile.
pub(super) fn commit(target: &WriteTarget, staged: &Staged) -> Result<(), Stop> {
    let renamed = target.is_unchanged().and_then(|()| {
        rustix::fs::renameat(&target.folder, &staged.name, &target.folder, &target.name)
            .map_err(|errno| trouble_with(errno, &target.shown))
    });
    if renamed.is_err() {
        discard(target, staged);
    }
    renamed
}

/// Takes staged content away again.
pub(super) fn discard(target: &WriteTarget, staged: &Staged) {
    match rustix::fs::unlinkat(&target.folder, &staged.name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(errno) => tracing::warn!(%errno, "a half-written file could not be removed"),
    }
}

/// Deletes a file.
pub(super) fn delete(target: &WriteTarget) -> Result<(), Stop> {
    target.is_unchanged()?;
    rustix::fs::unlinkat(&target.folder, &target.name, AtFlags::empty())
        .map_err(|errno| trouble_with(errno, &target.shown))
}

/// A size for people.
pub(crate) fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit after the point")]
    let exact = bytes as f64;
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.1} KB", exact / 1024.0),
        _ => format!("{:.1} MB", exact / 1_048_576.0),
    }
}
