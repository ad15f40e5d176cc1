//! The words of a run: what is ordered of the agent, and what comes of it.
//!
//! Plain data. A run under way has two ends: `RunControl` steers and stops it, `RunStream` tells it. Who calls: `flow`,
//! and the command line for runs without a gateway.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use openclaw_config::Config;
use openclaw_ports::model::{ToolChoice, ToolSpec};
use openclaw_ports::stores::SessionStore;
use openclaw_ports::tool::{ExecChoices, Tool, ToolMessage};
use openclaw_ports::{Clock, TaskScope};
use openclaw_session::Journal;
use openclaw_types::{
    AgentId, AuthProfileId, Message, ModelRef, RunEnd, RunId, Sender, SessionEntry, SessionId, SessionKey,
    StopReason, ThinkingLevel, ToolCall, ToolRule, Usage, UserMessage,
};
use serde_json::Value;

use crate::{Models, Pin, Selection};

/// What the agent is put together from.
pub struct AgentParts {
    /// Calls models.
    pub models: Models,
    /// Keeps sessions.
    pub sessions: Arc<dyn SessionStore>,
    /// Writes to the end of transcripts; the one that everybody shares who writes to them.
    pub journal: Arc<Journal>,
    /// Everything that can be called; the policy decides what a run gets.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The configuration of the moment.
    pub settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    /// Where things are and what machine this is.
    pub surroundings: HostFacts,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where runs hang. Cancelling it stops them, and joining it waits until they are told. They do not count as ended:
    /// the next start resumes them.
    pub tasks: TaskScope,
}

/// Where things are and what machine this is. The same for the whole life of the process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostFacts {
    /// The state directory.
    pub state_dir: PathBuf,
    /// The home directory, for `~` in paths.
    pub home: PathBuf,
    /// The profile whose workspace is used; nothing for the usual one.
    pub profile: Option<String>,
    /// The machine's name.
    pub host: String,
    /// Its system and architecture, such as `linux (x64)`.
    pub system: String,
    /// The shell that commands run in.
    pub shell: String,
    /// Our version.
    pub version: String,
}

/// One answer to make.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOrder {
    /// Names the run.
    pub run: RunId,
    /// Who answers.
    pub agent: AgentId,
    /// In which session.
    pub key: SessionKey,
    /// In which transcript.
    pub session: SessionId,
    /// What is kept of the session, where whoever orders the run has just read it.
    pub entry: Option<Arc<SessionEntry>>,
    /// What is answered.
    pub input: RunInput,
    /// The model, where somebody chose one.
    pub model: Selection,
    /// The sign-in, where somebody chose one or the session used one before.
    pub pin: Option<Pin>,
    /// How hard to think, where somebody said so.
    pub thinking: Option<ThinkingLevel>,
    /// Whether thoughts are shown.
    pub reasoning: Reasoning,
    /// How much the system prompt says.
    pub prompt: PromptMode,
    /// More for the system prompt: what an API client wants, what a group is about, what a sub-agent is to do.
    pub extra_system: Option<String>,
    /// Tools of the client that ordered the run. A call of one ends the run; its result comes with the next.
    pub client_tools: Vec<ToolSpec>,
    /// Whether a tool must be called.
    pub tool_choice: ToolChoice,
    /// The most the model may write at once.
    pub max_output_tokens: Option<u64>,
    /// How freely it writes.
    pub temperature: Option<f64>,
    /// How long the run may take; the configured time when absent, no limit when zero.
    pub timeout: Option<Duration>,
    /// Who is behind the message.
    pub sender: Sender,
    /// What the session says about running commands.
    pub exec: ExecChoices,
    /// Where the agent works, when it is not its own workspace.
    pub workspace: Option<PathBuf>,
    /// How deep below a person's session this one is.
    pub depth: u64,
    /// How many messages of people the model looks back, the newest included; all when nothing is said.
    pub turns: Option<usize>,
    /// Which tools may be used where the message came from, beside all other rules.
    pub room: Option<ToolRule>,
    /// Whether the outcome tells what the prompt was made of.
    pub report: PromptMeasuring,
}

/// Whether somebody wants to know what the prompt of a run is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptMeasuring {
    /// Yes.
    Wanted,
    /// No.
    Unwanted,
}

