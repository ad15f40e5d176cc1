//! Hands out files and folders to the file tools: opened once, checked as opened, and worked on through their handles.
//!
//! `place` decides what a path means, `handle` opens it, `guard` says what is refused. No tool of this folder opens
//! anything by another way. Blocking: called off the async threads.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use openclaw_ports::tool::{FileDoor, FileReach, NoFile, ToolContext};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::charter::Charter;
use super::guard::{FileAccess, Guard, Own, ProtectedPlaces, real};
use super::handle::{Links, Root, real_path};
use super::place::{Base, NamedFile, Starts, outside};
use crate::stop::Stop;

/// What a file tool needs to know besides the call.
#[derive(Debug, Clone)]
pub(crate) struct FileHandles {
    /// What is never touched.
    pub(crate) protected: ProtectedPlaces,
    /// What `~` stands for.
    pub(crate) home: PathBuf,
}

/// The files one call may touch.
#[derive(Debug, Clone)]
pub(crate) struct FileScope {
    starts: Starts,
    guard: Guard,
}

/// A file that is open for reading.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) size: u64,
    /// Its permissions.
    pub(super) mode: u32,
}

/// A folder that is open for listing.
#[derive(Debug)]
pub(crate) struct OpenFolder {
    pub(super) root: Root,
    /// From the root.
    pub(super) relative: PathBuf,
    /// Where it really is.
    pub(super) real: PathBuf,
}

/// A file that is about to be written: the folder it is in, and its name there.
#[derive(Debug)]
pub(crate) struct WriteTarget {
    pub(super) folder: OwnedFd,
    pub(super) name: OsString,
    pub(super) existing: Option<Existing>,
    pub(super) shown: String,
}

/// A file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Existing {
    pub(super) mode: u32,
    pub(super) owner: (u32, u32),
    pub(super) names: u64,
    identity: (u64, u64),
}

impl FileScope {
    /// The files a call may touch.
    pub(crate) fn of(context: &ToolContext, handles: &FileHandles) -> Self {
        Self::with(context, handles, context.files)
    }

    /// The files a call may touch, with another reach.
    pub(crate) fn with(context: &ToolContext, handles: &FileHandles, reach: FileReach) -> Self {
        let workspace_real = real(&context.workspace);
        let starts = Starts {
            workspace: context.workspace.clone(),
            workspace_real,
            keep: context.keep.clone(),
            home: handles.home.clone(),
            reach,
        };
        let charter = Charter::of(context.sender.standing, &context.workspace, &handles.protected.state_dir);
        let own = Own { workspace: &context.workspace, keep: &context.keep, charter };
        Self { starts, guard: Guard::new(&handles.protected, &handles.home, own) }
    }

    /// The files below one folder.
    fn below(folder: &Path, protected: &ProtectedPlaces) -> Self {
        let starts = Starts {
            workspace: folder.to_owned(),
            workspace_real: real(folder),
            keep: folder.to_owned(),
            home: folder.to_owned(),
            reach: FileReach::Workspace,
        };
        let own = Own { workspace: folder, keep: folder, charter: Charter::Open };
        Self { starts, guard: Guard::new(protected, folder, own) }
    }

    /// What a path means.
    pub(crate) fn place(&self, text: &str) -> Result<NamedFile, Stop> {
        self.starts.place(text)
    }

    /// Opens a file for reading. A name that models type differently from the file system is tried too.
    pub(crate) fn file(&self, place: &NamedFile) -> Result<OpenFile, Stop> {
        self.spelled(place).map(|(_, open)| open)
    }

    /// The same with the place under the name that it has.
    pub(super) fn spelled(&self, place: &NamedFile) -> Result<(NamedFile, OpenFile), Stop> {
        self.file_as_written(place).map(|open| (place.clone(), open)).or_else(|stop| {
            let tried = other_spellings(place)
                .into_iter()
                .find_map(|other| self.file_as_written(&other).ok().map(|open| (other, open)));
            tried.ok_or(stop)
        })
    }

