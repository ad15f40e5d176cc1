//! A message on its way to an answer, in the form that survives a crash.
//!
//! Surfaces write submissions; the inbox keeps them as JSON; everything that happens later is decided from the submission and
//! the session alone, so that a submission found after a crash is answered as if nothing had happened.

use openclaw_inbound::commands::Who;
use openclaw_inbound::conversation::OverheardMessage;
use openclaw_types::{
    AccountId, AgentId, AssistantMessage, ChannelId, ChatKind, Content, Image, ImageData, Inbound, Message,
    PeerId, Provenance, RunId, SendTarget, Sender, SenderRank, SessionKey, StopReason, ThreadId, ToolCall,
    ToolCallId, ToolOutcome, ToolResultMessage, ToolRule, UnixMillis, UserMessage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The name of the gateway's own chat, where others have the name of a platform.
pub(crate) const WEBCHAT: &str = "webchat";

/// A message to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Submission {
    /// Names the message, and the run that answers it.
    pub run: RunId,
    /// Who answers.
    pub agent: AgentId,
    /// In which session.
    pub key: SessionKey,
    /// The session as its sender wrote it: some events name it that way.
    pub raw_key: String,
    /// How it came.
    pub surface: SubmissionSurface,
    /// The words.
    pub text: String,
    /// Pictures that came with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
    /// When it came.
    pub at: UnixMillis,
    /// Who wrote it.
    pub from: Author,
    /// What kind of message it is, where it is not a person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// What its sender wants of the run.
    #[serde(default, rename = "wishes")]
    pub options: SubmissionOptions,
    /// How it came, where it came over a platform.
    #[serde(default, rename = "arrived", skip_serializing_if = "Option::is_none")]
    pub channel_origin: Option<Box<ChannelOrigin>>,
}

/// How a message came over a platform: what an answer there needs, and what the model is told around the words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChannelOrigin {
    /// The message as it came.
    pub inbound: Inbound,
    /// The platform's name for people.
    pub label: String,
    /// What was said there since the last answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<OverheardMessage>,
    /// Whether we were named.
    #[serde(default)]
    pub was_mentioned: bool,
    /// Whether we had to be.
    #[serde(default)]
    pub mention_required: bool,
    /// Which commands its author may give.
    pub commands: CommandRights,
    /// When the message before it in the session came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<UnixMillis>,
    /// Lines about its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The session that the session of its thread begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionKey>,
}

/// Which commands the author of a message may give, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandRights {
    /// All.
    Owner,
    /// Those that need no owner.
    Allowed,
    /// None.
    Stranger,
}

/// How a message came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubmissionSurface {
    /// `chat.send`: the web chat, an app, the terminal.
    Webchat,
    /// The method `agent`, and the command line.
    Agent,
    /// The HTTP interface that other programs know.
    Api,
    /// Another session.
    Session,
    /// A sub-agent's task.
    Subagent,
    /// The gateway itself.
    System,
    /// A platform.
    Channel,
}

impl SubmissionSurface {
    /// The word under which the inbox keeps what came this way.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Webchat => WEBCHAT,
            Self::Agent => "agent",
            Self::Api => "api",
            Self::Session => "session",
            Self::Subagent => "subagent",
            Self::System => "system",
            Self::Channel => "channel",
        }
    }

    /// Whether a person is behind it, or a program of theirs; else the gateway or an agent wrote by itself.
    #[must_use]
    pub(crate) fn is_of_people(self) -> bool {
        matches!(self, Self::Webchat | Self::Agent | Self::Api | Self::Channel)
    }

    /// Whether people write there, so that words may be commands.
    #[must_use]
    pub(crate) fn takes_commands(self) -> bool {
        matches!(self, Self::Webchat | Self::Agent | Self::Channel)
    }
}

/// A picture inside a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// Its media type.
    pub media_type: String,
    /// The bytes as base64.
    pub data: String,
}

/// Who wrote a submission, and where an answer goes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// How much they may do.
    #[serde(default)]
    pub standing: Rank,
    /// The platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<ChannelId>,
    /// Our login there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountId>,
    /// Their id there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<PeerId>,
    /// Their name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The conversation an answer goes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The thread an answer goes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
    /// Whether it is a group.
    #[serde(default)]
    pub group: bool,
    /// Whether they may answer questions about commands.
    #[serde(default)]
    pub may_approve: bool,
}

impl Author {
    /// Whether they may make the rules for commands looser. Who cannot answer a question about a command must not be able to
    /// switch the questions off.
    #[must_use]
    pub fn may_loosen(&self) -> bool {
        self.standing == Rank::Owner && self.may_approve
    }

    /// The same, with answers going to this place.
    #[must_use]
    pub fn answered_at(mut self, place: Option<&SendTarget>) -> Self {
        if let Some(place) = place {
            self.channel = Some(place.channel.clone());
            self.account = Some(place.account.clone());
            self.to = Some(place.to.clone());
            self.thread = place.thread.clone();
        }
        self
    }
}

/// How much a sender may do, as it is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rank {
    /// The owner.
    Owner,
    /// Somebody who may talk to the agent.
    #[default]
    Guest,
    /// The gateway or another session.
    System,
}

