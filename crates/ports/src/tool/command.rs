//! Running commands: asked of the engine that knows policies, approvals, processes and terminals.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_types::{AgentId, SessionKey, UnixMillis};
use serde_json::{Value, json};

use super::ToolContext;

/// Runs commands and looks after those that go on in the background.
#[async_trait]
pub trait CommandHost: Send + Sync {
    /// Runs a command, after the policy allowed it and, where it says so, a person did. Gives back when the command
    /// ended or went into the background. Cancelling the context kills a command that is not in the background.
    async fn run(&self, context: &ToolContext, request: CommandRequest) -> CommandOutcome;

    /// The background commands of a session, newest first.
    async fn list(&self, scope: &ProcessScope) -> Vec<ProcessFacts>;

    /// What is new since the last poll; waits for news or the end, as long as it is told.
    async fn poll(
        &self,
        scope: &ProcessScope,
        id: &str,
        wait: Duration,
    ) -> Result<ProcessPoll, NoSuchProcess>;

    /// A part of the output, by lines.
    async fn log(
        &self,
        scope: &ProcessScope,
        id: &str,
        offset: Option<usize>,
        limit: Option<usize>,
    ) -> Result<OutputSlice, NoSuchProcess>;

    /// Writes to the command's input.
    async fn write(&self, scope: &ProcessScope, id: &str, input: ProcessInput) -> Result<(), NoSuchProcess>;

    /// Kills the command and everything it started.
    async fn kill(&self, scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess>;

    /// Forgets the command: one that ended is removed, one that runs is killed first.
    async fn remove(&self, scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess>;

    /// Forgets the output so far, and the command when it ended.
    async fn clear(&self, scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess>;
}

/// What a session says about running commands; a call may ask for something stricter, never for more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExecChoices {
    /// Where: `sandbox`, `gateway` or `node`.
    pub host: Option<String>,
    /// Which: `deny`, `allowlist` or `full`.
    pub security: Option<String>,
    /// When a person is asked: `off`, `on-miss` or `always`.
    pub ask: Option<String>,
    /// The node.
    pub node: Option<String>,
    /// Whether the sandbox may be left: `off`, `on`, `ask` or `full`.
    pub elevated: Option<String>,
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRequest {
    /// The command line.
    pub command: String,
    /// Where it runs; the workspace when absent.
    pub workdir: Option<PathBuf>,
    /// Variables to add.
    pub env: BTreeMap<String, String>,
    /// After how long it goes into the background; zero for at once. The configured time when absent.
    pub yield_after: Option<Duration>,
    /// How long it may take in all; the configured time when absent.
    pub timeout: Option<Duration>,
    /// Whether it gets a terminal.
    pub terminal: bool,
    /// What the call itself asks for.
    pub choices: ExecChoices,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandOutcome {
    /// It ended.
    Ended(CommandEnd),
    /// It goes on in the background.
    Running(RunningCommand),
    /// It was not run: by a rule, by a person, or because nobody answered. Names the rule.
    Refused(String),
    /// It could not be started. The text says why.
    Failed(String),
}

/// A command that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningCommand {
    /// Names it for the `process` tool.
    pub id: String,
    /// Its process.
    pub pid: Option<u32>,
    /// When it began.
    pub started_at: UnixMillis,
    /// Where it runs.
    pub workdir: PathBuf,
    /// The end of its output so far.
    pub tail: String,
}

impl RunningCommand {
    /// The command as the details of a tool's result describe it.
    #[must_use]
    pub fn details(&self) -> Value {
        json!({
            "status": "running",
            "sessionId": self.id,
            "pid": self.pid,
            "startedAt": self.started_at.0,
            "cwd": self.workdir.display().to_string(),
            "tail": self.tail,
        })
    }
}

/// A command that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandEnd {
    /// Its exit code; nothing when a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<String>,
    /// Whether it was killed because its time was over.
    pub timed_out: bool,
    /// The output, cut in the middle when it is long.
    pub output: String,
    /// How many bytes there were.
    pub output_bytes: u64,
    /// Where all of it is, when it was cut.
    pub full_output: Option<PathBuf>,
    /// How long it took.
    pub took: Duration,
    /// Where it ran.
    pub workdir: PathBuf,
}

/// Whose background commands are meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProcessScope {
    /// The agent.
    pub agent: AgentId,
    /// The session.
    pub session: SessionKey,
}

/// A background command in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Names it.
    pub id: String,
    /// The command line.
    pub command: String,
    /// Where it runs.
    pub workdir: PathBuf,
    /// Its process.
    pub pid: Option<u32>,
    /// When it began.
    pub started_at: UnixMillis,
    /// How it is.
    pub state: ProcessState,
    /// How many bytes it has written.
    pub output_bytes: u64,
    /// The end of its output.
    pub tail: String,
    /// Whether it has a terminal.
    pub terminal: bool,
}

/// How a background command is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessState {
    /// It runs.
    Running,
    /// It ended.
    Ended(CommandEnd),
}

/// What is new of a background command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessPoll {
    /// New output since the last poll, cut when it is long.
    pub fresh: String,
    /// How it is.
    pub state: ProcessState,
}

/// A part of a command's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSlice {
    /// The lines.
    pub text: String,
    /// The first of them, from 0.
    pub from: usize,
    /// How many there are in all.
    pub total: usize,
    /// How it is.
    pub state: ProcessState,
}

/// What is written to a command's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessInput {
    /// Bytes.
    Bytes(Vec<u8>),
    /// The end of the input.
    End,
}

/// There is no such background command in this session, or it takes no input any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSuchProcess(pub String);
