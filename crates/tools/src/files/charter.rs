//! Decides who may change the files that say who an agent is and what it does by itself.
//!
//! A page, a guest or another session that could rewrite them would stay in charge after its own words are gone. So they
//! are changed on the owner's word alone, once the first day of a workspace is over: until then the agent writes down
//! what it is told of itself. Pure, apart from the look whether that day is over.

use std::path::{Path, PathBuf};

use openclaw_types::SenderRank;

use super::guard::real;
use crate::stop::Stop;

/// What is there as long as an agent gets to know its person.
const FIRST_DAY: &str = "BOOTSTRAP.md";

/// The files, in the folder of a workspace. That of the first day is one of them: whoever could make it would open the others.
const CHARTER: [&str; 5] = ["AGENTS.md", "SOUL.md", "IDENTITY.md", "HEARTBEAT.md", FIRST_DAY];

/// The rule for one call.
#[derive(Debug, Clone)]
pub(super) enum Charter {
    /// The files are like any other.
    Open,
    /// They are only read.
    Closed {
        /// Where the agent works.
        workspace: PathBuf,
        /// Where the workspaces of other agents are, unless somebody put them elsewhere.
        state: PathBuf,
    },
}

impl Charter {
    /// The rule for a call that somebody caused.
    pub(super) fn of(behind: SenderRank, workspace: &Path, state: &Path) -> Self {
        if behind == SenderRank::Owner || workspace.join(FIRST_DAY).exists() {
            return Self::Open;
        }
        Self::Closed { workspace: real(workspace), state: real(state) }
    }

    /// Checks a real path that is going to be deleted or moved away. A first day may always end, as it closes the others.
    pub(super) fn check_removal(&self, path: &Path) -> Result<(), Stop> {
        if path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(FIRST_DAY)) {
            return Ok(());
        }
        self.check_change(path)
    }

    /// Checks a real path that is going to be made or changed.
    pub(super) fn check_change(&self, path: &Path) -> Result<(), Stop> {
        let Self::Closed { workspace, state } = self else { return Ok(()) };
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
        let name = name.to_string_lossy();
        // Some file systems take any spelling.
        let Some(name) = CHARTER.into_iter().find(|known| known.eq_ignore_ascii_case(&name)) else {
            return Ok(());
        };
        if folder == workspace || is_a_workspace(folder, state) {
            return Err(Stop::refused(format!(
                "{name} says who the agent is or what it does by itself, and changes only when the owner of this \
                 installation asks for it in a message of their own, or edits it. Whose messages count as the owner's is \
                 set with commands.ownerAllowFrom. What should be remembered can be written to MEMORY.md or memory/."
            )));
        }
        Ok(())
    }
}

fn is_a_workspace(folder: &Path, state: &Path) -> bool {
    let named = |name: &str| name == "workspace" || name.starts_with("workspace-");
    folder.parent() == Some(state) && folder.file_name().is_some_and(|name| named(&name.to_string_lossy()))
}
