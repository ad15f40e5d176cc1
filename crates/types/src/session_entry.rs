//! What is kept about a session beside its transcript: preferences, counters, where answers go.
//!
//! The names are those of the original's `sessions.json` and of the protocol, so that one type serves the store, the
//! import, the export and the wire. Keys that this version does not know are kept as they are. What the fields mean is
//! decided in `session`; texts such as levels are read by their owners, and a text nobody understands counts as absent.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{SendTarget, SessionId, ToolRule, UnixMillis};

/// One session, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionEntry {
    /// Names the current transcript. A reset gives another.
    pub session_id: SessionId,
    /// When something last happened.
    pub updated_at: UnixMillis,
    /// The preferences and facts that may be absent.
    #[serde(flatten)]
    pub facts: SessionFacts,
    /// What this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

macro_rules! facts {
    ($( $(#[doc = $doc:literal])* $name:ident: $kind:ty; )*) => {
        /// The preferences of a session and what is known about it. Each may be absent.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct SessionFacts {
            $(
                $(#[doc = $doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $name: Option<$kind>,
            )*
        }
    };
}

facts! {
    /// Where the original keeps the transcript.
    session_file: String;
    /// Whether the system prompt went out once.
    system_sent: bool;
    /// Whether the last run was stopped.
    aborted_last_run: bool;
    /// What kind of conversation it is.
    chat_type: String;
    /// The platform.
    channel: String;
    /// The group on the platform.
    group_id: String;
    /// The channel inside a server.
    group_channel: String;
    /// The server or team.
    space: String;
    /// The subject of a group.
    subject: String;
    /// A name for people.
    display_name: String;
    /// A name a person gave.
    label: String;
    /// Where the session came from.
    origin: Value;
    /// Where answers go.
    delivery_context: Value;
    /// The platform of the last message.
    last_channel: String;
    /// The conversation of the last message.
    last_to: String;
    /// The account of the last message.
    last_account_id: String;
    /// The thread of the last message.
    last_thread_id: Value;
    /// How hard to think.
    thinking_level: String;
    /// How much of the tools is shown.
    verbose_level: String;
    /// Whether reasoning is shown.
    reasoning_level: String;
    /// Whether commands may leave the sandbox.
    elevated_level: String;
    /// Where commands run.
    exec_host: String;
    /// Which commands may run.
    exec_security: String;
    /// When a person is asked.
    exec_ask: String;
    /// On which node commands run.
    exec_node: String;
    /// The vendor a person chose.
    provider_override: String;
    /// The model a person chose.
    model_override: String;
    /// The sign-in that was chosen.
    auth_profile_override: String;
    /// Who chose the sign-in: `user` or `auto`.
    auth_profile_override_source: String;
    /// After how many compactions the sign-in was chosen.
    auth_profile_override_compaction_count: u64;
    /// The vendor of the last answer.
    model_provider: String;
    /// The model of the last answer.
    model: String;
    /// How much that model can read.
    context_tokens: u64;
    /// Tokens read by the last run.
    input_tokens: u64;
    /// Tokens written by the last run.
    output_tokens: u64;
    /// How full the context is: what the last call read and wrote.
    total_tokens: u64;
    /// Whether that is still so.
    total_tokens_fresh: bool;
    /// Tokens of the last call that came from the vendor's cache.
    cache_read: u64;
    /// Tokens of the last call that went into it.
    cache_write: u64;
    /// How often older parts were summed up.
    compaction_count: u64;
    /// When memories were last written before a compaction.
    memory_flush_at: UnixMillis;
    /// After how many compactions that was.
    memory_flush_compaction_count: u64;
    /// When the model was last called, for caches that expire.
    last_cache_touch_at: UnixMillis;
    /// What happens to messages while a run is busy.
    queue_mode: String;
    /// How long to wait for more of them.
    queue_debounce_ms: u64;
    /// How many may wait.
    queue_cap: u64;
    /// What happens to more.
    queue_drop: String;
    /// How much is told about the cost of an answer.
    response_usage: String;
    /// Whether answers may be sent.
    send_policy: String;
    /// When the agent answers in a group.
    group_activation: String;
    /// The session that started this one.
    spawned_by: String;
    /// How deep below a person's session it is.
    spawn_depth: u64;
    /// Which skills there were when the session began.
    skills_snapshot: Value;
    /// What the last system prompt was made of.
    system_prompt_report: Value;
    /// A coding agent behind the session.
    acp: Value;
    /// Whether answers are spoken.
    tts_auto: String;
    /// Which tools may be used there, as the room said for the last message of a person.
    room_tools: ToolRule;
    /// Where answers go whatever platform a message comes over: `/dock-<channel>`.
    docked_at: SendTarget;
}

impl SessionEntry {
    /// A session that begins now.
    #[must_use]
    pub fn new(session: SessionId, at: UnixMillis) -> Self {
        Self { session_id: session, updated_at: at, facts: SessionFacts::default(), other: Map::new() }
    }
}
