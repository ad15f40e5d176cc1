//! Direct chats: with one person, and with several where the platform has such chats.

use openclaw_types::DmPolicy;

use super::decide::{AccessRequest, TalkPermission};
use super::room::Room;
use super::{Rule, allow, room};

/// Whether somebody may write to us alone.
pub(super) fn entry(knock: &AccessRequest<'_>) -> TalkPermission {
    let rules = knock.rules;
    let person = &knock.inbound.from;
    if rules.dm == DmPolicy::Disabled {
        return TalkPermission::Out(Rule::DmDisabled);
    }
    if rules.dm == DmPolicy::Open && allow::everybody(&rules.allow_from) {
        return TalkPermission::In(Rule::DmOpen);
    }
    if allow::lists(&rules.allow_from, person) {
        return TalkPermission::In(Rule::DmListed);
    }
    // A list that is meant to be complete is not widened by codes of earlier days.
    if rules.dm != DmPolicy::Allowlist && is_paired(knock) {
        return TalkPermission::In(Rule::DmPaired);
    }
    match rules.dm {
        // Programs do not wait for somebody to approve them; they would only use up the places of people.
        DmPolicy::Pairing if person.bot => TalkPermission::Out(Rule::Bot),
        DmPolicy::Pairing => TalkPermission::Stranger(Rule::DmStranger),
        DmPolicy::Open => TalkPermission::Out(Rule::DmOpenWithoutStar),
        DmPolicy::Allowlist | DmPolicy::Disabled => TalkPermission::Out(Rule::DmNotListed),
    }
}

/// Whether somebody may write in a direct chat with several people. Nobody is given a code there: others would read it.
pub(super) fn several(knock: &AccessRequest<'_>, room: &Room<'_>, heard: bool) -> TalkPermission {
    if !heard {
        return TalkPermission::Out(Rule::GroupDmOff);
    }
    if room.is_off() {
        return TalkPermission::Out(Rule::RoomOff);
    }
    let listed = &knock.rules.group_dm_rooms;
    if !listed.is_empty() && !listed.iter().any(|name| room::names(name, &knock.inbound.place)) {
        return TalkPermission::Out(Rule::RoomNotListed);
    }
    match entry(knock) {
        TalkPermission::Stranger(_) => TalkPermission::Out(Rule::DmNotListed),
        decided => decided,
    }
}

/// Whether somebody was let in by a code.
pub(super) fn is_paired(knock: &AccessRequest<'_>) -> bool {
    knock.paired.iter().any(|id| allow::same(id, knock.inbound.from.id.as_str()))
}
