//! Handing work to other agents, and which sessions a session's tools see.
//!
//! Says what is meant for one agent; what follows is decided in `flow::subagents` and `flow::session_tools`. What an agent says
//! of itself wins over the defaults.

use std::time::Duration;

use openclaw_types::AgentId;

use crate::resolved::agents::normal_id;
use crate::resolved::models::ModelPreference;
use crate::sections::{
    AgentEntry, AgentSubagents, ModelChoice, RawConfig, Sandbox, SandboxMode, SandboxSessionVisibility,
    SessionVisibility,
};

const SPAWN_DEPTH: u64 = 1;
const CHILDREN: usize = 5;
const ANNOUNCE_WITHIN: Duration = Duration::from_secs(60);
const ARCHIVE_AFTER: Duration = Duration::from_secs(60 * 60);

/// How an agent hands work to sub-agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentSettings {
    /// How deep work may be handed on; at least one.
    pub max_depth: u64,
    /// How many sub-agents one session may have at once.
    pub max_children: usize,
    /// Which agents besides itself it may hand work to.
    pub targets: Targets,
    /// How long one may take; nothing for the usual time of a run, zero for any time.
    pub timeout: Option<Duration>,
    /// How long a sub-agent that ended is kept.
    pub archive_after: Duration,
    /// How long handing over a result may take before it is tried again.
    pub announce_within: Duration,
}

/// How an agent answers when it is handed work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubagentCharacter {
    /// The model, where one is chosen for such work.
    pub model: Option<String>,
    /// How hard it thinks, as written.
    pub thinking: Option<String>,
}

/// Which agents may be handed work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// Every agent there is.
    Anyone,
    /// These, in the order of the file.
    Listed(Vec<AgentId>),
}

impl Targets {
    /// Whether an agent is among them.
    #[must_use]
    pub fn hold(&self, agent: &AgentId) -> bool {
        match self {
            Self::Anyone => true,
            Self::Listed(listed) => listed.contains(agent),
        }
    }
}

impl SubagentSettings {
    /// How an agent hands work on.
    #[must_use]
    pub fn of(raw: &RawConfig, agent: &AgentId) -> Self {
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref()?.subagents.as_ref());
        let own = entry(raw, agent).and_then(|entry| entry.subagents.as_ref());
        Self {
            max_depth: defaults
                .and_then(|defaults| defaults.max_spawn_depth)
                .map_or(SPAWN_DEPTH, |depth| depth.get().max(1)),
            max_children: defaults
                .and_then(|defaults| defaults.max_children_per_agent)
                .map_or(CHILDREN, |most| usize::try_from(most.get()).unwrap_or(usize::MAX)),
            targets: targets(own),
            timeout: defaults
                .and_then(|defaults| defaults.run_timeout_seconds)
                .map(|seconds| Duration::from_secs(seconds.get())),
            archive_after: defaults
                .and_then(|defaults| defaults.archive_after_minutes)
                .map_or(ARCHIVE_AFTER, |minutes| Duration::from_secs(minutes.get().saturating_mul(60))),
            announce_within: defaults
                .and_then(|defaults| defaults.announce_timeout_ms)
                .map_or(ANNOUNCE_WITHIN, |span| Duration::from_millis(span.get())),
        }
    }
}

impl SubagentCharacter {
    /// How an agent answers when it is handed work.
    #[must_use]
    pub fn of(raw: &RawConfig, agent: &AgentId) -> Self {
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref()?.subagents.as_ref());
        let own = entry(raw, agent).and_then(|entry| entry.subagents.as_ref());
        let primary = |choice: &ModelChoice| ModelPreference::of(choice).primary;
        let word = |text: &String| Some(text.trim().to_lowercase()).filter(|text| !text.is_empty());
        Self {
            model: own
                .and_then(|own| own.model.as_ref().and_then(primary))
                .or_else(|| defaults.and_then(|defaults| defaults.model.as_ref().and_then(primary))),
            thinking: own
                .and_then(|own| own.thinking.as_ref().and_then(word))
                .or_else(|| defaults.and_then(|defaults| defaults.thinking.as_ref().and_then(word))),
        }
    }
}

/// Which sessions the tools of an agent's sessions see, and whom it may talk to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionToolSettings {
    /// Which sessions they see.
    pub visibility: SessionVisibility,
    /// Whether agents may talk to each other, and which.
    pub between_agents: BetweenAgents,
    /// Which of the agent's sessions are sandboxed.
    pub sandboxed: SandboxMode,
    /// Which sessions a sandboxed one sees.
    pub sandbox_visibility: SandboxSessionVisibility,
}

/// Whether agents may talk to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BetweenAgents {
    /// They may not.
    Off,
    /// Those may whose ids fit one of these patterns, where `*` stands for anything; all when there is none.
    Allowed(Vec<String>),
}

impl BetweenAgents {
    /// Whether an agent takes part.
    #[must_use]
    pub fn admit(&self, agent: &AgentId) -> bool {
        match self {
            Self::Off => false,
            Self::Allowed(patterns) if patterns.is_empty() => true,
            Self::Allowed(patterns) => patterns.iter().any(|pattern| fits(pattern, agent.as_str())),
        }
    }
}

impl SessionToolSettings {
    /// What the tools of an agent's sessions see.
    #[must_use]
    pub fn of(raw: &RawConfig, agent: &AgentId) -> Self {
        let tools = raw.tools.as_ref();
        let between = tools.and_then(|tools| tools.agent_to_agent.as_ref());
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref()?.sandbox.as_ref());
        let own = entry(raw, agent).and_then(|entry| entry.sandbox.as_ref());
        let visible = |sandbox: &Sandbox| sandbox.session_tools_visibility;
        Self {
            visibility: tools
                .and_then(|tools| tools.sessions.as_ref()?.visibility)
                .unwrap_or(SessionVisibility::Tree),
            between_agents: match between {
                Some(rule) if rule.enabled == Some(true) => {
                    let patterns = rule.allow.clone().unwrap_or_default();
                    let patterns = patterns.iter().map(|pattern| pattern.trim().to_owned());
                    BetweenAgents::Allowed(patterns.filter(|pattern| !pattern.is_empty()).collect())
                }
                _ => BetweenAgents::Off,
            },
            sandboxed: own
                .and_then(|own| own.mode)
                .or_else(|| defaults.and_then(|defaults| defaults.mode))
                .unwrap_or(SandboxMode::Off),
            sandbox_visibility: own
                .and_then(visible)
                .or_else(|| defaults.and_then(visible))
                .unwrap_or(SandboxSessionVisibility::Spawned),
        }
    }
}

fn entry<'a>(raw: &'a RawConfig, agent: &AgentId) -> Option<&'a AgentEntry> {
    let list = raw.agents.as_ref()?.list.as_deref()?;
    list.iter().find(|entry| normal_id(&entry.id) == *agent)
}

fn targets(own: Option<&AgentSubagents>) -> Targets {
    let written = own.and_then(|own| own.allow_agents.as_deref()).unwrap_or_default();
    let written = written.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    let names: Vec<&str> = written.collect();
    match names.contains(&"*") {
        true => Targets::Anyone,
        false => Targets::Listed(names.into_iter().map(normal_id).collect()),
    }
}

/// Whether a name fits a pattern in which `*` stands for anything. In any case of letters.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = pattern.contains('*').then(|| parts.next_back().unwrap_or_default()) else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests;
