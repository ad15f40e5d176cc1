//! What a workspace remembers about its first day: `.openclaw/workspace-state.json`, as in the original.

use serde::{Deserialize, Serialize};

use super::error::WorkspaceError;
use super::folder::Folder;

const FOLDER: &str = ".openclaw";
const FILE: &str = "workspace-state.json";
const VERSION: u64 = 1;

/// Where it is, in the workspace.
pub(super) fn path() -> String {
    format!("{FOLDER}/{FILE}")
}

/// What happened on the first day. The times are texts, as they were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FirstDay {
    #[serde(default = "version")]
    version: u64,
    /// When `BOOTSTRAP.md` was put there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bootstrap_seeded_at: Option<String>,
    /// When the first day was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) onboarding_completed_at: Option<String>,
}

fn version() -> u64 {
    VERSION
}

impl Default for FirstDay {
    fn default() -> Self {
        Self { version: VERSION, bootstrap_seeded_at: None, onboarding_completed_at: None }
    }
}

impl FirstDay {
    /// Reads it. What cannot be understood counts as nothing known.
    pub(super) fn read(workspace: &Folder) -> Result<Self, WorkspaceError> {
        let Some(folder) = workspace.inner(FOLDER)? else { return Ok(Self::default()) };
        let Some(found) = folder.read(FILE)? else { return Ok(Self::default()) };
        Ok(serde_json::from_str(&found.text).unwrap_or_else(|error| {
            tracing::warn!(subsystem = "agent", %error, "the state of a workspace could not be understood");
            Self::default()
        }))
    }

    /// Writes it.
    pub(super) fn write(&self, workspace: &Folder) -> Result<(), WorkspaceError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| WorkspaceError::disk(FILE, "written", error.into()))?;
        workspace.make_inner(FOLDER)?.write(FILE, &format!("{text}\n"))
    }

    /// Whether the first day is over.
    pub(super) fn is_over(&self) -> bool {
        self.onboarding_completed_at.as_deref().is_some_and(|at| !at.trim().is_empty())
    }
}
