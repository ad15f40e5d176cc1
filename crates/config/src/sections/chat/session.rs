//! The `session` section: how messages map to sessions and when sessions begin anew.
//!
//! Raw form: `resolved::session` fills in scope and direct message rule; durations and sizes are checked in
//! `resolved::rules`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::{ScopePolicy, TypingMode};
use crate::sections::value::{Count, Positive, TextNumberOrOff, TextOrNumber, Whole};

/// How messages map to sessions and when sessions begin anew.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSection {
    /// Whether people have sessions of their own.
    pub scope: Option<SessionScope>,
    /// Which direct messages share a session.
    pub dm_scope: Option<DmScope>,
    /// Ids of the same person on several channels, by name.
    #[serde(default)]
    pub identity_links: BTreeMap<String, Vec<String>>,
    /// Messages that begin a session anew.
    pub reset_triggers: Option<Vec<String>>,
    /// When an idle session begins anew, in minutes; the earlier form of `reset`.
    pub idle_minutes: Option<Positive>,
    /// When sessions begin anew.
    pub reset: Option<SessionReset>,
    /// The same by kind of conversation.
    pub reset_by_type: Option<SessionResetByType>,
    /// The same by channel.
    #[serde(default)]
    pub reset_by_channel: BTreeMap<String, SessionReset>,
    /// The file of the session list; `{agentId}` stands for the agent.
    pub store: Option<String>,
    /// How often the typing sign is renewed, in seconds.
    pub typing_interval_seconds: Option<Positive>,
    /// When the typing sign is shown.
    pub typing_mode: Option<TypingMode>,
    /// The longest session that a thread begins with, in tokens; 0 means any.
    pub parent_fork_max_tokens: Option<Count>,
    /// The name of the main session; always `main`.
    pub main_key: Option<String>,
    /// To which conversations messages may be sent.
    pub send_policy: Option<ScopePolicy>,
    /// Agents talking to each other.
    pub agent_to_agent: Option<SessionAgentToAgent>,
    /// Threads that belong to a session.
    pub thread_bindings: Option<SessionThreadBindings>,
    /// Putting away old sessions.
    pub maintenance: Option<SessionMaintenance>,
}

/// When a session begins anew.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionReset {
    /// Every day, or when idle.
    pub mode: Option<ResetMode>,
    /// The hour of the day.
    pub at_hour: Option<Whole<0, 23>>,
    /// How long it must be idle, in minutes.
    pub idle_minutes: Option<Positive>,
}

/// When sessions begin anew, by kind of conversation.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionResetByType {
    /// With one person.
    pub direct: Option<SessionReset>,
    /// With one person; the earlier word.
    pub dm: Option<SessionReset>,
    /// In groups.
    pub group: Option<SessionReset>,
    /// In threads.
    pub thread: Option<SessionReset>,
}

/// Agents talking to each other.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionAgentToAgent {
    /// How often they may answer each other.
    pub max_ping_pong_turns: Option<Whole<0, 5>>,
}

/// Threads that belong to a session.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionThreadBindings {
    /// Whether threads can.
    pub enabled: Option<bool>,
    /// How long they do without a message, in hours; 0 means for ever.
    #[schemars(range(min = 0))]
    pub ttl_hours: Option<f64>,
}

/// Putting away old sessions.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMaintenance {
    /// Whether it is done or only said.
    pub mode: Option<MaintenanceMode>,
    /// The age at which sessions go; a number alone counts days.
    pub prune_after: Option<TextOrNumber>,
    /// The same in days; the earlier form.
    pub prune_days: Option<Positive>,
    /// How many sessions are kept.
    pub max_entries: Option<Positive>,
    /// The size at which the session list is rotated.
    pub rotate_bytes: Option<TextOrNumber>,
    /// How long sessions that began anew are kept; a number alone counts days, `false` means for ever.
    pub reset_archive_retention: Option<TextNumberOrOff>,
    /// The most that sessions may take on disk.
    pub max_disk_bytes: Option<TextOrNumber>,
    /// What they are brought down to when they take more.
    pub high_water_bytes: Option<TextOrNumber>,
}

/// Whether people have sessions of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SessionScope {
    /// They do.
    PerSender,
    /// Everybody shares one.
    Global,
}

/// Which direct messages share a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DmScope {
    /// All.
    Main,
    /// Those of a person.
    PerPeer,
    /// Those of a person on a channel.
    PerChannelPeer,
    /// Those of a person on a channel with one of our logins.
    PerAccountChannelPeer,
}

/// When a session begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ResetMode {
    /// Every day at an hour.
    Daily,
    /// After some time without a message.
    Idle,
}

/// Whether old sessions are put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MaintenanceMode {
    /// They are.
    Enforce,
    /// It is only said that they would be.
    Warn,
}
