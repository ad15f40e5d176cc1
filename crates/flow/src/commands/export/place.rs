//! Writes a page below the workspace and nowhere else.
//!
//! Every folder on the way is opened through the handle of the one above it and never through a link; the file itself
//! must be new. Blocking work happens off the async threads.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Where a page goes: folders below the workspace, and the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    folders: Vec<String>,
    file: String,
}

/// Why a page was not written.
#[derive(Debug)]
pub(super) enum Obstacle {
    /// The path leads out of the workspace, or names no file.
    Outside,
    /// There is such a file.
    Taken(PathBuf),
    /// The disk did not take it.
    Disk(PathBuf, std::io::Error),
}

/// Reads a path as people write it. The ending is added when there is none.
pub(super) fn target(written: &str) -> Result<Target, Obstacle> {
    let mut steps = Vec::new();
    for component in Path::new(written.trim()).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(step) => steps.push(step.to_str().ok_or(Obstacle::Outside)?.to_owned()),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Obstacle::Outside);
            }
        }
    }
    let mut file = steps.pop().ok_or(Obstacle::Outside)?;
    let hidden = |step: &String| step.starts_with('.') || step.starts_with('~') || step.contains('\0');
    if steps.iter().any(hidden) || hidden(&file) {
        return Err(Obstacle::Outside);
    }
    if Path::new(&file).extension().is_none() {
        file.push_str(".html");
    }
    Ok(Target { folders: steps, file })
}

/// Makes the page and writes it where nobody waits for that, and says where it is.
pub(super) async fn write(
    workspace: PathBuf,
    target: Target,
    page: impl FnOnce() -> String + Send + 'static,
) -> Result<PathBuf, Obstacle> {
    let root = workspace.clone();
    let written = tokio::task::spawn_blocking(move || put(&workspace, &target, &page())).await;
    written.unwrap_or_else(|error| Err(Obstacle::Disk(root, std::io::Error::other(error))))
}

fn put(workspace: &Path, target: &Target, text: &str) -> Result<PathBuf, Obstacle> {
    std::fs::create_dir_all(workspace).map_err(|error| Obstacle::Disk(workspace.to_owned(), error))?;
    let disk = |path: &Path, error: Errno| Obstacle::Disk(path.to_owned(), error.into());
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder: OwnedFd =
        rustix::fs::open(workspace, flags, Mode::empty()).map_err(|error| disk(workspace, error))?;
    let mut path = workspace.to_owned();
    for step in &target.folders {
        path.push(step);
        match rustix::fs::mkdirat(&folder, step.as_str(), Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(disk(&path, error)),
        }
        folder = rustix::fs::openat(&folder, step.as_str(), flags | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|error| disk(&path, error))?;
    }
    path.push(&target.file);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(&folder, target.file.as_str(), flags, Mode::from_raw_mode(0o600)) {
        Ok(file) => file,
        Err(Errno::EXIST) => return Err(Obstacle::Taken(path)),
        Err(error) => return Err(disk(&path, error)),
    };
    let mut file = File::from(file);
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| Obstacle::Disk(path.clone(), error))?;
    Ok(path)
}
