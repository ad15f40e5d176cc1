//! The `messages` section: how messages are taken in and answered.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::tts::Tts;
use crate::sections::shared::GroupChat;
use crate::sections::value::{Count, Positive};

/// How messages are taken in and answered.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessagesSection {
    /// Put in front of what people write.
    pub message_prefix: Option<String>,
    /// Put in front of answers.
    pub response_prefix: Option<String>,
    /// Groups.
    pub group_chat: Option<GroupChat>,
    /// What becomes of messages while an answer is made.
    pub queue: Option<QueueOptions>,
    /// Joining messages that come in quick succession.
    pub inbound: Option<InboundDebounce>,
    /// The emoji that says a message was seen.
    pub ack_reaction: Option<String>,
    /// Which messages get it.
    pub ack_reaction_scope: Option<AckReactionScope>,
    /// Whether it is taken away after the answer.
    pub remove_ack_after_reply: Option<bool>,
    /// Emojis that show what the agent does.
    pub status_reactions: Option<StatusReactions>,
    /// Whether failing tools go unmentioned.
    pub suppress_tool_errors: Option<bool>,
    /// Speaking answers aloud.
    pub tts: Option<Tts>,
}

/// What becomes of messages while an answer is made.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueOptions {
    /// What becomes of them.
    pub mode: Option<QueueMode>,
    /// The same by channel.
    #[serde(default)]
    pub by_channel: BTreeMap<String, QueueMode>,
    /// How long to wait for more, in milliseconds.
    pub debounce_ms: Option<Count>,
    /// The same by channel.
    #[serde(default)]
    pub debounce_ms_by_channel: BTreeMap<String, Count>,
    /// How many may wait.
    pub cap: Option<Positive>,
    /// Which go when too many wait.
    pub drop: Option<QueueDrop>,
}

/// Joining messages that come in quick succession.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboundDebounce {
    /// How long to wait for more, in milliseconds.
    pub debounce_ms: Option<Count>,
    /// The same by channel.
    #[serde(default)]
    pub by_channel: BTreeMap<String, Count>,
}

/// Emojis that show what the agent does.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReactions {
    /// Whether they are shown.
    pub enabled: Option<bool>,
    /// Which.
    pub emojis: Option<StatusEmojis>,
    /// When.
    pub timing: Option<StatusTiming>,
}

/// Emojis that show what the agent does.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusEmojis {
    /// It thinks.
    pub thinking: Option<String>,
    /// It uses a tool.
    pub tool: Option<String>,
    /// It works on files.
    pub coding: Option<String>,
    /// It reads the web.
    pub web: Option<String>,
    /// It is done.
    pub done: Option<String>,
    /// It failed.
    pub error: Option<String>,
    /// It takes long.
    pub stall_soft: Option<String>,
    /// It takes very long.
    pub stall_hard: Option<String>,
}

/// When emojis change, in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusTiming {
    /// How long something must last to be shown.
    pub debounce_ms: Option<Count>,
    /// When it takes long.
    pub stall_soft_ms: Option<Count>,
    /// When it takes very long.
    pub stall_hard_ms: Option<Count>,
    /// How long success is shown.
    pub done_hold_ms: Option<Count>,
    /// How long failure is shown.
    pub error_hold_ms: Option<Count>,
}

/// What becomes of a message while an answer is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueMode {
    /// It joins the answer being made.
    Steer,
    /// It is answered next.
    Followup,
    /// It is answered next, together with others that wait.
    Collect,
    /// It joins the answer being made and is also answered next.
    SteerBacklog,
    /// The same, in the earlier spelling.
    #[serde(rename = "steer+backlog")]
    SteerPlusBacklog,
    /// It joins the answer being made; the earlier word for steer.
    Queue,
    /// It ends the answer being made and is answered at once.
    Interrupt,
}

/// Which messages go when too many wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QueueDrop {
    /// The oldest.
    Old,
    /// The newest.
    New,
    /// The oldest, leaving a short list of them.
    Summarize,
}

/// Which messages are marked as seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckReactionScope {
    /// Those in groups that address the assistant.
    GroupMentions,
    /// All in groups.
    GroupAll,
    /// Direct ones.
    Direct,
    /// All.
    All,
}
