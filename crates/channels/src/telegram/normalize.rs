//! What the platform says in neutral words. Pure: what has to be looked up comes along.
//!
//! People and chats are named by their numbers, which never change hands; a group that becomes a supergroup gets a new
//! one, which is told. An event is named by the bot and the platform's own number for the update.

mod content;
mod happening;
mod rich;

use std::collections::BTreeMap;

use openclaw_types::{
    AccountId, Attention, ChannelId, ChatKind, ChatPlace, EventId, Forwarded, IdError, Inbound, InboundKind,
    MessageId, NativeCommand, PeerId, Person, Press, Quoted, Reaction, RoomMoved, ThreadId, UnixMillis,
};

use super::config::ButtonScope;
use super::memory::KnownPoll;
use super::target::GENERAL;
use super::wire::{
    CallbackQuery, Chat, ChatMemberUpdated, Entity, ExternalReply, Message, MessageReaction, Origin,
    PollAnswer, ReactionType, Update, User,
};
use content::{Said, expand, part, said};

/// Who hears, and what was looked up.
pub(super) struct TelegramContext<'a> {
    /// Our account.
    pub(super) account: &'a AccountId,
    /// Who we are.
    pub(super) us: &'a User,
    /// The time of the machine, for what the platform gives no time.
    pub(super) now: UnixMillis,
    /// Where buttons are used.
    pub(super) buttons: ButtonScope,
    /// Our commands, by the names they have in the platform's menu.
    pub(super) menu: &'a BTreeMap<String, String>,
    /// What was looked up for this update.
    pub(super) recalled: Recalled,
}

/// What is remembered about an update.
#[derive(Debug, Clone, Default)]
pub(super) struct Recalled {
    /// Whether the message it is about is ours.
    pub(super) ours: bool,
    /// What the button carries, where the platform has only a name for it.
    pub(super) data: Option<String>,
    /// The poll it is about.
    pub(super) poll: Option<KnownPoll>,
}

/// What an update tells: mostly one event, none for what is ours or means nothing to us.
pub(super) fn events(update: &Update, hearing: &TelegramContext<'_>) -> Result<Vec<Inbound>, IdError> {
    let name = format!("{}:{}", hearing.us.id, update.update_id);
    let written = update.message.as_deref().or(update.channel_post.as_deref());
    let changed = update.edited_message.as_deref().or(update.edited_channel_post.as_deref());
    let one = if let Some(message) = written {
        message_event(message, &name, hearing)?
    } else if let Some(message) = changed {
        edited(message, &name, hearing)?
    } else if let Some(query) = update.callback_query.as_deref() {
        press(query, &name, hearing)?
    } else if let Some(reaction) = update.message_reaction.as_deref() {
        return reactions(reaction, &name, hearing);
    } else if let Some(member) = update.my_chat_member.as_deref() {
        standing(member, &name, hearing)?
    } else if let Some(answer) = &update.poll_answer {
        chosen(answer, &name, hearing)?
    } else {
        None
    };
    Ok(one.into_iter().collect())
}

fn message_event(
    message: &Message,
    name: &str,
    hearing: &TelegramContext<'_>,
) -> Result<Option<Inbound>, IdError> {
    if is_own(message, hearing) {
        return Ok(None);
    }
    if let Some(text) = happening::words(message, hearing.us) {
        if text.is_empty() {
            return Ok(None);
        }
        let mut event = bare(message, name, hearing)?;
        event.kind = InboundKind::Happening;
        event.text = text;
        event.moved = moved(message)?;
        return Ok(Some(event));
    }
    let mut event = spoken(message, name, hearing)?;
    if event.text.is_empty() && event.media.is_empty() {
        return Ok(None);
    }
    if let Some(command) = command(message, hearing) {
        event.kind = InboundKind::Command(command);
    }
    Ok(Some(event))
}

