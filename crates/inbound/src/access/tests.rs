//! Access: who may talk where, by which rule, with which rights.
//!
//! Ana is on the account's list, Ben was let in by a code, Cleo is on the list for rooms, Eve is a stranger.

mod addresses;
mod bots;
mod commands;
mod direct;
mod mentions;
mod notices;
mod pairing;
mod product;
mod rooms;
mod rules;

use openclaw_config::{CommandAccess, CommandSettings, MentionSettings, MentionSource};
use openclaw_types::{
    AccountId, AllowList, Attention, ChannelId, ChatKind, ChatPlace, DoorRules, EventId, GroupId,
    GroupPolicy, Inbound, InboundKind, MessageId, PeerId, Person, ReactionNotices, RoomName, RoomRule,
    SenderRank, ThreadId, UnixMillis,
};

use super::*;
use crate::commands::Who;

/// Everything the decision depends on, owned.
struct World {
    inbound: Inbound,
    rules: DoorRules,
    mentions: Mentions,
    access: CommandAccess,
    commands: CommandSettings,
    reactions: ReactionNotices,
    activation: Activation,
}

impl World {
    fn new(place: ChatPlace, from: &str, text: &str) -> Self {
        Self {
            inbound: inbound(place, from, text),
            rules: DoorRules {
                allow_from: list(&["ana"]),
                group_allow_from: Some(list(&["ana", "cleo"])),
                require_mention: true,
                ..DoorRules::default()
            },
            mentions: Mentions::of_any([&patterns(&[])]),
            access: CommandAccess::default(),
            commands: CommandSettings::default(),
            reactions: ReactionNotices::Own,
            activation: Activation::AsConfigured,
        }
    }

    fn direct(from: &str, text: &str) -> Self {
        Self::new(place(ChatKind::Direct, from), from, text)
    }

    fn room(from: &str, text: &str) -> Self {
        Self::new(place(ChatKind::Group, "room"), from, text)
    }

    /// The same, after a change.
    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn mentioned(self) -> Self {
        self.with(|world| world.inbound.attention.mentions_us = true)
    }

    fn rooms(self, rooms: Vec<RoomRule>) -> Self {
        self.with(|world| world.rules.rooms = rooms)
    }

    fn decide(&self) -> AccessVerdict {
        let me = peer("bot");
        decide(&AccessRequest {
            inbound: &self.inbound,
            rules: &self.rules,
            paired: &["ben".to_owned()],
            us: Us { id: Some(&me), handle: Some("claw") },
            names: &["chat", "ch"],
            mentions: &self.mentions,
            access: &self.access,
            commands: &self.commands,
            reactions: &self.reactions,
            activation: self.activation,
        })
    }

    /// The verdict in short: the word and the rule.
    fn short(&self) -> (&'static str, Rule) {
        let verdict = self.decide();
        (verdict.word(), verdict.rule())
    }

    fn admission(&self) -> AuthorRights {
        match self.decide() {
            AccessVerdict::Admit(admission) => admission,
            other => panic!("not let in: {other:?}"),
        }
    }
}

fn inbound(place: ChatPlace, from: &str, text: &str) -> Inbound {
    Inbound {
        channel: ChannelId::new("chat").unwrap(),
        account: AccountId::new("default").unwrap(),
        event: EventId::new("event").unwrap(),
        message: Some(MessageId::new("m1").unwrap()),
        at: UnixMillis(0),
        place,
        from: person(from),
        kind: InboundKind::Message,
        text: text.to_owned(),
        attention: Attention { can_mention: true, ..Attention::default() },
        reply: None,
        forwarded: None,
        media: Vec::new(),
        facts: Vec::new(),
        bundle: None,
        moved: None,
    }
}

fn person(id: &str) -> Person {
    Person {
        name: Some(format!("{id} the name")),
        handle: Some(format!("{id}_handle")),
        ..Person::new(peer(id))
    }
}

fn place(kind: ChatKind, id: &str) -> ChatPlace {
    ChatPlace::new(kind, peer(id), id)
}

fn in_guild(guild: &str, room: &str) -> ChatPlace {
    ChatPlace { guild: Some(GroupId::new(guild).unwrap()), ..place(ChatKind::Channel, room) }
}

fn in_topic(room: &str, topic: &str) -> ChatPlace {
    ChatPlace { thread: Some(ThreadId::new(topic).unwrap()), ..place(ChatKind::Group, room) }
}

fn peer(id: &str) -> PeerId {
    PeerId::new(id).unwrap()
}

#[test]
fn every_safe_id_of_a_person_counts_on_a_list() {
    let ana = Person { also: texts(&["ana@host"]), ..person("ana!a@host") };
    assert!(allow::lists(&list(&["ANA@host"]), &ana) && allow::lists(&list(&["ana!a@host"]), &ana));
    assert!(!allow::lists(&list(&["ana"]), &ana));
}

fn list(ids: &[&str]) -> AllowList {
    AllowList { ids: texts(ids), names: Vec::new() }
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn patterns(list: &[&str]) -> MentionSettings {
    MentionSettings { source: MentionSource::Patterns(texts(list)), history_limit: 50 }
}

fn room(id: &str) -> RoomRule {
    RoomRule { room: RoomName::Id(id.to_owned()), ..RoomRule::default() }
}

fn every_room() -> RoomRule {
    RoomRule::default()
}
