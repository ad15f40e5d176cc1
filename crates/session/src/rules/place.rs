//! Decides which session a conversation on a platform has.
//!
//! Pure. Which agent answers is decided before, by routing.

use openclaw_config::sections::{DmScope, SessionScope as Breadth};
use openclaw_config::{IdentityLink, SessionSettings};
use openclaw_types::{
    AccountId, AgentId, ChannelId, GroupId, PeerId, SessionKey, SessionScope, SessionThread,
};

/// Where a message came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Who answers.
    pub agent: AgentId,
    /// The platform.
    pub channel: ChannelId,
    /// Our login there; the default one when absent.
    pub account: Option<AccountId>,
    /// Who or where.
    pub conversation: Conversation,
    /// The thread inside of it.
    pub thread: Option<SessionThread>,
}

/// A conversation on a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conversation {
    /// With one person.
    Direct(PeerId),
    /// With people who were invited.
    Group(GroupId),
    /// In a room that people join by themselves.
    Channel(GroupId),
}

/// The session of a conversation.
#[must_use]
pub fn session_key(settings: &SessionSettings, place: &Place) -> SessionKey {
    if settings.scope == Breadth::Global {
        return SessionKey::global();
    }
    let scope = match &place.conversation {
        Conversation::Direct(peer) => direct(settings, place, peer),
        Conversation::Group(group) => SessionScope::Group(place.channel.clone(), group.clone()),
        Conversation::Channel(room) => SessionScope::Room(place.channel.clone(), room.clone()),
    };
    let key = SessionKey::new(&place.agent, scope);
    match &place.thread {
        Some(thread) => key.with_thread(thread),
        None => key,
    }
}

fn direct(settings: &SessionSettings, place: &Place, peer: &PeerId) -> SessionScope {
    let person = || linked(&settings.identity_links, &place.channel, peer).unwrap_or_else(|| peer.clone());
    match settings.dm_scope {
        DmScope::Main => SessionScope::Main,
        DmScope::PerPeer => SessionScope::peer(person()),
        DmScope::PerChannelPeer => SessionScope::channel_peer(place.channel.clone(), person()),
        DmScope::PerAccountChannelPeer => {
            let account = place.account.as_ref().map_or("", AccountId::as_str);
            SessionScope::account_peer(place.channel.clone(), AccountId::sanitized(account), person())
        }
    }
}

/// The name of the person behind an id, which may be written alone or with its channel in front.
fn linked(links: &[IdentityLink], channel: &ChannelId, peer: &PeerId) -> Option<PeerId> {
    let alone = peer.as_str().trim().to_lowercase();
    let scoped = format!("{}:{alone}", channel.as_str().trim().to_lowercase());
    let link = links.iter().find(|link| link.ids.iter().any(|id| *id == alone || *id == scoped))?;
    PeerId::new(&link.name).ok()
}
