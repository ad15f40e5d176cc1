//! Who may talk to an account and how it writes: the keys of `channels.slack` in neutral words.
//!
//! Rooms that are listed are open to all who are in them unless they have a list of people; with `allowlist` and no list
//! of rooms there is none. Older keys (`dm.policy`, `dm.allowFrom`, `streamMode`) stand in where the newer ones are not
//! set.

use std::time::Duration;

use openclaw_types::{
    ChatKind, Coalesce, DmPolicy, DoorRules, DraftMode, GroupPolicy, ReplyToMode, RoomName, RoomRule,
    WritingRules,
};
use serde_json::{Map, Value};

use super::TEXT_LIMIT;
use super::target::{ROOMS, is_id, listed};
use crate::shared::{self, AccountSection, room_common};

/// The biggest file that is taken unless an account says otherwise.
const MEDIA_BYTES: u64 = 20 * 1024 * 1024;

/// Who may talk.
pub(super) fn door(account: &AccountSection) -> DoorRules {
    let mut rules = shared::door(&with_older_keys(account), &listed);
    let switch = |path: &str| account.at(path).and_then(Value::as_bool);
    if switch("dm.enabled") == Some(false) {
        rules.dm = DmPolicy::Disabled;
    }
    rules.group_dms = Some(switch("dm.groupEnabled").unwrap_or(false));
    let entries = account.at("dm.groupChannels").and_then(Value::as_array);
    rules.group_dm_rooms = entries.into_iter().flatten().filter_map(Value::as_str).map(room_name).collect();
    rules.rooms = rooms(account);
    if rules.group == GroupPolicy::Allowlist && rules.rooms.is_empty() {
        rules.group = GroupPolicy::Disabled;
    }
    if rules.group == GroupPolicy::Disabled {
        rules.rooms.iter_mut().for_each(|room| room.policy = None);
    }
    rules
}

/// How it writes.
pub(super) fn manner(account: &AccountSection) -> WritingRules {
    let usual = WritingRules {
        draft: DraftMode::Partial,
        coalesce: Some(Coalesce { least: 1500, most: TEXT_LIMIT, idle: Duration::from_secs(1) }),
        media_bytes: MEDIA_BYTES,
        // An answer in a thread is hidden from the conversation, so the setting has the last word.
        tags_when_off: false,
        threads_inherit: account.at("thread.inheritParent").and_then(Value::as_bool).unwrap_or(false),
        // Only where the account itself asks for them, whatever agents are set to.
        blocks: Some(false),
        ..WritingRules::with_limit(TEXT_LIMIT)
    };
    let mut manner = shared::manner(&with_older_keys(account), usual);
    manner.reply_to = reply_to(account);
    manner
}

/// Which messages of an answer go into a thread, by kind of conversation.
pub(super) fn reply_to(account: &AccountSection) -> Vec<(ChatKind, ReplyToMode)> {
    let mode = |path: &str| {
        account.at(path).and_then(|value| serde_json::from_value::<ReplyToMode>(value.clone()).ok())
    };
    let general = mode("replyToMode");
    let of = |word: &str, older: Option<ReplyToMode>| {
        mode(&format!("replyToModeByChatType.{word}")).or(older).or(general).unwrap_or_default()
    };
    vec![
        (ChatKind::Direct, of("direct", mode("dm.replyToMode"))),
        (ChatKind::Group, of("group", None)),
        (ChatKind::Channel, of("channel", None)),
    ]
}

/// Whether answers are shown with Slack's own streams. A switch under `streaming` once meant this.
pub(super) fn native_streams(account: &AccountSection) -> bool {
    account.switch("nativeStreaming").or_else(|| account.switch("streaming")).unwrap_or(true)
}

/// The account with its older keys under their newer names.
fn with_older_keys(account: &AccountSection) -> AccountSection {
    let mut newer = account.clone();
    for (key, path) in [("dmPolicy", "dm.policy"), ("allowFrom", "dm.allowFrom")] {
        if newer.settings.get(key).is_none_or(Value::is_null)
            && let Some(value) = account.at(path)
        {
            newer.settings.insert(key.to_owned(), value.clone());
        }
    }
    let older = account.text("streamMode").and_then(|word| match word {
        "replace" => Some("partial"),
        "status_final" => Some("progress"),
        "append" => Some("block"),
        _ => None,
    });
    // What a switch says is whether Slack's own streams are used, not whether anything is shown.
    let written = newer.settings.get("streaming").is_some_and(Value::is_string);
    if !written {
        newer.settings.remove("streaming");
        newer.settings.remove("streamMode");
        newer.settings.extend(older.map(|word| ("streaming".to_owned(), Value::from(word))));
    }
    newer
}

/// The names that rules have for rooms, where names do not count as they are.
pub(super) fn named(account: &AccountSection) -> Vec<String> {
    let rules = door(account);
    let all = rules.rooms.into_iter().map(|rule| rule.room).chain(rules.group_dm_rooms);
    let name = |room: RoomName| match room {
        RoomName::Name(name) if !rules.names_count => Some(name),
        _ => None,
    };
    all.filter_map(name).collect()
}

fn rooms(account: &AccountSection) -> Vec<RoomRule> {
    let Some(rooms) = account.settings.get("channels").and_then(Value::as_object) else { return Vec::new() };
    let names = account.switch("dangerouslyAllowNameMatching").unwrap_or(false);
    rooms.iter().map(|(name, rule)| room(name, rule, rooms, names)).collect()
}

fn room(name: &str, rule: &Value, all: &Map<String, Value>, names: bool) -> RoomRule {
    let mut settings = rule.clone();
    // The people of a room stand under another name here.
    if let Some(map) = settings.as_object_mut()
        && let Some(users) = map.remove("users")
        && users.as_array().is_some_and(|users| !users.is_empty())
    {
        map.insert("allowFrom".to_owned(), users);
    }
    let mut read = room_common(&settings, names, &listed);
    // A room that does not say whether we are there is as all rooms are.
    let switch = |rule: &Value| ["enabled", "allow"].iter().find_map(|key| rule.get(*key)?.as_bool());
    read.enabled = read.enabled.or_else(|| all.get("*").and_then(switch));
    RoomRule { room: room_name(name), policy: Some(GroupPolicy::Open), ..read }
}

fn room_name(name: &str) -> RoomName {
    let bare = name.trim();
    let bare =
        bare.get(..8).filter(|head| head.eq_ignore_ascii_case("channel:")).map_or(bare, |_| &bare[8..]);
    match bare.trim_start_matches('#') {
        "*" => RoomName::Any,
        id if is_id(id, ROOMS) => RoomName::Id(id.to_uppercase()),
        other => RoomName::Name(other.to_lowercase()),
    }
}
