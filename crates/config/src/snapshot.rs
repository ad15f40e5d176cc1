//! The configuration file at one moment: its text, what it means, and what is wrong with it.
//!
//! Made by `file` and `last_good`, shown to clients only through `redact`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openclaw_ports::channel::ChannelKind;
use openclaw_schema::PathStep;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::defaults;
use crate::file_stamp::FileStamps;
use crate::read::{self, Loaded};
use crate::resolved::{Config, Context};
use crate::{ConfigIssue, Environment};

/// What was found when the configuration file was read.
#[derive(Clone)]
pub struct FileSnapshot {
    /// The file.
    pub path: PathBuf,
    /// Whether it is there. A missing file counts as an empty, valid one.
    pub exists: bool,
    /// Its text, when it could be read.
    pub text: Option<String>,
    /// SHA-256 of the text in hex; of the empty text when there is none.
    pub hash: String,
    /// The file as written: includes and variables not resolved.
    pub parsed: Value,
    /// With includes and variables resolved and old keys moved.
    pub resolved: Value,
    /// `resolved` without the keys nobody knows: what the program runs on, defaults apart.
    pub effective: Value,
    /// Whether the program should run on it.
    pub valid: bool,
    /// The typed configuration. When the file is not valid this is only what could be used of it.
    pub config: Arc<Config>,
    /// What is wrong. Not empty exactly when the file is not valid.
    pub issues: Vec<ConfigIssue>,
    /// What is odd but harmless, unknown keys above all.
    pub warnings: Vec<ConfigIssue>,
    /// Old keys that were understood and should be rewritten.
    pub legacy_issues: Vec<ConfigIssue>,
    /// The environment with the variables of the configuration's `env` section.
    pub environment: Environment,
    /// Every file that was read: this one and the included ones.
    pub files: Vec<PathBuf>,
    /// With includes resolved and references to variables kept.
    pub(crate) source: Value,
    /// The keys of `resolved` that nobody knows.
    pub(crate) unknown: Vec<Vec<PathStep>>,
    /// What platforms do where their sections say nothing.
    pub(crate) platform_defaults: Map<String, Value>,
    /// What tells whether the files were changed since they were read. Empty for a text that is in no file.
    pub(crate) stamps: FileStamps,
}

impl FileSnapshot {
    /// The snapshot of a file with this text.
    pub(crate) fn of_text(
        path: &Path,
        text: &str,
        context: &Context<'_>,
        owners: &[Box<dyn ChannelKind>],
    ) -> Self {
        let loaded = read::load(path, text, context, owners);
        Self::assemble(path, Some(text), loaded)
    }

    /// The snapshot of a file that is not there.
    pub(crate) fn missing(path: &Path, context: &Context<'_>) -> Self {
        let loaded = read::unreadable(path, context, Vec::new());
        Self { exists: false, ..Self::assemble(path, None, loaded) }
    }

    /// The snapshot of a file that is there but cannot be read.
    pub(crate) fn unreadable(path: &Path, context: &Context<'_>, issue: ConfigIssue) -> Self {
        Self::assemble(path, None, read::unreadable(path, context, vec![issue]))
    }

    fn assemble(path: &Path, text: Option<&str>, loaded: Loaded) -> Self {
        Self {
            path: path.to_path_buf(),
            exists: true,
            text: text.map(str::to_owned),
            hash: hash(text.unwrap_or("")),
            parsed: loaded.parsed,
            resolved: loaded.resolved,
            effective: loaded.effective,
            valid: loaded.issues.is_empty(),
            config: Arc::new(loaded.config),
            issues: loaded.issues,
            warnings: loaded.warnings,
            legacy_issues: loaded.legacy_issues,
            environment: loaded.environment,
            files: loaded.files,
            source: loaded.source,
            unknown: loaded.unknown,
            platform_defaults: loaded.platform_defaults,
            stamps: FileStamps::new(),
        }
    }

    /// What the program runs on, with the defaults that clients show. A file that is not valid has none.
    #[must_use]
    pub fn with_defaults(&self) -> Value {
        if self.valid {
            defaults::with_shown_defaults(&self.effective, &self.platform_defaults)
        } else {
            self.effective.clone()
        }
    }

    /// Whether two snapshots mean the same to the program.
    #[must_use]
    pub fn means_the_same_as(&self, other: &Self) -> bool {
        self.exists == other.exists && self.valid == other.valid && self.resolved == other.resolved
    }
}

impl fmt::Debug for FileSnapshot {
    /// Shows no value of the configuration: any may be a secret.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("FileSnapshot")
            .field("path", &self.path)
            .field("exists", &self.exists)
            .field("hash", &self.hash)
            .field("valid", &self.valid)
            .field("issues", &self.issues)
            .field("warnings", &self.warnings)
            .field("legacy_issues", &self.legacy_issues)
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// SHA-256 of a text in hex.
pub(crate) fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
