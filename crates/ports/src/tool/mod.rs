//! Tools: what a model may call, and what the host promises those who build them.
//!
//! The host checks the policy before a call, bounds its time, caps and cleans its result, keeps the transcript, and
//! cancels it when the run is stopped. A tool reads its arguments, does one thing, and says what came of it. Handles to
//! the rest of the system (`command`, `web`, `sessions`, …) are given to a tool when it is built; a tool whose handle is
//! missing does not exist.

mod arguments;
mod command;
mod control;
mod files;
mod messenger;
mod sessions;
mod vision;
mod web;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_types::{
    AgentId, Content, ModelRef, RunId, Sender, SessionId, SessionKey, ThreadId, ToolCallId, ToolOutcome,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::model::{SharedText, ToolSchema};

pub use arguments::{ToolArguments, WrongArgument};
pub use command::{
    CommandEnd, CommandHost, CommandOutcome, CommandRequest, ExecChoices, NoSuchProcess, OutputSlice,
    ProcessFacts, ProcessInput, ProcessPoll, ProcessScope, ProcessState, RunningCommand,
};
pub use control::{ConfigText, ControlFault, ControlRequest, GatewayControl};
pub use files::{FileDoor, NoFile};
pub use messenger::{MessageAction, MessageFault, MessageReceipt, Messenger};
pub use sessions::{
    HistoryRequest, ListRequest, SendRequest, SessionDesk, SessionToolFault, SpawnRequest, StatusRequest,
    SubagentOrder,
};
pub use vision::{PictureQuestion, Vision, VisionFault};
pub use web::{HostList, NamedBy, WebAnswer, WebClient, WebFault, WebRequest};

/// Something a model may call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What it is. The same for the whole life of the process.
    fn descriptor(&self) -> &ToolDescriptor;

    /// What the model is told of it now, where that changes with what is connected; nothing said means as its descriptor
    /// says.
    fn face(&self) -> Option<ToolFace> {
        None
    }

    /// Does it. Dropping the future, or cancelling the context, ends the work at once; whatever it started that must not
    /// outlive it is stopped. Never panics on arguments, whatever they are.
    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply;
}

/// What the model is told of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolFace {
    /// What it does.
    pub description: SharedText,
    /// The JSON Schema of its arguments.
    pub parameters: ToolSchema,
}

/// What a tool is.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDescriptor {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// One line for the system prompt.
    pub summary: &'static str,
    /// What it does, for the model.
    pub description: SharedText,
    /// The JSON Schema of its arguments.
    pub parameters: ToolSchema,
    /// Its family.
    pub group: ToolGroup,
    /// Whether it may run beside others.
    pub concurrency: Concurrency,
    /// What it can do to the world.
    pub effect: Effect,
    /// Who may have it called.
    pub audience: Audience,
}

/// A family of tools, as the policy and the catalog know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToolGroup {
    /// Files.
    Files,
    /// Commands and processes.
    Runtime,
    /// The web.
    Web,
    /// What is remembered.
    Memory,
    /// Sessions and sub-agents.
    Sessions,
    /// Browser and canvas.
    Ui,
    /// Messages to people.
    Messaging,
    /// Schedules and the gateway.
    Automation,
    /// Paired devices.
    Nodes,
    /// Other agents.
    Agents,
    /// Pictures and sound.
    Media,
}

impl ToolGroup {
    /// The group as catalogs and policies write it, without `group:`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Files => "fs",
            Self::Runtime => "runtime",
            Self::Web => "web",
            Self::Memory => "memory",
            Self::Sessions => "sessions",
            Self::Ui => "ui",
            Self::Messaging => "messaging",
            Self::Automation => "automation",
            Self::Nodes => "nodes",
            Self::Agents => "agents",
            Self::Media => "media",
        }
    }
}

/// Whether a tool may run beside others of the same message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Concurrency {
    /// It may.
    Parallel,
    /// It waits for those before it, and those after it wait.
    Exclusive,
}

