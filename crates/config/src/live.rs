//! The configuration the running program uses, shared by everyone.
//!
//! Only good configurations get in. A file that becomes broken is remembered with its issues, and the last good one
//! goes on. Readers take an `Arc<Config>` and keep it for one piece of work; subscribers are told of every change.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use serde_json::json;
use tokio::sync::watch;

use crate::file_stamp::{FileStamps, changed_since};
use crate::reload::{Decision, ReloadPlan, reload_plan};
use crate::resolved::{Config, GatewaySettings};
use crate::sections::ReloadMode;
use crate::{ConfigFile, ConfigIssue, FileSnapshot};

/// The shared handle. Cloning is cheap.
#[derive(Clone)]
pub struct LiveConfig {
    inner: Arc<Inner>,
}

struct Inner {
    file: ConfigFile,
    /// The snapshot the program runs on.
    running: ArcSwap<FileSnapshot>,
    /// What the file was when it was last looked at, good or not.
    last: ArcSwap<FileSnapshot>,
    /// The files as they were then, or as they were when they were passed over.
    stamps: ArcSwap<FileStamps>,
    changes: watch::Sender<Arc<Config>>,
    /// Offers are taken one at a time, so that two of them cannot mix.
    offering: Mutex<()>,
}

/// What a start runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartedFrom {
    /// The file, which is good.
    File,
    /// Defaults, as there is no file.
    Defaults,
    /// The last good configuration, as the file is broken.
    LastGood {
        /// What is wrong with the file.
        issues: Vec<ConfigIssue>,
    },
    /// What could be used of a broken file, as no good configuration is known. Better not to run on it.
    Remains {
        /// What is wrong with the file.
        issues: Vec<ConfigIssue>,
    },
}

/// What became of a new snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offered {
    /// Nothing that matters has changed.
    Unchanged,
    /// It is good, but reloading is off: it will run after a restart.
    Off,
    /// It is the running configuration now; the plan says what else to do.
    Taken(ReloadPlan),
    /// The former one goes on running.
    Refused {
        /// Why.
        issues: Vec<ConfigIssue>,
    },
}

impl LiveConfig {
    /// Reads the file and decides what to run on. A good file is remembered for later starts.
    #[must_use]
    pub fn open(file: &ConfigFile) -> (Self, StartedFrom) {
        let last = file.read();
        let (running, from) = if last.valid {
            let from = if last.exists { StartedFrom::File } else { StartedFrom::Defaults };
            remember(file, &last);
            (last.clone(), from)
        } else {
            let issues = last.issues.clone();
            for issue in &issues {
                tracing::error!(%issue, "the configuration file is not valid");
            }
            match file.last_good() {
                Some(good) => {
                    tracing::error!("RUNNING ON THE LAST GOOD CONFIGURATION until the file is fixed");
                    (good, StartedFrom::LastGood { issues })
                }
                None => (last.clone(), StartedFrom::Remains { issues }),
            }
        };
        let changes = watch::Sender::new(Arc::clone(&running.config));
        let inner = Inner {
            file: file.clone(),
            running: ArcSwap::from_pointee(running),
            stamps: ArcSwap::from_pointee(last.stamps.clone()),
            last: ArcSwap::from_pointee(last),
            changes,
            offering: Mutex::new(()),
        };
        (Self { inner: Arc::new(inner) }, from)
    }

    /// The running configuration.
    #[must_use]
    pub fn current(&self) -> Arc<Config> {
        Arc::clone(&self.inner.running.load().config)
    }

    /// The snapshot the running configuration comes from.
    #[must_use]
    pub fn running(&self) -> Arc<FileSnapshot> {
        self.inner.running.load_full()
    }

    /// The file as it was last seen, which may be broken.
    #[must_use]
    pub fn last_seen(&self) -> Arc<FileSnapshot> {
        self.inner.last.load_full()
    }

    /// The file this configuration comes from.
    #[must_use]
    pub fn file(&self) -> &ConfigFile {
        &self.inner.file
    }

    /// Tells of every configuration that starts to run. The present one counts as seen.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<Arc<Config>> {
        self.inner.changes.subscribe()
    }

    /// Whether a file of the configuration was changed since it was last looked at.
    #[must_use]
    pub fn file_changed(&self) -> bool {
        changed_since(&self.inner.stamps.load())
    }

    /// Notes that somebody looked at the files and left them to the watcher, so that nobody looks again before they change.
    pub fn pass_over(&self, snapshot: &FileSnapshot) {
        self.inner.stamps.store(Arc::new(snapshot.stamps.clone()));
    }

    /// Reads the file again and offers what is there.
    pub fn reload(&self) -> Offered {
        self.offer(self.inner.file.read())
    }

    /// Offers a new snapshot. Only a valid one of a file that exists is taken.
    pub fn offer(&self, mut snapshot: FileSnapshot) -> Offered {
        let _offering = self.inner.offering.lock().unwrap_or_else(PoisonError::into_inner);
        let running = self.inner.running.load_full();
        self.inner.stamps.store(Arc::new(snapshot.stamps.clone()));
        self.inner.last.store(Arc::new(snapshot.clone()));
        if !snapshot.valid {
            return Offered::Refused { issues: snapshot.issues };
        }
        if !snapshot.exists && running.exists {
            let issue = ConfigIssue::about_file(
                format!("{} is gone; the last configuration goes on running", snapshot.path.display()),
                "restore it from the .bak file beside it, or restart to run on defaults",
            );
            return Offered::Refused { issues: vec![issue] };
        }
        remember(&self.inner.file, &snapshot);
        let mode = snapshot.config.gateway.reload.mode;
        if mode == ReloadMode::Off && !running.means_the_same_as(&snapshot) {
            return Offered::Off;
        }
        let plan = reload_plan(&running.effective, &snapshot.effective, mode);
        if plan.decision == Decision::ApplyWithoutRestart {
            hold_back(&running, &mut snapshot);
        }
        let changed = *running.config != *snapshot.config || !plan.changed.is_empty();
        let config = Arc::clone(&snapshot.config);
        self.inner.running.store(Arc::new(snapshot));
        if !changed {
            return Offered::Unchanged;
        }
        self.inner.changes.send_replace(config);
        Offered::Taken(plan)
    }
}

/// Keeps what only a restart takes over as it was. Of the sections that need one, only `gateway` has settings that
/// the program looks at while it runs; two of its keys are read live all the same.
fn hold_back(running: &FileSnapshot, snapshot: &mut FileSnapshot) {
    let (old, new) = (&running.config.gateway, &snapshot.config.gateway);
    let gateway = GatewaySettings { remote: new.remote.clone(), reload: new.reload, ..old.clone() };
    snapshot.config = Arc::new(Config { gateway, ..(*snapshot.config).clone() });
    let mut section = running.effective.get("gateway").cloned().unwrap_or_else(|| json!({}));
    for key in ["remote", "reload"] {
        section[key] = snapshot.effective["gateway"][key].clone();
    }
    if let (Some(held), Some(whole)) = (section.as_object_mut(), snapshot.effective.as_object_mut()) {
        held.retain(|_, value| !value.is_null());
        whole.insert("gateway".to_owned(), section);
    }
}

/// A copy that cannot be kept is a worry for later, not a reason to stop now.
fn remember(file: &ConfigFile, snapshot: &FileSnapshot) {
    if let Err(error) = file.remember_good(snapshot) {
        tracing::warn!(%error, "the last good configuration could not be kept");
    }
}
