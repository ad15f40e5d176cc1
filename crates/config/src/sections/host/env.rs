//! The `env` section: variables for the gateway.
//!
//! The loader applies it before `${VAR}` references are replaced. Values are treated as secrets: most of them are.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, SecretText};

/// Variables for the gateway, set before `${VAR}` references are replaced.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvSection {
    /// Whether missing variables are taken from the login shell.
    pub shell_env: Option<EnvShellEnv>,
    /// Variables by name; one that the process already has is kept.
    #[serde(default)]
    pub vars: BTreeMap<String, SecretText>,
    /// A variable written directly into the section.
    #[serde(flatten)]
    pub extra: BTreeMap<String, SecretText>,
}

/// Variables from the login shell.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvShellEnv {
    /// Whether the login shell is asked.
    pub enabled: Option<bool>,
    /// How long the shell may take, in milliseconds.
    pub timeout_ms: Option<Count>,
}
