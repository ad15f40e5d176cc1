//! What can go wrong in this crate, by what the caller should do about it.
//!
//! Reading never fails (problems are inside the snapshot); deciding places, parsing paths and writing can.

use std::io;
use std::path::PathBuf;

use crate::ConfigIssue;

/// The places of the installation cannot be decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    /// The profile's name would not be a safe directory name.
    #[error(
        "'{name}' cannot be a profile name; use up to 64 letters, digits, '_' or '-', starting with a letter or digit"
    )]
    ProfileName {
        /// What was asked for.
        name: String,
    },
}

/// A text is not a path into the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is not a configuration path ({reason}); write it like agents.list[0].id or channels[\"my.id\"]"
)]
pub struct KeyPathError {
    /// What was given.
    pub text: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// The configuration was not written. The file on disk is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file exists and the caller did not say which version it saw. Read again, then retry with the hash.
    #[error("config base hash required; re-run config.get and retry")]
    HashRequired,
    /// Somebody else changed the file. Read again, redo the change, retry.
    #[error("config changed since last load; re-run config.get and retry")]
    ChangedSince,
    /// What would be written is not a valid configuration. Fix the issues.
    #[error("invalid config: {}", summary(issues))]
    Invalid {
        /// Everything that is wrong with it.
        issues: Vec<ConfigIssue>,
    },
    /// The text given as a patch or value cannot be used.
    #[error("{message}")]
    Unusable {
        /// Why, and what to do.
        message: String,
    },
    /// A redacted value has nothing stored behind it. Type the real value.
    #[error("the value at {path} is a redaction mark, but nothing is stored there; enter the real value")]
    NothingBehindRedaction {
        /// The dotted path.
        path: String,
    },
    /// The value comes from an included file. Edit that file.
    #[error(
        "{path} is set by an included file, so changing {file} would not have the wanted effect; edit the included file"
    )]
    InIncludedFile {
        /// The dotted path.
        path: String,
        /// The main configuration file.
        file: PathBuf,
    },
    /// There is no value at this path to remove.
    #[error("nothing is set at {path}; see what is there with: openclaw config get")]
    NothingThere {
        /// The dotted path.
        path: String,
    },
    /// The configuration would be larger than anything sensible.
    #[error("the configuration would have {size} bytes; at most {limit} are accepted")]
    TooLarge {
        /// Its size.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// Another process is writing at this moment. Retry.
    #[error("another openclaw process is writing the configuration; try again")]
    Busy,
    /// The system refused. The path says where.
    #[error("cannot write {}: {source}; check the permissions and free space there", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

fn summary(issues: &[ConfigIssue]) -> String {
    issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
