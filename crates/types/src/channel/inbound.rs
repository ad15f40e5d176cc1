//! An event of a platform in neutral words, as an adapter's `normalize.rs` makes it. Nothing here is trusted yet.
//!
//! Serialised whole into the inbox, so that everything later is decided from it alone, also after a crash. Fields may
//! be added with a default; none is renamed.

use serde::{Deserialize, Serialize};

use crate::{AccountId, ChannelId, ChatKind, EventId, GroupId, MessageId, PeerId, ThreadId, UnixMillis};

/// Something that happened on a platform.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Inbound {
    /// The platform.
    pub channel: ChannelId,
    /// Our login there.
    pub account: AccountId,
    /// Names the event; the same when the platform delivers it again.
    pub event: EventId,
    /// The platform's name for the message, by which it can be answered, quoted and reacted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// When it was written, by the platform's clock.
    pub at: UnixMillis,
    /// Where.
    pub place: ChatPlace,
    /// By whom.
    pub from: Person,
    /// What kind of event.
    pub kind: InboundKind,
    /// The words: of the message, of the caption, or what stands for media without any (`<media:image>`).
    pub text: String,
    /// Whether it is meant for us.
    #[serde(default)]
    pub attention: Attention,
    /// The message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Quoted>,
    /// Where its words come from, when somebody else wrote them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forwarded: Option<Forwarded>,
    /// Files that came with it. They are fetched only once the sender is admitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<MediaRef>,
    /// Other things the platform says about it, for the model to read as data: a place on the map, a contact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
    /// Events that belong together (an album) have the same name here and come shortly after each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<String>,
    /// The room got another id from the platform, which says so itself: what was kept for the old one is for the new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<RoomMoved>,
}

/// A room that got another id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomMoved {
    /// The id it had.
    pub from: PeerId,
    /// The id it has now.
    pub to: PeerId,
}

/// What kind of event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum InboundKind {
    /// Somebody wrote.
    Message,
    /// Somebody changed what they wrote.
    Edited,
    /// Somebody used a command of the platform's own menu.
    Command(NativeCommand),
    /// Somebody pressed a button of ours.
    Press(Press),
    /// Somebody reacted to a message, or took a reaction back.
    Reaction(Reaction),
    /// Something else happened that the agent may be told with the next message: a member joined, a message was pinned.
    /// The words say what.
    Happening,
}

/// A command from the platform's menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeCommand {
    /// Its name, without a slash.
    pub name: String,
    /// What follows it.
    #[serde(default)]
    pub arguments: String,
}

/// A button that was pressed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Press {
    /// What the button carries.
    pub data: String,
    /// The message it hangs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<MessageId>,
}

/// A reaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reaction {
    /// The sign, as the platform writes it.
    pub emoji: String,
    /// The message it hangs on.
    pub on: MessageId,
    /// Whether that message is ours.
    #[serde(default)]
    pub on_ours: bool,
    /// Whether it was taken back.
    #[serde(default)]
    pub removed: bool,
}

/// Where something happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatPlace {
    /// What kind of conversation.
    pub kind: ChatKind,
    /// The conversation: the person in a direct chat, else the room. Never changes.
    pub id: PeerId,
    /// Where an answer goes, in the words `Outgoing` takes.
    pub to: String,
    /// Where things go later that do not answer this, where `to` is for the answer alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later_to: Option<String>,
    /// Whether only its author may see the answer. Then it says nothing about where the conversation is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// The thread or topic inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
    /// The room a thread hangs below, where the platform makes threads rooms of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<PeerId>,
    /// The guild it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guild: Option<GroupId>,
    /// The team it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<GroupId>,
    /// What people call it. Can be changed by anybody and decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What people call the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_name: Option<String>,
    /// What people call the guild or team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space_name: Option<String>,
    /// What stands over it. Data for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The session's thread, where answers to one message share a session of their own though the platform's thread is
    /// not one of `thread`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_thread: Option<ThreadId>,
    /// The thread that answers go into, where they begin one below a message that is in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers_in: Option<ThreadId>,
    /// Whether what was heard in the room counts in its threads, and the other way round.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub threads_hear_room: bool,
    /// The name of a session of its own, where what is said is not for the conversation's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_session: Option<String>,
}

/// Somebody on a platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Person {
    /// Who: an id that never changes hands.
    pub id: PeerId,
    /// Other ids of the same person that lists may hold, as safe as the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What they call themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Their public handle, without a sign before it. Can change hands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Whether it is a program.
    #[serde(default)]
    pub bot: bool,
    /// The roles they have there, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
}

/// Whether a message is meant for us.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Attention {
    /// It names us in the way of the platform.
    pub mentions_us: bool,
    /// It names somebody, us or others.
    pub mentions_anybody: bool,
    /// It answers a message of ours.
    pub answers_us: bool,
    /// The platform lets a person name us, so that the absence of a mention means something.
    pub can_mention: bool,
}

/// A message that another one answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Quoted {
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Who wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Person>,
    /// Its words.
    #[serde(default)]
    pub text: String,
    /// Whether the words are a part that the person chose.
    #[serde(default)]
    pub part: bool,
    /// Files that hang on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<MediaRef>,
}

/// Where forwarded words come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forwarded {
    /// Who or what wrote them first.
    pub from: String,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<UnixMillis>,
}

/// A file on the platform, not fetched yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MediaRef {
    /// What kind of file.
    pub kind: MediaKind,
    /// What the adapter needs to fetch it. Never a secret.
    pub handle: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its media type, as the platform says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Its size in bytes, as the platform says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A picture that moves without sound.
    Animation,
    /// A film.
    Video,
    /// A round short film.
    VideoNote,
    /// Music or another recording.
    Audio,
    /// Somebody speaking.
    Voice,
    /// A sticker.
    Sticker,
    /// Any other file.
    Document,
}

impl MediaKind {
    /// The word that stands for media without words: `<media:image>`.
    #[must_use]
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Image => "<media:image>",
            Self::Animation | Self::Video | Self::VideoNote => "<media:video>",
            Self::Audio | Self::Voice => "<media:audio>",
            Self::Sticker => "<media:sticker>",
            Self::Document => "<media:document>",
        }
    }
}

impl ChatPlace {
    /// A conversation of which nothing else is known.
    #[must_use]
    pub fn new(kind: ChatKind, id: PeerId, to: impl Into<String>) -> Self {
        Self {
            kind,
            id,
            to: to.into(),
            later_to: None,
            private: false,
            thread: None,
            parent: None,
            guild: None,
            team: None,
            name: None,
            thread_name: None,
            space_name: None,
            subject: None,
            session_thread: None,
            answers_in: None,
            threads_hear_room: false,
            own_session: None,
        }
    }

    /// The thread that answers go into.
    #[must_use]
    pub fn answer_thread(&self) -> Option<&ThreadId> {
        self.answers_in.as_ref().or(self.thread.as_ref())
    }
}

impl Person {
    /// Somebody of whom nothing else is known.
    #[must_use]
    pub fn new(id: PeerId) -> Self {
        Self { id, also: Vec::new(), name: None, handle: None, bot: false, roles: Vec::new() }
    }
}

impl Inbound {
    /// Whether a person says something that may want an answer.
    #[must_use]
    pub fn speaks(&self) -> bool {
        matches!(self.kind, InboundKind::Message | InboundKind::Command(_) | InboundKind::Press(_))
    }
}
