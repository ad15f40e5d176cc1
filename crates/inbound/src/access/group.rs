//! Rooms: whether we are there, and whether this person may talk to us there.

use openclaw_types::{DoorRules, GroupPolicy};

use super::decide::{AccessRequest, TalkPermission};
use super::room::{Room, RoomListing};
use super::{Rule, allow};

/// Why we are not in a room; nothing when we are.
pub(super) fn place(rules: &DoorRules, room: &Room<'_>) -> Option<Rule> {
    if policy(rules, room) == GroupPolicy::Disabled {
        return Some(Rule::GroupDisabled);
    }
    if room.is_off() {
        return Some(Rule::RoomOff);
    }
    match (rules.group, room.listing()) {
        (GroupPolicy::Allowlist, RoomListing::Missing) => Some(Rule::RoomNotListed),
        _ => None,
    }
}

/// Whether somebody may talk to us in a room.
pub(super) fn entry(knock: &AccessRequest<'_>, room: &Room<'_>) -> TalkPermission {
    let rules = knock.rules;
    if let Some(rule) = place(rules, room) {
        return TalkPermission::Out(rule);
    }
    if let Some(entry) = own_list(knock, room) {
        return entry;
    }
    if policy(rules, room) == GroupPolicy::Open {
        return TalkPermission::In(Rule::GroupOpen);
    }
    let list = rules.group_allow_from.as_ref().unwrap_or(&rules.allow_from);
    if allow::is_empty(list) {
        return TalkPermission::Out(Rule::GroupListEmpty);
    }
    match allow::lists(list, &knock.inbound.from) {
        true => TalkPermission::In(Rule::GroupListed),
        false => TalkPermission::Out(Rule::GroupNotListed),
    }
}

/// What the list of the room itself says; nothing when it has none.
fn own_list(knock: &AccessRequest<'_>, room: &Room<'_>) -> Option<TalkPermission> {
    let person = &knock.inbound.from;
    let (people, roles) = (room.allow_from(), room.roles());
    if people.is_none() && roles.is_empty() {
        return None;
    }
    if people.is_some_and(|list| allow::lists(list, person)) {
        return Some(TalkPermission::In(Rule::RoomListed));
    }
    match person.roles.iter().any(|role| roles.contains(role)) {
        true => Some(TalkPermission::In(Rule::RoomRole)),
        false => Some(TalkPermission::Out(Rule::RoomNotForPerson)),
    }
}

fn policy(rules: &DoorRules, room: &Room<'_>) -> GroupPolicy {
    room.policy().unwrap_or(rules.group)
}
