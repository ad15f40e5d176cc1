//! A home of one's own for one test: an empty state directory that vanishes with the value.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// An isolated state directory with mode 0700, removed on drop.
#[derive(Debug)]
pub struct TempHome {
    _root: tempfile::TempDir,
    state_dir: PathBuf,
}

impl TempHome {
    /// Makes an empty home.
    ///
    /// # Panics
    /// When the machine's folder for temporary files cannot be written.
    #[must_use]
    pub fn new() -> Self {
        let root = tempfile::tempdir().expect("the folder for temporary files is writable");
        let state_dir = root.path().join(".openclaw");
        std::fs::create_dir(&state_dir).expect("a fresh folder takes a child");
        std::fs::set_permissions(&state_dir, std::fs::Permissions::from_mode(0o700))
            .expect("we own the folder we made");
        Self { _root: root, state_dir }
    }

    /// The state directory.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// A path inside the state directory.
    #[must_use]
    pub fn path(&self, inside: impl AsRef<Path>) -> PathBuf {
        self.state_dir.join(inside)
    }
}

impl Default for TempHome {
    fn default() -> Self {
        Self::new()
    }
}
