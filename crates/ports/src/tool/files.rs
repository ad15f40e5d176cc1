//! Opening files for whoever is no tool: by the rules that hold for tools.

use std::fs::File;
use std::path::Path;

/// Opens files below a folder, and never what the gateway keeps for itself.
pub trait FileDoor: Send + Sync {
    /// Opens a plain file for reading. Links are followed as far as they stay below the folder. Blocking.
    ///
    /// # Errors
    /// There is no such file, or a rule forbids it.
    fn open(&self, folder: &Path, below: &Path) -> Result<File, NoFile>;
}

/// Why a file is not opened. The texts are for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoFile {
    /// A rule forbids it.
    #[error("{0}")]
    Refused(String),
    /// It is not there, or cannot be read.
    #[error("{0}")]
    Absent(String),
}
