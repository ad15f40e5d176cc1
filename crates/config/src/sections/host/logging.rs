//! The `logging` section: what is logged and where.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::Positive;

/// What is logged and where.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoggingSection {
    /// What goes to the log file.
    pub level: Option<LogLevel>,
    /// The log file; without it there is one for each day in the temporary directory.
    pub file: Option<String>,
    /// The size at which the file is rotated.
    pub max_file_bytes: Option<Positive>,
    /// What goes to the terminal.
    pub console_level: Option<LogLevel>,
    /// The form of lines on the terminal.
    pub console_style: Option<ConsoleStyle>,
    /// Where secrets are masked by their look.
    pub redact_sensitive: Option<RedactScope>,
    /// Regular expressions of further secrets to mask.
    pub redact_patterns: Option<Vec<String>>,
}

/// How important a line must be to be logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LogLevel {
    /// Nothing is logged.
    Silent,
    /// Only what ends the program.
    Fatal,
    /// What failed.
    Error,
    /// What may go wrong.
    Warn,
    /// What happened.
    Info,
    /// What helps to find faults.
    Debug,
    /// Everything.
    Trace,
}

/// The form of lines on the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ConsoleStyle {
    /// Coloured and aligned.
    Pretty,
    /// One plain line each.
    Compact,
    /// One JSON object each.
    Json,
}

/// Where secrets are masked by their look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RedactScope {
    /// Nowhere; secrets known by name are masked all the same.
    Off,
    /// In what tools were given and answered.
    Tools,
}
