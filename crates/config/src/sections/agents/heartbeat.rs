//! Waking up by itself, for all agents or for one.
//!
//! Raw form: `resolved::heartbeat` lays an agent's own settings over the common ones.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::Count;

/// Waking up by itself.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatEntry {
    /// How often, such as `30m`; a number alone counts minutes, `0m` means never.
    pub every: Option<String>,
    /// At which hours.
    pub active_hours: Option<ActiveHours>,
    /// The model that answers.
    pub model: Option<String>,
    /// The session it happens in.
    pub session: Option<String>,
    /// Whether the model's thinking is sent too.
    pub include_reasoning: Option<bool>,
    /// Where the answer goes: `none`, `last` or a channel.
    pub target: Option<String>,
    /// Whether the answer may go to a single person.
    pub direct_policy: Option<DirectPolicy>,
    /// Whom it goes to.
    pub to: Option<String>,
    /// Our login it is sent from.
    pub account_id: Option<String>,
    /// What the agent is asked.
    pub prompt: Option<String>,
    /// The longest remark beside the sign that all is well which is not sent.
    pub ack_max_chars: Option<Count>,
    /// Whether failing tools go unmentioned.
    pub suppress_tool_error_warnings: Option<bool>,
}

/// Hours at which the agent wakes up.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActiveHours {
    /// From, as HH:MM.
    pub start: Option<String>,
    /// Until, as HH:MM; 24:00 is midnight.
    pub end: Option<String>,
    /// The time zone: `user`, `local` or a name.
    pub timezone: Option<String>,
}

/// Whether something may go to a single person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DirectPolicy {
    /// It may.
    Allow,
    /// It may not.
    Block,
}