    fn file_as_written(&self, place: &NamedFile) -> Result<OpenFile, Stop> {
        let root = self.root(place)?;
        let found = root.at(&place.relative, OFlags::PATH).map_err(|errno| trouble(errno, place))?;
        let stat = self.checked(&found, FileAccess::Read, place)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => {
                let text = format!("{} is a folder. List it with ls, or name a file in it.", place.shown);
                return Err(Stop::failed(text));
            }
            _ => {
                return Err(Stop::refused(format!(
                    "{} is a device, a pipe or a socket. File tools only touch plain files.",
                    place.shown
                )));
            }
        }
        // A device is not even opened by the first look; the second must find the very same file.
        let opened = root.at(&place.relative, OFlags::RDONLY).map_err(|errno| trouble(errno, place))?;
        let again = rustix::fs::fstat(&opened).map_err(|errno| trouble(errno, place))?;
        if (again.st_dev, again.st_ino) != (stat.st_dev, stat.st_ino) {
            return Err(Stop::failed(format!(
                "{} was replaced while it was opened. Try again.",
                place.shown
            )));
        }
        let size = u64::try_from(again.st_size).unwrap_or(0);
        Ok(OpenFile { file: File::from(opened), size, mode: existing(&again).mode & 0o777 })
    }

    /// Whether there is anything at a place.
    pub(crate) fn exists(&self, place: &NamedFile) -> Result<bool, Stop> {
        match self.root(place)?.at(&place.relative, OFlags::PATH) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
            Err(errno) => Err(trouble(errno, place)),
        }
    }

    /// Opens a folder for listing and walking.
    pub(crate) fn folder(&self, place: &NamedFile) -> Result<OpenFolder, Stop> {
        let root = self.root(place)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let found = root.at(&place.relative, flags).map_err(|errno| trouble(errno, place))?;
        self.checked(&found, FileAccess::Read, place)?;
        let real = real_path(&found).map_err(|errno| trouble(errno, place))?;
        let relative = real.strip_prefix(&root.real).map_err(|_elsewhere| outside(&place.shown))?.to_owned();
        Ok(OpenFolder { root, relative, real })
    }

    /// Whether something at a real path may be read; for walks, which pass over what may not.
    pub(super) fn may_read(&self, real: &Path) -> bool {
        self.guard.check_path(real, FileAccess::Read).is_ok()
    }

    /// Whether an opened thing may be read.
    pub(super) fn may_read_opened(&self, fd: impl AsFd, stat: &Stat) -> bool {
        self.guard.check_opened(fd, stat).is_ok()
    }

    /// Finds where a file is to be written, and makes the folders above it.
    pub(crate) fn target(&self, place: &NamedFile) -> Result<WriteTarget, Stop> {
        let root = self.root(place)?;
        match root.at(&place.relative, OFlags::PATH) {
            Ok(found) => self.existing_target(&root, &found, place),
            Err(Errno::NOENT) => self.new_target(&root, place),
            Err(errno) => Err(trouble(errno, place)),
        }
    }

    /// Finds a file that is to be deleted or moved away. A link itself is meant, not what it leads to.
    pub(crate) fn removable(&self, place: &NamedFile) -> Result<WriteTarget, Stop> {
        let root = self.root(place)?;
        let (above, name) = split(place)?;
        let folder =
            root.at(above, OFlags::PATH | OFlags::DIRECTORY).map_err(|errno| trouble(errno, place))?;
        let real = real_path(&folder).map_err(|errno| trouble(errno, place))?;
        self.guard.check_path(&real.join(name), FileAccess::Remove)?;
        let stat = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| trouble(errno, place))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile | FileType::Symlink => {}
            _ => return Err(Stop::failed(format!("{} is not a file.", place.shown))),
        }
        Ok(WriteTarget {
            folder,
            name: name.to_owned(),
            existing: Some(existing(&stat)),
            shown: place.shown.clone(),
        })
    }

    fn existing_target(&self, root: &Root, found: &OwnedFd, place: &NamedFile) -> Result<WriteTarget, Stop> {
        let stat = self.checked(found, FileAccess::Write, place)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Stop::failed(format!("{} is there already and is no plain file.", place.shown)));
        }
        // Links stay links: what is written is the file they lead to, where it really is.
        let real = real_path(found).map_err(|errno| trouble(errno, place))?;
        let inside = real.strip_prefix(&root.real).map_err(|_elsewhere| outside(&place.shown))?;
        let (Some(above), Some(name)) = (inside.parent(), inside.file_name()) else {
            return Err(Stop::failed(format!("{} is not a file.", place.shown)));
        };
        let folder =
            root.straight(above, OFlags::PATH | OFlags::DIRECTORY).map_err(|errno| trouble(errno, place))?;
        let target = WriteTarget {
            folder,
            name: name.to_owned(),
            existing: Some(existing(&stat)),
            shown: place.shown.clone(),
        };
        target.is_unchanged()?;
        Ok(target)
    }

    fn new_target(&self, root: &Root, place: &NamedFile) -> Result<WriteTarget, Stop> {
        let (above, name) = split(place)?;
        let folder = self.made_folder(root, above, place)?;
        let real = real_path(&folder).map_err(|errno| trouble(errno, place))?;
        self.guard.check_path(&real.join(name), FileAccess::Write)?;
        if rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            return Err(Stop::refused(format!(
                "{} is a link to something that is not there or out of reach. Write to the file itself.",
                place.shown
            )));
        }
        Ok(WriteTarget { folder, name: name.to_owned(), existing: None, shown: place.shown.clone() })
    }

    /// Opens a folder, making what is missing, part by part.
    fn made_folder(&self, root: &Root, path: &Path, place: &NamedFile) -> Result<OwnedFd, Stop> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let fail = |errno| trouble(errno, place);
        let mut folder = root.at(Path::new(""), flags).map_err(fail)?;
        let mut so_far = PathBuf::new();
        for part in path {
            so_far.push(part);
            let next = match root.at(&so_far, flags) {
                Err(Errno::NOENT) => {
                    let real = real_path(&folder).map_err(fail)?;
                    self.guard.check_path(&real.join(part), FileAccess::Write)?;
                    match rustix::fs::mkdirat(&folder, part, Mode::from_raw_mode(0o777)) {
                        Ok(()) | Err(Errno::EXIST) => root.at(&so_far, flags).map_err(fail)?,
                        Err(errno) => return Err(fail(errno)),
                    }
                }
                other => other.map_err(fail)?,
            };
            folder = next;
        }
        Ok(folder)
    }

    /// The facts of something that was opened, once the rules allow it.
    fn checked(&self, fd: &OwnedFd, access: FileAccess, place: &NamedFile) -> Result<Stat, Stop> {
        let stat = rustix::fs::fstat(fd).map_err(|errno| trouble(errno, place))?;
        let real = real_path(fd).map_err(|errno| trouble(errno, place))?;
        self.guard.check_path(&real, access)?;
        self.guard.check_opened(fd, &stat)?;
        Ok(stat)
    }

    fn root(&self, place: &NamedFile) -> Result<Root, Stop> {
        let (folder, links) = match place.base {
            Base::Workspace => (self.starts.workspace.as_path(), Links::Beneath),
            Base::Keep => (self.starts.keep.as_path(), Links::Beneath),
            Base::Machine => (Path::new("/"), Links::Anywhere),
        };
        Root::open(folder, links).map_err(|errno| match errno {
            Errno::NOENT if place.base == Base::Workspace => {
                Stop::failed("The workspace does not exist. Run `openclaw setup` to make it.")
            }
            errno => trouble(errno, place),
        })
    }
}

