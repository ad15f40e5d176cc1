//! A run: one answer being made, as its observers see it.
//!
//! Events come in order. The first is `Started`, the last is `Ended`, and each is told exactly once. Words and thoughts
//! are told as they come; what they add up to is kept by whoever shows them. The engine that makes runs is `agent`.

use serde_json::Value;

use crate::{
    AccountId, ChannelId, ChatKind, Content, ModelRef, PeerId, ThreadId, ToolCallId, ToolOutcome, UnixMillis,
};

/// One step of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent {
    /// The run began.
    Started {
        /// When.
        at: UnixMillis,
    },
    /// A message is in the transcript, durably: it was part of what the run began with, or it was steered into it.
    Took {
        /// The message's own key, where its sender gave one.
        key: String,
    },
    /// A model is asked; nothing of its answer has come yet.
    ModelAsked,
    /// The model begins a message. What it says is counted from here.
    MessageStarted,
    /// What was told of the current message is void: the call is made again.
    MessageVoided,
    /// More words of the current message.
    Words {
        /// What is new.
        delta: String,
    },
    /// More thoughts of the current message.
    Thoughts {
        /// What is new.
        delta: String,
    },
    /// The current message is whole and in the transcript.
    MessageEnded,
    /// A tool begins.
    ToolStarted {
        /// Names the call.
        call: ToolCallId,
        /// The tool.
        name: String,
        /// What it was given.
        arguments: Value,
    },
    /// A tool has something to show before it ends.
    ToolProgressed {
        /// Names the call.
        call: ToolCallId,
        /// The tool.
        name: String,
        /// What there is so far.
        partial: Vec<Content>,
        /// The state of the call for programs: an object with `status` and what the tool adds.
        details: Option<Value>,
    },
    /// A tool ended, and its result is in the transcript.
    ToolEnded {
        /// Names the call.
        call: ToolCallId,
        /// The tool.
        name: String,
        /// Whether it did what was asked.
        outcome: ToolOutcome,
        /// What it did, in a few words for people.
        meta: Option<String>,
        /// What the model gets.
        result: Vec<Content>,
        /// The state of the call for programs: an object with `status` and what the tool adds.
        details: Option<Value>,
    },
    /// Older parts of the conversation are being summed up.
    CompactionStarted,
    /// They were, or it did not work.
    CompactionEnded {
        /// What the run does now.
        then: AfterCompaction,
    },
    /// Another model answers than the one that was chosen.
    ModelSwitched(ModelSwitch),
    /// The chosen model answers again.
    ModelRestored(ModelSwitch),
    /// The run is over.
    Ended(RunEnd),
}

/// What a run does after a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterCompaction {
    /// It makes the call again.
    Retry,
    /// It goes on.
    GoOn,
}

/// Which model was chosen and which one answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSwitch {
    /// The model that was chosen.
    pub selected: ModelRef,
    /// The one that answers.
    pub active: ModelRef,
    /// Why, in a few words without secrets.
    pub reason: Option<String>,
    /// What was tried before, in order.
    pub attempts: Vec<ModelAttempt>,
    /// The model that answered before.
    pub previous: Option<ModelRef>,
}

/// A model that was tried and did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAttempt {
    /// Which one.
    pub model: ModelRef,
    /// Why not, in one word.
    pub reason: String,
    /// The same for people, without secrets.
    pub error: String,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// When it began.
    pub started_at: UnixMillis,
    /// When it ended.
    pub ended_at: UnixMillis,
    /// How.
    pub how: RunEnding,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnding {
    /// With an answer; a plain explanation of why there is no better one counts.
    Answered,
    /// Somebody or something stopped it. What was said until then is kept.
    Aborted(AbortCause),
    /// Without an answer. The text is for people and holds no secret.
    Failed {
        /// Why.
        message: String,
    },
}

/// Why a run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AbortCause {
    /// A client asked for it.
    Request,
    /// A person said so in the chat.
    Word,
    /// It took too long.
    Timeout,
    /// A newer message took its place.
    Superseded,
    /// The gateway stops.
    Shutdown,
}

impl AbortCause {
    /// The cause as clients are told it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "rpc",
            Self::Word => "stop",
            Self::Timeout => "timeout",
            Self::Superseded => "superseded",
            Self::Shutdown => "shutdown",
        }
    }
}

/// Who is behind a message, and where an answer to it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender {
    /// How much they may do.
    pub standing: SenderRank,
    /// The platform the message came over.
    pub channel: Option<ChannelId>,
    /// Our login there.
    pub account: Option<AccountId>,
    /// Who wrote it.
    pub peer: Option<PeerId>,
    /// What they are called. Text from outside: shown as data, never trusted.
    pub name: Option<String>,
    /// What kind of conversation it is.
    pub chat: ChatKind,
    /// The conversation an answer goes to.
    pub to: Option<String>,
    /// The thread an answer goes to.
    pub thread: Option<ThreadId>,
}

/// How much the person behind a message may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SenderRank {
    /// The owner of this installation.
    Owner,
    /// Somebody who may talk to the agent, and no more.
    Guest,
    /// Another session, a schedule or the gateway itself. Has the rights that its own owner gave.
    System,
}

impl Sender {
    /// A client of the gateway that writes in the web chat.
    #[must_use]
    pub fn owner() -> Self {
        Self::of(SenderRank::Owner)
    }

    /// The gateway itself.
    #[must_use]
    pub fn system() -> Self {
        Self::of(SenderRank::System)
    }

    fn of(standing: SenderRank) -> Self {
        Self {
            standing,
            channel: None,
            account: None,
            peer: None,
            name: None,
            chat: ChatKind::Direct,
            to: None,
            thread: None,
        }
    }
}
