//! Opens paths from a folder that is held open, so that nothing can be swapped between looking and doing.
//!
//! On Linux the kernel itself keeps a path below its folder (`openat2`). Where it cannot, the path is walked part by
//! part and links are not followed at all. Knows no rules; `reach` has them.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

/// How often a look-up is repeated that somebody disturbed by renaming.
const REPEATS: usize = 64;

/// What is done about links on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// They are followed as far as they stay below the folder.
    Beneath,
    /// They are followed wherever they lead, those of `/proc` apart.
    Anywhere,
    /// They are not followed, and nothing outside the folder is reached.
    None,
}

/// A folder that paths are opened from.
#[derive(Debug)]
pub(super) struct Root {
    fd: OwnedFd,
    links: Links,
    /// The folder as it really is.
    pub(super) real: PathBuf,
}

impl Root {
    /// Opens the folder itself, following links: it was chosen by the person.
    pub(super) fn open(folder: &Path, links: Links) -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(CWD, folder, flags, Mode::empty())?;
        let real = real_path(&fd)?;
        Ok(Self { fd, links, real })
    }

    /// Opens a path below, with the root's rule for links.
    pub(super) fn at(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        open_below(&self.fd, path, flags, self.links)
    }

    /// Opens a path below without following any link.
    pub(super) fn straight(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        open_below(&self.fd, path, flags, Links::None)
    }
}

fn open_below(root: &OwnedFd, path: &Path, flags: OFlags, links: Links) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let flags = flags | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    match kernel_open(root, path, flags, links) {
        Err(Errno::NOSYS) if links == Links::Anywhere => rustix::fs::openat(root, path, flags, Mode::empty()),
        Err(Errno::NOSYS) => walked_open(root, path, flags),
        other => other,
    }
}

#[cfg(target_os = "linux")]
fn kernel_open(root: &OwnedFd, path: &Path, flags: OFlags, links: Links) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;

    let resolve = ResolveFlags::NO_MAGICLINKS
        | match links {
            Links::Anywhere => ResolveFlags::empty(),
            Links::Beneath => ResolveFlags::BENEATH,
            Links::None => ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS,
        };
    // Flags that say nothing to a handle without access are refused by this call.
    let flags = if flags.contains(OFlags::PATH) {
        flags & (OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC)
    } else {
        flags
    };
    let mut last = Err(Errno::AGAIN);
    for _repeat in 0..REPEATS {
        last = rustix::fs::openat2(root, path, flags, Mode::empty(), resolve);
        match last {
            Err(Errno::AGAIN | Errno::INTR) => {}
            done => return done,
        }
    }
    last
}

#[cfg(not(target_os = "linux"))]
fn kernel_open(_root: &OwnedFd, _path: &Path, _flags: OFlags, _links: Links) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Walks part by part. A path here has no `..`.
fn walked_open(root: &OwnedFd, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let parts: Vec<&OsStr> = path.iter().filter(|part| *part != OsStr::new(".")).collect();
    let Some((last, before)) = parts.split_last() else {
        return rustix::fs::openat(root, ".", flags, Mode::empty());
    };
    if parts.iter().any(|part| *part == OsStr::new("..")) {
        return Err(Errno::XDEV);
    }
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder =
        root.try_clone().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::MFILE))?;
    for part in before {
        folder = rustix::fs::openat(&folder, *part, step, Mode::empty())?;
    }
    rustix::fs::openat(&folder, *last, flags | OFlags::NOFOLLOW, Mode::empty())
}

/// Where something that is open really is.
pub(super) fn real_path(fd: impl AsFd) -> Result<PathBuf, Errno> {
    #[cfg(target_vendor = "apple")]
    {
        use std::os::unix::ffi::OsStringExt;
        let path = rustix::fs::getpath(fd)?;
        Ok(PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
    }
    #[cfg(not(target_vendor = "apple"))]
    {
        use std::os::fd::AsRawFd;
        let number = fd.as_fd().as_raw_fd();
        std::fs::read_link(format!("/proc/self/fd/{number}"))
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::NOENT))
    }
}
