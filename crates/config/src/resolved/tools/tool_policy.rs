//! Which tools an agent may use, as a person wrote it: for everybody, for one agent, for sandboxes and sub-agents.
//!
//! The rules are brought together with the places they stand at, so that a refusal can name them. What they mean for
//! one run is decided in the agent's `policy`; the tools built in and their groups are known there, not here.

use std::collections::BTreeMap;

use openclaw_types::AgentId;

use crate::resolved::agents::normal_id;
use crate::sections::{
    AllowDeny, ApplyPatchTool, NestedTools, RawConfig, SandboxMode, SharedTools, ToolLists, ToolPolicy,
    ToolsSection,
};

#[cfg(test)]
mod tests;

/// How deep agents may hand on work when nobody says so: a person's agent has helpers, and these have none.
const DEFAULT_SPAWN_DEPTH: u64 = 1;

/// The rules about tools that concern one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRules {
    /// What holds for every agent.
    pub shared: ToolScope,
    /// What holds for this agent alone.
    pub own: Option<ToolScope>,
    /// Which of the agent's sessions belong into a sandbox.
    pub sandbox: SandboxRule,
    /// The only tools of sandboxed sessions, where somebody wrote them.
    pub sandbox_allow: Option<PlacedList>,
    /// Tools that sandboxed sessions never have, beyond those that are built in.
    pub sandbox_deny: Option<PlacedList>,
    /// The tools of sub-agents.
    pub subagents: ToolLists,
    /// From which depth on sub-agents have no sub-agents of their own.
    pub max_spawn_depth: u64,
    /// Changing several files at once.
    pub apply_patch: ApplyPatchRules,
    /// Searching and reading the web.
    pub web: WebRules,
}

/// Which sessions belong into a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxRule {
    /// Where it is said.
    pub path: String,
    /// Which ones.
    pub mode: SandboxMode,
}

/// Which tools for the web there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebRules {
    /// Whether it can be searched; `tools.web.search.enabled`.
    pub search: bool,
    /// Whether pages can be read; `tools.web.fetch.enabled`.
    pub fetch: bool,
}

/// Rules that stand at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolScope {
    /// Where they stand, such as `tools` or `agents.list[0].tools`.
    pub path: String,
    /// Which tools may be used.
    pub policy: ToolPolicy,
    /// The same for a vendor, or a model as `vendor/model`. Keys are trimmed and in lower case.
    pub by_provider: BTreeMap<String, ToolPolicy>,
}

/// A list and the place it stands at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedList {
    /// Where it stands.
    pub path: String,
    /// What it names.
    pub names: Vec<String>,
}

/// Whether an agent may change several files at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplyPatchRules {
    /// Where the rules stand.
    pub path: String,
    /// Whether the tool exists.
    pub enabled: bool,
    /// Whether it is kept to the workspace.
    pub workspace_only: bool,
    /// The only models that have it, in lower case; all that can when empty.
    pub allow_models: Vec<String>,
}

/// Which tools may be called over HTTP, beside what is built in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpToolRules {
    /// Tools that are taken off the built-in list of refusals.
    pub allow: Vec<String>,
    /// Tools that are put on it.
    pub deny: Vec<String>,
}

impl ToolRules {
    /// Brings together what the file says about the tools of an agent.
    #[must_use]
    pub fn of(raw: &RawConfig, agent: &AgentId) -> Self {
        let section = raw.tools.as_ref();
        let own = agent_tools(raw, agent);
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
        let depth = defaults.and_then(|defaults| defaults.subagents.as_ref()?.max_spawn_depth);
        let shared = section.map(|section| &section.shared);
        let nested =
            [own.as_ref().map(|(path, tools)| (path.as_str(), *tools)), shared.map(|s| ("tools", s))];
        let pick = |list: fn(&ToolLists) -> Option<&Vec<String>>, word: &str| {
            let placed =
                |(path, tools): (&str, &SharedTools)| sandbox_list(path, tools.sandbox.as_ref(), list, word);
            nested.into_iter().flatten().find_map(placed)
        };
        Self {
            shared: scope("tools", shared),
            sandbox: sandbox(raw, agent),
            sandbox_allow: pick(|lists| lists.allow.as_ref(), "allow"),
            sandbox_deny: pick(|lists| lists.deny.as_ref(), "deny"),
            subagents: section
                .and_then(|section| section.subagents.as_ref()?.tools.clone())
                .unwrap_or_default(),
            max_spawn_depth: depth.map_or(DEFAULT_SPAWN_DEPTH, |depth| depth.get().max(1)),
            apply_patch: apply_patch(raw, agent),
            web: web(section),
            own: own.map(|(path, tools)| scope(&path, Some(tools))),
        }
    }
}

