//! What the Bot API says, as it says it: only the fields that are read. Nothing else of the crate sees these types.
//!
//! Everything that may be missing is optional, and what is not known is passed over, so that a newer server is understood.

use serde::Deserialize;
use serde_json::Value;

/// An answer to any call.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Reply {
    pub(super) ok: bool,
    #[serde(default)]
    pub(super) result: Value,
    pub(super) error_code: Option<u16>,
    #[serde(default)]
    pub(super) description: String,
    pub(super) parameters: Option<ReplyParameters>,
}

/// What an error says beside its words.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct ReplyParameters {
    pub(super) migrate_to_chat_id: Option<i64>,
    pub(super) retry_after: Option<u64>,
}

/// Something that happened.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Update {
    pub(super) update_id: i64,
    pub(super) message: Option<Box<Message>>,
    pub(super) edited_message: Option<Box<Message>>,
    pub(super) channel_post: Option<Box<Message>>,
    pub(super) edited_channel_post: Option<Box<Message>>,
    pub(super) callback_query: Option<Box<CallbackQuery>>,
    pub(super) message_reaction: Option<Box<MessageReaction>>,
    pub(super) my_chat_member: Option<Box<ChatMemberUpdated>>,
    pub(super) poll_answer: Option<PollAnswer>,
}

/// Somebody.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct User {
    pub(super) id: i64,
    #[serde(default)]
    pub(super) is_bot: bool,
    #[serde(default)]
    pub(super) first_name: String,
    pub(super) last_name: Option<String>,
    pub(super) username: Option<String>,
    pub(super) can_join_groups: Option<bool>,
    pub(super) can_read_all_group_messages: Option<bool>,
    pub(super) supports_inline_queries: Option<bool>,
    pub(super) has_topics_enabled: Option<bool>,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Chat {
    pub(super) id: i64,
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    pub(super) title: Option<String>,
    pub(super) username: Option<String>,
    pub(super) first_name: Option<String>,
    pub(super) last_name: Option<String>,
    #[serde(default)]
    pub(super) is_forum: bool,
    #[serde(default)]
    pub(super) is_direct_messages: bool,
}

/// A message of any kind.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Message {
    pub(super) message_id: i64,
    pub(super) message_thread_id: Option<i64>,
    pub(super) direct_messages_topic: Option<DirectTopic>,
    pub(super) from: Option<User>,
    pub(super) sender_chat: Option<Chat>,
    #[serde(default)]
    pub(super) date: i64,
    pub(super) edit_date: Option<i64>,
    pub(super) chat: Chat,
    #[serde(default)]
    pub(super) is_topic_message: bool,
    pub(super) forward_origin: Option<Origin>,
    pub(super) reply_to_message: Option<Box<Message>>,
    pub(super) external_reply: Option<Box<ExternalReply>>,
    pub(super) quote: Option<TextQuote>,
    pub(super) via_bot: Option<User>,
    pub(super) media_group_id: Option<String>,
    pub(super) author_signature: Option<String>,
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) entities: Vec<Entity>,
    pub(super) caption: Option<String>,
    #[serde(default)]
    pub(super) caption_entities: Vec<Entity>,
    #[serde(flatten)]
    pub(super) content: Content,
    #[serde(flatten)]
    pub(super) service: Service,
}

/// What a message shows beside words; the same in messages of other chats that are answered.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Content {
    pub(super) animation: Option<File>,
    pub(super) audio: Option<File>,
    pub(super) document: Option<File>,
    pub(super) photo: Vec<File>,
    pub(super) sticker: Option<Sticker>,
    pub(super) story: Option<Value>,
    pub(super) video: Option<File>,
    pub(super) video_note: Option<File>,
    pub(super) voice: Option<File>,
    pub(super) live_photo: Option<LivePhoto>,
    pub(super) paid_media: Option<Value>,
    pub(super) checklist: Option<Checklist>,
    pub(super) contact: Option<Contact>,
    pub(super) dice: Option<Dice>,
    pub(super) game: Option<Game>,
    pub(super) poll: Option<Poll>,
    pub(super) venue: Option<Venue>,
    pub(super) location: Option<Location>,
    pub(super) invoice: Option<Invoice>,
    pub(super) rich_message: Option<Value>,
}

/// What a message tells that nobody wrote.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Service {
    pub(super) new_chat_members: Vec<User>,
    pub(super) left_chat_member: Option<User>,
    pub(super) new_chat_title: Option<String>,
    pub(super) new_chat_photo: Vec<File>,
    pub(super) delete_chat_photo: bool,
    pub(super) group_chat_created: bool,
    pub(super) supergroup_chat_created: bool,
    pub(super) channel_chat_created: bool,
    pub(super) migrate_to_chat_id: Option<i64>,
    pub(super) migrate_from_chat_id: Option<i64>,
    pub(super) pinned_message: Option<Pinned>,
    pub(super) forum_topic_created: Option<Topic>,
    pub(super) forum_topic_edited: Option<TopicEdited>,
    pub(super) forum_topic_closed: Option<Value>,
    pub(super) forum_topic_reopened: Option<Value>,
    pub(super) general_forum_topic_hidden: Option<Value>,
    pub(super) general_forum_topic_unhidden: Option<Value>,
    pub(super) video_chat_started: Option<Value>,
    pub(super) video_chat_ended: Option<Value>,
    pub(super) video_chat_scheduled: Option<Value>,
    pub(super) message_auto_delete_timer_changed: Option<AutoDelete>,
}

/// A topic of direct messages to a channel.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct DirectTopic {
    pub(super) topic_id: i64,
}