/// Opens files by the rules of the file tools, for those who send them.
#[derive(Debug, Clone)]
pub struct GuardedFiles(pub ProtectedPlaces);

impl FileDoor for GuardedFiles {
    fn open(&self, folder: &Path, below: &Path) -> Result<File, NoFile> {
        let shown = below.display().to_string();
        let place = NamedFile { base: Base::Workspace, relative: below.to_owned(), shown };
        match FileScope::below(folder, &self.0).file(&place) {
            Ok(opened) => Ok(opened.file),
            Err(Stop::Refused(text)) => Err(NoFile::Refused(text)),
            Err(stop) => Err(NoFile::Absent(stop.to_string())),
        }
    }
}

impl WriteTarget {
    /// Whether the file is still the one that was found.
    pub(super) fn is_unchanged(&self) -> Result<(), Stop> {
        let now = match rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(existing(&stat).identity),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(trouble_with(errno, &self.shown)),
        };
        if now == self.existing.map(|existing| existing.identity) {
            return Ok(());
        }
        Err(Stop::failed(format!("{} was replaced by something else meanwhile. Read it again.", self.shown)))
    }
}

fn existing(stat: &Stat) -> Existing {
    #[expect(clippy::useless_conversion, reason = "the widths differ between systems")]
    Existing {
        mode: u32::from(stat.st_mode) & 0o7777,
        owner: (stat.st_uid, stat.st_gid),
        names: u64::from(stat.st_nlink),
        identity: (stat.st_dev, stat.st_ino),
    }
}

