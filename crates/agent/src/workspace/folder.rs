//! A workspace as a directory handle: every file is opened through it, and nothing outside can be reached.
//!
//! Names are single path components that this crate chose itself. Links that stay inside are followed when reading on
//! systems that can check it, never when writing. Blocking: callers leave the async threads first (`off_thread`).

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use openclaw_types::UnixMillis;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::error::WorkspaceError;

/// The largest file that is read or written here. People write these by hand.
pub(super) const LARGEST: u64 = 2 * 1024 * 1024;

/// An open directory.
pub(super) struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundFile {
    pub(super) text: String,
    pub(super) facts: FileFacts,
}

/// How large a file is and when it was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFacts {
    /// In bytes.
    pub size: u64,
    /// When it was last changed.
    pub updated_at: UnixMillis,
}

/// Whether a file was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    Now,
    Before,
}

impl Folder {
    /// Opens a directory, making it and those above it where they are missing.
    pub(super) fn make(path: &Path) -> Result<Self, WorkspaceError> {
        std::fs::create_dir_all(path).map_err(|source| WorkspaceError::disk(path, "made", source))?;
        Self::open(path)?
            .ok_or_else(|| WorkspaceError::disk(path, "opened", std::io::Error::from(ErrorKind::NotFound)))
    }

