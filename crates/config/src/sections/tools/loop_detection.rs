//! Noticing that an agent goes round in circles.
//!
//! The order of the thresholds is checked in `resolved::rules`.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::Positive;

/// Noticing that an agent goes round in circles.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoopDetection {
    /// Whether it is noticed.
    pub enabled: Option<bool>,
    /// How many calls are looked at.
    pub history_size: Option<Positive>,
    /// After how many repetitions the agent is warned.
    pub warning_threshold: Option<Positive>,
    /// After how many repetitions the call is refused.
    pub critical_threshold: Option<Positive>,
    /// After how many calls without progress the run ends.
    pub global_circuit_breaker_threshold: Option<Positive>,
    /// What counts as a circle.
    pub detectors: Option<LoopDetectors>,
}

/// What counts as going round in circles.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoopDetectors {
    /// The same call again.
    pub generic_repeat: Option<bool>,
    /// Asking for progress that does not come.
    pub known_poll_no_progress: Option<bool>,
    /// Two calls in turn.
    pub ping_pong: Option<bool>,
}