fn edited(message: &Message, name: &str, hearing: &TelegramContext<'_>) -> Result<Option<Inbound>, IdError> {
    // A place that is shared live changes all the time.
    let is_live = message.content.location.as_ref().is_some_and(|location| location.live_period.is_some());
    if is_own(message, hearing) || is_live {
        return Ok(None);
    }
    let mut event = spoken(message, name, hearing)?;
    if event.text.is_empty() {
        return Ok(None);
    }
    event.kind = InboundKind::Edited;
    event.at = moment(message.edit_date.unwrap_or(message.date));
    Ok(Some(event))
}

/// A message that somebody wrote.
fn spoken(message: &Message, name: &str, hearing: &TelegramContext<'_>) -> Result<Inbound, IdError> {
    let Said { text, media, mut facts } = said(message);
    facts.extend(more_facts(message));
    Ok(Inbound {
        attention: attention(message, hearing.us),
        reply: quoted(message)?,
        forwarded: message.forward_origin.as_ref().map(forwarded),
        bundle: message.media_group_id.as_ref().map(|group| format!("{}:{group}", message.chat.id)),
        text,
        media,
        facts,
        ..bare(message, name, hearing)?
    })
}

/// A message of which only where, when and who is told.
fn bare(message: &Message, name: &str, hearing: &TelegramContext<'_>) -> Result<Inbound, IdError> {
    Ok(Inbound {
        message: Some(MessageId::new(message.message_id.to_string())?),
        at: moment(message.date),
        ..event(message_place(message)?, author(message)?, name, hearing)?
    })
}

fn event(
    place: ChatPlace,
    from: Person,
    name: impl AsRef<str>,
    hearing: &TelegramContext<'_>,
) -> Result<Inbound, IdError> {
    Ok(Inbound {
        channel: ChannelId::new("telegram")?,
        account: hearing.account.clone(),
        event: EventId::new(name)?,
        message: None,
        at: hearing.now,
        place,
        from,
        kind: InboundKind::Message,
        text: String::new(),
        attention: Attention::default(),
        reply: None,
        forwarded: None,
        media: Vec::new(),
        facts: Vec::new(),
        bundle: None,
        moved: None,
    })
}

fn press(
    query: &CallbackQuery,
    name: &str,
    hearing: &TelegramContext<'_>,
) -> Result<Option<Inbound>, IdError> {
    let (Some(message), Some(data)) = (query.message.as_deref(), query.data.as_ref()) else {
        return Ok(None);
    };
    if !hearing.buttons.covers(message.chat.kind == "private") || query.from.id == hearing.us.id {
        return Ok(None);
    }
    let data = hearing.recalled.data.clone().unwrap_or_else(|| data.clone());
    let on = MessageId::new(message.message_id.to_string())?;
    Ok(Some(Inbound {
        kind: InboundKind::Press(Press { data: data.clone(), on: Some(on) }),
        text: data,
        ..event(message_place(message)?, user_person(&query.from)?, name, hearing)?
    }))
}

fn reactions(
    reaction: &MessageReaction,
    name: &str,
    hearing: &TelegramContext<'_>,
) -> Result<Vec<Inbound>, IdError> {
    let from = match (&reaction.user, &reaction.actor_chat) {
        (Some(user), _) if user.id == hearing.us.id => return Ok(Vec::new()),
        (Some(user), _) => user_person(user)?,
        (None, Some(chat)) => chat_person(chat)?,
        (None, None) => return Ok(Vec::new()),
    };
    let (old, new) = (&reaction.old_reaction, &reaction.new_reaction);
    let added = new.iter().filter(|each| !old.contains(each)).map(|each| (each, false));
    let removed = old.iter().filter(|each| !new.contains(each)).map(|each| (each, true));
    let on = MessageId::new(reaction.message_id.to_string())?;
    // The platform does not say in which topic the message is.
    let place = place(&reaction.chat, reaction.chat.is_forum.then_some(GENERAL), None)?;
    let mut events = Vec::new();
    for (number, (sign, removed)) in added.chain(removed).enumerate() {
        let kind = InboundKind::Reaction(Reaction {
            emoji: emoji(sign),
            on: on.clone(),
            on_ours: hearing.recalled.ours,
            removed,
        });
        let name = format!("{name}:{number}");
        let at = moment(reaction.date);
        events.push(Inbound { kind, at, ..event(place.clone(), from.clone(), name, hearing)? });
    }
    Ok(events)
}

