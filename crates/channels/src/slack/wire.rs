//! What Slack sends, as far as it is read. Everything may be missing: what is needed is asked for where it is used. A
//! field that is not as expected counts as missing.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// The outer part of an event.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Callback {
    /// `event_callback`, `url_verification`, `app_rate_limited`.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// What has to be said back to prove that we hear.
    pub(super) challenge: Option<String>,
    /// The workspace it happened in: where conversations are shared, perhaps another than ours.
    pub(super) team_id: Option<String>,
    /// Whose installations of the app it is brought to.
    #[serde(deserialize_with = "list")]
    pub(super) authorizations: Vec<Authorization>,
    /// Names the event; the same when it comes again.
    pub(super) event_id: Option<String>,
    /// What happened.
    #[serde(deserialize_with = "lenient")]
    pub(super) event: Event,
}

/// An installation of the app.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Authorization {
    /// The workspace it is in; nothing where it is in a whole organisation.
    pub(super) team_id: Option<String>,
}

/// What happened. One shape for all kinds; `kind` says which fields mean something.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    /// `message`, `app_mention`, `reaction_added`, …
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// What kind of message.
    pub(super) subtype: Option<String>,
    /// The conversation: its id, or what it is, where it was made or renamed.
    pub(super) channel: Option<ChannelField>,
    /// `im`, `mpim`, `channel`, `group`.
    pub(super) channel_type: Option<String>,
    /// Who did it.
    pub(super) user: Option<UserField>,
    /// The program that wrote it.
    pub(super) bot_id: Option<String>,
    /// What a program calls itself.
    pub(super) username: Option<String>,
    /// The words.
    pub(super) text: Option<String>,
    /// Names the message.
    pub(super) ts: Option<String>,
    /// The message that began the thread.
    pub(super) thread_ts: Option<String>,
    /// Who began the thread.
    pub(super) parent_user_id: Option<String>,
    /// When it happened.
    pub(super) event_ts: Option<String>,
    /// Files.
    #[serde(deserialize_with = "list")]
    pub(super) files: Vec<File>,
    /// Parts below the words.
    #[serde(deserialize_with = "list")]
    pub(super) attachments: Vec<Attachment>,
    /// The words as blocks.
    #[serde(deserialize_with = "list")]
    pub(super) blocks: Vec<Value>,
    /// The message after it was changed.
    pub(super) message: Option<Box<Event>>,
    /// The message before it was changed or taken back.
    pub(super) previous_message: Option<Box<Event>>,
    /// The message that was taken back.
    pub(super) deleted_ts: Option<String>,
    /// What was reacted to or pinned.
    pub(super) item: Option<Item>,
    /// Who wrote what was reacted to.
    pub(super) item_user: Option<String>,
    /// The sign of a reaction.
    pub(super) reaction: Option<String>,
    /// The conversation of a pin.
    pub(super) channel_id: Option<String>,
    /// Who asked somebody in.
    pub(super) inviter: Option<String>,
    /// The old id of a conversation.
    pub(super) old_channel_id: Option<String>,
    /// The new id of a conversation.
    pub(super) new_channel_id: Option<String>,
    /// The new topic.
    pub(super) topic: Option<String>,
    /// The new purpose.
    pub(super) purpose: Option<String>,
}

/// A conversation, by id or whole.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum ChannelField {
    /// Its id.
    Id(String),
    /// What it is.
    Whole {
        /// Its id.
        id: String,
        /// Its name.
        #[serde(default)]
        name: Option<String>,
    },
}

/// A person, by id or whole.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum UserField {
    /// Their id.
    Id(String),
    /// Who they are.
    Whole {
        /// Their id.
        id: String,
    },
}

/// What was reacted to or pinned.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item {
    /// `message`, `file`.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// The conversation.
    pub(super) channel: Option<String>,
    /// The message.
    pub(super) ts: Option<String>,
    /// The message, where it comes whole.
    pub(super) message: Option<Box<Event>>,
}

/// A file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct File {
    /// Its id.
    pub(super) id: Option<String>,
    /// Its name.
    pub(super) name: Option<String>,
    /// Its media type.
    pub(super) mimetype: Option<String>,
    /// `slack_audio` for spoken messages, `slack_video` for filmed ones.
    pub(super) subtype: Option<String>,
    /// Its size.
    pub(super) size: Option<u64>,
    /// `tombstone`, `hidden_by_limit`: the file is not there any more.
    pub(super) mode: Option<String>,
    /// Where it is.
    pub(super) url_private: Option<String>,
    /// Where it is, to be kept.
    pub(super) url_private_download: Option<String>,
}

/// A part below the words.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Attachment {
    /// Whether it is a message that was shared.
    pub(super) is_share: bool,
    /// Its words.
    pub(super) text: Option<String>,
    /// Its words without markup.
    pub(super) fallback: Option<String>,
    /// What stands above it.
    pub(super) pretext: Option<String>,
    /// Its title.
    pub(super) title: Option<String>,
    /// Who wrote it.
    pub(super) author_name: Option<String>,
    /// Who wrote it, by id.
    pub(super) author_id: Option<String>,
    /// Which message it is.
    pub(super) ts: Option<TextOrNumber>,
    /// Files that hang on it.
    #[serde(deserialize_with = "list")]
    pub(super) files: Vec<File>,
    /// A picture.
    pub(super) image_url: Option<String>,
}

