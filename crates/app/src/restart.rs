//! Replaces this process by a fresh one of the same binary and arguments.
//!
//! The process id stays, memory starts from zero, and a binary that was replaced on disk takes effect. Everything
//! must be closed before: file locks and sockets end with the old image.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// What to run again.
#[derive(Debug, Clone)]
pub(crate) struct Reincarnation {
    binary: PathBuf,
    arguments: Vec<OsString>,
}

impl Reincarnation {
    /// Remembers how this process was started. Called early: after an upgrade the path of a running binary changes.
    ///
    /// # Errors
    /// When the system does not say which binary runs.
    pub(crate) fn of_this_process() -> std::io::Result<Self> {
        Ok(Self { binary: std::env::current_exe()?, arguments: std::env::args_os().skip(1).collect() })
    }

    /// Becomes the new process. Returns only when that failed.
    #[must_use]
    pub(crate) fn exec(&self) -> std::io::Error {
        Command::new(&self.binary).args(&self.arguments).exec()
    }
}
