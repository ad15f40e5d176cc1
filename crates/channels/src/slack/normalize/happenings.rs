//! What happens beside messages: reactions, members that come and go, pins, renamed rooms. Pure.

use openclaw_types::{ChatKind, IdError, Inbound, InboundKind, MessageId, Reaction, UnixMillis};

use super::super::wire::Event;
use super::{Base, Facts, SlackContext, kind, moment, new_name, text};

/// A reaction that somebody set or took back.
pub(super) fn reacted(event: &Event, hearing: &SlackContext<'_>) -> Result<Option<Inbound>, IdError> {
    let item = event.item.as_ref().filter(|item| item.kind == "message");
    let (Some(item), Some(room), Some(person), Some(emoji)) =
        (item, event.room(), event.person(), event.reaction.as_deref())
    else {
        return Ok(None);
    };
    let Some(on) = item.ts.as_deref() else { return Ok(None) };
    let removed = event.kind == "reaction_removed";
    let name = format!("{room}:{on}:{}:{person}:{emoji}:{}", event.kind, stamp(event));
    let mut inbound = base(event, room, person, hearing).named(name, hearing).inbound(hearing)?;
    inbound.kind = InboundKind::Reaction(Reaction {
        emoji: emoji.to_owned(),
        on: MessageId::new(on)?,
        on_ours: event.item_user.as_deref() == Some(hearing.us.user.as_str()),
        removed,
    });
    Ok(Some(inbound))
}

/// A message that somebody took back.
pub(super) fn taken_back(event: &Event, hearing: &SlackContext<'_>) -> Result<Option<Inbound>, IdError> {
    let before = event.previous_message.as_deref().or(event.message.as_deref());
    let author = before.and_then(|before| before.person().or(before.bot_id.as_deref()));
    let ts = event.deleted_ts.as_deref().or_else(|| before?.ts.as_deref());
    let (Some(room), Some(ts)) = (event.room(), ts) else { return Ok(None) };
    let Some(author) = author.or(hearing.facts.room.with.as_deref()) else { return Ok(None) };
    let name = format!("{room}:{ts}:deleted:{}", stamp(event));
    let mut inbound = base(event, room, author, hearing).named(name, hearing).inbound(hearing)?;
    inbound.kind = InboundKind::Happening;
    inbound.message = Some(MessageId::new(ts)?);
    inbound.text = format!("{} deleted message {ts}", who(author, hearing.facts));
    Ok(Some(inbound))
}

/// Everything else.
pub(super) fn happened(event: &Event, hearing: &SlackContext<'_>) -> Result<Option<Inbound>, IdError> {
    let Some(room) = event.room().or(event.new_channel_id.as_deref()) else { return Ok(None) };
    // Slack says for some things only that they happened.
    let person = event.person().unwrap_or(room);
    let by = if event.person().is_some() { who(person, hearing.facts) } else { "Somebody".to_owned() };
    let name = new_name(event).map_or_else(|| room.to_owned(), |(_, name)| format!("#{name}"));
    let pinned = || event.item.as_ref().and_then(|item| item.message.as_ref()?.ts.as_deref()).unwrap_or("?");
    let told = |words: &Option<String>| text::readable(words.as_deref().unwrap_or_default());
    let text = match (event.kind.as_str(), event.subtype.as_deref()) {
        ("member_joined_channel", _) => match &event.inviter {
            Some(inviter) => format!("{by} joined, asked in by <@{inviter}>"),
            None => format!("{by} joined"),
        },
        ("member_left_channel", _) => format!("{by} left"),
        ("channel_created", _) => format!("the channel {name} was made"),
        ("channel_rename" | "group_rename", _) => format!("the channel is now called {name}"),
        ("channel_archive" | "group_archive", _) => format!("{by} archived the channel"),
        ("channel_unarchive" | "group_unarchive", _) => format!("{by} opened the archived channel again"),
        ("channel_id_changed", _) => format!(
            "the channel has a new id: {} instead of {}",
            room,
            event.old_channel_id.as_deref().unwrap_or("its old one")
        ),
        ("pin_added", _) => format!("{by} pinned message {}", pinned()),
        ("pin_removed", _) => format!("{by} took the pin off message {}", pinned()),
        (_, Some("channel_topic" | "group_topic")) => {
            format!("{by} set the topic to: {}", told(&event.topic))
        }
        (_, Some("channel_purpose" | "group_purpose")) => {
            format!("{by} set the purpose to: {}", told(&event.purpose))
        }
        _ => return Ok(None),
    };
    let event_name = format!("{room}:{}:{person}:{}", event.kind, stamp(event));
    let mut base = base(event, room, person, hearing).named(event_name, hearing);
    if base.kind == ChatKind::Direct && event.person().is_none() {
        return Ok(None);
    }
    if base.sender == room {
        base.kind = ChatKind::Channel;
    }
    let mut inbound = base.inbound(hearing)?;
    inbound.kind = InboundKind::Happening;
    inbound.text = text;
    Ok(Some(inbound))
}

fn base<'a>(event: &Event, room: &'a str, sender: &'a str, hearing: &SlackContext<'_>) -> Base<'a> {
    Base {
        room,
        kind: kind(event, room, &hearing.facts.room),
        sender,
        at: time(event).unwrap_or(hearing.now),
        event: String::new(),
    }
}

impl Base<'_> {
    /// With Slack's name for the event, else with this one.
    fn named(mut self, name: String, hearing: &SlackContext<'_>) -> Self {
        self.event = hearing.event.map_or(name, str::to_owned);
        self
    }
}

fn time(event: &Event) -> Option<UnixMillis> {
    moment(event.event_ts.as_deref().or(event.ts.as_deref())?)
}

fn stamp(event: &Event) -> &str {
    event.event_ts.as_deref().or(event.ts.as_deref()).unwrap_or_default()
}

fn who(id: &str, facts: &Facts) -> String {
    facts.person.name.clone().or_else(|| facts.person.handle.clone()).unwrap_or_else(|| format!("<@{id}>"))
}