/// What the sender of a submission wants of its run. Nothing said means: as the session and the configuration say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubmissionOptions {
    /// How hard to think.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How long it may take, in seconds; zero for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// More for the system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_system: Option<String>,
    /// Tools of the client: name, description, parameters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub client_tools: Vec<Value>,
    /// Whether one must be called: `auto`, `none`, `required`, or a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<String>,
    /// The most the model may write at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// How freely it writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The lane the run waits in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// Where the agent works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What was said before the words, and what the sender's own tools gave, where the sender tells it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<ToldLine>,
    /// Whether the time stands before the words. Absent for submissions that carry their own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stamped: bool,
    /// Whether the submission waits for the run before it instead of joining it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// Whether the answer is sent to the conversation that the submission names, although it came another way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deliver: bool,
    /// Where the answer goes instead of where the submission came from: the dock of its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_at: Option<SendTarget>,
    /// Which tools its author may use where it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolRule>,
    /// The run that ends before this one begins: agents that answer in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<RunId>,
}

/// One message of a conversation that a sender tells along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "camelCase")]
pub enum ToldLine {
    /// A person said it.
    Person {
        /// The words.
        text: String,
        /// Pictures that came with them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<Picture>,
    },
    /// The agent said it.
    Agent {
        /// The words; may be empty.
        text: String,
        /// The sender's own tools that it asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToldCall>,
    },
    /// A tool of the sender gave it.
    Tool {
        /// The call that is answered.
        call: ToolCallId,
        /// What it gave.
        text: String,
        /// Pictures that it gave.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<Picture>,
    },
}

/// A call of one of the sender's own tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToldCall {
    /// Joins it with its result.
    pub id: ToolCallId,
    /// The tool's name.
    pub name: String,
    /// What it is called with.
    pub arguments: Value,
}

impl ToldLine {
    fn message(&self, at: UnixMillis) -> Message {
        match self {
            Self::Person { text, pictures } => Message::User(UserMessage {
                content: pieces(text.clone(), pictures),
                at: Some(at),
                ..UserMessage::default()
            }),
            Self::Agent { text, calls } => {
                let words = (!text.is_empty()).then(|| Content::text(text.clone()));
                let calls = calls.iter().map(|call| {
                    Content::ToolCall(ToolCall {
                        id: call.id.clone(),
                        name: call.name.clone(),
                        arguments: call.arguments.clone(),
                        signature: None,
                    })
                });
                let content: Vec<Content> = words.into_iter().chain(calls).collect();
                let asks = content.iter().any(|piece| piece.as_tool_call().is_some());
                let stop = Some(if asks { StopReason::ToolUse } else { StopReason::Stop });
                Message::Assistant(AssistantMessage {
                    content,
                    stop,
                    at: Some(at),
                    ..AssistantMessage::default()
                })
            }
            Self::Tool { call, text, pictures } => Message::ToolResult(ToolResultMessage {
                call: call.clone(),
                // The transcript knows which tool the call was for.
                tool: String::new(),
                content: pieces(text.clone(), pictures),
                outcome: ToolOutcome::Done,
                details: None,
                at: Some(at),
            }),
        }
    }
}

fn pieces(words: String, pictures: &[Picture]) -> Vec<Content> {
    let mut content = Vec::with_capacity(1 + pictures.len());
    if !words.is_empty() || pictures.is_empty() {
        content.push(Content::text(words));
    }
    content.extend(pictures.iter().map(|picture| {
        Content::Image(Image {
            media_type: Some(picture.media_type.clone()),
            data: ImageData::Inline(picture.data.clone()),
        })
    }));
    content
}

impl Submission {
    /// How much its words and pictures take, in bytes.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + self.pictures.iter().map(|picture| picture.data.len()).sum::<usize>()
    }

    /// Whether it says nothing that could be answered.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        let results = matches!(self.options.told.last(), Some(ToldLine::Tool { .. }));
        let files = self
            .channel_origin
            .as_ref()
            .is_some_and(|channel_origin| !channel_origin.inbound.media.is_empty());
        self.text.trim().is_empty() && self.pictures.is_empty() && !results && !files
    }

    /// Which commands its author may give.
    pub(crate) fn who(&self) -> Who {
        match &self.channel_origin {
            Some(channel_origin) => match channel_origin.commands {
                CommandRights::Owner => Who::Owner,
                CommandRights::Allowed => Who::Allowed,
                CommandRights::Stranger => Who::Stranger,
            },
            None => Who::of(self.sender().standing),
        }
    }

    /// What its sender tells of the conversation before it.
    pub(crate) fn told(&self) -> Vec<Message> {
        self.options.told.iter().map(|line| line.message(self.at)).collect()
    }

    /// The sender, as the agent knows them.
    #[must_use]
    pub fn sender(&self) -> Sender {
        Sender {
            standing: match self.from.standing {
                Rank::Owner => SenderRank::Owner,
                Rank::Guest => SenderRank::Guest,
                Rank::System => SenderRank::System,
            },
            channel: self.from.channel.clone(),
            account: self.from.account.clone(),
            peer: self.from.peer.clone(),
            name: self.from.name.clone(),
            chat: match &self.channel_origin {
                Some(channel_origin) => channel_origin.inbound.place.kind,
                None if self.from.group => ChatKind::Group,
                None => ChatKind::Direct,
            },
            to: self.from.to.clone(),
            thread: self.from.thread.clone(),
        }
    }

    /// The message for the transcript, with these words.
    #[must_use]
    pub fn message(&self, words: String) -> UserMessage {
        UserMessage {
            content: pieces(words, &self.pictures),
            at: Some(self.at),
            provenance: self.provenance.clone(),
            idempotency_key: Some(self.run.as_str().to_owned()),
        }
    }
}
