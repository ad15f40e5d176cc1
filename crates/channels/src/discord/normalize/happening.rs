//! What the platform itself says in a room: somebody joined, a message was pinned.

use openclaw_types::{Attention, ChannelId, EventId, IdError, Inbound, InboundKind};

use super::place::{person, place};
use super::{CHANNEL, Scene, made_at, moment};
use crate::discord::wire::Message;

/// What a message of the platform itself says about its author; nothing for messages of people.
pub(super) fn said(message: &Message) -> Option<String> {
    let said = match message.kind {
        1 => "added somebody to the conversation",
        2 => "removed somebody from the conversation",
        4 => return Some(format!("named the conversation {}", message.content.trim())),
        6 => "pinned a message",
        7 => "joined the server",
        8 => "boosted the server",
        9 => "boosted the server to level 1",
        10 => "boosted the server to level 2",
        11 => "boosted the server to level 3",
        18 => return Some(format!("began the thread {}", message.content.trim())),
        24 => "was stopped by the server's moderation rules",
        27 => "began a stage",
        28 => "ended a stage",
        29 => "speaks on the stage now",
        31 => "changed the topic of the stage",
        36 => "turned on the server's protection against raids",
        37 => "turned off the server's protection against raids",
        38 => "reported a raid",
        39 => "reported that a raid was a false alarm",
        44 => "bought something",
        46 => "closed a poll",
        _ => return None,
    };
    Some(said.to_owned())
}

pub(super) fn happening(
    message: &Message,
    scene: &Scene<'_>,
    said: &str,
) -> Result<Option<Inbound>, IdError> {
    let Some(author) = message.author.as_ref().filter(|author| author.id != scene.us) else {
        return Ok(None);
    };
    let from = person(author, message.member.as_ref())?;
    let who = from.name.clone().unwrap_or_else(|| author.id.clone());
    Ok(Some(Inbound {
        channel: ChannelId::new(CHANNEL)?,
        account: scene.account.clone(),
        event: EventId::new(format!("message:{}", message.id))?,
        message: None,
        at: moment(message.timestamp.as_deref()).unwrap_or_else(|| made_at(&message.id, scene.now)),
        place: place(scene, &message.channel_id, message.guild_id.as_deref(), &author.id)?,
        from,
        kind: InboundKind::Happening,
        text: format!("{who} {said}"),
        attention: Attention { can_mention: true, ..Attention::default() },
        reply: None,
        forwarded: None,
        media: Vec::new(),
        facts: Vec::new(),
        bundle: None,
        moved: None,
    }))
}
