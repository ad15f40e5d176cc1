//! One gateway for each folder that an agent was given elsewhere than in the usual place.
//!
//! Two installations may name the same folder, and each would take the runs of the other for cut off and end them. So the
//! second one does not start. As with `instance`, the kernel's lock decides, and the text inside only tells who holds it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use openclaw_types::AgentId;

/// Begins like the database, so that it is as closed to file tools as the other files beside it.
const FILE: &str = "agent.sqlite.lock";

/// Another gateway uses the folder of an agent.
#[derive(Debug, thiserror::Error)]
#[error(
    "the agentDir {} of the agent {agent} is used by another gateway ({holder}). Stop that gateway, or give the agent a folder of its own in agents.list[].agentDir",
    .folder.display()
)]
pub(crate) struct FolderTaken {
    agent: AgentId,
    folder: PathBuf,
    holder: Holder,
}

/// The process that holds a folder, when it said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Holder(Option<u32>);

impl fmt::Display for Holder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(pid) => write!(out, "pid {pid}"),
            None => out.write_str("its pid is not known"),
        }
    }
}

/// Held for as long as the gateway runs; dropping it frees the folders.
#[derive(Debug)]
pub(crate) struct FolderLocks {
    _held: Vec<File>,
}

impl FolderLocks {
    /// Takes the folders that agents were given. One that cannot be used is passed over: only its own agent goes without,
    /// and says why.
    ///
    /// # Errors
    /// Names the gateway that has one of them.
    pub(crate) fn take(given: &BTreeMap<AgentId, PathBuf>) -> Result<Self, FolderTaken> {
        let mut held = Vec::new();
        for (agent, folder) in given {
            match lock(folder) {
                Ok(Lock::Ours(file)) => held.push(file),
                Ok(Lock::Anothers(holder)) => {
                    return Err(FolderTaken { agent: agent.clone(), folder: folder.clone(), holder });
                }
                Err(error) => {
                    tracing::warn!(subsystem = "agent", %agent, %error, "its agentDir cannot be locked; another gateway could use it too");
                }
            }
        }
        Ok(Self { _held: held })
    }
}

/// What came of locking a folder.
enum Lock {
    Ours(File),
    Anothers(Holder),
}

fn lock(folder: &Path) -> io::Result<Lock> {
    // A folder that is there keeps its mode.
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let path = folder.join(FILE);
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0)?;
            write!(file, "{}", std::process::id())?;
            Ok(Lock::Ours(file))
        }
        Err(TryLockError::WouldBlock) => Ok(Lock::Anothers(holder(&file))),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Reads who holds a lock; nobody when the text is not (yet) whole.
fn holder(mut file: &File) -> Holder {
    let mut text = String::new();
    Holder(file.read_to_string(&mut text).ok().and_then(|_length| text.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use openclaw_testkit::TempHome;

    use super::*;

    fn given(home: &TempHome, folder: &str) -> BTreeMap<AgentId, PathBuf> {
        BTreeMap::from([(AgentId::main(), home.path(folder))])
    }

    #[test]
    fn a_folder_is_taken_by_one_gateway_at_a_time() {
        let home = TempHome::new();
        let first = FolderLocks::take(&given(&home, "own")).unwrap();
        let refused = FolderLocks::take(&given(&home, "own")).unwrap_err().to_string();
        let begin = format!(
            "the agentDir {} of the agent main is used by another gateway (pid {}). Stop",
            home.path("own").display(),
            std::process::id()
        );
        assert!(refused.starts_with(&begin), "{refused}");
        FolderLocks::take(&given(&home, "other")).unwrap();
        drop(first);
        FolderLocks::take(&given(&home, "own")).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_used_keeps_nobody_from_starting() {
        let home = TempHome::new();
        std::os::unix::fs::symlink(home.path("loop"), home.path("loop")).unwrap();
        FolderLocks::take(&given(&home, "loop/agent")).unwrap();
    }
}
