//! Which session a conversation has.
//!
//! A direct chat shares the agent's main session unless `session.dmScope` says otherwise; then the same person on
//! several channels is one where `session.identityLinks` says so. Rooms have sessions of their own. A thread hangs
//! below its conversation: what the adapter names in `Place::session_thread` is written `thread`; else the thread of a
//! group is a topic of it, and that of any other conversation a thread. What the adapter names in `Place::own_session`
//! stands apart from all of these.

use openclaw_config::sections::{DmScope, SessionScope as Breadth};
use openclaw_config::{IdentityLink, SessionSettings};
use openclaw_types::{
    AccountId, AgentId, ChannelId, ChatKind, ChatPlace, GroupId, PeerId, SessionKey, SessionScope,
    SessionThread, ThreadId, ThreadMarker,
};

use super::tier::RouteQuery;

/// The session of an agent in a conversation.
#[must_use]
pub fn session_key(settings: &SessionSettings, agent: &AgentId, seeker: &RouteQuery) -> SessionKey {
    if settings.scope == Breadth::Global {
        return SessionKey::global();
    }
    let own = seeker.place.own_session.as_ref().map(|name| SessionKey::named(agent, name));
    if let Some(Ok(own)) = own {
        return own;
    }
    let key = SessionKey::new(agent, scope(settings, seeker));
    match thread(&seeker.place) {
        Some(thread) => key.with_thread(&thread),
        None => key,
    }
}

/// The session above that of a thread, from which a new thread may begin; nothing when the place is no thread.
#[must_use]
pub fn parent_session(
    settings: &SessionSettings,
    agent: &AgentId,
    seeker: &RouteQuery,
) -> Option<SessionKey> {
    let key = session_key(settings, agent, seeker);
    if let Some(parent) = key.without_thread() {
        return Some(parent);
    }
    // Where threads are rooms of their own, the room above has the key without them.
    let parent = seeker.place.parent.clone()?;
    let place = ChatPlace { id: parent, parent: None, ..seeker.place.clone() };
    Some(session_key(settings, agent, &RouteQuery { place, ..seeker.clone() }))
        .filter(|parent| *parent != key)
}

/// The main session of an agent.
#[must_use]
pub fn main_session(settings: &SessionSettings, agent: &AgentId) -> SessionKey {
    match settings.scope {
        Breadth::Global => SessionKey::global(),
        Breadth::PerSender => SessionKey::new(agent, SessionScope::Main),
    }
}

/// The topic that is part of a conversation's name.
pub(super) fn topic(place: &ChatPlace) -> Option<&ThreadId> {
    match (place.kind, &place.session_thread) {
        (ChatKind::Group, None) => place.thread.as_ref(),
        _ => None,
    }
}

fn thread(place: &ChatPlace) -> Option<SessionThread> {
    if let Some(topic) = topic(place) {
        return Some(SessionThread { marker: ThreadMarker::Topic, id: topic.clone() });
    }
    let id = place.session_thread.as_ref().or(place.thread.as_ref())?;
    // A thread that is a room of its own is named by the room already.
    let is_room = id.as_str() == place.id.as_str();
    (!is_room).then(|| SessionThread { marker: ThreadMarker::Thread, id: id.clone() })
}

fn scope(settings: &SessionSettings, seeker: &RouteQuery) -> SessionScope {
    let channel = || seeker.channel.clone();
    let room = || GroupId::new(seeker.place.id.as_str());
    match (seeker.place.kind, room()) {
        (ChatKind::Group, Ok(group)) => SessionScope::Group(channel(), group),
        (ChatKind::Channel, Ok(room)) => SessionScope::Room(channel(), room),
        _ => direct(settings, seeker),
    }
}

fn direct(settings: &SessionSettings, seeker: &RouteQuery) -> SessionScope {
    let peer = &seeker.place.id;
    let person = || linked(&settings.identity_links, &seeker.channel, peer).unwrap_or_else(|| peer.clone());
    match settings.dm_scope {
        DmScope::Main => SessionScope::Main,
        DmScope::PerPeer => SessionScope::peer(person()),
        DmScope::PerChannelPeer => SessionScope::channel_peer(seeker.channel.clone(), person()),
        DmScope::PerAccountChannelPeer => {
            let account = AccountId::sanitized(seeker.account.as_str());
            SessionScope::account_peer(seeker.channel.clone(), account, person())
        }
    }
}

/// The id that a person has on another platform, as `session.identityLinks` has it: without the platform in front.
///
/// They are known by their id where they write, else by the name that their session bears.
#[must_use]
pub fn identity_on(
    links: &[IdentityLink],
    writes: Option<(&ChannelId, &PeerId)>,
    key: &SessionKey,
    platform: &[&str],
) -> Option<String> {
    let by_name = || {
        let (SessionScope::Peer(.., name)
        | SessionScope::ChannelPeer(.., name)
        | SessionScope::AccountPeer(.., name)) = key.scope()
        else {
            return None;
        };
        links.iter().find(|link| link.name.eq_ignore_ascii_case(name.as_str()))
    };
    let link = match writes {
        Some((channel, peer)) => link(links, channel, peer),
        None => by_name(),
    }?;
    let there = |id: &String| {
        let (channel, id) = id.split_once(':')?;
        platform.contains(&channel.trim()).then(|| id.trim().to_owned()).filter(|id| !id.is_empty())
    };
    link.ids.iter().find_map(there)
}

/// The name of the person behind an id.
fn linked(links: &[IdentityLink], channel: &ChannelId, peer: &PeerId) -> Option<PeerId> {
    link(links, channel, peer).and_then(|link| PeerId::new(&link.name).ok())
}

/// Who has an id, which may be written alone or with its channel in front.
fn link<'a>(links: &'a [IdentityLink], channel: &ChannelId, peer: &PeerId) -> Option<&'a IdentityLink> {
    let alone = peer.as_str().trim().to_lowercase();
    let scoped = format!("{}:{alone}", channel.as_str().trim().to_lowercase());
    links.iter().find(|link| link.ids.iter().any(|id| *id == alone || *id == scoped))
}