/// The folder and the name of a file.
fn split(place: &NamedFile) -> Result<(&Path, &OsStr), Stop> {
    match (place.relative.parent(), place.relative.file_name()) {
        (Some(above), Some(name)) => Ok((above, name)),
        _ => Err(Stop::failed(format!("{} is a folder, not a file.", place.shown))),
    }
}

/// Other ways a file name may be spelled: models turn odd spaces and quotes into plain ones.
fn other_spellings(place: &NamedFile) -> Vec<NamedFile> {
    let Some(text) = place.relative.to_str() else { return Vec::new() };
    let spaced = |text: &str| text.replace(is_odd_space, " ");
    let narrow = |text: &str| text.replace(" AM.", "\u{202f}AM.").replace(" PM.", "\u{202f}PM.");
    let quoted = |text: &str| text.replace('\'', "\u{2019}");
    let ways: [&dyn Fn(&str) -> String; 3] = [&spaced, &narrow, &quoted];
    let others = ways.into_iter().filter(|way| way(text) != text);
    others
        .map(|way| NamedFile { base: place.base, relative: way(text).into(), shown: way(&place.shown) })
        .collect()
}

fn is_odd_space(letter: char) -> bool {
    matches!(letter, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// What an error of the system means.
pub(super) fn trouble(errno: Errno, place: &NamedFile) -> Stop {
    match (errno, place.base) {
        (Errno::XDEV, Base::Workspace | Base::Keep) => outside(&place.shown),
        (errno, _) => trouble_with(errno, &place.shown),
    }
}

/// What an error of the system means.
pub(super) fn trouble_with(errno: Errno, shown: &str) -> Stop {
    match errno {
        Errno::NOENT => Stop::failed(format!("{shown} does not exist. Look with ls or find.")),
        Errno::NOTDIR => Stop::failed(format!("{shown} leads through something that is not a folder.")),
        Errno::ISDIR => Stop::failed(format!("{shown} is a folder.")),
        Errno::LOOP => Stop::refused(format!("{shown} leads through a link that is not followed.")),
        Errno::ACCESS | Errno::PERM => {
            Stop::failed(format!("The gateway's user may not touch {shown}; its permissions forbid it."))
        }
        Errno::NOSPC | Errno::DQUOT => Stop::failed(format!("{shown} was not written: the disk is full.")),
        Errno::ROFS => Stop::failed(format!("{shown} is on a file system that cannot be written to.")),
        Errno::NAMETOOLONG => Stop::failed(format!("{shown} is longer than a file system allows.")),
        other => Stop::failed(format!("{shown} could not be opened: {other}.")),
    }
}