impl HttpToolRules {
    /// Reads `gateway.tools`.
    #[must_use]
    pub fn of(raw: &RawConfig) -> Self {
        let lists = raw.gateway.as_ref().and_then(|gateway| gateway.tools.clone());
        let AllowDeny { allow, deny } = lists.unwrap_or_default();
        Self { allow: allow.unwrap_or_default(), deny: deny.unwrap_or_default() }
    }
}

/// An agent's own words about sandboxes win over those for all.
fn sandbox(raw: &RawConfig, agent: &AgentId) -> SandboxRule {
    let agents = raw.agents.as_ref();
    let list = agents.and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let own = list.iter().enumerate().find(|(_, entry)| normal_id(&entry.id) == *agent).and_then(
        |(index, entry)| {
            let mode = entry.sandbox.as_ref()?.mode?;
            Some(SandboxRule { path: format!("agents.list[{index}].sandbox.mode"), mode })
        },
    );
    let all = agents.and_then(|agents| agents.defaults.as_ref()?.sandbox.as_ref()?.mode);
    own.unwrap_or_else(|| SandboxRule {
        path: "agents.defaults.sandbox.mode".to_owned(),
        mode: all.unwrap_or(SandboxMode::Off),
    })
}

fn web(tools: Option<&ToolsSection>) -> WebRules {
    let web = tools.and_then(|tools| tools.web.as_ref());
    WebRules {
        search: web.and_then(|web| web.search.as_ref()?.enabled).unwrap_or(true),
        fetch: web.and_then(|web| web.fetch.as_ref()?.enabled).unwrap_or(true),
    }
}

/// What the file says of an agent's own tools, and where.
fn agent_tools<'a>(raw: &'a RawConfig, agent: &AgentId) -> Option<(String, &'a SharedTools)> {
    let list = raw.agents.as_ref()?.list.as_deref()?;
    let (index, entry) = list.iter().enumerate().find(|(_, entry)| normal_id(&entry.id) == *agent)?;
    Some((format!("agents.list[{index}].tools"), &entry.tools.as_ref()?.shared))
}

fn scope(path: &str, tools: Option<&SharedTools>) -> ToolScope {
    let by_provider = tools.map(|tools| &tools.by_provider).into_iter().flatten();
    ToolScope {
        path: path.to_owned(),
        policy: tools.map(|tools| tools.policy.clone()).unwrap_or_default(),
        by_provider: by_provider.map(|(key, policy)| (key.trim().to_lowercase(), policy.clone())).collect(),
    }
}

fn sandbox_list(
    path: &str,
    sandbox: Option<&NestedTools>,
    list: fn(&ToolLists) -> Option<&Vec<String>>,
    word: &str,
) -> Option<PlacedList> {
    let names = list(sandbox?.tools.as_ref()?)?.clone();
    Some(PlacedList { path: format!("{path}.sandbox.tools.{word}"), names })
}

/// An agent's own words about the tool take the place of the shared ones as a whole.
fn apply_patch(raw: &RawConfig, agent: &AgentId) -> ApplyPatchRules {
    let list = raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let own = list.iter().enumerate().find(|(_, entry)| normal_id(&entry.id) == *agent).and_then(
        |(index, entry)| {
            let tool = entry.tools.as_ref()?.exec.as_ref()?.shared.apply_patch.as_ref()?;
            Some((format!("agents.list[{index}].tools.exec.applyPatch"), tool))
        },
    );
    let shared = raw.tools.as_ref().and_then(|tools| tools.exec.as_ref()?.apply_patch.as_ref());
    let (path, tool) = match (own, shared) {
        (Some((path, tool)), _) => (path, tool.clone()),
        (None, shared) => ("tools.exec.applyPatch".to_owned(), shared.cloned().unwrap_or_default()),
    };
    let ApplyPatchTool { enabled, workspace_only, allow_models } = tool;
    let names = allow_models.unwrap_or_default();
    ApplyPatchRules {
        path,
        enabled: enabled.unwrap_or(false),
        workspace_only: workspace_only.unwrap_or(true),
        allow_models: names
            .iter()
            .map(|name| name.trim().to_lowercase())
            .filter(|name| !name.is_empty())
            .collect(),
    }
}
