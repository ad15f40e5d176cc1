//! How far the file tools reach, for one agent.
//!
//! What an agent says goes before what is said for all. Which tools an agent may call at all is the policy's business;
//! which files are always refused is decided by the tools themselves.

use openclaw_types::AgentId;

use crate::resolved::Config;
use crate::sections::{AgentTools, FileTools};

/// How far the file tools of an agent reach. Patches have a rule of their own in `ToolRules`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileToolSettings {
    /// Whether only files of the workspace can be touched.
    pub workspace_only: bool,
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
        Self { workspace_only }
    }
}

fn own_tools<'a>(config: &'a Config, agent: &AgentId) -> Option<&'a AgentTools> {
    let entries = config.raw.agents.as_ref()?.list.as_deref()?;
    let entry = entries.iter().find(|entry| entry.id.trim().eq_ignore_ascii_case(agent.as_str()))?;
    entry.tools.as_ref()
}

#[cfg(test)]
mod tests;
