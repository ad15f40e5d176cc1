//! The `secrets` section: where referenced secrets are looked up.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{SecretText, Whole};

/// Where referenced secrets are looked up.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretsSection {
    /// Sources of secrets by name.
    #[serde(default)]
    pub providers: BTreeMap<String, SecretProvider>,
    /// The source used when a reference names none.
    pub defaults: Option<SecretsDefaults>,
    /// Limits on looking up.
    pub resolution: Option<SecretsResolution>,
}

/// Secrets in environment variables.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct EnvSecrets {
    /// The only variables that may be read.
    #[schemars(inner(regex(pattern = r"^[A-Z][A-Z0-9_]{0,127}$")))]
    #[schemars(length(max = 256))]
    pub allowlist: Option<Vec<String>>,
}

/// Where secrets are looked up, by kind of source.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "source", rename_all = "lowercase")]
pub enum SecretProvider {
    /// Environment variables.
    Env(EnvSecrets),
    /// A file.
    File(FileSecrets),
    /// A program.
    Exec(ExecSecrets),
}

/// Secrets in a file.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct FileSecrets {
    /// The file.
    #[schemars(length(min = 1))]
    pub path: String,
    /// Whether the file is one secret or a JSON object of them.
    pub mode: Option<SecretFileMode>,
    /// How long reading may take, in milliseconds.
    pub timeout_ms: Option<Whole<1, 120_000>>,
    /// The largest file that is read.
    pub max_bytes: Option<Whole<1, 20_971_520>>,
}

/// Secrets printed by a program.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct ExecSecrets {
    /// The program, with its full path.
    #[schemars(length(min = 1))]
    pub command: String,
    /// Its arguments.
    #[schemars(inner(length(max = 1024)))]
    #[schemars(length(max = 128))]
    pub args: Option<Vec<String>>,
    /// How long it may run, in milliseconds.
    pub timeout_ms: Option<Whole<1, 120_000>>,
    /// How long it may be silent, in milliseconds.
    pub no_output_timeout_ms: Option<Whole<1, 120_000>>,
    /// The most it may print.
    pub max_output_bytes: Option<Whole<1, 20_971_520>>,
    /// Whether its output must be JSON.
    pub json_only: Option<bool>,
    /// Variables it is given.
    #[serde(default)]
    pub env: BTreeMap<String, SecretText>,
    /// Names of our variables that are passed on.
    #[schemars(inner(regex(pattern = r"^[A-Z][A-Z0-9_]{0,127}$")))]
    #[schemars(length(max = 128))]
    pub pass_env: Option<Vec<String>>,
    /// Directories the program may be in.
    #[schemars(inner(length(min = 1)))]
    #[schemars(length(max = 64))]
    pub trusted_dirs: Option<Vec<String>>,
    /// Whether a program that others may change is run all the same.
    pub allow_insecure_path: Option<bool>,
    /// Whether the path may be a symbolic link.
    pub allow_symlink_command: Option<bool>,
}

/// The source used when a reference names none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretsDefaults {
    /// For environment variables.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_-]{0,63}$"))]
    pub env: Option<String>,
    /// For files.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_-]{0,63}$"))]
    pub file: Option<String>,
    /// For programs.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_-]{0,63}$"))]
    pub exec: Option<String>,
}

/// Limits on looking up secrets.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretsResolution {
    /// How many sources are asked at once.
    pub max_provider_concurrency: Option<Whole<1, 16>>,
    /// How many secrets one source is asked for.
    pub max_refs_per_provider: Option<Whole<1, 4096>>,
    /// The most that one source may answer at once.
    pub max_batch_bytes: Option<Whole<1, 5_242_880>>,
}

/// What a file of secrets holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SecretFileMode {
    /// One secret.
    SingleValue,
    /// A JSON object; a reference names the place inside.
    Json,
}
