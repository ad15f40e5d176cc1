//! Gets a workspace ready: the directory, its first files, a repository, and the memory that this was done.
//!
//! Safe to repeat and to cut off at any point: nothing is ever overwritten, and whatever is missing is made the next
//! time. `first_day` decides, `prepare` acts. Called before each run and by the commands that set agents up.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use jiff::Timestamp;
use openclaw_config::FirstFiles;
use openclaw_ports::{Clock, Deadline};
use openclaw_types::UnixMillis;

use super::error::WorkspaceError;
use super::folder::{Folder, Made, off_thread};
use super::names;
use super::state::FirstDay;

/// Where programs are. The environment of the gateway is not handed on.
const PROGRAM_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin";
const GIT_TIME: Duration = Duration::from_secs(10);

/// What was done to a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The files that were made.
    pub made: Vec<&'static str>,
    /// Whether there was nothing before.
    pub age: WorkspaceAge,
}

/// Whether a workspace was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkspaceAge {
    /// There was nothing of ours or of a person's.
    New,
    /// There was something.
    Known,
}

/// Gets a workspace ready.
///
/// The directory is always made. Its first files are made where they are missing, unless people manage them
/// themselves; `BOOTSTRAP.md` only in a workspace in which nothing has happened yet. A new workspace becomes a git
/// repository when git is there; that it is not is not an error.
///
/// # Errors
/// The directory or a file cannot be made or read.
pub async fn prepare(dir: &Path, first: FirstFiles, clock: &dyn Clock) -> Result<Prepared, WorkspaceError> {
    let (path, now) = (dir.to_path_buf(), clock.now());
    let prepared = off_thread(move || prepare_now(&path, first, now)).await?;
    prepared.finish(dir, clock).await;
    Ok(prepared)
}

/// The part of it that waits for the disk.
pub(super) fn prepare_now(
    path: &Path,
    first: FirstFiles,
    now: UnixMillis,
) -> Result<Prepared, WorkspaceError> {
    match first {
        FirstFiles::Made => make_files(path, now),
        FirstFiles::Skipped => {
            Folder::make(path).map(|_folder| Prepared { made: Vec::new(), age: WorkspaceAge::Known })
        }
    }
}

impl Prepared {
    /// The part of it that waits for another program.
    pub(super) async fn finish(&self, dir: &Path, clock: &dyn Clock) {
        if self.age == WorkspaceAge::New {
            make_repository(dir, clock).await;
        }
    }
}

fn make_files(path: &Path, now: UnixMillis) -> Result<Prepared, WorkspaceError> {
    let folder = Folder::make(path)?;
    let lived_in = lived_in(&folder)?;
    let mut made = Vec::new();
    for name in names::STANDING {
        make_first(&folder, name, &mut made)?;
    }
    let age =
        if lived_in || made.len() < names::STANDING.len() { WorkspaceAge::Known } else { WorkspaceAge::New };
    let known = FirstDay::read(&folder)?;
    if known.is_over() {
        return Ok(Prepared { made, age });
    }
    let sight = Sight {
        bootstrap: folder.holds(names::BOOTSTRAP)?,
        touched: lived_in || !is_untouched(&folder, names::IDENTITY)? || !is_untouched(&folder, names::USER)?,
    };
    let (next, seed) = first_day(&known, sight, &timestamp(now));
    if seed == Seed::Yes {
        make_first(&folder, names::BOOTSTRAP, &mut made)?;
    }
    if next != known {
        next.write(&folder)?;
    }
    Ok(Prepared { made, age })
}

/// What a look at a workspace shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    /// Whether `BOOTSTRAP.md` is there.
    pub(super) bootstrap: bool,
    /// Whether a person or an agent left something behind.
    pub(super) touched: bool,
}

/// Whether `BOOTSTRAP.md` is put there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seed {
    Yes,
    No,
}

/// Decides what is known about the first day from now on. One that was over stays over.
pub(super) fn first_day(known: &FirstDay, sight: Sight, now: &str) -> (FirstDay, Seed) {
    let mut next = known.clone();
    let seeded = known.bootstrap_seeded_at.is_some();
    if known.is_over() {
        return (next, Seed::No);
    }
    let (seeds, ends) = match (seeded, sight.bootstrap) {
        (true, true) => (false, false),
        (true, false) => (false, true),
        (false, true) => (true, false),
        (false, false) => (!sight.touched, sight.touched),
    };
    if seeds {
        next.bootstrap_seeded_at = Some(now.to_owned());
    }
    if ends {
        next.onboarding_completed_at = Some(now.to_owned());
    }
    (next, if seeds && !sight.bootstrap { Seed::Yes } else { Seed::No })
}

/// Whether a person's or an agent's own things are there.
fn lived_in(folder: &Folder) -> Result<bool, WorkspaceError> {
    Ok(folder.holds(names::MEMORY_FOLDER)? || folder.holds(names::MEMORY)? || folder.holds(names::GIT)?)
}

fn is_untouched(folder: &Folder, name: &str) -> Result<bool, WorkspaceError> {
    let found = folder.read(name)?;
    Ok(found.as_ref().map(|found| found.text.as_str()) == names::first_text(name))
}

fn make_first(
    folder: &Folder,
    name: &'static str,
    made: &mut Vec<&'static str>,
) -> Result<(), WorkspaceError> {
    if folder.make_file(name, names::first_text(name).unwrap_or_default())? == Made::Now {
        made.push(name);
    }
    Ok(())
}

/// Makes a repository. Nothing depends on it, so what goes wrong is only noted.
async fn make_repository(dir: &Path, clock: &dyn Clock) {
    let mut git = tokio::process::Command::new("git");
    git.args(["init", "--quiet"])
        .current_dir(dir)
        .env_clear()
        .env("PATH", PROGRAM_PATH)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    match Deadline::after(clock, GIT_TIME).bound(clock, git.status()).await {
        Ok(Ok(status)) if status.success() => {}
        outcome => tracing::debug!(subsystem = "agent", ?outcome, "the workspace is not a git repository"),
    }
}

/// A moment as the original writes it, such as `2026-11-16T04:22:25.123Z`.
fn timestamp(at: UnixMillis) -> String {
    let at = Timestamp::from_millisecond(at.0).unwrap_or(Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