/// What a tool can do to the world. After a crash, what only looks may be done again; anything else is told instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It only looks.
    Looks,
    /// It changes something here.
    Changes,
    /// It reaches people or other systems.
    Reaches,
}

/// Who may have a tool called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Audience {
    /// Everybody who may talk to the agent.
    Everybody,
    /// The owner alone.
    Owner,
}

/// Where a tool is called from.
#[derive(Clone)]
pub struct ToolContext {
    /// The run.
    pub run: RunId,
    /// The call.
    pub call: ToolCallId,
    /// The agent.
    pub agent: AgentId,
    /// The session.
    pub session: SessionKey,
    /// The transcript.
    pub session_id: SessionId,
    /// Where the agent works: the folder that relative paths start at.
    pub workspace: PathBuf,
    /// Which files a tool may touch.
    pub files: FileReach,
    /// The folder for output that is too long for a model. Made by whoever writes there first.
    pub keep: PathBuf,
    /// The model that called.
    pub model: Option<ModelRef>,
    /// Whether that model sees pictures.
    pub sees_images: bool,
    /// Who is behind the message that is being answered.
    pub sender: Sender,
    /// What the session says about running commands.
    pub exec: ExecChoices,
    /// Where a tool shows what it has before it ends. Never blocks; what comes too fast is dropped.
    pub progress: Arc<dyn Fn(ToolProgress) + Send + Sync>,
    /// Cancelled when the run is stopped.
    pub cancel: CancellationToken,
}

/// What a tool has before it ends.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolProgress {
    /// The output so far, as people are shown it.
    pub content: Vec<Content>,
    /// The state of the call for programs: an object with `status` and what the tool adds.
    pub details: Option<Value>,
}

/// Which files a tool may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileReach {
    /// Those of the workspace alone.
    Workspace,
    /// Whatever the user of the process may touch, apart from what is always refused.
    Machine,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolReply {
    /// It was done, or it was tried and did not work.
    Output(ToolOutput),
    /// It was not done. The text says which rule forbids it and what would be allowed.
    Refused(String),
    /// Something is wrong on our side. The run ends; the text is for the log, without secrets.
    Fault(String),
}

/// What a tool gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// For the model. Bounded by the tool; the host cuts what is still too long.
    pub content: Vec<Content>,
    /// The same for programs.
    pub details: Option<Value>,
    /// Whether it did what was asked.
    pub outcome: ToolOutcome,
    /// What it did, in a few words for people.
    pub meta: Option<String>,
    /// What it said to people, so that the answer does not say it again.
    pub said: Vec<ToolMessage>,
}

/// Something a tool said to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolMessage {
    /// Where: channel and conversation, as the tool was given them.
    pub to: String,
    /// The thread there.
    pub thread: Option<ThreadId>,
    /// What.
    pub text: String,
    /// Files and addresses that went with it, as the tool was given them.
    pub media: Vec<String>,
}

impl ToolOutput {
    /// Text that says it was done.
    #[must_use]
    pub fn done(text: impl Into<String>) -> Self {
        Self::text(text, ToolOutcome::Done)
    }

    /// Text that says it did not work, and what to do.
    #[must_use]
    pub fn failed(text: impl Into<String>) -> Self {
        Self::text(text, ToolOutcome::Failed)
    }

    /// A value for programs, and the same as text for the model.
    #[must_use]
    pub fn json(value: Value) -> Self {
        let text = serde_json::to_string_pretty(&value).unwrap_or_else(|_never| value.to_string());
        Self { details: Some(value), ..Self::done(text) }
    }

    /// Adds what it did, in a few words for people.
    #[must_use]
    pub fn with_meta(self, meta: impl Into<String>) -> Self {
        Self { meta: Some(meta.into()), ..self }
    }

    fn text(text: impl Into<String>, outcome: ToolOutcome) -> Self {
        Self { content: vec![Content::text(text)], details: None, outcome, meta: None, said: Vec::new() }
    }
}

impl From<ToolOutput> for ToolReply {
    fn from(output: ToolOutput) -> Self {
        Self::Output(output)
    }
}
