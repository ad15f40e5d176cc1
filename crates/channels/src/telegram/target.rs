//! Where something goes: a chat by number or public name, and the topic inside it. Pure.
//!
//! Our form is `123`, `-100123`, `@name`, with `:topic:4` behind it where a topic is meant and `:direct:7` for one
//! person's messages to a channel. People also write `telegram:123`, `tg:@name`, `group:-5`, `t.me/name` and `-5:4`.

use openclaw_ports::channel::ChannelError;
use openclaw_types::{ChatKind, ChatPlace, PeerId, SendTarget, ThreadId};
use serde_json::{Map, Value, json};

/// The topic every forum has. Messages to it must not name it, while signs of typing must.
pub(super) const GENERAL: i64 = 1;

/// Where something goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TelegramDestination {
    /// The chat.
    pub(super) chat: ChatRef,
    /// The topic inside it.
    pub(super) topic: Option<i64>,
    /// The topic of one person's messages to a channel.
    pub(super) direct: Option<i64>,
}

/// How a chat is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChatRef {
    /// By its number.
    Id(i64),
    /// By its public name, without the sign before it.
    Name(String),
}

/// A target as people write it, in our form.
pub(super) fn target(text: &str) -> Result<String, String> {
    read(text).map(|destination| destination.text()).ok_or_else(|| {
        format!(
            "\"{}\" is no Telegram target: write the number of a chat (123 or -100123), @name, or either with :topic:4",
            text.trim()
        )
    })
}

/// The conversation that a target is. A public name does not say what it names.
pub(super) fn place(target: &SendTarget) -> Option<ChatPlace> {
    let destination = TelegramDestination::of(target).ok()?;
    let ChatRef::Id(chat) = destination.chat else { return None };
    let kind = match (chat > 0, destination.direct) {
        (_, Some(_)) => return None,
        (true, None) => ChatKind::Direct,
        (false, None) => ChatKind::Group,
    };
    let thread = destination.topic.and_then(|topic| ThreadId::new(topic.to_string()).ok());
    let place = ChatPlace::new(kind, PeerId::new(chat.to_string()).ok()?, target.to.clone());
    Some(ChatPlace { thread, ..place })
}

/// The number of a person, as a list of people holds it; nothing for names.
pub(super) fn person(entry: &str) -> Option<String> {
    let bare = without_prefixes(entry);
    bare.parse::<i64>().ok().map(|id| id.to_string())
}

impl TelegramDestination {
    /// Where a message goes. A thread that is named beside the conversation wins over one inside its words.
    pub(super) fn of(target: &SendTarget) -> Result<Self, ChannelError> {
        let mut destination = read(&target.to).ok_or_else(|| ChannelError::Wrong {
            reason: format!("\"{}\" is no Telegram chat", target.to),
        })?;
        if destination.direct.is_none()
            && let Some(thread) = &target.thread
        {
            let number = thread.as_str().parse().map_err(|_not_a_number| ChannelError::Wrong {
                reason: format!("\"{thread}\" is no Telegram topic: topics are numbers"),
            })?;
            destination.topic = Some(number);
        }
        Ok(destination)
    }

    /// Whether it is a chat with one person.
    pub(super) fn is_private(&self) -> bool {
        matches!(self.chat, ChatRef::Id(id) if id > 0)
    }

    /// The chat, as calls name it.
    pub(super) fn chat_id(&self) -> Value {
        match &self.chat {
            ChatRef::Id(id) => json!(id),
            ChatRef::Name(name) => json!(format!("@{name}")),
        }
    }

    /// The fields that say where a message goes.
    pub(super) fn fields(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("chat_id".into(), self.chat_id());
        // The platform refuses the general topic of a forum by number, but private topics may have any number.
        if let Some(topic) = self.topic.filter(|topic| self.is_private() || *topic != GENERAL) {
            fields.insert("message_thread_id".into(), json!(topic));
        }
        if let Some(direct) = self.direct {
            fields.insert("direct_messages_topic_id".into(), json!(direct));
        }
        fields
    }

    /// The fields that say where we are seen writing: here the general topic has to be named.
    pub(super) fn typing_fields(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("chat_id".into(), self.chat_id());
        if let Some(topic) = self.topic {
            fields.insert("message_thread_id".into(), json!(topic));
        }
        fields
    }

    /// Our form of it.
    pub(super) fn text(&self) -> String {
        let chat = match &self.chat {
            ChatRef::Id(id) => id.to_string(),
            ChatRef::Name(name) => format!("@{name}"),
        };
        match (self.topic, self.direct) {
            (_, Some(direct)) => format!("{chat}:direct:{direct}"),
            (Some(topic), None) => format!("{chat}:topic:{topic}"),
            (None, None) => chat,
        }
    }
}

fn read(text: &str) -> Option<TelegramDestination> {
    let bare = without_prefixes(text);
    let (chat, topic, direct) = match (bare.rsplit_once(":topic:"), bare.rsplit_once(":direct:")) {
        (Some((chat, topic)), _) => (chat, Some(number(topic)?), None),
        (None, Some((chat, direct))) => (chat, None, Some(number(direct)?)),
        (None, None) => match bare.rsplit_once(':') {
            Some((chat, topic)) if number(topic).is_some() => (chat, number(topic), None),
            _ => (bare, None, None),
        },
    };
    Some(TelegramDestination { chat: chat_ref(chat)?, topic, direct })
}

fn chat_ref(text: &str) -> Option<ChatRef> {
    let text = text.trim();
    if let Ok(id) = text.parse::<i64>() {
        return (id != 0).then_some(ChatRef::Id(id));
    }
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or(text);
    let name = rest.strip_prefix("t.me/").or_else(|| rest.strip_prefix('@')).unwrap_or(rest);
    let fits = (4..=32).contains(&name.len())
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    fits.then(|| ChatRef::Name(name.to_owned()))
}

fn number(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// The words without the prefixes that only say what they are.
fn without_prefixes(text: &str) -> &str {
    let mut rest = text.trim();
    loop {
        let shorter =
            ["telegram:", "tg:", "group:", "channel:", "user:", "chat:"].iter().find_map(|prefix| {
                let head = rest.get(..prefix.len())?;
                head.eq_ignore_ascii_case(prefix).then(|| rest[prefix.len()..].trim())
            });
        match shorter {
            Some(shorter) => rest = shorter,
            None => return rest,
        }
    }
}
