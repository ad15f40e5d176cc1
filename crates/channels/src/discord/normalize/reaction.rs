//! Reactions of people. The platform gives them no id: they are told apart by their place in the session, which stays the
//! same when a session is taken up again.

use openclaw_types::{
    Attention, ChannelId, EventId, IdError, Inbound, InboundKind, MessageId, Reaction as NeutralReaction,
};

use super::place::{person, place};
use super::{CHANNEL, Scene};
use crate::discord::wire::{Emoji, ReactionEvent, User};

/// Whether a reaction was set or taken back, whose message it hangs on, and what tells it from others.
#[derive(Debug, Clone)]
pub(in super::super) struct ReactionFacts {
    /// Whether it was taken back.
    pub(in super::super) removed: bool,
    /// Whether the message is known to be ours.
    pub(in super::super) on_ours: bool,
    /// The session and the place in it.
    pub(in super::super) serial: String,
}

/// A reaction; nothing for our own, and for those the configuration does not want from that guild.
pub(in super::super) fn reaction(
    event: &ReactionEvent,
    facts: &ReactionFacts,
    scene: &Scene<'_>,
) -> Result<Option<Inbound>, IdError> {
    if event.user_id == scene.us || event.user_id.is_empty() {
        return Ok(None);
    }
    let user = event.member.as_ref().and_then(|member| member.user.clone());
    let user = user.unwrap_or_else(|| User { id: event.user_id.clone(), ..User::default() });
    let on_ours = facts.on_ours || event.message_author_id.as_deref() == Some(scene.us);
    if user.bot || !scene.habits.tells_reaction(scene, &event.user_id, on_ours) {
        return Ok(None);
    }
    let emoji = written(&event.emoji);
    let word = if facts.removed { "took back" } else { "reacted with" };
    Ok(Some(Inbound {
        channel: ChannelId::new(CHANNEL)?,
        account: scene.account.clone(),
        event: EventId::new(format!("reaction:{}", facts.serial))?,
        message: None,
        at: scene.now,
        place: place(scene, &event.channel_id, event.guild_id.as_deref(), &event.user_id)?,
        from: person(&user, event.member.as_ref())?,
        text: format!("{word} {emoji}"),
        kind: InboundKind::Reaction(NeutralReaction {
            emoji,
            on: MessageId::new(&event.message_id)?,
            on_ours,
            removed: facts.removed,
        }),
        attention: Attention { can_mention: true, ..Attention::default() },
        reply: None,
        forwarded: None,
        media: Vec::new(),
        facts: Vec::new(),
        bundle: None,
        moved: None,
    }))
}

/// A sign as the platform writes one in messages.
fn written(emoji: &Emoji) -> String {
    let name = emoji.name.as_deref().unwrap_or_default();
    match emoji.id.as_deref() {
        Some(id) if emoji.animated => format!("<a:{name}:{id}>"),
        Some(id) => format!("<:{name}:{id}>"),
        None => name.to_owned(),
    }
}