fn emoji(sign: &ReactionType) -> String {
    match (&sign.emoji, &sign.custom_emoji_id) {
        (Some(emoji), _) => emoji.clone(),
        (None, Some(custom)) => format!("custom:{custom}"),
        (None, None) => "⭐".to_owned(),
    }
}

/// Our own standing in a chat.
fn standing(
    member: &ChatMemberUpdated,
    name: &str,
    hearing: &TelegramContext<'_>,
) -> Result<Option<Inbound>, IdError> {
    let Some(text) = happening::standing(member) else { return Ok(None) };
    if member.from.id == hearing.us.id {
        return Ok(None);
    }
    Ok(Some(Inbound {
        kind: InboundKind::Happening,
        at: moment(member.date),
        text,
        ..event(
            place(&member.chat, member.chat.is_forum.then_some(GENERAL), None)?,
            user_person(&member.from)?,
            name,
            hearing,
        )?
    }))
}

/// What somebody chose in a poll of ours.
fn chosen(
    answer: &PollAnswer,
    name: &str,
    hearing: &TelegramContext<'_>,
) -> Result<Option<Inbound>, IdError> {
    let Some(poll) = &hearing.recalled.poll else { return Ok(None) };
    let from = match (&answer.user, &answer.voter_chat) {
        (Some(user), _) => user_person(user)?,
        (None, Some(chat)) => chat_person(chat)?,
        (None, None) => return Ok(None),
    };
    let id = poll.chat.to_string();
    let (kind, to) = if poll.chat > 0 { (ChatKind::Direct, id) } else { (ChatKind::Group, id) };
    let thread = poll.topic.map(|topic| ThreadId::new(topic.to_string())).transpose()?;
    let place = ChatPlace { thread, ..ChatPlace::new(kind, PeerId::new(&to)?, to) };
    let options: Vec<&str> =
        answer.option_ids.iter().filter_map(|number| poll.options.get(*number).map(String::as_str)).collect();
    let who = from.name.clone().unwrap_or_else(|| from.id.to_string());
    let text = match options.is_empty() {
        true => format!("{who} took back the vote in the poll \"{}\"", poll.question),
        false => format!("{who} voted in the poll \"{}\": {}", poll.question, options.join(", ")),
    };
    Ok(Some(Inbound { kind: InboundKind::Happening, text, ..event(place, from, name, hearing)? }))
}

fn is_own(message: &Message, hearing: &TelegramContext<'_>) -> bool {
    let ours = message.from.as_ref().is_some_and(|from| from.id == hearing.us.id);
    ours || (message.chat.kind == "channel" && hearing.recalled.ours)
}

/// Where a message was written.
fn message_place(message: &Message) -> Result<ChatPlace, IdError> {
    let chat = &message.chat;
    let direct = message.direct_messages_topic.as_ref().map(|topic| topic.topic_id);
    let topic = match chat.kind.as_str() {
        "private" => message.message_thread_id,
        // Answers in the general topic carry the number of a thread that is no topic.
        _ if chat.is_forum => {
            Some(message.message_thread_id.filter(|_| message.is_topic_message).unwrap_or(GENERAL))
        }
        _ => None,
    };
    let mut place = place(chat, topic, direct)?;
    let begun =
        message.reply_to_message.as_ref().and_then(|reply| reply.service.forum_topic_created.as_ref());
    place.thread_name = begun.map(|topic| topic.name.clone()).filter(|_| topic.is_some());
    Ok(place)
}

fn place(chat: &Chat, topic: Option<i64>, direct: Option<i64>) -> Result<ChatPlace, IdError> {
    let id = chat.id.to_string();
    let kind = match chat.kind.as_str() {
        "private" => ChatKind::Direct,
        "channel" => ChatKind::Channel,
        _ => ChatKind::Group,
    };
    let to = match direct.filter(|_| chat.is_direct_messages) {
        Some(direct) => format!("{id}:direct:{direct}"),
        None => id.clone(),
    };
    let thread = direct.filter(|_| chat.is_direct_messages).or(topic);
    Ok(ChatPlace {
        thread: thread.map(|thread| ThreadId::new(thread.to_string())).transpose()?,
        name: chat.title.clone().filter(|title| !title.trim().is_empty()),
        ..ChatPlace::new(kind, PeerId::new(&id)?, to)
    })
}

