//! Notices changes of the configuration file and of the files it includes.
//!
//! Watches directories, not files: editors replace files by renaming, and a file that is deleted and made again must
//! be found. Events only say "look again"; what counts is what is read after things have been quiet for the debounce
//! time. Below that is a net: every few seconds the files' stamps are compared, for systems that cannot watch.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use openclaw_ports::{Clock, TaskScope};
use tokio::sync::{Notify, mpsc};

use crate::file_stamp::{FileStamps, changed_since, file_stamps};
use crate::{ConfigFile, FileSnapshot};

/// How often stamps are compared.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long a missing file is waited for, as a rename may be half done.
const MISSING_WAIT: Duration = Duration::from_millis(150);
/// How often it is waited for.
const MISSING_TRIES: usize = 2;
/// Snapshots that wait for the receiver. A full queue makes the watcher wait, and it then reads the newest state.
const CAPACITY: usize = 1;

/// Watches the file until the scope ends or the receiver is dropped. Sends a snapshot for each change; `seen` is what
/// the receiver already knows.
#[must_use]
pub fn watch_config(
    file: ConfigFile,
    seen: &FileSnapshot,
    clock: Arc<dyn Clock>,
    scope: &TaskScope,
) -> mpsc::Receiver<FileSnapshot> {
    let (sender, receiver) = mpsc::channel(CAPACITY);
    let mut watcher = ConfigWatcher::new(file, seen, clock);
    watcher.follow(seen);
    scope.start_cancellable("config-watch", async move {
        tokio::select! {
            () = sender.closed() => {}
            () = watcher.run(&sender) => {}
        }
    });
    receiver
}

struct ConfigWatcher {
    file: ConfigFile,
    clock: Arc<dyn Clock>,
    system: Option<RecommendedWatcher>,
    /// Holds at most one notice: it says "look again", however many things happened.
    events: Arc<Notify>,
    /// The watched directories with their inodes, which tell a new directory of the same name.
    directories: BTreeMap<PathBuf, u64>,
    /// The files of the last snapshot with their stamps.
    stamps: FileStamps,
    seen: Fingerprint,
    debounce: Duration,
}

/// What tells two states of the configuration apart.
#[derive(PartialEq, Eq)]
struct Fingerprint {
    exists: bool,
    hash: String,
    resolved: String,
    /// A file that was changed and changed back was perhaps read in between.
    stamps: FileStamps,
}

impl Fingerprint {
    fn of(snapshot: &FileSnapshot) -> Self {
        Self {
            exists: snapshot.exists,
            hash: snapshot.hash.clone(),
            resolved: crate::snapshot::hash(&snapshot.resolved.to_string()),
            stamps: snapshot.stamps.clone(),
        }
    }
}

impl ConfigWatcher {
    fn new(file: ConfigFile, seen: &FileSnapshot, clock: Arc<dyn Clock>) -> Self {
        let events = Arc::new(Notify::new());
        let notice = Arc::clone(&events);
        let system = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                notice.notify_one();
            }
        })
        .inspect_err(|error| tracing::warn!(%error, "the system cannot watch the configuration; polling it"))
        .ok();
        Self {
            file,
            clock,
            system,
            events,
            directories: BTreeMap::new(),
            stamps: Vec::new(),
            seen: Fingerprint::of(seen),
            debounce: seen.config.gateway.reload.debounce,
        }
    }

    /// Watches the directories of all files the snapshot was read from.
    fn follow(&mut self, snapshot: &FileSnapshot) {
        self.stamps = file_stamps(&snapshot.files);
        let Some(system) = &mut self.system else { return };
        let wanted: BTreeSet<PathBuf> = snapshot.files.iter().flat_map(|file| places_of(file)).collect();
        let mut watched = BTreeMap::new();
        for directory in wanted {
            let Ok(inode) = std::fs::metadata(&directory).map(|metadata| metadata.ino()) else { continue };
            let known = self.directories.remove(&directory) == Some(inode);
            match if known { Ok(()) } else { system.watch(&directory, RecursiveMode::NonRecursive) } {
                Ok(()) => {
                    watched.insert(directory, inode);
                }
                Err(error) => {
                    tracing::debug!(directory = %directory.display(), %error, "cannot watch this directory");
                }
            }
        }
        for gone in std::mem::replace(&mut self.directories, watched).into_keys() {
            if let Err(error) = system.unwatch(&gone) {
                tracing::trace!(directory = %gone.display(), %error, "this directory was not watched any more");
            }
        }
    }

    async fn run(&mut self, sender: &mpsc::Sender<FileSnapshot>) {
        loop {
            self.wait_for_a_reason().await;
            let snapshot = self.look().await;
            self.follow(&snapshot);
            let now = Fingerprint::of(&snapshot);
            if now == self.seen {
                continue;
            }
            self.seen = now;
            self.debounce = snapshot.config.gateway.reload.debounce;
            if sender.send(snapshot).await.is_err() {
                return;
            }
        }
    }

    /// Waits until something happened and things have been quiet since.
    async fn wait_for_a_reason(&self) {
        loop {
            // Neither branch loses anything: a notice not taken stays.
            tokio::select! {
                () = self.events.notified() => break,
                () = self.clock.sleep(LOOK_EVERY) => {
                    if changed_since(&self.stamps) {
                        break;
                    }
                }
            }
        }
        loop {
            // A notice begins the quiet time anew.
            tokio::select! {
                biased;
                () = self.events.notified() => {}
                () = self.clock.sleep(self.debounce) => return,
            }
        }
    }

    /// Reads the file, giving one that is missing a moment to come back.
    async fn look(&self) -> FileSnapshot {
        let mut snapshot = self.file.read();
        for _ in 0..MISSING_TRIES {
            if snapshot.exists || !self.seen.exists {
                break;
            }
            self.clock.sleep(MISSING_WAIT).await;
            snapshot = self.file.read();
        }
        snapshot
    }
}

/// The directory a file is in, and that of the file it links to.
fn places_of(file: &Path) -> Vec<PathBuf> {
    let real = std::fs::canonicalize(file).ok();
    [Some(file), real.as_deref()]
        .into_iter()
        .flatten()
        .filter_map(Path::parent)
        .map(Path::to_path_buf)
        .collect()
}
