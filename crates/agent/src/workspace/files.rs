//! The workspace files that clients may list, read and write by name.
//!
//! The names are fixed, so no client chooses a path. Who may write is decided by the gateway's table of scopes.

use std::path::{Path, PathBuf};

use super::error::WorkspaceError;
use super::folder::{FileFacts, Folder, off_thread};
use super::names;
use super::state::FirstDay;

/// One file of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceFile {
    /// Its name.
    pub name: &'static str,
    /// Where it is, or would be.
    pub path: PathBuf,
    /// Its size and age; nothing when it is missing.
    pub facts: Option<FileFacts>,
    /// What it says, where that was asked for.
    pub content: Option<String>,
}

/// Lists the files. `BOOTSTRAP.md` is left out once the first day is over. What is there but is no plain file of the
/// workspace counts as missing.
///
/// # Errors
/// The directory cannot be read.
pub async fn list_files(dir: &Path) -> Result<Vec<WorkspaceFile>, WorkspaceError> {
    let path = dir.to_path_buf();
    off_thread(move || {
        let folder = Folder::open(&path)?;
        let over = match &folder {
            Some(folder) => FirstDay::read(folder)?.is_over(),
            None => false,
        };
        let facts = |name: &str| folder.as_ref().and_then(|folder| seen(folder, name));
        let mut files: Vec<WorkspaceFile> = names::STANDING
            .into_iter()
            .chain((!over).then_some(names::BOOTSTRAP))
            .map(|name| WorkspaceFile { name, path: path.join(name), facts: facts(name), content: None })
            .collect();
        let (name, facts) = match (facts(names::MEMORY), facts(names::MEMORY_LOWER)) {
            (None, Some(lower)) => (names::MEMORY_LOWER, Some(lower)),
            (upper, _) => (names::MEMORY, upper),
        };
        files.push(WorkspaceFile { name, path: path.join(name), facts, content: None });
        Ok(files)
    })
    .await
}

/// Reads a file. One that is missing has no facts and no content.
///
/// # Errors
/// The name is not one of ours, something other than a plain file is there, or the disk fails.
pub async fn read_file(dir: &Path, name: &str) -> Result<WorkspaceFile, WorkspaceError> {
    let name = known(name)?;
    let path = dir.to_path_buf();
    off_thread(move || {
        let found = match Folder::open(&path)? {
            Some(folder) => folder.read(name)?,
            None => None,
        };
        let (facts, content) = found.map(|found| (found.facts, found.text)).unzip();
        Ok(WorkspaceFile { name, path: path.join(name), facts, content })
    })
    .await
}

/// Writes a file: whole or not at all. The directory is made where it is missing.
///
/// # Errors
/// The name is not one of ours, something other than a plain file is there, or the disk fails.
pub async fn write_file(dir: &Path, name: &str, content: String) -> Result<WorkspaceFile, WorkspaceError> {
    let name = known(name)?;
    let path = dir.to_path_buf();
    off_thread(move || {
        let folder = Folder::make(&path)?;
        folder.write(name, &content)?;
        let facts = folder.facts(name)?;
        Ok(WorkspaceFile { name, path: path.join(name), facts, content: Some(content) })
    })
    .await
}

fn seen(folder: &Folder, name: &str) -> Option<FileFacts> {
    folder.facts(name).unwrap_or_else(|error| {
        tracing::debug!(subsystem = "agent", name, %error, "a workspace file is not shown");
        None
    })
}

fn known(name: &str) -> Result<&'static str, WorkspaceError> {
    let all = names::STANDING.into_iter().chain([names::BOOTSTRAP, names::MEMORY, names::MEMORY_LOWER]);
    all.clone().find(|known| *known == name).ok_or_else(|| WorkspaceError::UnknownFile {
        name: name.to_owned(),
        known: all.collect::<Vec<_>>().join(", "),
    })
}