    /// Opens a directory; nothing when there is none.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, WorkspaceError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(handle) => Ok(Some(Self { handle, path: path.to_path_buf() })),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(WorkspaceError::disk(path, "opened", error.into())),
        }
    }

    /// Opens a directory in this one, itself and no link.
    pub(super) fn inner(&self, name: &str) -> Result<Option<Self>, WorkspaceError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = self.path.join(name);
        match rustix::fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => Ok(Some(Self { handle, path })),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(WorkspaceError::disk(path, "opened", error.into())),
        }
    }

    /// The same, made where it is missing.
    pub(super) fn make_inner(&self, name: &str) -> Result<Self, WorkspaceError> {
        let path = self.path.join(name);
        match rustix::fs::mkdirat(&self.handle, name, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(WorkspaceError::disk(path, "made", error.into())),
        }
        self.inner(name)?
            .ok_or_else(|| WorkspaceError::disk(path, "opened", std::io::Error::from(ErrorKind::NotFound)))
    }

    /// Whether there is anything of this name, a dangling link included.
    pub(super) fn holds(&self, name: &str) -> Result<bool, WorkspaceError> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(error) => Err(WorkspaceError::disk(self.path.join(name), "read", error.into())),
        }
    }

    /// Whether two names stand for one file, as they do where case makes no difference.
    pub(super) fn same(&self, one: &str, other: &str) -> bool {
        let stat = |name| rustix::fs::statat(&self.handle, name, AtFlags::empty());
        match (stat(one), stat(other)) {
            (Ok(one), Ok(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
            _ => false,
        }
    }

    /// Reads a file; nothing when there is none.
    pub(super) fn read(&self, name: &str) -> Result<Option<FoundFile>, WorkspaceError> {
        let Some(file) = self.open_file(name)? else { return Ok(None) };
        let facts = self.facts_of(name, &file)?;
        // One byte more than there is: the end is then seen without another guess.
        let mut bytes = Vec::with_capacity(usize::try_from(facts.size.min(LARGEST)).unwrap_or(0) + 1);
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| WorkspaceError::disk(self.path.join(name), "read", source))?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
            return Err(too_large(name));
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(other) => String::from_utf8_lossy(other.as_bytes()).into_owned(),
        };
        Ok(Some(FoundFile { text, facts }))
    }

    /// How large a file is and when it was changed; nothing when there is none.
    pub(super) fn facts(&self, name: &str) -> Result<Option<FileFacts>, WorkspaceError> {
        let Some(file) = self.open_file(name)? else { return Ok(None) };
        self.facts_of(name, &file).map(Some)
    }

    /// Makes a file that is not there yet. Whatever is there stays as it is.
    pub(super) fn make_file(&self, name: &str, text: &str) -> Result<Made, WorkspaceError> {
        if self.holds(name)? {
            return Ok(Made::Before);
        }
        let draft = self.draft(name, text, Mode::from_raw_mode(0o644))?;
        match self.put_where_nothing_is(&draft, name) {
            Ok(()) => Ok(Made::Now),
            Err(rustix::io::Errno::EXIST) => self.remove(&draft).map(|()| Made::Before),
            Err(error) => {
                self.remove(&draft)?;
                Err(WorkspaceError::disk(self.path.join(name), "written", error.into()))
            }
        }
    }

    /// Gives a draft its name unless something else has it by now.
    fn put_where_nothing_is(&self, draft: &str, name: &str) -> rustix::io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            let alone = rustix::fs::RenameFlags::NOREPLACE;
            match rustix::fs::renameat_with(&self.handle, draft, &self.handle, name, alone) {
                // Some file systems do not have it.
                Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {}
                other => return other,
            }
        }
        rustix::fs::renameat(&self.handle, draft, &self.handle, name)
    }

    /// Writes a file: whole or not at all, whatever happens meanwhile.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), WorkspaceError> {
        if u64::try_from(text.len()).unwrap_or(u64::MAX) > LARGEST {
            return Err(too_large(name));
        }
        let mode = self.mode_of_old(name)?;
        let draft = self.draft(name, text, mode)?;
        let renamed = rustix::fs::renameat(&self.handle, &draft, &self.handle, name);
        if let Err(error) = renamed {
            self.remove(&draft)?;
            return Err(WorkspaceError::disk(self.path.join(name), "written", error.into()));
        }
        rustix::fs::fsync(&self.handle)
            .map_err(|error| WorkspaceError::disk(&self.path, "written", error.into()))
    }

    /// The mode that the file has now; the usual one when there is none.
    fn mode_of_old(&self, name: &str) -> Result<Mode, WorkspaceError> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile if stat.st_nlink > 1 => Err(hard_link(name)),
                FileType::RegularFile => Ok(Mode::from_raw_mode(stat.st_mode)),
                FileType::Symlink => Err(refused(name, "it is a link; replace it with a file to write here")),
                _ => Err(refused(name, "it is not a file")),
            },
            Err(rustix::io::Errno::NOENT) => Ok(Mode::from_raw_mode(0o644)),
            Err(error) => Err(WorkspaceError::disk(self.path.join(name), "written", error.into())),
        }
    }

    /// A new file with this text beside the one that is meant, safely on the disk. Gives its name.
    fn draft(&self, name: &str, text: &str, mode: Mode) -> Result<String, WorkspaceError> {
        let draft = format!(".{name}.{}.draft", uuid::Uuid::new_v4().simple());
        let fault = |source: std::io::Error| WorkspaceError::disk(self.path.join(name), "written", source);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle =
            rustix::fs::openat(&self.handle, &draft, flags, mode).map_err(|error| fault(error.into()))?;
        let mut file = File::from(handle);
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        if let Err(source) = written {
            self.remove(&draft)?;
            return Err(fault(source));
        }
        Ok(draft)
    }

    fn remove(&self, name: &str) -> Result<(), WorkspaceError> {
        rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())
            .map_err(|error| WorkspaceError::disk(self.path.join(name), "tidied up", error.into()))
    }

    fn open_file(&self, name: &str) -> Result<Option<File>, WorkspaceError> {
        match open_beneath(&self.handle, name) {
            Ok(handle) => Ok(Some(File::from(handle))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(rustix::io::Errno::XDEV | rustix::io::Errno::LOOP) => {
                Err(refused(name, "it is a link that leads out of the workspace"))
            }
            Err(error) => Err(WorkspaceError::disk(self.path.join(name), "read", error.into())),
        }
    }

    fn facts_of(&self, name: &str, file: &File) -> Result<FileFacts, WorkspaceError> {
        let metadata =
            file.metadata().map_err(|source| WorkspaceError::disk(self.path.join(name), "read", source))?;
        if !metadata.is_file() {
            return Err(refused(name, "it is not a file"));
        }
        if metadata.nlink() > 1 {
            return Err(hard_link(name));
        }
        let updated_at = UnixMillis(metadata.mtime() * 1_000 + metadata.mtime_nsec() / 1_000_000);
        Ok(FileFacts { size: metadata.len(), updated_at })
    }
}

/// Opens a file below a directory, never outside of it. Not blocking, so that a pipe cannot hold us.
fn open_beneath(folder: &OwnedFd, name: &str) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let within = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(folder, name, flags, Mode::empty(), within) {
            // Old systems and some containers do not have it.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
            other => return other,
        }
    }
    rustix::fs::openat(folder, name, flags | OFlags::NOFOLLOW, Mode::empty())
}

fn refused(name: &str, reason: &'static str) -> WorkspaceError {
    WorkspaceError::Unsafe { name: name.to_owned(), reason }
}

fn hard_link(name: &str) -> WorkspaceError {
    refused(name, "it has another name elsewhere (a hard link)")
}

fn too_large(name: &str) -> WorkspaceError {
    refused(name, "it is larger than 2 MB")
}

/// Does work that waits for the disk on a thread that may wait.
pub(super) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WorkspaceError> + Send + 'static,
) -> Result<T, WorkspaceError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_cancelled) => Err(WorkspaceError::Stopping),
    }
}
