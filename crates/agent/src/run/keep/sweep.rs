//! Removes the long outputs of tools that nobody needs any more.
//!
//! An output lives as long as the transcript that names it, at most thirty days, and as long as all outputs of its agent
//! fit together. `going` decides and is pure; the upkeep of `app` calls `sweep_outputs` now and then.

use std::collections::HashSet;
use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use openclaw_types::{SessionId, UnixMillis};

use super::{agent_outputs, file_name};

/// Whose outputs are looked at.
#[derive(Debug, Clone)]
pub struct OutputSweep {
    /// The folder of the agent's own state.
    pub agent_dir: PathBuf,
    /// Every transcript of the agent that still exists, archived ones included.
    pub sessions: HashSet<SessionId>,
    /// The time.
    pub now: UnixMillis,
}

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SweptOutputs {
    /// How many files.
    pub files: usize,
    /// How large they were together.
    pub bytes: u64,
}

/// How long outputs live, and how much they may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// How old an output gets.
    pub(super) age: Duration,
    /// How old an output of an unknown session gets: the session may have begun a moment ago.
    pub(super) orphan_age: Duration,
    /// The most that all outputs of an agent take.
    pub(super) most_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            age: Duration::from_secs(30 * 24 * 3600),
            orphan_age: Duration::from_secs(3600),
            most_bytes: 1024 * 1024 * 1024,
        }
    }
}

/// A kept output.
#[derive(Debug)]
struct Kept {
    path: PathBuf,
    /// The folder of its session; nothing where it belongs to none.
    folder: Option<String>,
    bytes: u64,
    at: UnixMillis,
}

/// Removes what nobody needs any more.
///
/// # Errors
/// When the folder cannot be read or a file cannot be removed; what was removed until then is gone.
pub async fn sweep_outputs(order: OutputSweep) -> io::Result<SweptOutputs> {
    tokio::task::spawn_blocking(move || sweep(&order, &Limits::default())).await.map_err(io::Error::other)?
}

pub(super) fn sweep(order: &OutputSweep, limits: &Limits) -> io::Result<SweptOutputs> {
    let root = agent_outputs(&order.agent_dir);
    let (kept, folders) = listed(&root)?;
    let known: HashSet<String> = order.sessions.iter().map(|session| file_name(session.as_str())).collect();
    let mut swept = SweptOutputs::default();
    for one in going(kept, &known, limits, order.now) {
        std::fs::remove_file(&one.path)?;
        swept.files += 1;
        swept.bytes += one.bytes;
    }
    for folder in folders {
        remove_if_empty(&folder)?;
    }
    Ok(swept)
}

/// Which outputs go: those that are too old, then the oldest until the rest fits.
fn going(mut kept: Vec<Kept>, known: &HashSet<String>, limits: &Limits, now: UnixMillis) -> Vec<Kept> {
    let is_old = |one: &mut Kept| {
        let orphan = one.folder.as_ref().is_some_and(|folder| !known.contains(folder));
        one.at < now.minus(if orphan { limits.orphan_age } else { limits.age })
    };
    let mut gone: Vec<Kept> = kept.extract_if(.., is_old).collect();
    kept.sort_by_key(|one| one.at);
    let mut bytes: u64 = kept.iter().map(|one| one.bytes).sum();
    for one in kept {
        if bytes <= limits.most_bytes {
            break;
        }
        bytes = bytes.saturating_sub(one.bytes);
        gone.push(one);
    }
    gone
}

/// Every output below a folder, and the folders of sessions. Links are left alone.
fn listed(root: &Path) -> io::Result<(Vec<Kept>, Vec<PathBuf>)> {
    let (mut kept, mut folders) = (Vec::new(), Vec::new());
    for found in entries(root)? {
        let about = found.metadata()?;
        if about.is_file() {
            kept.push(output(&found, &about, None)?);
        } else if about.is_dir() {
            let folder = found.file_name().to_string_lossy().into_owned();
            for inside in entries(&found.path())? {
                let about = inside.metadata()?;
                if about.is_file() {
                    kept.push(output(&inside, &about, Some(&folder))?);
                }
            }
            folders.push(found.path());
        }
    }
    Ok((kept, folders))
}

fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listing => listing?.collect(),
    }
}

fn output(found: &DirEntry, about: &Metadata, folder: Option<&str>) -> io::Result<Kept> {
    let since = about.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Kept {
        path: found.path(),
        folder: folder.map(str::to_owned),
        bytes: about.len(),
        at: UnixMillis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
    })
}

fn remove_if_empty(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        outcome => outcome,
    }
}
