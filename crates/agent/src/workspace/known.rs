//! Remembers what went into a prompt from a workspace, until something in it changes.
//!
//! Every answer asks for the same few files, and mostly nobody touched them. A look at what the system knows about them
//! takes microseconds; only when that differs the workspace is made ready and read again. A file that changed a moment
//! before it was read is not trusted: the clocks of file systems are coarse, and a second change would look the same.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_config::WorkspaceSettings;
use openclaw_ports::Clock;

use super::error::WorkspaceError;
use super::inject::{Injection, Readers, prepare_and_load};
use super::{names, state};

/// How many workspaces are remembered, for each kind of readers apart.
const MOST: usize = 16;

/// How long nobody must have changed a file before it was read.
const COARSEST_CLOCK_MS: i64 = 2_000;

/// The workspaces that were read last.
#[derive(Debug, Default)]
pub(crate) struct KnownWorkspaces(Mutex<VecDeque<Known>>);

#[derive(Debug)]
struct Known {
    dir: PathBuf,
    settings: WorkspaceSettings,
    readers: Readers,
    sight: Sight,
    files: Arc<Injection>,
}

/// What the system knows about everything that counts in a workspace, in a fixed order.
#[derive(Debug, PartialEq, Eq)]
struct Sight(Vec<Mark>);

#[derive(Debug, PartialEq, Eq)]
enum Mark {
    Missing,
    File {
        device: u64,
        inode: u64,
        size: u64,
        modified: (i64, i64),
        changed: (i64, i64),
    },
    Folder {
        device: u64,
        inode: u64,
    },
    /// A link, or something else whose contents may change unseen.
    Strange,
}

impl KnownWorkspaces {
    /// Gets a workspace ready and reads its files, unless nothing changed since.
    ///
    /// # Errors
    /// The directory or a file cannot be made or read.
    pub(crate) async fn prepare_and_load(
        &self,
        dir: &Path,
        settings: &WorkspaceSettings,
        readers: Readers,
        clock: &dyn Clock,
    ) -> Result<Arc<Injection>, WorkspaceError> {
        let before = Sight::of(dir);
        if let Some(files) = self.find(dir, settings, readers, &before) {
            return Ok(files);
        }
        let files = Arc::new(prepare_and_load(dir, settings, readers, clock).await?);
        let sight = Sight::of(dir);
        if sight == before && sight.is_trusted(clock.now().0) {
            let (dir, settings, files) = (dir.to_path_buf(), settings.clone(), Arc::clone(&files));
            self.keep(Known { dir, settings, readers, sight, files });
        }
        Ok(files)
    }

    fn find(
        &self,
        dir: &Path,
        settings: &WorkspaceSettings,
        readers: Readers,
        sight: &Sight,
    ) -> Option<Arc<Injection>> {
        let all = self.all();
        let known = all.iter().find(|known| known.is_of(dir, settings, readers))?;
        (known.sight == *sight).then(|| Arc::clone(&known.files))
    }

    fn keep(&self, new: Known) {
        let mut all = self.all();
        all.retain(|known| !known.is_of(&new.dir, &new.settings, new.readers));
        if all.len() >= MOST {
            all.pop_front();
        }
        all.push_back(new);
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn is_of(&self, dir: &Path, settings: &WorkspaceSettings, readers: Readers) -> bool {
        self.readers == readers && self.dir == dir && self.settings == *settings
    }
}

impl Sight {
    fn of(dir: &Path) -> Self {
        let mut path = dir.to_path_buf();
        let mut look = |name: &str| {
            path.push(name);
            let mark = Mark::of(&path);
            path.pop();
            mark
        };
        let all = names::STANDING.iter().chain(&names::OTHERS).copied();
        let mut marks: Vec<Mark> = all.map(&mut look).collect();
        marks.push(look(&state::path()));
        Self(marks)
    }

    /// Whether a change after this moment would be seen.
    fn is_trusted(&self, now_ms: i64) -> bool {
        self.0.iter().all(|mark| match mark {
            Mark::Missing | Mark::Folder { .. } => true,
            Mark::File { changed: (seconds, _), .. } => {
                seconds.saturating_mul(1_000) < now_ms - COARSEST_CLOCK_MS
            }
            Mark::Strange => false,
        })
    }
}

impl Mark {
    fn of(path: &Path) -> Self {
        let facts = match std::fs::symlink_metadata(path) {
            Ok(facts) => facts,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Self::Missing,
            Err(_) => return Self::Strange,
        };
        let (device, inode) = (facts.dev(), facts.ino());
        if facts.is_dir() {
            return Self::Folder { device, inode };
        }
        if !facts.is_file() {
            return Self::Strange;
        }
        Self::File {
            device,
            inode,
            size: facts.size(),
            modified: (facts.mtime(), facts.mtime_nsec()),
            changed: (facts.ctime(), facts.ctime_nsec()),
        }
    }
}
