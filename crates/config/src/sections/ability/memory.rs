//! The `memory` section: what agents remember.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::{AutoOnOff, ScopePolicy};
use crate::sections::value::{Count, Positive};

/// What agents remember.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySection {
    /// What searches memory.
    pub backend: Option<MemoryBackend>,
    /// Whether answers name where a memory comes from.
    pub citations: Option<AutoOnOff>,
    /// Settings of QMD.
    pub qmd: Option<Qmd>,
}

/// Settings of QMD.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Qmd {
    /// Its program.
    pub command: Option<String>,
    /// Running it as a server.
    pub mcporter: Option<QmdMcporter>,
    /// How it searches.
    pub search_mode: Option<QmdSearchMode>,
    /// Whether the usual memory files are searched.
    pub include_default_memory: Option<bool>,
    /// Further files.
    pub paths: Option<Vec<QmdPath>>,
    /// Searching sessions.
    pub sessions: Option<QmdSessions>,
    /// When its index is renewed.
    pub update: Option<QmdUpdate>,
    /// Limits on searching.
    pub limits: Option<QmdLimits>,
    /// In which conversations memory is searched.
    pub scope: Option<ScopePolicy>,
}

/// Running QMD as a server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QmdMcporter {
    /// Whether it is.
    pub enabled: Option<bool>,
    /// The server's name.
    pub server_name: Option<String>,
    /// Whether the server is started when needed.
    pub start_daemon: Option<bool>,
}

/// Files that are searched.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QmdPath {
    /// The directory.
    pub path: String,
    /// Its name.
    pub name: Option<String>,
    /// Which files in it.
    pub pattern: Option<String>,
}

/// Searching sessions.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QmdSessions {
    /// Whether sessions are searched.
    pub enabled: Option<bool>,
    /// Where they are written for it.
    pub export_dir: Option<String>,
    /// How long they are kept there, in days.
    pub retention_days: Option<Count>,
}

/// When the index is renewed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QmdUpdate {
    /// How often, such as `5m`.
    pub interval: Option<String>,
    /// The least time between two renewals, in milliseconds.
    pub debounce_ms: Option<Count>,
    /// Whether at start.
    pub on_boot: Option<bool>,
    /// Whether starting waits for it.
    pub wait_for_boot_sync: Option<bool>,
    /// How often vectors are renewed, such as `60m`.
    pub embed_interval: Option<String>,
    /// How long a command may take, in milliseconds.
    pub command_timeout_ms: Option<Count>,
    /// How long a renewal may take, in milliseconds.
    pub update_timeout_ms: Option<Count>,
    /// How long renewing vectors may take, in milliseconds.
    pub embed_timeout_ms: Option<Count>,
}

/// Limits on searching.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QmdLimits {
    /// How many results.
    pub max_results: Option<Positive>,
    /// The longest excerpt.
    pub max_snippet_chars: Option<Positive>,
    /// How much all excerpts may have together.
    pub max_injected_chars: Option<Positive>,
    /// How long a search may take, in milliseconds.
    pub timeout_ms: Option<Count>,
}

/// What searches memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MemoryBackend {
    /// The program itself.
    Builtin,
    /// QMD.
    Qmd,
}

/// How QMD searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QmdSearchMode {
    /// By meaning and words, ordered by a model.
    Query,
    /// By words.
    Search,
    /// By meaning.
    Vsearch,
}
