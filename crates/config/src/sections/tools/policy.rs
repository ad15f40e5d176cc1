//! Which tools may be used, for all agents or for one.
//!
//! Rules between the lists (`allow` excludes `alsoAllow`) are in `resolved::rules`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::exec::AgentExecTool;
use super::loop_detection::LoopDetection;
use crate::sections::value::TextOrNumber;

/// Which tools an agent has.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentTools {
    /// What can also be said for all agents.
    #[serde(flatten)]
    pub shared: SharedTools,
    /// Running commands.
    pub exec: Option<AgentExecTool>,
}

/// Which tools there are.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SharedTools {
    /// Which tools may be used.
    #[serde(flatten)]
    pub policy: ToolPolicy,
    /// The same for a vendor, or a model as `vendor/model`.
    #[serde(default)]
    pub by_provider: BTreeMap<String, ToolPolicy>,
    /// Leaving the sandbox.
    pub elevated: Option<ElevatedTools>,
    /// Reading and writing files.
    pub fs: Option<FileTools>,
    /// Noticing that an agent goes round in circles.
    pub loop_detection: Option<LoopDetection>,
    /// Tools of sandboxed sessions.
    pub sandbox: Option<NestedTools>,
}

/// Which tools may be used.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolPolicy {
    /// Tools by name.
    #[serde(flatten)]
    pub lists: ToolLists,
    /// The set to start from.
    pub profile: Option<ToolProfile>,
}

/// Tools and `group:` names; `*` stands for any text.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolLists {
    /// The only ones.
    pub allow: Option<Vec<String>>,
    /// More than the profile has; not together with `allow`.
    pub also_allow: Option<Vec<String>>,
    /// Never these.
    pub deny: Option<Vec<String>>,
}

/// Leaving the sandbox.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ElevatedTools {
    /// Whether anyone may.
    pub enabled: Option<bool>,
    /// Who may, by channel.
    #[serde(default)]
    pub allow_from: BTreeMap<String, Vec<TextOrNumber>>,
}

/// Reading and writing files.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileTools {
    /// Whether only inside the workspace.
    pub workspace_only: Option<bool>,
}

/// Tools of sessions of a kind.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NestedTools {
    /// Which may be used.
    pub tools: Option<ToolLists>,
}

/// A set of tools to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ToolProfile {
    /// Almost none.
    Minimal,
    /// Files, commands, sessions, memory.
    Coding,
    /// Messages and sessions.
    Messaging,
    /// All.
    Full,
}