/// Who wrote a message: a chat where somebody writes in its name, else the person.
fn author(message: &Message) -> Result<Person, IdError> {
    match (&message.sender_chat, &message.from) {
        (Some(chat), _) => chat_person(chat),
        (None, Some(user)) => user_person(user),
        (None, None) => chat_person(&message.chat),
    }
}

fn user_person(user: &User) -> Result<Person, IdError> {
    Ok(Person {
        name: Some(user_name(user)).filter(|name| !name.is_empty()),
        handle: user.username.clone(),
        bot: user.is_bot,
        ..Person::new(PeerId::new(user.id.to_string())?)
    })
}

fn chat_person(chat: &Chat) -> Result<Person, IdError> {
    Ok(Person {
        name: Some(chat_name(chat)).filter(|name| !name.is_empty()),
        handle: chat.username.clone(),
        ..Person::new(PeerId::new(chat.id.to_string())?)
    })
}

fn user_name(user: &User) -> String {
    joined(&user.first_name, user.last_name.as_deref())
}

/// What people call a chat: its title, or the name of the person.
pub(super) fn chat_name(chat: &Chat) -> String {
    match &chat.title {
        Some(title) => title.trim().to_owned(),
        None => joined(chat.first_name.as_deref().unwrap_or_default(), chat.last_name.as_deref()),
    }
}

fn joined(first: &str, last: Option<&str>) -> String {
    format!("{first} {}", last.unwrap_or_default()).trim().to_owned()
}

fn attention(message: &Message, us: &User) -> Attention {
    let (text, entities) = words(message);
    let handle = us.username.as_deref().unwrap_or_default();
    let at_us = format!("@{handle}").to_lowercase();
    let names_us = |entity: &Entity| match entity.kind.as_str() {
        "mention" => {
            part(text, entity.offset, entity.length).is_some_and(|word| word.to_lowercase() == at_us)
        }
        "text_mention" => entity.user.as_ref().is_some_and(|user| user.id == us.id),
        "bot_command" => {
            part(text, entity.offset, entity.length).is_some_and(|word| word.to_lowercase().ends_with(&at_us))
        }
        _ => false,
    };
    let in_blocks = message.content.rich_message.as_ref().map(rich::words).unwrap_or_default();
    let names_somebody = |entity: &&Entity| matches!(entity.kind.as_str(), "mention" | "text_mention");
    let holds_us = |text: &str| holds_word(&text.to_lowercase(), &at_us);
    let mentions_us = !handle.is_empty()
        && (entities.iter().any(names_us) || [text, in_blocks.as_str()].into_iter().any(holds_us));
    let answers_us =
        answered(message).and_then(|reply| reply.from.as_ref()).is_some_and(|from| from.id == us.id);
    Attention {
        mentions_us,
        mentions_anybody: mentions_us || entities.iter().any(|entity| names_somebody(&entity)),
        answers_us,
        can_mention: !handle.is_empty(),
    }
}

/// Whether a text holds a word that is not a part of a longer one.
fn holds_word(text: &str, word: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part)
            && !text[at + word.len()..].chars().next().is_some_and(part)
    })
}

/// The command of our menu that a message gives.
fn command(message: &Message, hearing: &TelegramContext<'_>) -> Option<NativeCommand> {
    let text = message.text.as_deref()?;
    let first = message.entities.iter().find(|entity| entity.kind == "bot_command" && entity.offset == 0)?;
    let word = part(text, 0, first.length)?;
    let (name, handle) = word
        .trim_start_matches('/')
        .split_once('@')
        .map_or_else(|| (word.trim_start_matches('/'), None), |(name, handle)| (name, Some(handle)));
    let us = hearing.us.username.as_deref().unwrap_or_default();
    if handle.is_some_and(|handle| !handle.eq_ignore_ascii_case(us)) {
        return None;
    }
    let name = hearing.menu.get(&name.to_lowercase())?.clone();
    let arguments = expand(text, &message.entities);
    let arguments = arguments.strip_prefix(word).unwrap_or_default().trim().to_owned();
    Some(NativeCommand { name, arguments })
}

