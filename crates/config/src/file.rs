//! The one configuration file on disk: read it, replace it, patch it, set and unset single values.
//!
//! Reading never fails; problems are inside the snapshot. Every write goes the same way (`write`): check the version
//! the caller saw, build the new text as an in-place edit, put back redacted values, check the result as a whole,
//! keep a backup, replace the file in one step. All functions block for the time of small file operations.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use openclaw_ports::channel::ChannelKind;
use openclaw_ports::{Clock, SystemClock};
use serde_json::Value;

use crate::error::WriteError;
use crate::file_stamp::{file_stamp, file_stamps};
use crate::resolved::{Context, Overrides};
use crate::write::{self, BaseHash, Candidate};
use crate::{ConfigIssue, Environment, FileSnapshot, KeyPath, Locations};

/// A larger file is not read and not written.
pub(crate) const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A handle to the configuration file. Clones share one lock, so that writes of one process never mix.
#[derive(Clone)]
pub struct ConfigFile {
    locations: Locations,
    environment: Environment,
    overrides: Overrides,
    channels: Arc<[Box<dyn ChannelKind>]>,
    clock: Arc<dyn Clock>,
    writing: Arc<Mutex<()>>,
    unknown_keys: UnknownKeys,
}

/// What becomes of a write that adds a key nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnknownKeys {
    /// It is made, and the key is a warning of the snapshot.
    Warned,
    /// It is refused.
    Refused,
}

impl ConfigFile {
    /// A handle to the file of an installation. `.env` files are read here, once.
    #[must_use]
    pub fn new(locations: Locations, environment: Environment) -> Self {
        let environment = environment.with_dotenv(&locations.state_dir);
        let overrides = Overrides::default();
        Self {
            locations,
            environment,
            overrides,
            channels: Arc::new([]),
            clock: Arc::new(SystemClock::new()),
            writing: Arc::default(),
            unknown_keys: UnknownKeys::Warned,
        }
    }

    /// The same with another clock, which stamps what is written.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The same with settings of the command line, which win over the file.
    #[must_use]
    pub fn with_overrides(mut self, overrides: Overrides) -> Self {
        self.overrides = overrides;
        self
    }

    /// The same with the platforms there are, who know the form of their sections.
    #[must_use]
    pub fn with_channels(mut self, channels: Vec<Box<dyn ChannelKind>>) -> Self {
        self.channels = channels.into();
        self
    }

    /// The same for writers who pass on what somebody else wrote: a write that adds a key nobody knows is refused as
    /// `Invalid`. Unknown keys that the file has already do not matter.
    #[must_use]
    pub fn refusing_unknown_keys(&self) -> Self {
        Self { unknown_keys: UnknownKeys::Refused, ..self.clone() }
    }

    /// The places this file belongs to.
    #[must_use]
    pub fn locations(&self) -> &Locations {
        &self.locations
    }

    /// The environment with the variables of `.env` files, but without the configuration's `env` section: that is in
    /// the snapshot.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Reads, resolves and checks the file as it is now.
    #[must_use]
    pub fn read(&self) -> FileSnapshot {
        let path = &self.locations.config_path;
        // A change after this moment shows, also one that is made while the file is read. Included files are known
        // afterwards; a change of theirs in between shows to the watcher alone.
        let before = file_stamp(path);
        let mut snapshot = match read_text(path) {
            Ok(Some(text)) => self.snapshot(path, &text),
            Ok(None) => FileSnapshot::missing(path, &self.context()),
            Err(issue) => FileSnapshot::unreadable(path, &self.context(), issue),
        };
        snapshot.stamps = file_stamps(&snapshot.files);
        for (_, stamp) in snapshot.stamps.iter_mut().filter(|(file, _)| file == path) {
            *stamp = before;
        }
        snapshot
    }

    /// What the file would be with this text, without writing anything.
    #[must_use]
    pub fn preview(&self, text: &str) -> FileSnapshot {
        self.snapshot(&self.locations.config_path, text)
    }

    /// Replaces the whole text.
    ///
    /// Redaction marks are replaced by what is stored. A text that came from a resolved form keeps the references to
    /// variables the file had, and one without any comment is applied as edits, so that the file's comments survive.
    ///
    /// # Errors
    /// See `WriteError`; the file is unchanged then.
    pub fn write_text(&self, text: &str, base: &BaseHash) -> Result<FileSnapshot, WriteError> {
        self.write(base, |current| write::whole_text(current, text))
    }

