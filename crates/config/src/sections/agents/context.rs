//! Keeping long sessions within a model's context: pruning and compaction.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::AllowDeny;
use crate::sections::value::{Count, Positive};

/// Leaving old tool output out of requests.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextPruning {
    /// When it is done.
    pub mode: Option<PruningMode>,
    /// How long vendors keep a request cached; older sessions are pruned.
    pub ttl: Option<String>,
    /// How many of the last answers keep their tool output.
    pub keep_last_assistants: Option<Count>,
    /// How full the context must be to shorten output.
    #[schemars(range(min = 0, max = 1))]
    pub soft_trim_ratio: Option<f64>,
    /// How full the context must be to remove output.
    #[schemars(range(min = 0, max = 1))]
    pub hard_clear_ratio: Option<f64>,
    /// How much output there must be to bother.
    pub min_prunable_tool_chars: Option<Count>,
    /// Whose output may be left out.
    pub tools: Option<AllowDeny>,
    /// How output is shortened.
    pub soft_trim: Option<SoftTrim>,
    /// How output is removed.
    pub hard_clear: Option<HardClear>,
}

/// How tool output is shortened.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SoftTrim {
    /// Longer output is shortened.
    pub max_chars: Option<Count>,
    /// What is kept of its beginning.
    pub head_chars: Option<Count>,
    /// What is kept of its end.
    pub tail_chars: Option<Count>,
}

/// How tool output is removed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HardClear {
    /// Whether it is.
    pub enabled: Option<bool>,
    /// What stands in its place.
    pub placeholder: Option<String>,
}

/// Summing up long sessions.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    /// How it is done.
    pub mode: Option<CompactionMode>,
    /// How many tokens are kept free for the answer.
    pub reserve_tokens: Option<Count>,
    /// How many of the latest tokens are kept word for word.
    pub keep_recent_tokens: Option<Positive>,
    /// The least that is kept free.
    pub reserve_tokens_floor: Option<Count>,
    /// The largest share of the context that history may take.
    #[schemars(range(min = 0.1, max = 0.9))]
    pub max_history_share: Option<f64>,
    /// Writing down what matters first.
    pub memory_flush: Option<MemoryFlush>,
}

/// Writing down what matters before a session is summed up.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryFlush {
    /// Whether it is done.
    pub enabled: Option<bool>,
    /// How long before the limit, in tokens.
    pub soft_threshold_tokens: Option<Count>,
    /// What the agent is asked.
    pub prompt: Option<String>,
    /// What is added to the system prompt.
    pub system_prompt: Option<String>,
}

/// When old tool output is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PruningMode {
    /// Never.
    Off,
    /// When the vendor's cache has expired.
    CacheTtl,
}

/// How sessions are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CompactionMode {
    /// At once.
    Default,
    /// In parts, for very long ones.
    Safeguard,
}