/// The words of a message with their meanings.
fn words(message: &Message) -> (&str, &[Entity]) {
    match (&message.text, &message.caption) {
        (Some(text), _) => (text, &message.entities),
        (None, Some(caption)) => (caption, &message.caption_entities),
        (None, None) => ("", &[]),
    }
}

/// The message that is answered. In a topic every message seems to answer its beginning; that is no answer.
fn answered(message: &Message) -> Option<&Message> {
    message.reply_to_message.as_deref().filter(|reply| reply.service.forum_topic_created.is_none())
}

fn quoted(message: &Message) -> Result<Option<Quoted>, IdError> {
    let quote = message.quote.as_ref().filter(|quote| !quote.text.trim().is_empty());
    let mut reply = match (answered(message), message.external_reply.as_deref()) {
        (Some(reply), _) => {
            let Said { text, media, .. } = said(reply);
            Quoted {
                message: Some(MessageId::new(reply.message_id.to_string())?),
                from: Some(author(reply)?),
                text,
                part: false,
                media,
            }
        }
        (None, Some(external)) => elsewhere(external)?,
        (None, None) => return Ok(None),
    };
    if let Some(quote) = quote {
        reply.text.clone_from(&quote.text);
        reply.part = quote.is_manual;
    }
    Ok(Some(reply))
}

/// A message of another chat that is answered.
fn elsewhere(external: &ExternalReply) -> Result<Quoted, IdError> {
    let origin = &external.origin;
    let from = match (&origin.sender_user, origin.sender_chat.as_ref().or(origin.chat.as_ref())) {
        (Some(user), _) => Some(user_person(user)?),
        (None, Some(chat)) => Some(chat_person(chat)?),
        (None, None) => None,
    };
    let (text, media) = content::shown(&external.content);
    // Its number counts in the other chat and would name another message here.
    Ok(Quoted { message: None, from, text, part: false, media })
}

fn forwarded(origin: &Origin) -> Forwarded {
    let from = match (&origin.sender_user, &origin.sender_user_name) {
        (Some(user), _) => {
            let name = user_name(user);
            user.username.as_ref().map_or(name.clone(), |handle| format!("{name} (@{handle})"))
        }
        (None, Some(name)) => name.clone(),
        (None, None) => {
            let chat = origin.chat.as_ref().or(origin.sender_chat.as_ref());
            let name = chat.map(chat_name).unwrap_or_default();
            origin.author_signature.as_ref().map_or(name.clone(), |author| format!("{name} ({author})"))
        }
    };
    Forwarded { from, at: (origin.date > 0).then(|| moment(origin.date)) }
}

fn more_facts(message: &Message) -> Vec<(String, String)> {
    let via = message.via_bot.as_ref().and_then(|bot| bot.username.clone());
    let signed = message.author_signature.clone();
    [("via_bot", via), ("author_signature", signed)]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

fn moment(seconds: i64) -> UnixMillis {
    UnixMillis(seconds.saturating_mul(1000))
}

/// The number of a group that a service message says it had, and the one it has now.
pub(super) fn migration(update: &Update) -> Option<(i64, i64)> {
    numbers(update.message.as_deref()?)
}

fn moved(message: &Message) -> Result<Option<RoomMoved>, IdError> {
    let Some((from, to)) = numbers(message) else { return Ok(None) };
    Ok(Some(RoomMoved { from: PeerId::new(from.to_string())?, to: PeerId::new(to.to_string())? }))
}

fn numbers(message: &Message) -> Option<(i64, i64)> {
    let service = &message.service;
    match (service.migrate_to_chat_id, service.migrate_from_chat_id) {
        (Some(to), _) => Some((message.chat.id, to)),
        (None, Some(from)) => Some((from, message.chat.id)),
        (None, None) => None,
    }
}
