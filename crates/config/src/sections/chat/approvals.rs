//! The `approvals` section: where people are asked for approval.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::TextOrNumber;

/// Where people are asked for approval.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalsSection {
    /// For commands.
    pub exec: Option<ExecApprovals>,
}

/// Where people are asked to approve commands.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecApprovals {
    /// Whether questions go to chats.
    pub enabled: Option<bool>,
    /// Which chats.
    pub mode: Option<ApprovalMode>,
    /// Only questions of these agents.
    pub agent_filter: Option<Vec<String>>,
    /// Only questions of sessions whose key contains or matches one of these.
    pub session_filter: Option<Vec<String>>,
    /// Chats that are asked.
    pub targets: Option<Vec<ApprovalTarget>>,
}

/// A chat that is asked.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalTarget {
    /// Its channel.
    #[schemars(length(min = 1))]
    pub channel: String,
    /// Its id.
    #[schemars(length(min = 1))]
    pub to: String,
    /// Our login there.
    pub account_id: Option<String>,
    /// The thread in it.
    pub thread_id: Option<TextOrNumber>,
}

/// Which chats are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalMode {
    /// The one the command came from.
    Session,
    /// Those listed.
    Targets,
    /// All of these.
    Both,
}
