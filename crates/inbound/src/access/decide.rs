//! Decides about an event in order: who it is, where they are, whether they may give commands, whether it is for us.
//!
//! The order matters. What is ours or a program's goes first; then whether the person may talk there at all; only for
//! those it is looked at what they say, so that nothing a stranger writes is kept anywhere.

use openclaw_config::{CommandAccess, CommandSettings};
use openclaw_types::{ChatKind, DoorRules, Inbound, InboundKind, ReactionNotices, SenderRank};

use super::room::Room;
use super::verdict::{AccessVerdict, AuthorRights, MentionFacts};
use super::{Mentions, Rule, Us, bots, command, dm, group, mention, notice};

/// Everything the decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct AccessRequest<'a> {
    /// What happened.
    pub inbound: &'a Inbound,
    /// The rules of the account.
    pub rules: &'a DoorRules,
    /// Those who were let in to the account by a code, by id.
    pub paired: &'a [String],
    /// Who we are there.
    pub us: Us<'a>,
    /// The channel's id and its other names, which may stand before ids in lists.
    pub names: &'a [&'a str],
    /// What counts as naming the agent that answers there.
    pub mentions: &'a Mentions,
    /// Who may give commands.
    pub access: &'a CommandAccess,
    /// Which commands there are.
    pub commands: &'a CommandSettings,
    /// Which reactions are told.
    pub reactions: &'a ReactionNotices,
    /// What somebody chose for the session there.
    pub activation: Activation,
}

/// When an agent answers in a room, as somebody chose with a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    /// Nobody chose.
    #[default]
    AsConfigured,
    /// When it is named.
    Mention,
    /// Always.
    Always,
}

/// Whether a person may talk there, and by which rule.
pub(super) enum TalkPermission {
    /// They may.
    In(Rule),
    /// They may not, but can ask to.
    Stranger(Rule),
    /// They may not.
    Out(Rule),
}

/// What becomes of an event.
#[must_use]
pub fn decide(knock: &AccessRequest<'_>) -> AccessVerdict {
    let inbound = knock.inbound;
    if knock.us.id == Some(&inbound.from.id) {
        return AccessVerdict::Drop { rule: Rule::OwnMessage };
    }
    let room = Room::find(&knock.rules.rooms, &inbound.place);
    if !bots::heard(knock.rules, &room, &inbound.from) {
        return AccessVerdict::Drop { rule: Rule::Bot };
    }
    if inbound.kind == InboundKind::Happening && inbound.place.kind != ChatKind::Direct {
        // Nobody speaks: a member joined, a name changed. The room decides, not the person.
        return match group::place(knock.rules, &room) {
            Some(rule) => AccessVerdict::Drop { rule },
            None => AccessVerdict::Notice { rule: Rule::ToldLater },
        };
    }
    match (entry(knock, &room), inbound.speaks()) {
        // Who is asked can answer, also where they may not talk.
        (TalkPermission::Out(_) | TalkPermission::Stranger(_), true) if command::answers(knock) => {
            admit(knock, &room, Rule::Approver)
        }
        (TalkPermission::Out(rule), _) | (TalkPermission::Stranger(rule), false) => {
            AccessVerdict::Drop { rule }
        }
        (TalkPermission::Stranger(rule), true) => AccessVerdict::Pair { rule },
        (TalkPermission::In(_), false) => notice::decide(knock),
        (TalkPermission::In(rule), true) => admit(knock, &room, rule),
    }
}

fn entry(knock: &AccessRequest<'_>, room: &Room<'_>) -> TalkPermission {
    match (knock.inbound.place.kind, knock.rules.group_dms) {
        (ChatKind::Direct, _) => dm::entry(knock),
        (ChatKind::Group, Some(heard)) => dm::several(knock, room, heard),
        _ => group::entry(knock, room),
    }
}

fn admit(knock: &AccessRequest<'_>, room: &Room<'_>, rule: Rule) -> AccessVerdict {
    let mut rights = command::rights(knock, room);
    rights.may_command |= command::answers(knock);
    let is_room = knock.inbound.place.kind != ChatKind::Direct;
    let gives = command::given(knock);
    if gives.is_some() && !rights.may_command && (is_room || gives == Some(command::Given::Native)) {
        return AccessVerdict::Drop { rule: Rule::CommandNotAllowed };
    }
    let mention = match is_room {
        true => mention::facts(knock, room, gives.is_some() && rights.may_command),
        false => MentionFacts { was_mentioned: true, required: false, detectable: false },
    };
    if mention.required && mention.detectable && !mention.was_mentioned {
        return AccessVerdict::ContextOnly { rule: Rule::NotMentioned };
    }
    AccessVerdict::Admit(AuthorRights {
        standing: if rights.is_owner { SenderRank::Owner } else { SenderRank::Guest },
        commands: rights.who(),
        may_approve: command::may_approve(knock, rights),
        mention,
        room: room.facts(&knock.inbound.from),
        rule,
    })
}
