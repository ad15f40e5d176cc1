//! How far the file tools reach, for one agent.
//!
//! What an agent says goes before what is said for all. Which tools an agent may call at all is the policy's business;
//! which files are always refused is decided by the tools themselves.

use openclaw_types::AgentId;

use crate::resolved::Config;
use crate::sections::{AgentTools, ApplyPatchTool, FileTools};

/// How far the file tools of an agent reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileToolSettings {
    /// Whether only files of the workspace can be touched.
    pub workspace_only: bool,
    /// Changing several files with one patch.
    pub patches: PatchSettings,
}

/// Changing several files with one patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchSettings {
    /// Whether the tool is there.
    pub enabled: bool,
    /// Whether only files of the workspace can be touched, whatever holds for the other tools.
    pub workspace_only: bool,
    /// The only models that have the tool, as `vendor/model` or `model`; all when empty.
    pub models: Vec<String>,
}

impl FileToolSettings {
    /// The settings of an agent.
    #[must_use]
    pub fn of(config: &Config, agent: &AgentId) -> Self {
        let all = config.raw.tools.as_ref();
        let own = own_tools(config, agent);
        let reach = |files: Option<&FileTools>| files.and_then(|files| files.workspace_only);
        let workspace_only = reach(own.and_then(|own| own.shared.fs.as_ref()))
            .or_else(|| reach(all.and_then(|all| all.shared.fs.as_ref())))
            .unwrap_or(false);
        let own = own.and_then(|own| own.exec.as_ref()).and_then(|exec| exec.shared.apply_patch.as_ref());
        let all = all.and_then(|all| all.exec.as_ref()).and_then(|exec| exec.apply_patch.as_ref());
        Self { workspace_only, patches: PatchSettings::of(own, all) }
    }
}

impl PatchSettings {
    fn of(own: Option<&ApplyPatchTool>, all: Option<&ApplyPatchTool>) -> Self {
        let models = own
            .and_then(|own| own.allow_models.as_deref())
            .or_else(|| all.and_then(|all| all.allow_models.as_deref()));
        let flag =
            |read: fn(&ApplyPatchTool) -> Option<bool>| own.and_then(read).or_else(|| all.and_then(read));
        Self {
            enabled: flag(|patch| patch.enabled).unwrap_or(false),
            workspace_only: flag(|patch| patch.workspace_only).unwrap_or(true),
            models: models.unwrap_or_default().to_vec(),
        }
    }
}

fn own_tools<'a>(config: &'a Config, agent: &AgentId) -> Option<&'a AgentTools> {
    let entries = config.raw.agents.as_ref()?.list.as_deref()?;
    let entry = entries.iter().find(|entry| entry.id.trim().eq_ignore_ascii_case(agent.as_str()))?;
    entry.tools.as_ref()
}

#[cfg(test)]
mod tests;
