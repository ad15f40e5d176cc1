//! Opens a file below a folder and nothing else.
//!
//! Each step of the path is opened from the folder before it without following links, so neither `..`, a link nor a
//! swap between check and use can lead outside. The folder itself may be a link: a person chose it. Blocking; callers
//! run it off the async threads.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use bytes::Bytes;
use rustix::fs::{Mode, OFlags};

/// A relative path that has no way to leave its folder, split into steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContainedPath(Vec<String>);

impl ContainedPath {
    /// Parses a path as it stands in a URL, percent-encoding included. `None` when it tries to leave its folder, is
    /// empty, or holds bytes no file name here should hold.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let decoded = percent_decode(text)?;
        let mut steps = Vec::new();
        for step in decoded.split('/') {
            match step {
                "" | "." => {}
                ".." => return None,
                step if step.contains(['\\', '\0']) || step.chars().any(char::is_control) => return None,
                step => steps.push(step.to_owned()),
            }
        }
        (!steps.is_empty()).then_some(Self(steps))
    }

    /// The lower-case extension of the last step, without its dot.
    pub(crate) fn extension(&self) -> Option<String> {
        let (stem, extension) = self.0.last()?.rsplit_once('.')?;
        (!stem.is_empty()).then(|| extension.to_ascii_lowercase())
    }
}

/// Reads a whole file of at most `max` bytes. `None` when there is no such regular file.
pub(crate) fn read(root: &Path, path: &ContainedPath, max: u64) -> io::Result<Option<Bytes>> {
    let file = match open(root, path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let meta = file.metadata()?;
    if !meta.is_file() || meta.len() > max {
        return Ok(None);
    }
    let mut content = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    file.take(max).read_to_end(&mut content)?;
    Ok(Some(content.into()))
}

fn open(root: &Path, path: &ContainedPath) -> io::Result<File> {
    let (last, folders) = path.0.split_last().ok_or(io::ErrorKind::NotFound)?;
    let folder_flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open(root, folder_flags, Mode::empty())?;
    for step in folders {
        folder = rustix::fs::openat(&folder, step, folder_flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    // NONBLOCK: opening a pipe that somebody put there must not hang the thread.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::openat(&folder, last, flags, Mode::empty())?))
}

/// Whether the error only says that nothing servable is there.
fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    // A link where a file or folder was expected has no stable kind of its own.
    let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    is_link || matches!(error.kind(), Kind::NotFound | Kind::NotADirectory | Kind::InvalidFilename)
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let [high, low, after @ ..] = tail else { return None };
            let value = char::from(*high).to_digit(16)? * 16 + char::from(*low).to_digit(16)?;
            bytes.push(u8::try_from(value).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