/// A part of the words with a meaning. Offsets count as UTF-16 does.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Entity {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) offset: usize,
    pub(super) length: usize,
    pub(super) url: Option<String>,
    pub(super) user: Option<User>,
}

/// A file on the platform.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct File {
    pub(super) file_id: String,
    pub(super) file_size: Option<u64>,
    pub(super) file_name: Option<String>,
    pub(super) mime_type: Option<String>,
    pub(super) file_path: Option<String>,
    #[serde(default)]
    pub(super) width: u64,
    #[serde(default)]
    pub(super) height: u64,
}

/// A picture with a few moments of film around it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct LivePhoto {
    #[serde(default)]
    pub(super) photo: Vec<File>,
}

/// A sticker.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Sticker {
    pub(super) file_id: String,
    #[serde(default)]
    pub(super) file_unique_id: String,
    #[serde(default)]
    pub(super) is_animated: bool,
    #[serde(default)]
    pub(super) is_video: bool,
    pub(super) emoji: Option<String>,
    pub(super) set_name: Option<String>,
    pub(super) file_size: Option<u64>,
}

/// Things to do.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Checklist {
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) tasks: Vec<ChecklistTask>,
}

/// One thing to do.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ChecklistTask {
    #[serde(default)]
    pub(super) text: String,
    pub(super) completion_date: Option<i64>,
}

/// A contact somebody shares.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Contact {
    #[serde(default)]
    pub(super) phone_number: String,
    #[serde(default)]
    pub(super) first_name: String,
    pub(super) last_name: Option<String>,
}

/// A die or a thing like it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Dice {
    pub(super) emoji: String,
    pub(super) value: i64,
}

/// A game.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Game {
    #[serde(default)]
    pub(super) title: String,
}

/// A bill.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Invoice {
    #[serde(default)]
    pub(super) title: String,
}

/// A question with answers to choose from.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Poll {
    pub(super) id: String,
    #[serde(default)]
    pub(super) question: String,
    #[serde(default)]
    pub(super) options: Vec<PollOption>,
}

/// One answer of a poll.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct PollOption {
    #[serde(default)]
    pub(super) text: String,
}

/// What somebody chose in a poll that is not anonymous.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct PollAnswer {
    pub(super) poll_id: String,
    pub(super) voter_chat: Option<Chat>,
    pub(super) user: Option<User>,
    #[serde(default)]
    pub(super) option_ids: Vec<usize>,
}

/// A place on the map with a name.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Venue {
    pub(super) location: Location,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) address: String,
}

/// A place on the map.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Location {
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    pub(super) horizontal_accuracy: Option<f64>,
    pub(super) live_period: Option<i64>,
}

/// Where forwarded words come from.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Origin {
    pub(super) date: i64,
    pub(super) sender_user: Option<User>,
    pub(super) sender_user_name: Option<String>,
    pub(super) sender_chat: Option<Chat>,
    pub(super) chat: Option<Chat>,
    pub(super) author_signature: Option<String>,
}

/// A message of another chat that is answered.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ExternalReply {
    #[serde(default)]
    pub(super) origin: Origin,
    #[serde(flatten)]
    pub(super) content: Content,
}

/// The part of a message that is quoted.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct TextQuote {
    #[serde(default)]
    pub(super) text: String,
    #[serde(default)]
    pub(super) is_manual: bool,
}

/// A message that was pinned; it may be out of reach.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Pinned {
    pub(super) message_id: i64,
    pub(super) text: Option<String>,
    pub(super) caption: Option<String>,
}

/// A new topic.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Topic {
    #[serde(default)]
    pub(super) name: String,
}

/// A topic that was changed.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct TopicEdited {
    pub(super) name: Option<String>,
}

/// After how long messages vanish.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct AutoDelete {
    pub(super) message_auto_delete_time: i64,
}

/// A button that was pressed.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct CallbackQuery {
    pub(super) id: String,
    pub(super) from: User,
    pub(super) message: Option<Box<Message>>,
    pub(super) data: Option<String>,
}

/// A reaction that changed.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct MessageReaction {
    pub(super) chat: Chat,
    pub(super) message_id: i64,
    pub(super) user: Option<User>,
    pub(super) actor_chat: Option<Chat>,
    #[serde(default)]
    pub(super) date: i64,
    #[serde(default)]
    pub(super) old_reaction: Vec<ReactionType>,
    #[serde(default)]
    pub(super) new_reaction: Vec<ReactionType>,
}

/// The sign of a reaction.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct ReactionType {
    pub(super) emoji: Option<String>,
    pub(super) custom_emoji_id: Option<String>,
}

/// Our own standing in a chat changed.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ChatMemberUpdated {
    pub(super) chat: Chat,
    pub(super) from: User,
    #[serde(default)]
    pub(super) date: i64,
    pub(super) old_chat_member: ChatMember,
    pub(super) new_chat_member: ChatMember,
}

/// Somebody's standing in a chat.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ChatMember {
    pub(super) status: String,
    pub(super) user: Option<User>,
    #[serde(default)]
    pub(super) is_member: bool,
}

/// Where updates are pushed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct WebhookInfo {
    pub(super) url: String,
    pub(super) has_custom_certificate: bool,
    pub(super) pending_update_count: u64,
    pub(super) last_error_message: Option<String>,
}

/// A message that was sent.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct SentMessage {
    pub(super) message_id: i64,
    pub(super) chat: SentChat,
    pub(super) poll: Option<Poll>,
}

/// The conversation a message was sent to.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct SentChat {
    pub(super) id: i64,
}

/// A topic that was made.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct MadeTopic {
    pub(super) message_thread_id: i64,
    #[serde(default)]
    pub(super) name: String,
}
