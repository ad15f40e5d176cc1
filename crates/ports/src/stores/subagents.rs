//! Runs that agents started for themselves, from the order to the announcement of the result.
//!
//! A row is kept until its result was announced and its session archived, so that no result is ever lost.

use async_trait::async_trait;
use openclaw_types::{RunId, SessionKey, UnixMillis};
use serde::{Deserialize, Serialize};

use super::StoreError;

/// Keeps sub-agents.
#[async_trait]
pub trait SubagentStore: Send + Sync {
    /// Adds a sub-agent, or replaces what is stored about it. Durable on return.
    async fn save(&self, subagent: &Subagent) -> Result<(), StoreError>;

    /// Every sub-agent that is kept, oldest first.
    async fn all(&self) -> Result<Vec<Subagent>, StoreError>;

    /// Forgets a sub-agent.
    async fn remove(&self, run: &RunId) -> Result<(), StoreError>;
}

/// One sub-agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subagent {
    /// The run that does the work.
    pub run: RunId,
    /// The session it works in.
    pub child: SessionKey,
    /// The session that asked for it.
    pub requester: SessionKey,
    /// Who in that session it is shown to, for display.
    pub requester_display: String,
    /// How deep below a person's session it works.
    pub depth: u64,
    /// What it was asked to do.
    pub task: String,
    /// A short name.
    pub label: Option<String>,
    /// The model it was given, as it was written.
    pub model: Option<String>,
    /// What happens to its session afterwards.
    pub cleanup: Cleanup,
    /// Whether the session stays for more work.
    pub mode: SpawnMode,
    /// How long it may take, in seconds; nothing for no limit of its own.
    pub timeout_seconds: Option<u64>,
    /// When it was ordered.
    pub created_at: UnixMillis,
    /// When it began.
    pub started_at: Option<UnixMillis>,
    /// When it ended.
    pub ended_at: Option<UnixMillis>,
    /// What came of it.
    pub outcome: Option<SubagentOutcome>,
    /// Its last words, kept for the announcement.
    pub result: Option<String>,
    /// When its result was handed to the requester, durably.
    pub announced_at: Option<UnixMillis>,
    /// How often that was tried.
    pub announce_attempts: u32,
    /// When its session may be archived.
    pub archive_at: Option<UnixMillis>,
}

/// What happens to a sub-agent's session afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cleanup {
    /// It is archived at once.
    Delete,
    /// It stays until its time is over.
    Keep,
}

/// Whether a sub-agent's session stays for more work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SpawnMode {
    /// One task, one answer.
    Run,
    /// A session that goes on.
    Session,
}

/// What came of a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SubagentOutcome {
    /// It did its work.
    Done,
    /// It failed; why, for people.
    Failed {
        /// Why.
        message: String,
    },
    /// It took too long.
    TimedOut,
    /// It was stopped.
    Killed,
    /// The gateway stopped in the middle, and it could not go on.
    Interrupted,
}
