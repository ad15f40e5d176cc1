//! The files of the checkout, read once for all rules.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::shell::root;

/// One file that belongs to the project.
pub(super) struct File {
    /// Its path from the root, with forward slashes.
    pub(super) path: String,
    /// Its text; empty for a file that is not text.
    pub(super) text: String,
}

impl File {
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the file holds tests or their material.
    pub(super) fn is_test(&self) -> bool {
        let path = &self.path;
        path.contains("/tests/")
            || path.contains("/fixtures/")
            || path.contains("/testkit/")
            || path.ends_with("tests.rs")
    }

    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Every file that git knows or would add.
pub(super) fn read() -> anyhow::Result<Vec<File>> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root())
        .output()
        .context("git could not be started")?;
    let list = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    let mut files = Vec::new();
    for path in list.split('\0').filter(|path| !path.is_empty()) {
        let place: PathBuf = root().join(path);
        if !place.is_file() {
            continue;
        }
        let bytes = std::fs::read(&place).with_context(|| format!("{path} cannot be read"))?;
        files.push(File { path: path.to_owned(), text: String::from_utf8(bytes).unwrap_or_default() });
    }
    Ok(files)
}
