//! What the tools about sessions, sub-agents and agents ask of the flow.
//!
//! Answers are values for the model in the shape the reference documents; nobody takes them apart again.

use async_trait::async_trait;
use serde_json::Value;

use super::ToolContext;

/// Lists, reads, writes to and starts sessions, as far as the caller may see them.
#[async_trait]
pub trait SessionDesk: Send + Sync {
    /// `sessions_list`.
    async fn list(&self, context: &ToolContext, request: ListRequest) -> Result<Value, SessionToolFault>;

    /// `sessions_history`.
    async fn history(
        &self,
        context: &ToolContext,
        request: HistoryRequest,
    ) -> Result<Value, SessionToolFault>;

    /// `sessions_send`: waits for the answer as long as it is told.
    async fn send(&self, context: &ToolContext, request: SendRequest) -> Result<Value, SessionToolFault>;

    /// `sessions_spawn`: gives back as soon as the sub-agent is on its way.
    async fn spawn(&self, context: &ToolContext, request: SpawnRequest) -> Result<Value, SessionToolFault>;

    /// `subagents`.
    async fn subagents(&self, context: &ToolContext, order: SubagentOrder)
    -> Result<Value, SessionToolFault>;

    /// `session_status`: the card that `/status` shows, as text.
    async fn status(&self, context: &ToolContext, request: StatusRequest) -> Result<Value, SessionToolFault>;

    /// `agents_list`: the agents that may be given work.
    async fn agents(&self, context: &ToolContext) -> Result<Value, SessionToolFault>;
}

/// What to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListRequest {
    /// `main`, `group`, `cron`, `hook`, `node`, `other`; all when empty.
    pub kinds: Vec<String>,
    /// How many at most.
    pub limit: Option<u64>,
    /// Only those that changed within so many minutes.
    pub active_minutes: Option<u64>,
    /// How many of the last messages of each to add.
    pub message_limit: u64,
}

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryRequest {
    /// A session key or a session id.
    pub session: String,
    /// How many messages at most.
    pub limit: Option<u64>,
    /// Whether the results of tools are wanted too.
    pub include_tools: bool,
}

/// What to send where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRequest {
    /// A session key or a session id.
    pub session: Option<String>,
    /// Or the label of a session.
    pub label: Option<String>,
    /// Whose session the label is looked for in.
    pub agent: Option<String>,
    /// What to say.
    pub message: String,
    /// How long to wait for the answer; zero for not at all.
    pub timeout_seconds: Option<u64>,
}

/// What a sub-agent is to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpawnRequest {
    /// The task.
    pub task: String,
    /// A short name.
    pub label: Option<String>,
    /// `subagent`, or `acp` for a coding agent.
    pub runtime: Option<String>,
    /// The agent that does it.
    pub agent: Option<String>,
    /// The model that does it.
    pub model: Option<String>,
    /// How hard it thinks.
    pub thinking: Option<String>,
    /// Where it works.
    pub cwd: Option<String>,
    /// How long it may take.
    pub run_timeout_seconds: Option<u64>,
    /// Whether it gets a thread of its own in the chat.
    pub thread: bool,
    /// `run` or `session`.
    pub mode: Option<String>,
    /// `delete` or `keep`.
    pub cleanup: Option<String>,
}

/// What to do with sub-agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubagentOrder {
    /// List them.
    List {
        /// How far back those that ended are listed, in minutes.
        recent_minutes: Option<u64>,
    },
    /// Stop one, or all.
    Kill {
        /// A label, a run id, a number of the list, or `all`.
        target: String,
    },
    /// Say something to one.
    Steer {
        /// A label, a run id or a number of the list.
        target: String,
        /// What.
        message: String,
    },
}

/// Which session's card is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusRequest {
    /// The session; the caller's own when absent.
    pub session: Option<String>,
    /// Another model for the session; `default` takes a choice back.
    pub model: Option<String>,
}

/// Why a tool about sessions failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionToolFault {
    /// A rule forbids it. Names the rule.
    #[error("{0}")]
    Refused(String),
    /// What was asked for does not make sense, or is not there. Says what would.
    #[error("{0}")]
    Wrong(String),
    /// Something is wrong on our side. For the log.
    #[error("{0}")]
    Fault(String),
}
