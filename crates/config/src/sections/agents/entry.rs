//! `agents.list[]`: one agent.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use super::heartbeat::HeartbeatEntry;
use super::memory_search::MemorySearch;
use super::sandbox::Sandbox;
use super::streaming::HumanDelay;
use crate::sections::shared::GroupChat;
use crate::sections::tools::AgentTools;
use crate::sections::value::ModelChoice;

/// One agent.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEntry {
    /// Its id: letters, digits, `_` and `-`.
    pub id: String,
    /// Whether it answers when nothing else decides.
    pub default: Option<bool>,
    /// Its name for people.
    pub name: Option<String>,
    /// The directory it works in.
    pub workspace: Option<String>,
    /// The directory of its state.
    pub agent_dir: Option<String>,
    /// The model that answers.
    pub model: Option<ModelChoice>,
    /// The only skills it has; none when empty.
    pub skills: Option<Vec<String>>,
    /// Searching its memory.
    pub memory_search: Option<MemorySearch>,
    /// Pauses between parts of an answer.
    pub human_delay: Option<HumanDelay>,
    /// Waking up by itself.
    pub heartbeat: Option<HeartbeatEntry>,
    /// How it presents itself.
    pub identity: Option<AgentIdentity>,
    /// How it behaves in groups.
    pub group_chat: Option<GroupChat>,
    /// Handing work to other agents.
    pub subagents: Option<AgentSubagents>,
    /// Running its tools in a container.
    pub sandbox: Option<Sandbox>,
    /// Which tools it has.
    pub tools: Option<AgentTools>,
}

/// How an agent presents itself.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentIdentity {
    /// Its name.
    pub name: Option<String>,
    /// Its character, in a few words.
    pub theme: Option<String>,
    /// The emoji that stands for it.
    pub emoji: Option<String>,
    /// Its picture: an address, or a path in its workspace.
    pub avatar: Option<String>,
}

/// Handing work to other agents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSubagents {
    /// Whom it may hand work to; `*` means anyone.
    pub allow_agents: Option<Vec<String>>,
    /// The model that answers.
    pub model: Option<ModelChoice>,
    /// How much it thinks.
    pub thinking: Option<String>,
}
