//! The messages of a conversation, by who speaks: a person, the model, a tool, a shell, an extension.
//!
//! What a model sees of them is decided by `agent`; here they are only held.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Content, StopReason, Usage};
use crate::{ChannelId, EntryId, ProviderId, RunId, SessionKey, ToolCallId, UnixMillis};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Someone speaks to the model.
    User(UserMessage),
    /// The model speaks.
    Assistant(AssistantMessage),
    /// A tool answers.
    ToolResult(ToolResultMessage),
    /// A person ran a command beside the model.
    Shell(ShellMessage),
    /// An extension speaks to the model.
    Custom(CustomMessage),
    /// The story of what was compacted away, where it stands as a message.
    CompactionSummary {
        /// The story.
        summary: String,
        /// How large the context was before.
        tokens_before: Option<u64>,
        /// When it was told.
        at: Option<UnixMillis>,
    },
    /// The story of a branch that was left, where it stands as a message.
    BranchSummary {
        /// The story.
        summary: String,
        /// Where the branch began.
        from: Option<EntryId>,
        /// When it was told.
        at: Option<UnixMillis>,
    },
    /// A message of a kind we do not know.
    Other(OtherMessage),
}

impl Message {
    /// The pieces of the message; empty for kinds that have none.
    #[must_use]
    pub fn content(&self) -> &[Content] {
        match self {
            Self::User(message) => &message.content,
            Self::Assistant(message) => &message.content,
            Self::ToolResult(message) => &message.content,
            Self::Custom(message) => &message.content,
            _ => &[],
        }
    }

    /// When it was said.
    #[must_use]
    pub fn at(&self) -> Option<UnixMillis> {
        match self {
            Self::User(message) => message.at,
            Self::Assistant(message) => message.at,
            Self::ToolResult(message) => message.at,
            Self::Shell(message) => message.at,
            Self::Custom(message) => message.at,
            Self::CompactionSummary { at, .. } | Self::BranchSummary { at, .. } => *at,
            Self::Other(_) => None,
        }
    }

    /// All words for people, piece by piece joined by line breaks.
    #[must_use]
    pub fn plain_text(&self) -> String {
        self.content().iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n")
    }
}

/// Someone speaks to the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserMessage {
    /// What is said.
    pub content: Vec<Content>,
    /// When it was said.
    pub at: Option<UnixMillis>,
    /// Where it comes from, when not from a person in this conversation.
    pub provenance: Option<Provenance>,
    /// Marks a message that must be stored only once.
    pub idempotency_key: Option<String>,
}

impl UserMessage {
    /// Whether the agent asks itself, to write something down: what it says then is for nobody. A letter of the gateway
    /// has a name of its own.
    #[must_use]
    pub fn is_inner(&self) -> bool {
        let source = self.provenance.as_ref().map(|provenance| provenance.kind);
        source == Some(ProvenanceKind::InternalSystem) && self.idempotency_key.is_none()
    }
}

/// Where a message for the model comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// What kind of source it is.
    pub kind: ProvenanceKind,
    /// The session it was sent from.
    #[serde(rename = "sourceSessionKey", default, skip_serializing_if = "Option::is_none")]
    pub source_session: Option<SessionKey>,
    /// The channel it was sent from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_channel: Option<ChannelId>,
    /// The tool that sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_tool: Option<String>,
}

/// What kind of source a message for the model has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProvenanceKind {
    /// A person outside.
    ExternalUser,
    /// Another session.
    InterSession,
    /// The gateway itself.
    InternalSystem,
}

/// The model speaks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AssistantMessage {
    /// What is said, thought and asked for.
    pub content: Vec<Content>,
    /// The wire protocol that was spoken.
    pub api: Option<String>,
    /// The vendor that answered.
    pub provider: Option<ProviderId>,
    /// The vendor's name for the model that answered.
    pub model: Option<String>,
    /// What it took.
    pub usage: Option<Usage>,
    /// Why the model stopped.
    pub stop: Option<StopReason>,
    /// What went wrong, in the vendor's words.
    pub error: Option<String>,
    /// When it was said.
    pub at: Option<UnixMillis>,
    /// Marks a message that must be stored only once.
    pub idempotency_key: Option<String>,
    /// Says that the answer was cut off, by whom and in which run.
    pub abort: Option<AbortMark>,
}

impl AssistantMessage {
    /// Who really wrote this message.
    #[must_use]
    pub fn source(&self) -> AssistantSource {
        match self.model.as_deref() {
            Some("delivery-mirror") => AssistantSource::DeliveryMirror,
            Some("gateway-injected") => AssistantSource::Injected,
            _ => AssistantSource::Model,
        }
    }

    /// The tools the model asks for.
    pub fn tool_calls(&self) -> impl Iterator<Item = &super::ToolCall> {
        self.content.iter().filter_map(Content::as_tool_call)
    }
}

/// Who really wrote a message in the model's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssistantSource {
    /// The model.
    Model,
    /// The gateway noted what was sent to a channel past the model.
    DeliveryMirror,
    /// The gateway put it there: an injected note or the kept part of an aborted answer.
    Injected,
}

/// Says that an answer was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbortMark {
    /// Who asked for it: `rpc` or `stop-command`.
    pub origin: String,
    /// The run that was cut off.
    pub run: RunId,
}

/// A tool answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResultMessage {
    /// The call that is answered.
    pub call: ToolCallId,
    /// The tool's name.
    pub tool: String,
    /// The answer, for the model.
    pub content: Vec<Content>,
    /// Whether it worked.
    pub outcome: ToolOutcome,
    /// The tool's own record, not for the model.
    pub details: Option<Value>,
    /// When it answered.
    pub at: Option<UnixMillis>,
}

/// Whether a tool call worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolOutcome {
    /// It did.
    Done,
    /// It did not; the answer says why.
    Failed,
}

/// A person ran a command beside the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ShellMessage {
    /// The command line.
    pub command: String,
    /// What it printed, possibly shortened.
    pub output: String,
    /// How it ended; `None` when it did not end by itself.
    pub exit_code: Option<i64>,
    /// Whether the person stopped it.
    pub cancelled: bool,
    /// Whether `output` was shortened.
    pub truncated: bool,
    /// Where the whole output is.
    pub full_output_path: Option<String>,
    /// Whether the model may see it.
    pub for_model: Visibility,
    /// When it ran.
    pub at: Option<UnixMillis>,
}

/// Whether someone gets to see a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// They do.
    Shown,
    /// They do not.
    Hidden,
}

/// An extension speaks to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomMessage {
    /// The extension's name for this kind of message.
    pub kind: String,
    /// What is said.
    pub content: Vec<Content>,
    /// Whether people see it in the conversation.
    pub for_people: Visibility,
    /// The extension's own record, not for the model.
    pub details: Option<Value>,
    /// When it was said.
    pub at: Option<UnixMillis>,
}

/// A message of a kind we do not know.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherMessage {
    /// The message's fields as they were found.
    pub fields: Map<String, Value>,
}
