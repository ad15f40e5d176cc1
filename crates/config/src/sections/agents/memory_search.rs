//! Searching an agent's memory: sources, vectors, index, ranking.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, Positive, SecretText};

/// Searching the agent's memory.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearch {
    /// Whether it can be searched.
    pub enabled: Option<bool>,
    /// What is searched.
    pub sources: Option<Vec<MemorySource>>,
    /// Further files and directories.
    pub extra_paths: Option<Vec<String>>,
    /// What is being tried out.
    pub experimental: Option<MemorySearchExperimental>,
    /// What turns text into vectors.
    pub provider: Option<EmbeddingKind>,
    /// The vectors' server.
    pub remote: Option<MemorySearchRemote>,
    /// What to use when that fails.
    pub fallback: Option<EmbeddingFallback>,
    /// The model that makes vectors.
    pub model: Option<String>,
    /// A model on this machine.
    pub local: Option<MemorySearchLocal>,
    /// Where the index is kept.
    pub store: Option<MemorySearchStore>,
    /// How text is cut.
    pub chunking: Option<MemorySearchChunking>,
    /// When the index is renewed.
    pub sync: Option<MemorySearchSync>,
    /// How results are found.
    pub query: Option<MemorySearchQuery>,
    /// Keeping vectors that were made before.
    pub cache: Option<MemorySearchCache>,
}

/// What is being tried out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchExperimental {
    /// Whether sessions are searched too.
    pub session_memory: Option<bool>,
}

/// A server that makes vectors.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchRemote {
    /// Its address.
    pub base_url: Option<String>,
    /// Its key.
    pub api_key: Option<SecretText>,
    /// Headers sent along.
    #[serde(default)]
    pub headers: BTreeMap<String, SecretText>,
    /// Asking for many at once, cheaper and later.
    pub batch: Option<MemorySearchRemoteBatch>,
}

/// Asking for many vectors at once.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchRemoteBatch {
    /// Whether it is done.
    pub enabled: Option<bool>,
    /// Whether indexing waits for the answer.
    pub wait: Option<bool>,
    /// How many batches run at once.
    pub concurrency: Option<Positive>,
    /// How often the answer is asked for, in milliseconds.
    pub poll_interval_ms: Option<Count>,
    /// How long a batch may take, in minutes.
    pub timeout_minutes: Option<Positive>,
}

/// A model on this machine.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchLocal {
    /// Its file or address.
    pub model_path: Option<String>,
    /// Where downloads are kept.
    pub model_cache_dir: Option<String>,
}

/// Where the index is kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchStore {
    /// The kind of store.
    pub driver: Option<MemoryStoreDriver>,
    /// The file; `{agentId}` stands for the agent.
    pub path: Option<String>,
    /// Comparing vectors inside the store.
    pub vector: Option<MemorySearchStoreVector>,
}

/// Comparing vectors inside the store.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchStoreVector {
    /// Whether it is done.
    pub enabled: Option<bool>,
    /// The store's extension for it.
    pub extension_path: Option<String>,
}

/// How text is cut.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchChunking {
    /// The size of a piece, in tokens.
    pub tokens: Option<Positive>,
    /// What neighbouring pieces share, in tokens.
    pub overlap: Option<Count>,
}

/// When the index is renewed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchSync {
    /// When a session starts.
    pub on_session_start: Option<bool>,
    /// Before a search.
    pub on_search: Option<bool>,
    /// When files change.
    pub watch: Option<bool>,
    /// How long files must be quiet, in milliseconds.
    pub watch_debounce_ms: Option<Count>,
    /// How often in any case, in minutes; 0 means never.
    pub interval_minutes: Option<Count>,
    /// How much a session must have grown.
    pub sessions: Option<MemorySearchSyncSessions>,
}

/// How much a session must have grown to be indexed again.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchSyncSessions {
    /// In bytes.
    pub delta_bytes: Option<Count>,
    /// In messages.
    pub delta_messages: Option<Count>,
}

/// How results are found.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchQuery {
    /// How many are returned.
    pub max_results: Option<Positive>,
    /// How good they must be.
    #[schemars(range(min = 0, max = 1))]
    pub min_score: Option<f64>,
    /// Searching by meaning and by words together.
    pub hybrid: Option<MemorySearchQueryHybrid>,
}

/// Searching by meaning and by words together.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchQueryHybrid {
    /// Whether both are used.
    pub enabled: Option<bool>,
    /// The weight of meaning.
    #[schemars(range(min = 0, max = 1))]
    pub vector_weight: Option<f64>,
    /// The weight of words.
    #[schemars(range(min = 0, max = 1))]
    pub text_weight: Option<f64>,
    /// How many more candidates than results are looked at.
    pub candidate_multiplier: Option<Positive>,
    /// Preferring results that differ from each other.
    pub mmr: Option<MemorySearchQueryHybridMmr>,
    /// Preferring what is recent.
    pub temporal_decay: Option<MemorySearchQueryHybridTemporalDecay>,
}

/// Preferring results that differ from each other.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchQueryHybridMmr {
    /// Whether it is done.
    pub enabled: Option<bool>,
    /// 0 for different results, 1 for fitting ones.
    #[schemars(range(min = 0, max = 1))]
    pub lambda: Option<f64>,
}

/// Preferring what is recent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchQueryHybridTemporalDecay {
    /// Whether it is done.
    pub enabled: Option<bool>,
    /// The age at which a result counts half, in days.
    pub half_life_days: Option<Positive>,
}

/// Keeping vectors that were made before.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchCache {
    /// Whether they are kept.
    pub enabled: Option<bool>,
    /// How many.
    pub max_entries: Option<Positive>,
}

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MemorySource {
    /// The memory files of the workspace.
    Memory,
    /// Earlier sessions.
    Sessions,
}

/// What turns text into vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EmbeddingKind {
    /// OpenAI, or a server that speaks like it.
    Openai,
    /// A model on this machine.
    Local,
    /// Gemini.
    Gemini,
    /// Voyage.
    Voyage,
    /// Mistral.
    Mistral,
}

/// What to use when vectors cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EmbeddingFallback {
    /// OpenAI, or a server that speaks like it.
    Openai,
    /// Gemini.
    Gemini,
    /// A model on this machine.
    Local,
    /// Voyage.
    Voyage,
    /// Mistral.
    Mistral,
    /// Nothing: only words are searched.
    None,
}

/// The kind of store of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MemoryStoreDriver {
    /// A SQLite file.
    Sqlite,
}