/// What a run answers.
#[derive(Debug, Clone, PartialEq)]
pub enum RunInput {
    /// Messages of people, in order; never empty. Those whose key is in the transcript already are not added again.
    Messages(Vec<UserMessage>),
    /// A conversation that a client tells along: what was said and what its tools gave, then messages of people. Results
    /// answer the open calls of the transcript. A run whose part of it is stored already goes on from there.
    Told {
        /// What stands before the messages of people. May end with results.
        before: Vec<Message>,
        /// Messages of people, in order. Empty when only results came.
        messages: Vec<UserMessage>,
    },
    /// Nothing new: the transcript goes on from where a crash cut it off. Calls of tools without a result are closed
    /// with a note that says so, and calls that only look are made again.
    Resume,
}

/// Whether thoughts are shown to people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Reasoning {
    /// No.
    #[default]
    Hidden,
    /// As a message of their own, before the answer.
    Shown,
    /// As they come.
    Streamed,
}

/// How much the system prompt says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum PromptMode {
    /// Everything.
    #[default]
    Full,
    /// What a sub-agent needs.
    Minimal,
    /// One line.
    Bare,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// When and how it ended.
    pub end: RunEnd,
    /// What is said to people, in order. Silent answers are left out.
    pub replies: Vec<RunReply>,
    /// The model that answered last.
    pub model: Option<ModelRef>,
    /// The credential it was called with.
    pub profile: Option<AuthProfileId>,
    /// How much that model can read.
    pub context_window: Option<u64>,
    /// What the whole run took.
    pub usage: Usage,
    /// What its last call took: how full the context is.
    pub last_call: Option<Usage>,
    /// Why the model stopped with its last words.
    pub stop: Option<StopReason>,
    /// How often older parts were summed up.
    pub compactions: u64,
    /// Calls of the client's tools that wait for their results.
    pub client_calls: Vec<ToolCall>,
    /// What tools said to people during the run.
    pub said: Vec<ToolMessage>,
    /// What the system prompt was made of, for `/context`.
    pub prompt_report: Option<Value>,
    /// What kept it from a proper answer.
    pub fault: Option<RunFault>,
    /// Messages that were steered into the run and that it could not take up any more, in order.
    pub left_over: Vec<UserMessage>,
    /// Its session, with what this run counted in it.
    pub session: Option<Arc<SessionEntry>>,
}

/// One message of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReply {
    /// The words.
    pub text: String,
    /// Files and addresses that belong to it.
    pub media: Vec<String>,
    /// What it is.
    pub kind: ReplyKind,
}

/// What a message of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplyKind {
    /// The answer.
    Answer,
    /// Thoughts.
    Reasoning,
    /// Our own words about why there is no better answer.
    Notice,
}

/// What kept a run from a proper answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFault {
    /// Its kind.
    pub kind: FaultKind,
    /// More about it, for people and without secrets.
    pub message: String,
}

/// Kinds of faults of a run, as clients are told them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The conversation is longer than the model can read, and nothing helped.
    ContextOverflow,
    /// Summing up failed.
    Compaction,
    /// The vendor does not accept the order of messages.
    RoleOrdering,
    /// A picture is too large for the model.
    ImageSize,
    /// It took too long.
    Timeout,
    /// It went round in circles.
    Loop,
    /// There is no money left for it.
    Budget,
    /// No model could be called.
    Model,
    /// Something is wrong on our side.
    Internal,
}

impl FaultKind {
    /// The kind as it stands on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ContextOverflow => "context_overflow",
            Self::Compaction => "compaction_failure",
            Self::RoleOrdering => "role_ordering",
            Self::ImageSize => "image_size",
            Self::Timeout => "timeout",
            Self::Loop => "loop",
            Self::Budget => "budget",
            Self::Model => "model",
            Self::Internal => "internal",
        }
    }
}

/// An order to sum up older parts of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct CompactOrder {
    /// Whose transcript.
    pub agent: AgentId,
    /// Which session.
    pub key: SessionKey,
    /// Which transcript.
    pub session: SessionId,
    /// The model, where somebody chose one.
    pub model: Selection,
    /// What the summary should look at.
    pub instructions: Option<String>,
}

/// What came of summing up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompactOutcome {
    /// It was done.
    Done {
        /// How large the context was.
        tokens_before: u64,
        /// How large it is now.
        tokens_after: u64,
    },
    /// There was nothing to sum up.
    Nothing,
    /// It did not work; why, for people.
    Failed(String),
}
