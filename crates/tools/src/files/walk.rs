//! Walks folders for `grep`, `find` and `ls`: without following links, passing over what is ignored or refused.
//!
//! Each folder is opened from the root that is held open, with no link on the way, so that a walk cannot be led out of
//! where it began. Ignore files (`.gitignore`, `.ignore`) count from the top of the repository down.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, Dir, FileType, OFlags};
use tokio_util::sync::CancellationToken;

use super::off_thread::stopped;
use super::reach::{FileScope, OpenFolder};
use crate::stop::Stop;

/// How many names a walk looks at.
const MOST_ENTRIES: usize = 500_000;
/// How deep it goes.
const DEEPEST: usize = 100;
/// How much of an ignore file is read.
const IGNORE_FILE: u64 = 256 * 1024;

/// Something a walk came by.
#[derive(Debug)]
pub(super) struct WalkEntry<'a> {
    /// From the folder where the walk began.
    pub(super) path: &'a Path,
    pub(super) kind: WalkKind,
    folder: &'a OpenFolder,
    reach: &'a FileScope,
}

/// What kind of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkKind {
    Folder,
    File,
    Link,
    Other,
}

/// Whether a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    GoOn,
    Enough,
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Walked {
    /// Everything was seen.
    All,
    /// The visitor had enough.
    Enough,
    /// There was more than a walk looks at.
    TooMuch,
}

/// Walks everything below a folder: first its own names in order, then what is in its folders.
pub(super) fn walk(
    reach: &FileScope,
    folder: &OpenFolder,
    stop: &CancellationToken,
    mut visit: impl FnMut(&WalkEntry<'_>) -> Result<Next, Stop>,
) -> Result<Walked, Stop> {
    let mut seen = 0;
    let mut waiting = vec![Waiting { path: PathBuf::new(), depth: 0, rules: Rules::above(folder) }];
    while let Some(here) = waiting.pop() {
        if stop.is_cancelled() {
            return Err(stopped());
        }
        let Some(names) = names(reach, folder, &here.path) else { continue };
        let rules = here.rules.with(folder, &here.path);
        let mut below = Vec::new();
        for (name, kind) in names {
            seen += 1;
            if seen > MOST_ENTRIES {
                return Ok(Walked::TooMuch);
            }
            let path = here.path.join(&name);
            if name == OsStr::new(".git") || rules.ignore(&folder.relative.join(&path), kind) {
                continue;
            }
            if !reach.may_read(&folder.real.join(&path)) {
                continue;
            }
            if visit(&WalkEntry { path: &path, kind, folder, reach })? == Next::Enough {
                return Ok(Walked::Enough);
            }
            if kind == WalkKind::Folder && here.depth < DEEPEST {
                below.push(Waiting { path, depth: here.depth + 1, rules: rules.clone() });
            }
        }
        waiting.extend(below.into_iter().rev());
    }
    Ok(Walked::All)
}

impl WalkEntry<'_> {
    /// Opens a file for reading; nothing when it is no plain file any more, or may not be read.
    pub(super) fn open(&self) -> Option<File> {
        let path = self.folder.relative.join(self.path);
        let look = self.folder.root.straight(&path, OFlags::PATH).ok()?;
        let stat = rustix::fs::fstat(&look).ok()?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !is_file || !self.reach.may_read_opened(&look, &stat) {
            return None;
        }
        let opened = self.folder.root.straight(&path, OFlags::RDONLY).ok()?;
        let again = rustix::fs::fstat(&opened).ok()?;
        ((again.st_dev, again.st_ino) == (stat.st_dev, stat.st_ino)).then(|| File::from(opened))
    }
}

/// The names in a folder, in order. Nothing when it cannot be listed.
pub(super) fn names(
    reach: &FileScope,
    folder: &OpenFolder,
    path: &Path,
) -> Option<Vec<(OsString, WalkKind)>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let opened = folder.root.straight(&folder.relative.join(path), flags).ok()?;
    let stat = rustix::fs::fstat(&opened).ok()?;
    if !reach.may_read_opened(&opened, &stat) {
        return None;
    }
    let mut found = Vec::new();
    for entry in Dir::read_from(&opened).ok()?.take(MOST_ENTRIES) {
        let Ok(entry) = entry else { break };
        let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
        if name == OsStr::new(".") || name == OsStr::new("..") {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => rustix::fs::statat(&opened, &name, AtFlags::SYMLINK_NOFOLLOW)
                .map_or(WalkKind::Other, |stat| kind(FileType::from_raw_mode(stat.st_mode))),
            known => kind(known),
        };
        found.push((name, kind));
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Some(found)
}

fn kind(file_type: FileType) -> WalkKind {
    match file_type {
        FileType::Directory => WalkKind::Folder,
        FileType::RegularFile => WalkKind::File,
        FileType::Symlink => WalkKind::Link,
        _ => WalkKind::Other,
    }
}

struct Waiting {
    path: PathBuf,
    depth: usize,
    rules: Rules,
}

/// What is ignored, from the top down; what is said further down goes first.
#[derive(Clone, Default)]
struct Rules(Option<Arc<Layer>>);

struct Layer {
    rules: Gitignore,
    above: Rules,
}

impl Rules {
    /// What the folders above say, from the top of the repository down.
    fn above(folder: &OpenFolder) -> Self {
        let above: Vec<&Path> = folder.relative.ancestors().skip(1).collect();
        let is_top = |path: &&Path| folder.root.straight(&path.join(".git"), OFlags::PATH).is_ok();
        let Some(top) = above.iter().position(is_top) else { return Self::default() };
        let from_top = above[..=top].iter().rev();
        from_top.fold(Self::default(), |rules, path| rules.layered(folder, path))
    }

    /// With what a folder of the walk says.
    fn with(&self, folder: &OpenFolder, path: &Path) -> Self {
        self.clone().layered(folder, &folder.relative.join(path))
    }

    fn layered(self, folder: &OpenFolder, path: &Path) -> Self {
        let mut builder = GitignoreBuilder::new(path);
        let mut said = false;
        for name in [".gitignore", ".ignore"] {
            let Some(text) = read_small(folder, &path.join(name)) else { continue };
            for line in text.lines() {
                // A line that is no pattern is passed over, as git does.
                said |= builder.add_line(None, line).is_ok();
            }
        }
        match builder.build() {
            Ok(rules) if said => Self(Some(Arc::new(Layer { rules, above: self }))),
            _ => self,
        }
    }

    /// Whether a path, from the root, is ignored.
    fn ignore(&self, path: &Path, kind: WalkKind) -> bool {
        let mut rules = self;
        while let Some(layer) = &rules.0 {
            let verdict = layer.rules.matched(path, kind == WalkKind::Folder);
            if !verdict.is_none() {
                return verdict.is_ignore();
            }
            rules = &layer.above;
        }
        false
    }
}

fn read_small(folder: &OpenFolder, path: &Path) -> Option<String> {
    let opened = folder.root.straight(path, OFlags::RDONLY).ok()?;
    let stat = rustix::fs::fstat(&opened).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut bytes = Vec::new();
    File::from(opened).take(IGNORE_FILE).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
