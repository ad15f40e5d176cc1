//! Messages of people and programs, and changes of them. Our own never come in.

use openclaw_types::{
    Attention, ChannelId, ChatPlace, EventId, Forwarded, IdError, Inbound, InboundKind, MessageId, PeerId,
    Quoted, ThreadId,
};

use super::place::{person, place};
use super::{CHANNEL, Scene, content, happening, made_at, moment};
use crate::discord::destination::{Aside, DiscordDestination, Home};
use crate::discord::wire::Message;

/// A message; nothing for our own, for those of commands, and for those that say nothing.
pub(in super::super) fn message(message: &Message, scene: &Scene<'_>) -> Result<Option<Inbound>, IdError> {
    if let Some(said) = happening::said(message) {
        return happening::happening(message, scene, &said);
    }
    // 0 is a message, 19 an answer to one. What programs answer to commands (20, 23), and the copy of a first message
    // that stands in its thread (21), is not addressed to anybody.
    if !matches!(message.kind, 0 | 19) {
        return Ok(None);
    }
    let Some(event) = spoken(message, scene)? else { return Ok(None) };
    let place = own_thread(message, scene, &event)?.unwrap_or_else(|| event.place.clone());
    Ok(Some(Inbound { place, ..event }))
}

/// A change of a message; nothing where only the platform changed it (a preview was added).
pub(in super::super) fn edited(message: &Message, scene: &Scene<'_>) -> Result<Option<Inbound>, IdError> {
    let Some(at) = message.edited_timestamp.as_deref() else { return Ok(None) };
    let Some(event) = spoken(message, scene)?.filter(|_| matches!(message.kind, 0 | 19)) else {
        return Ok(None);
    };
    Ok(Some(Inbound {
        event: EventId::new(format!("edit:{}:{at}", message.id))?,
        at: moment(Some(at)).unwrap_or(event.at),
        kind: InboundKind::Edited,
        ..event
    }))
}

fn spoken(message: &Message, scene: &Scene<'_>) -> Result<Option<Inbound>, IdError> {
    let Some(author) = message.author.as_ref().filter(|author| author.id != scene.us) else {
        return Ok(None);
    };
    let text = content::words(message);
    if text.is_empty() {
        return Ok(None);
    }
    let mut from = person(author, message.member.as_ref())?;
    from.bot |= message.webhook_id.is_some();
    let place = place(scene, &message.channel_id, message.guild_id.as_deref(), &author.id)?;
    Ok(Some(Inbound {
        channel: ChannelId::new(CHANNEL)?,
        account: scene.account.clone(),
        event: EventId::new(format!("message:{}", message.id))?,
        message: Some(MessageId::new(&message.id)?),
        at: moment(message.timestamp.as_deref()).unwrap_or_else(|| made_at(&message.id, scene.now)),
        place,
        from,
        kind: InboundKind::Message,
        text,
        attention: attention(message, scene),
        reply: reply(message)?,
        forwarded: forwarded(message),
        media: content::media(message),
        facts: content::facts(message),
        bundle: None,
        moved: None,
    }))
}

fn attention(message: &Message, scene: &Scene<'_>) -> Attention {
    let roles = scene.guild.map(|guild| guild.own_roles.as_slice()).unwrap_or_default();
    let named = message.mentions.iter().any(|user| user.id == scene.us)
        || message.mention_roles.iter().any(|role| roles.contains(role));
    let answered = message.referenced_message.as_ref().and_then(|answered| answered.author.as_ref());
    let thread_is_ours = scene.room.is_some_and(|room| {
        room.is_thread()
            && room.owner_id.as_deref() == Some(scene.us)
            && scene.habits.threads_by_itself(scene)
    });
    Attention {
        mentions_us: named,
        mentions_anybody: message.mention_everyone
            || !message.mentions.is_empty()
            || !message.mention_roles.is_empty(),
        answers_us: answered.is_some_and(|author| author.id == scene.us) || thread_is_ours,
        can_mention: true,
    }
}

fn reply(message: &Message) -> Result<Option<Quoted>, IdError> {
    let Some(reference) = message.message_reference.as_ref().filter(|reference| reference.kind == 0) else {
        return Ok(None);
    };
    let quoted = message.referenced_message.as_deref();
    let author = quoted.and_then(|quoted| quoted.author.as_ref());
    Ok(Some(Quoted {
        message: reference.message_id.as_deref().map(MessageId::new).transpose()?,
        from: author.map(|author| person(author, None)).transpose()?,
        text: quoted.map(content::words).unwrap_or_default(),
        part: false,
        media: quoted.map(content::media).unwrap_or_default(),
    }))
}

fn forwarded(message: &Message) -> Option<Forwarded> {
    let snapshot = message.message_snapshots.first()?;
    let at = moment(snapshot.message.timestamp.as_deref());
    let room = message.message_reference.as_ref().and_then(|reference| reference.channel_id.as_deref());
    // Who wrote it is not told.
    let from = room.map_or_else(|| "somebody".to_owned(), |room| format!("somebody in <#{room}>"));
    Some(Forwarded { from, at })
}

/// The thread that an answer to this message gets, where the room is set to make one for each: it has the message's id
/// and is made when something goes there.
fn own_thread(message: &Message, scene: &Scene<'_>, event: &Inbound) -> Result<Option<ChatPlace>, IdError> {
    let wanted = message.guild_id.is_some()
        && event.place.thread.is_none()
        && scene.room.is_none_or(|room| !room.is_thread())
        && scene.habits.threads_by_itself(scene)
        && (event.attention.mentions_us
            || event.attention.answers_us
            || scene.habits.hears_everything(scene));
    if !wanted {
        return Ok(None);
    }
    let to = DiscordDestination {
        home: Home::Channel(message.channel_id.clone()),
        aside: Aside::ThreadAt(message.id.clone()),
    };
    Ok(Some(ChatPlace {
        id: PeerId::new(&message.id)?,
        to: to.write(),
        thread: Some(ThreadId::new(&message.id)?),
        parent: Some(PeerId::new(&message.channel_id)?),
        ..event.place.clone()
    }))
}