/// A time that some senders write as a number.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum TextOrNumber {
    /// As Slack writes it.
    Text(String),
    /// As others do.
    Number(f64),
}

/// A command somebody typed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct SlashCommand {
    /// Its name, with a slash.
    pub(super) command: String,
    /// What follows it.
    pub(super) text: String,
    /// Who.
    pub(super) user_id: String,
    /// Their handle.
    pub(super) user_name: Option<String>,
    /// Where.
    pub(super) channel_id: String,
    /// `directmessage`, `privategroup`, `mpdm-…`, or the name.
    pub(super) channel_name: Option<String>,
    /// The workspace.
    pub(super) team_id: Option<String>,
    /// Names the moment it was typed.
    pub(super) trigger_id: Option<String>,
    /// Where it can be answered for a while.
    pub(super) response_url: Option<String>,
}

/// Something somebody touched.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Interaction {
    /// `block_actions`, `view_submission`, …
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// The workspace.
    pub(super) team: Option<Named>,
    /// Who.
    pub(super) user: Named,
    /// Where.
    pub(super) channel: Option<Named>,
    /// What it hangs on.
    pub(super) container: Option<Container>,
    /// The message it hangs on.
    pub(super) message: Option<Box<Event>>,
    /// What was touched.
    #[serde(deserialize_with = "list")]
    pub(super) actions: Vec<Action>,
    /// Names the moment.
    pub(super) trigger_id: Option<String>,
    /// Where it can be answered for a while.
    pub(super) response_url: Option<String>,
}

/// Something with an id and a name.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Named {
    /// The id.
    pub(super) id: String,
    /// The name.
    pub(super) name: Option<String>,
    /// The handle.
    pub(super) username: Option<String>,
}

/// What something hangs on.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Container {
    /// The message.
    pub(super) message_ts: Option<String>,
    /// The conversation.
    pub(super) channel_id: Option<String>,
    /// The thread.
    pub(super) thread_ts: Option<String>,
    /// Whether only one person sees it.
    pub(super) is_ephemeral: bool,
}

/// Something that was touched: a button, or a choice among several.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Action {
    /// `button`, `static_select`, …
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Its name in the message.
    pub(super) action_id: Option<String>,
    /// What a button carries, or what was typed.
    pub(super) value: Option<String>,
    /// What was chosen.
    pub(super) selected_option: Option<Choice>,
    /// All that was chosen.
    #[serde(deserialize_with = "list")]
    pub(super) selected_options: Vec<Choice>,
    /// Who was chosen.
    pub(super) selected_user: Option<String>,
    /// Which conversation was chosen.
    pub(super) selected_conversation: Option<String>,
    /// Which channel was chosen.
    pub(super) selected_channel: Option<String>,
    /// Which day was chosen.
    pub(super) selected_date: Option<String>,
    /// Which hour was chosen.
    pub(super) selected_time: Option<String>,
    /// When it was touched.
    pub(super) action_ts: Option<String>,
}

/// One of several.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    /// What it carries.
    pub(super) value: String,
}

/// A message of Socket Mode.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Envelope {
    /// `hello`, `disconnect`, `events_api`, `slash_commands`, `interactive`.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Names the envelope; said back to acknowledge it.
    pub(super) envelope_id: Option<String>,
    /// What is in it.
    pub(super) payload: Value,
    /// Why the line ends.
    pub(super) reason: Option<String>,
    /// How many lines there are.
    pub(super) num_connections: Option<u32>,
}

/// Reads what Slack sent, without those of its fields that are not as expected.
///
/// # Errors
/// Nothing can be made of it.
pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    let error = match T::deserialize(&value) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    let Value::Object(fields) = value else { return Err(error) };
    let expected = |(name, field): &(String, Value)| T::deserialize(json!({ name: field })).is_ok();
    let (sound, odd): (Vec<_>, Vec<_>) = fields.into_iter().partition(expected);
    let odd: Vec<String> = odd.into_iter().map(|(name, _)| name).collect();
    tracing::warn!(subsystem = "channels", fields = ?odd, "parts of what Slack sent are not as expected and left out");
    T::deserialize(Value::Object(sound.into_iter().collect::<Map<_, _>>()))
}

/// What stands inside something else.
fn lenient<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    read(Value::deserialize(from)?).map_err(serde::de::Error::custom)
}

/// A list that may be missing, or stand as nothing. What is not as expected in it is left out.
fn list<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let all = Option::<Vec<Value>>::deserialize(from)?.unwrap_or_default();
    Ok(all.into_iter().filter_map(|each| read(each).ok()).collect())
}

impl Callback {
    /// The workspace it is for.
    pub(super) fn team(&self) -> Option<&str> {
        let ours = self.authorizations.first().and_then(|installed| installed.team_id.as_deref());
        ours.or(self.team_id.as_deref())
    }
}

impl Event {
    /// The conversation.
    pub(super) fn room(&self) -> Option<&str> {
        let named = match &self.channel {
            Some(ChannelField::Id(id) | ChannelField::Whole { id, .. }) => Some(id.as_str()),
            None => None,
        };
        let item = || self.item.as_ref()?.channel.as_deref();
        named.or(self.channel_id.as_deref()).or_else(item).filter(|id| !id.is_empty())
    }

    /// Who did it.
    pub(super) fn person(&self) -> Option<&str> {
        match &self.user {
            Some(UserField::Id(id) | UserField::Whole { id }) if !id.is_empty() => Some(id),
            _ => None,
        }
    }
}
