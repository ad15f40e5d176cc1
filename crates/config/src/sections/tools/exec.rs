//! Running commands: where, which, and when a person is asked.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, Positive};

/// How an agent runs commands.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentExecTool {
    /// What can also be said for all agents.
    #[serde(flatten)]
    pub shared: ExecTool,
    /// When a person is told that an approved command still runs, in milliseconds; 0 means never.
    pub approval_running_notice_ms: Option<Count>,
}

/// Running commands.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecTool {
    /// Where they run.
    pub host: Option<ExecHost>,
    /// Which may run.
    pub security: Option<ExecSecurity>,
    /// When a person is asked.
    pub ask: Option<ExecAsk>,
    /// The node they run on.
    pub node: Option<String>,
    /// Directories put in front of `PATH`.
    pub path_prepend: Option<Vec<String>>,
    /// Programs that may run without being listed, as long as they only read their input.
    pub safe_bins: Option<Vec<String>>,
    /// Directories such programs may be in.
    pub safe_bin_trusted_dirs: Option<Vec<String>>,
    /// What such programs may be given, by name.
    #[serde(default)]
    pub safe_bin_profiles: BTreeMap<String, SafeBinProfile>,
    /// When a command moves to the background, in milliseconds.
    pub background_ms: Option<Positive>,
    /// How long a command may run, in seconds.
    pub timeout_sec: Option<Positive>,
    /// How long finished commands are remembered, in milliseconds.
    pub cleanup_ms: Option<Positive>,
    /// Whether the agent is told when a background command ends.
    pub notify_on_exit: Option<bool>,
    /// Whether it is told even when there was no output and no error.
    pub notify_on_exit_empty_success: Option<bool>,
    /// Changing several files at once.
    pub apply_patch: Option<ApplyPatchTool>,
}

/// What a program may be given.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SafeBinProfile {
    /// The least arguments that are not options.
    pub min_positional: Option<Count>,
    /// The most arguments that are not options.
    pub max_positional: Option<Count>,
    /// Options with a value that are allowed.
    pub allowed_value_flags: Option<Vec<String>>,
    /// Options that are refused.
    pub denied_flags: Option<Vec<String>>,
}

/// Changing several files at once.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyPatchTool {
    /// Whether the tool exists.
    pub enabled: Option<bool>,
    /// Whether only inside the workspace.
    pub workspace_only: Option<bool>,
    /// The only models that have it.
    pub allow_models: Option<Vec<String>>,
}

/// Where commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ExecHost {
    /// In the container.
    Sandbox,
    /// On the gateway's machine.
    Gateway,
    /// On a node.
    Node,
}

/// Which commands may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ExecSecurity {
    /// None.
    Deny,
    /// Those that were allowed before.
    Allowlist,
    /// All.
    Full,
}

/// When a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExecAsk {
    /// Never.
    Off,
    /// When a command was not allowed before.
    OnMiss,
    /// Always.
    Always,
}
