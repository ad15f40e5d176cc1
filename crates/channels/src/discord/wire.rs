//! What the platform says, in its own words: payloads of the gateway and answers of the API, as far as they are read.
//!
//! Fields that may be missing have defaults, and numbers stand for kinds, so that what the platform adds breaks nothing.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A payload of the gateway.
#[derive(Debug, Deserialize)]
pub(super) struct Frame<'a> {
    /// What kind.
    pub(super) op: u8,
    /// What it holds.
    #[serde(borrow, default)]
    pub(super) d: Option<&'a RawValue>,
    /// Its place among the events of a session.
    #[serde(default)]
    pub(super) s: Option<u64>,
    /// The name of the event.
    #[serde(default)]
    pub(super) t: Option<String>,
}

/// The first payload of a line.
#[derive(Debug, Deserialize)]
pub(super) struct Hello {
    /// How often to beat, in milliseconds.
    pub(super) heartbeat_interval: u64,
}

/// A session has begun.
#[derive(Debug, Deserialize)]
pub(super) struct Ready {
    /// Its name.
    pub(super) session_id: String,
    /// Where it can be taken up again.
    pub(super) resume_gateway_url: String,
}

/// Where the gateway is.
#[derive(Debug, Deserialize)]
pub(super) struct GatewayBot {
    /// Its address.
    pub(super) url: String,
    /// How many sessions may be begun.
    #[serde(default)]
    pub(super) session_start_limit: StartLimit,
}

/// How many sessions may be begun.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub(super) struct StartLimit {
    /// How many are left.
    pub(super) remaining: u64,
    /// When there are more, in milliseconds.
    pub(super) reset_after: u64,
}

impl Default for StartLimit {
    fn default() -> Self {
        Self { remaining: 1, reset_after: 0 }
    }
}

/// Our application.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Application {
    pub(super) id: String,
    /// What it may, as bits.
    #[serde(default)]
    pub(super) flags: u64,
}

/// Somebody.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct User {
    pub(super) id: String,
    pub(super) username: String,
    pub(super) global_name: Option<String>,
    pub(super) discriminator: Option<String>,
    pub(super) bot: bool,
}

/// Somebody as a member of a guild.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Member {
    pub(super) user: Option<User>,
    pub(super) nick: Option<String>,
    pub(super) roles: Vec<String>,
}

/// A message.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) channel_id: String,
    /// What kind of room it is in, where the gateway says it.
    pub(super) channel_type: Option<u16>,
    pub(super) guild_id: Option<String>,
    pub(super) author: Option<User>,
    pub(super) member: Option<Member>,
    pub(super) content: String,
    pub(super) timestamp: Option<String>,
    pub(super) edited_timestamp: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: u16,
    pub(super) flags: u64,
    pub(super) mentions: Vec<User>,
    pub(super) mention_roles: Vec<String>,
    pub(super) mention_everyone: bool,
    pub(super) attachments: Vec<Attachment>,
    pub(super) embeds: Vec<Embed>,
    pub(super) sticker_items: Vec<Sticker>,
    pub(super) message_reference: Option<Reference>,
    pub(super) referenced_message: Option<Box<Message>>,
    pub(super) message_snapshots: Vec<Snapshot>,
    pub(super) webhook_id: Option<String>,
    /// What we named our own message by: words, or a number of another program.
    pub(super) nonce: Option<Value>,
    pub(super) poll: Option<Poll>,
}

/// Which message another one answers or carries.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Reference {
    /// 0 answers, 1 forwards.
    #[serde(rename = "type")]
    pub(super) kind: u8,
    pub(super) message_id: Option<String>,
    pub(super) channel_id: Option<String>,
}

/// A message that was forwarded, as it was then. The platform does not say who wrote it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Snapshot {
    pub(super) message: Message,
}

/// A file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Attachment {
    pub(super) filename: String,
    pub(super) content_type: Option<String>,
    pub(super) size: Option<u64>,
    pub(super) url: String,
}

/// A sticker.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Sticker {
    pub(super) id: String,
    pub(super) name: String,
    /// 1 PNG, 2 APNG, 3 Lottie, 4 GIF.
    pub(super) format_type: u8,
}

/// A box below a message.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Embed {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
}

/// A question with answers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Poll {
    pub(super) question: PollWords,
    pub(super) answers: Vec<PollAnswer>,
}

/// An answer of a poll.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct PollAnswer {
    pub(super) poll_media: PollWords,
}

/// Words of a poll.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct PollWords {
    pub(super) text: Option<String>,
}

/// The kind of a direct chat with several people.
pub(super) const GROUP: u16 = 3;

/// A room, a thread or a direct chat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Channel {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: u16,
    pub(super) guild_id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) topic: Option<String>,
    pub(super) parent_id: Option<String>,
    pub(super) owner_id: Option<String>,
}

impl Channel {
    /// Whether it is a thread: of news, public or private.
    pub(super) fn is_thread(&self) -> bool {
        matches!(self.kind, 10..=12)
    }

    /// Whether it holds posts and no messages: a forum or a room of media.
    pub(super) fn is_forum(&self) -> bool {
        matches!(self.kind, 15 | 16)
    }

    /// Whether it is a direct chat with several people.
    pub(super) fn is_group(&self) -> bool {
        self.kind == GROUP
    }
}

/// A guild, with what it holds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Guild {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) unavailable: bool,
    pub(super) channels: Vec<Channel>,
    pub(super) threads: Vec<Channel>,
    pub(super) roles: Vec<Role>,
}

/// A role.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Role {
    pub(super) id: String,
    pub(super) tags: Option<RoleTags>,
}

/// Whom a role belongs to.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct RoleTags {
    pub(super) bot_id: Option<String>,
}

/// Threads that came into view.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ThreadList {
    pub(super) guild_id: Option<String>,
    pub(super) threads: Vec<Channel>,
}

/// A reaction that was set or taken back.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReactionEvent {
    pub(super) user_id: String,
    pub(super) channel_id: String,
    pub(super) message_id: String,
    pub(super) guild_id: Option<String>,
    pub(super) member: Option<Member>,
    pub(super) emoji: Emoji,
    pub(super) message_author_id: Option<String>,
}

/// A sign.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Emoji {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) animated: bool,
}

/// Somebody used a command, a button, a menu or a form of ours.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Interaction {
    pub(super) id: String,
    /// 2 command, 3 component, 4 completion, 5 form.
    #[serde(rename = "type")]
    pub(super) kind: u8,
    /// Lets us answer for a quarter of an hour.
    pub(super) token: String,
    pub(super) guild_id: Option<String>,
    pub(super) channel_id: Option<String>,
    pub(super) channel: Option<Channel>,
    pub(super) member: Option<Member>,
    pub(super) user: Option<User>,
    pub(super) data: InteractionData,
    pub(super) message: Option<Message>,
}

/// What was used.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct InteractionData {
    pub(super) name: String,
    pub(super) options: Vec<CommandOption>,
    pub(super) custom_id: String,
    pub(super) values: Vec<String>,
    pub(super) components: Vec<Value>,
}

/// What follows a command.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct CommandOption {
    pub(super) name: String,
    pub(super) value: Option<Value>,
    pub(super) options: Vec<CommandOption>,
}
