//! What can go wrong with a workspace.

use std::path::PathBuf;

/// Why something in a workspace was not done.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The name is not one of the files that are managed here.
    #[error("\"{name}\" is not one of the workspace's own files; use one of {known}")]
    UnknownFile {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Something other than a plain file of the workspace is in the way. A person has to look at it.
    #[error("the workspace file \"{name}\" is left alone: {reason}")]
    Unsafe {
        /// The file.
        name: String,
        /// What it is instead.
        reason: &'static str,
    },
    /// The disk did not do what was asked.
    #[error("{} cannot be {verb}; check that the directory exists and that its permissions allow it", path.display())]
    Disk {
        /// Where.
        path: PathBuf,
        /// What was tried, such as `read`.
        verb: &'static str,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// The work was cut off because the program ends.
    #[error("the program is stopping")]
    Stopping,
}

impl WorkspaceError {
    pub(super) fn disk(path: impl Into<PathBuf>, verb: &'static str, source: std::io::Error) -> Self {
        Self::Disk { path: path.into(), verb, source }
    }
}
