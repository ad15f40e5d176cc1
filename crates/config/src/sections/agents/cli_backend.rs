//! Command line programs that answer instead of a model.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Positive, SecretText, Whole};

/// A command line program that answers instead of a model.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CliBackend {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// The form of its output.
    pub output: Option<CliOutput>,
    /// The form of its output in a resumed session.
    pub resume_output: Option<CliOutput>,
    /// How it is given the prompt.
    pub input: Option<CliInput>,
    /// The longest prompt given as an argument.
    pub max_prompt_arg_chars: Option<Positive>,
    /// Variables it is given.
    #[serde(default)]
    pub env: BTreeMap<String, SecretText>,
    /// Variables it must not see.
    pub clear_env: Option<Vec<String>>,
    /// The option that names the model.
    pub model_arg: Option<String>,
    /// Its names for models.
    #[serde(default)]
    pub model_aliases: BTreeMap<String, String>,
    /// The option that names the session.
    pub session_arg: Option<String>,
    /// Arguments of a session; `{sessionId}` stands for its id.
    pub session_args: Option<Vec<String>>,
    /// Arguments of a resumed session.
    pub resume_args: Option<Vec<String>>,
    /// When it is given a session id.
    pub session_mode: Option<CliSessionMode>,
    /// Where its output names the session.
    pub session_id_fields: Option<Vec<String>>,
    /// The option that takes the system prompt.
    pub system_prompt_arg: Option<String>,
    /// Whether our system prompt joins or replaces its own.
    pub system_prompt_mode: Option<CliPromptMode>,
    /// When it is given the system prompt.
    pub system_prompt_when: Option<CliPromptWhen>,
    /// The option that takes a picture.
    pub image_arg: Option<String>,
    /// How several pictures are given.
    pub image_mode: Option<CliImageMode>,
    /// Whether it runs one at a time.
    pub serialize: Option<bool>,
    /// Noticing that it hangs.
    pub reliability: Option<CliReliability>,
}

/// Noticing that a program hangs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CliReliability {
    /// How long it may be silent.
    pub watchdog: Option<CliWatchdog>,
}

/// How long a program may be silent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CliWatchdog {
    /// In a new session.
    pub fresh: Option<CliWatchdogLimits>,
    /// In a resumed session.
    pub resume: Option<CliWatchdogLimits>,
}

/// Limits on silence.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CliWatchdogLimits {
    /// A fixed limit, in milliseconds.
    pub no_output_timeout_ms: Option<Whole<1000>>,
    /// A share of the whole time allowed.
    #[schemars(range(min = 0.05, max = 0.95))]
    pub no_output_timeout_ratio: Option<f64>,
    /// The least that the share may come to, in milliseconds.
    pub min_ms: Option<Whole<1000>>,
    /// The most that the share may come to, in milliseconds.
    pub max_ms: Option<Whole<1000>>,
}

/// The form of a program's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CliOutput {
    /// One JSON document.
    Json,
    /// Plain text.
    Text,
    /// One JSON document in each line.
    Jsonl,
}

/// How a program is given the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CliInput {
    /// As an argument.
    Arg,
    /// On its input.
    Stdin,
}

/// When a program is given a session id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CliSessionMode {
    /// Always.
    Always,
    /// When there is one already.
    Existing,
    /// Never.
    None,
}

/// How system prompts go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CliPromptMode {
    /// Ours joins the program's.
    Append,
    /// Ours replaces it.
    Replace,
}

/// When a program is given the system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CliPromptWhen {
    /// At the beginning of a session.
    First,
    /// With every message.
    Always,
    /// Never.
    Never,
}

/// How several pictures are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CliImageMode {
    /// The option once for each.
    Repeat,
    /// One option with all.
    List,
}
