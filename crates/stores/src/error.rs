//! What can go wrong when a store is opened, and how trouble inside a job becomes a `StoreError`.
//!
//! `OpenError` is for the person who starts the gateway: every variant says what to do next. `Fault` never leaves
//! the crate.

use std::path::{Path, PathBuf};

use openclaw_ports::stores::StoreError;

use crate::transcripts::StoreRefusal;

/// Why a database could not be opened. Nothing was deleted or changed in any of these cases.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file is no SQLite database at all.
    #[error("{} is not a database.\n{}", path.display(), restore_hint(path, newest_backup.as_deref()))]
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// The newest backup beside it.
        newest_backup: Option<PathBuf>,
    },
    /// The database is damaged.
    #[error("{} is damaged: {finding}.\n{}", path.display(), restore_hint(path, newest_backup.as_deref()))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the check found first.
        finding: String,
        /// The newest backup beside it.
        newest_backup: Option<PathBuf>,
    },
    /// The database belongs to another program.
    #[error(
        "{} was made by another program (application id {application_id:#010x}). Move it to another folder and start again.",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What the file says about its maker.
        application_id: i32,
    },
    /// The database was written by a newer version of this program.
    #[error(
        "{} was written by a newer version of OpenClaw (schema {found}, this version knows up to {known}). \
         Update OpenClaw, or restore a backup that an older version made.",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The schema version found.
        found: i64,
        /// The newest schema version this program knows.
        known: i64,
    },
    /// Bringing the database up to date failed; the database is as it was before this step.
    #[error("{} could not be brought from schema {from} to {to}. It was left as it was.", path.display())]
    Migration {
        /// The file.
        path: PathBuf,
        /// The schema version it has.
        from: i64,
        /// The schema version it should have got.
        to: i64,
        /// Why it failed.
        #[source]
        source: rusqlite::Error,
    },
    /// Another process holds the database.
    #[error("{} is in use by another process. Stop it and start again.", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The disk or the database refused.
    #[error("could not {action} {}. Check that the folder exists, is writable and has space left.", path.display())]
    Failed {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The key that unseals stored secrets is not usable.
    #[error(transparent)]
    Seal(#[from] SealError),
}

impl OpenError {
    pub(crate) fn failed(
        action: &'static str,
        path: &Path,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Failed { action, path: path.to_owned(), source: source.into() }
    }

    /// What a caller is told whose call needed the file; `action` completes "could not …".
    pub(crate) fn during(self, action: &'static str) -> StoreError {
        match self {
            Self::InUse { .. } => StoreError::Busy,
            Self::NotADatabase { .. } | Self::Damaged { .. } => {
                StoreError::Corrupt { detail: self.to_string() }
            }
            other => StoreError::Failed { action, source: Box::new(other) },
        }
    }
}

fn restore_hint(path: &Path, newest_backup: Option<&Path>) -> String {
    let file = path.display();
    match newest_backup {
        Some(backup) => format!(
            "To restore, stop the gateway, move {file} and the files next to it that end in -wal and -shm to another \
             folder, and copy {} to {file}.",
            backup.display()
        ),
        None => format!(
            "There is no backup beside it. Restore {file} from your own backup, or move it to another folder \
             to start with an empty one; what it held is then gone."
        ),
    }
}

/// Why the key that seals secrets cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// Others may read the key.
    #[error("{} can be read by others (mode {mode:03o}). Run: chmod 600 {}", path.display(), path.display())]
    Exposed {
        /// The key file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The key file does not hold a key.
    #[error("{} does not hold a key of 32 bytes. Restore it from a backup.", path.display())]
    Malformed {
        /// The key file.
        path: PathBuf,
    },
    /// The key is gone, but secrets sealed with it are still stored.
    #[error(
        "{} is missing, and stored secrets were sealed with it. Restore it from a backup of the state directory.",
        path.display()
    )]
    Missing {
        /// The key file.
        path: PathBuf,
    },
    /// The file could not be read or made.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The key file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
    /// The machine gave no random bytes.
    #[error("the machine gave no random bytes for a key")]
    NoRandomness,
    /// The secret is larger than the cipher takes.
    #[error("the secret is too long to be sealed")]
    TooLong,
}

/// Why device files of the original could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LegacyError {
    /// The file or its folder could not be reached.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
    /// The store behind it refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Trouble inside one job, before it is known what the job was about.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("{0}")]
    Corrupt(String),
    #[error("{0}")]
    Refused(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl Fault {
    /// The caller asked for something that is never stored.
    pub(crate) fn from_refusal(refusal: StoreRefusal) -> Self {
        Self::Refused(Box::new(refusal))
    }

    /// What the caller is told; `action` completes "could not …".
    pub(crate) fn during(self, action: &'static str) -> StoreError {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DatabaseLocked, NotADatabase};
        match self {
            Self::Corrupt(detail) => StoreError::Corrupt { detail },
            Self::Refused(source) => StoreError::Failed { action, source },
            Self::Sqlite(source) => match source.sqlite_error_code() {
                Some(DatabaseBusy | DatabaseLocked) => StoreError::Busy,
                Some(DatabaseCorrupt | NotADatabase) => StoreError::Corrupt { detail: source.to_string() },
                _ => StoreError::Failed { action, source: Box::new(source) },
            },
        }
    }
}