    /// Applies a JSON5 merge patch: objects merge, `null` removes, arrays whose entries have an `id` merge by it,
    /// other arrays are replaced.
    ///
    /// # Errors
    /// See `WriteError`; the file is unchanged then.
    pub fn patch(&self, patch_text: &str, base: &BaseHash) -> Result<FileSnapshot, WriteError> {
        self.write(base, |current| write::merge_patch(current, patch_text))
    }

    /// Sets one value, making the objects around it. An index may be at most the length of its array.
    ///
    /// # Errors
    /// See `WriteError`; the file is unchanged then.
    pub fn set_value(&self, path: &KeyPath, value: Value) -> Result<FileSnapshot, WriteError> {
        self.write(&BaseHash::Unchecked, |current| write::set(current, path, &value))
    }

    /// Removes one value, and the objects around it that become empty.
    ///
    /// # Errors
    /// `NothingThere` when nothing is set at the path; else see `WriteError`.
    pub fn unset(&self, path: &KeyPath) -> Result<FileSnapshot, WriteError> {
        self.write(&BaseHash::Unchecked, |current| write::unset(current, path))
    }

    /// Gives an entry of an object another name; its value stays as it is written.
    ///
    /// # Errors
    /// `NothingThere` when nothing is set at the path, `Unusable` when the new name is taken; else see `WriteError`.
    pub fn rename(&self, path: &KeyPath, name: &str) -> Result<FileSnapshot, WriteError> {
        self.write(&BaseHash::Unchecked, |current| write::rename(current, path, name))
    }

    /// Rewrites old keys of the file to their present places. `None` when there is nothing to do.
    ///
    /// # Errors
    /// See `WriteError`; the file is unchanged then.
    pub fn rewrite_legacy_keys(&self) -> Result<Option<FileSnapshot>, WriteError> {
        let before = self.read();
        if before.legacy_issues.is_empty() {
            return Ok(None);
        }
        self.write(&BaseHash::Given(before.hash), write::migrated_keys).map(Some)
    }

    /// What a text means depends on besides itself.
    pub(crate) fn context(&self) -> Context<'_> {
        Context { environment: &self.environment, locations: &self.locations, overrides: &self.overrides }
    }

    /// What a text means as the content of a file.
    pub(crate) fn snapshot(&self, path: &Path, text: &str) -> FileSnapshot {
        FileSnapshot::of_text(path, text, &self.context(), &self.channels)
    }

    fn write(
        &self,
        base: &BaseHash,
        edit: impl FnOnce(&FileSnapshot) -> Result<Candidate, WriteError>,
    ) -> Result<FileSnapshot, WriteError> {
        let path = &self.locations.config_path;
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = write::lock_directory(self.locations.config_dir())?;
        let current = self.read();
        base.check(&current)?;
        let candidate = edit(&current)?;
        if current.text.as_deref() == Some(candidate.text()) {
            return Ok(current);
        }
        let text = candidate.stamped(self.clock.now())?;
        if text.len() > MAX_BYTES {
            return Err(WriteError::TooLarge { size: text.len(), limit: MAX_BYTES });
        }
        let mut next = self.snapshot(path, &text);
        if !next.valid {
            return Err(WriteError::Invalid { issues: next.issues });
        }
        if self.unknown_keys == UnknownKeys::Refused {
            Candidate::refuse_new_unknown_keys(&current, &next)?;
        }
        candidate.check_effect(&next)?;
        write::replace(path, &text)?;
        next.stamps = file_stamps(&next.files);
        tracing::debug!(path = %path.display(), before = %current.hash, after = %next.hash, "configuration written");
        drop(directory);
        Ok(next)
    }
}

/// The text of a file, `None` when there is no such file, or why it cannot be read.
fn read_text(path: &Path) -> Result<Option<String>, ConfigIssue> {
    let refused = |error: &io::Error| {
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => {
                "make it readable for this user, for example with chown and chmod 600"
            }
            _ => "check the file and its directory",
        };
        ConfigIssue::about_file(format!("{} cannot be read: {error}", path.display()), hint)
    };
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(&error)),
    };
    if !metadata.is_file() {
        return Err(ConfigIssue::about_file(
            format!("{} is not a regular file", path.display()),
            "move it away, or point OPENCLAW_CONFIG_PATH at the right file",
        ));
    }
    if metadata.len() > MAX_BYTES as u64 {
        return Err(ConfigIssue::about_file(
            format!("{} has more than {MAX_BYTES} bytes and was not read", path.display()),
            "this is hardly a configuration file; restore it from the .bak file beside it",
        ));
    }
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(ConfigIssue::about_file(
                format!("{} is not UTF-8 text", path.display()),
                "save it as UTF-8",
            )),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refused(&error)),
    }
}
