//! `agents.defaults`: what holds for every agent unless its entry says otherwise.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::cli_backend::CliBackend;
use super::context::{Compaction, ContextPruning};
use super::heartbeat::HeartbeatEntry;
use super::memory_search::MemorySearch;
use super::sandbox::Sandbox;
use super::streaming::{BlockBreak, BlockStreamingChunk, BlockStreamingCoalesce, HumanDelay};
use crate::sections::shared::{OnOff, TypingMode};
use crate::sections::value::{Count, ModelChoice, Positive, Raw, Whole};

/// What holds for every agent unless its entry says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentDefaults {
    /// The model that answers.
    pub model: Option<ModelChoice>,
    /// The model that looks at pictures when the first cannot.
    pub image_model: Option<ModelChoice>,
    /// Models that may be chosen, with their settings.
    #[serde(default)]
    pub models: BTreeMap<String, ModelEntry>,
    /// The directory the agent works in.
    pub workspace: Option<String>,
    /// The repository named in the prompt.
    pub repo_root: Option<String>,
    /// Whether the workspace is left without its first files.
    pub skip_bootstrap: Option<bool>,
    /// How much of each workspace file goes into the prompt.
    pub bootstrap_max_chars: Option<Positive>,
    /// How much of all workspace files together goes into the prompt.
    pub bootstrap_total_max_chars: Option<Positive>,
    /// The person's time zone.
    pub user_timezone: Option<String>,
    /// How the time of day is written.
    pub time_format: Option<TimeFormat>,
    /// The time zone of message headers: `utc`, `local`, `user` or a name.
    pub envelope_timezone: Option<String>,
    /// Whether message headers show the time.
    pub envelope_timestamp: Option<OnOff>,
    /// Whether message headers show how long ago the last message was.
    pub envelope_elapsed: Option<OnOff>,
    /// The context to assume when a model does not say.
    pub context_tokens: Option<Positive>,
    /// Command line programs that answer instead of a model, by name.
    #[serde(default)]
    pub cli_backends: BTreeMap<String, CliBackend>,
    /// Searching the agent's memory.
    pub memory_search: Option<MemorySearch>,
    /// Leaving old tool output out of requests.
    pub context_pruning: Option<ContextPruning>,
    /// Summing up long sessions.
    pub compaction: Option<Compaction>,
    /// The embedded agent runtime.
    pub embedded_pi: Option<EmbeddedPi>,
    /// How much models think.
    pub thinking_default: Option<ThinkingLevel>,
    /// How much of the tools' work is shown.
    pub verbose_default: Option<VerboseLevel>,
    /// Whether tools may leave the sandbox.
    pub elevated_default: Option<ElevatedLevel>,
    /// Whether finished parts of an answer are sent at once.
    pub block_streaming_default: Option<OnOff>,
    /// When a part counts as finished.
    pub block_streaming_break: Option<BlockBreak>,
    /// How large parts are.
    pub block_streaming_chunk: Option<BlockStreamingChunk>,
    /// How small parts are joined.
    pub block_streaming_coalesce: Option<BlockStreamingCoalesce>,
    /// Pauses between parts, as a person would make.
    pub human_delay: Option<HumanDelay>,
    /// How long an answer may take, in seconds.
    pub timeout_seconds: Option<Positive>,
    /// The largest attachment, in megabytes.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub media_max_mb: Option<f64>,
    /// The longest side of a picture sent to a model, in pixels.
    pub image_max_dimension_px: Option<Positive>,
    /// How often the typing sign is renewed, in seconds.
    pub typing_interval_seconds: Option<Positive>,
    /// When the typing sign is shown.
    pub typing_mode: Option<TypingMode>,
    /// Waking up by itself.
    pub heartbeat: Option<HeartbeatEntry>,
    /// How many answers are made at once.
    pub max_concurrent: Option<Positive>,
    /// Handing work to other agents.
    pub subagents: Option<SubagentDefaults>,
    /// Running tools in a container.
    pub sandbox: Option<Sandbox>,
}

/// Settings of a model that may be chosen.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelEntry {
    /// A short name for it.
    pub alias: Option<String>,
    /// Options passed to the vendor as they are.
    #[serde(default)]
    pub params: BTreeMap<String, Raw>,
    /// Whether answers are streamed.
    pub streaming: Option<bool>,
}

/// The embedded agent runtime.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedPi {
    /// What becomes of settings found in a project.
    pub project_settings_policy: Option<ProjectSettingsPolicy>,
}

/// Handing work to other agents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubagentDefaults {
    /// How many run at once.
    pub max_concurrent: Option<Positive>,
    /// How deep they may hand on.
    pub max_spawn_depth: Option<Whole<1, 5>>,
    /// How many one agent may have at once.
    pub max_children_per_agent: Option<Whole<1, 20>>,
    /// When finished ones are put away, in minutes.
    pub archive_after_minutes: Option<Positive>,
    /// The model that answers.
    pub model: Option<ModelChoice>,
    /// How much it thinks.
    pub thinking: Option<String>,
    /// How long one may take, in seconds; 0 means any time.
    pub run_timeout_seconds: Option<Count>,
    /// How long reporting the result may take, in milliseconds.
    pub announce_timeout_ms: Option<Positive>,
}

/// How the time of day is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TimeFormat {
    /// As the system does.
    Auto,
    /// With am and pm.
    #[serde(rename = "12")]
    TwelveHour,
    /// From 0 to 23 o'clock.
    #[serde(rename = "24")]
    TwentyFourHour,
}

/// What becomes of settings found in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProjectSettingsPolicy {
    /// They are used.
    Trusted,
    /// They are used without what could run programs.
    Sanitize,
    /// They are not used.
    Ignore,
}

/// How much a model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ThinkingLevel {
    /// Not at all.
    Off,
    /// As little as it can.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// As much as it can.
    Xhigh,
}

/// How much of the tools' work is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum VerboseLevel {
    /// Nothing.
    Off,
    /// What they do.
    On,
    /// What they do and answer.
    Full,
}

/// Whether tools may leave the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ElevatedLevel {
    /// Never.
    Off,
    /// Yes, with approvals.
    On,
    /// After asking each time.
    Ask,
    /// Yes, without approvals.
    Full,
}
