//! The `agents` section: what holds for all agents, and the agents.
//!
//! `defaults` and `entry` are the two halves; the other files hold what both halves can say. Raw form: who the agents
//! are is decided in `resolved::agents`.

mod cli_backend;
mod context;
mod defaults;
mod entry;
mod heartbeat;
mod memory_search;
mod sandbox;
mod streaming;

pub use cli_backend::{
    CliBackend, CliImageMode, CliInput, CliOutput, CliPromptMode, CliPromptWhen, CliReliability,
    CliSessionMode, CliWatchdog, CliWatchdogLimits,
};
pub use context::{
    Compaction, CompactionMode, ContextPruning, HardClear, MemoryFlush, PruningMode, SoftTrim,
};
pub use defaults::{
    AgentDefaults, ElevatedLevel, EmbeddedPi, ModelEntry, ProjectSettingsPolicy, SubagentDefaults,
    ThinkingLevel, TimeFormat, VerboseLevel,
};
pub use entry::{AgentEntry, AgentIdentity, AgentSubagents};
pub use heartbeat::{ActiveHours, DirectPolicy, HeartbeatEntry};
pub use memory_search::{
    EmbeddingFallback, EmbeddingKind, MemorySearch, MemorySearchCache, MemorySearchChunking,
    MemorySearchExperimental, MemorySearchLocal, MemorySearchQuery, MemorySearchQueryHybrid,
    MemorySearchQueryHybridMmr, MemorySearchQueryHybridTemporalDecay, MemorySearchRemote,
    MemorySearchRemoteBatch, MemorySearchStore, MemorySearchStoreVector, MemorySearchSync,
    MemorySearchSyncSessions, MemorySource, MemoryStoreDriver,
};
pub use sandbox::{
    Sandbox, SandboxBrowser, SandboxDocker, SandboxMode, SandboxPrune, SandboxScope,
    SandboxSessionVisibility, Ulimit, UlimitPair, WorkspaceAccess,
};
pub use streaming::{
    BlockBreak, BlockStreamingChunk, BlockStreamingCoalesce, BreakPreference, HumanDelay, HumanDelayMode,
};

use schemars::JsonSchema;
use serde::Deserialize;

/// The agents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsSection {
    /// What holds for every agent.
    pub defaults: Option<AgentDefaults>,
    /// The agents; without a list there is one, `main`.
    pub list: Option<Vec<AgentEntry>>,
}
