//! `groupPolicy`, `dm.*` and `guilds.*` in neutral words.
//!
//! A guild that is listed is open to all who are there, unless it or a room of it names people or roles. Rooms below a
//! guild are a list: with any there, the others are closed. Nobody talks to us in a guild because of `allowFrom` alone.

use openclaw_types::{AllowList, DmPolicy, DoorRules, GroupPolicy, RoomName, RoomRule};
use serde_json::{Map, Value};

use super::super::{destination, pluralkit};
use crate::shared::{AccountSection, approvals, door, room_common};

/// Who may talk to an account.
pub(super) fn rules(account: &AccountSection) -> DoorRules {
    let mut door = door(&with_dm(account), &anybody);
    if account.at("dm.enabled").and_then(Value::as_bool) == Some(false) {
        door.dm = DmPolicy::Disabled;
    }
    door.group_dms = Some(account.at("dm.groupEnabled").and_then(Value::as_bool).unwrap_or(false));
    let rooms = account.at("dm.groupChannels").map(texts).unwrap_or_default();
    door.group_dm_rooms = rooms.iter().map(|room| room_name(room)).collect();
    let names = account.switch("dangerouslyAllowNameMatching").unwrap_or(false);
    let guilds = account.settings.get("guilds").and_then(Value::as_object);
    let open = (door.group != GroupPolicy::Disabled).then_some(GroupPolicy::Open);
    door.rooms =
        guilds.into_iter().flatten().map(|(key, guild)| guild_rule(key, guild, names, open)).collect();
    if door.group == GroupPolicy::Open && !door.rooms.is_empty() {
        // With guilds listed, the others are closed under `open` too.
        door.group = GroupPolicy::Allowlist;
    }
    door.group_allow_from = Some(AllowList::default());
    door.require_mention = true;
    door.approvals = approvals(account, &destination::listed);
    door
}

/// An entry of a list as an id of the platform or of PluralKit; nothing for a name.
fn anybody(entry: &str) -> Option<String> {
    pluralkit::listed(entry).or_else(|| destination::listed(entry))
}

/// The guilds with names to look up, their own or of rooms in them; none where names count as they are.
pub(super) fn named(account: &AccountSection) -> Vec<(RoomName, Vec<String>)> {
    let door = rules(account);
    let called = |room: &RoomName| match room {
        RoomName::Name(name) => Some(name.clone()),
        _ => None,
    };
    let guilds = door.rooms.iter().filter(|_| !door.names_count);
    guilds
        .map(|guild| {
            (&guild.room, guild.children.iter().filter_map(|room| called(&room.room)).collect::<Vec<_>>())
        })
        .filter(|(guild, rooms)| called(guild).is_some() || !rooms.is_empty())
        .map(|(guild, rooms)| (guild.clone(), rooms))
        .collect()
}

/// `dm.policy` and `dm.allowFrom` are older names of `dmPolicy` and `allowFrom`.
fn with_dm(account: &AccountSection) -> AccountSection {
    let mut account = account.clone();
    for (new, old) in [("dmPolicy", "dm.policy"), ("allowFrom", "dm.allowFrom")] {
        if account.settings.get(new).is_none_or(Value::is_null)
            && let Some(value) = account.at(old).cloned()
        {
            account.settings.insert(new.to_owned(), value);
        }
    }
    account
}

fn guild_rule(key: &str, guild: &Value, names: bool, policy: Option<GroupPolicy>) -> RoomRule {
    let rooms = guild.get("channels").and_then(Value::as_object);
    RoomRule {
        children: rooms.into_iter().flatten().map(|(key, room)| room_rule(key, room, names)).collect(),
        policy,
        ..room_rule(key, guild, names)
    }
}

fn room_rule(key: &str, room: &Value, names: bool) -> RoomRule {
    let mut fields = room.as_object().cloned().unwrap_or_default();
    people(&mut fields);
    let closed = [fields.get("allow"), fields.get("enabled")].contains(&Some(&Value::Bool(false)));
    let roles: Vec<String> = fields.get("roles").map(texts).unwrap_or_default();
    let everybody = roles.iter().any(|role| role == "*");
    if everybody {
        fields.insert("allowFrom".to_owned(), Value::from(vec!["*"]));
    }
    let common = room_common(&Value::Object(fields), names, &anybody);
    RoomRule {
        room: room_name(key),
        enabled: if closed { Some(false) } else { common.enabled },
        roles: if everybody { Vec::new() } else { roles },
        ..common
    }
}

/// `users` are the people; an empty list says nothing.
fn people(fields: &mut Map<String, Value>) {
    fields.remove("groupPolicy");
    match fields.remove("users") {
        Some(Value::Array(users)) if !users.is_empty() => {
            fields.insert("allowFrom".to_owned(), Value::Array(users));
        }
        _ => {
            fields.remove("allowFrom");
        }
    }
}

/// How a setting names a guild or a room: by id, by name, or all.
pub(super) fn room_name(key: &str) -> RoomName {
    let key = key.trim();
    let bare = key.strip_prefix("channel:").unwrap_or(key);
    if key == "*" {
        RoomName::Any
    } else if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit()) {
        RoomName::Id(bare.to_owned())
    } else {
        RoomName::Name(slug(bare))
    }
}

/// A name as settings write it: lower case, words joined by dashes.
pub(in super::super) fn slug(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.trim().trim_start_matches('#').to_lowercase().chars() {
        if letter.is_alphanumeric() || letter == '_' {
            out.push(letter);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_matches('-').to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    let read = |entry: &Value| match entry {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let found = value.as_array().into_iter().flatten().filter_map(read);
    found
        .map(|text| text.strip_prefix("role:").map(str::to_owned).unwrap_or(text))
        .filter(|text| !text.is_empty())
        .collect()
}
