//! The `cron` section: scheduled jobs.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Positive, SecretText, TextOrNumber, TextOrOff};

/// Scheduled jobs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronSection {
    /// Whether they run.
    pub enabled: Option<bool>,
    /// The file of the jobs.
    pub store: Option<String>,
    /// How many run at once.
    pub max_concurrent_runs: Option<Positive>,
    /// An address told of every run; jobs can name their own.
    #[schemars(extend("format" = "uri"))]
    pub webhook: Option<SecretText>,
    /// The token sent to such addresses.
    pub webhook_token: Option<SecretText>,
    /// How long sessions of runs are kept; `false` means for ever.
    pub session_retention: Option<TextOrOff>,
    /// The record of runs.
    pub run_log: Option<CronRunLog>,
}

/// The record of runs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronRunLog {
    /// The size at which it is shortened.
    pub max_bytes: Option<TextOrNumber>,
    /// How many lines are kept then.
    pub keep_lines: Option<Positive>,
}
