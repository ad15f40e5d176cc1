//! The section `channels.slack`, targets, signs and signatures.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::channel::{AccountPlan, Capability, ChannelKind as _, ConfigFault, Readiness, Resolver};
use openclaw_types::{
    AllowList, ChatKind, DmPolicy, DraftMode, GroupPolicy, ReactionNotices, ReplyToMode, RoomName, Secret,
    UnixMillis,
};
use serde_json::{Value, json};

use super::super::Slack;
use super::super::signature::{fits, is_recent};
use super::super::target::{PEOPLE, is_id, listed};

/// Secrets stand in sections as they are; variables are given.
struct Given(BTreeMap<&'static str, &'static str>);

impl Resolver for Given {
    fn variable(&self, name: &str) -> Option<Secret<String>> {
        self.0.get(name).map(|value| Secret::new((*value).to_owned()))
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        Err(format!("there is no {path}"))
    }

    fn secret(&self, value: &Value) -> Result<Secret<String>, String> {
        value.as_str().map(|text| Secret::new(text.to_owned())).ok_or_else(|| "not a text".to_owned())
    }
}

fn plans(section: &Value) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
    Slack.accounts(section, &Given(BTreeMap::new()))
}

fn plan(section: &Value) -> AccountPlan {
    let (mut plans, faults) = plans(section);
    assert_eq!(faults, []);
    plans.remove(0)
}

fn ready(mut section: Value) -> AccountPlan {
    section["botToken"] = json!("xoxb-1");
    section["appToken"] = json!("xapp-1");
    plan(&section)
}

#[test]
fn an_account_needs_the_tokens_of_its_mode() {
    assert_eq!(ready(json!({})).ready, Readiness::Ready);
    let missing = |section: Value| plan(&section).ready;
    assert_eq!(
        missing(json!({})),
        Readiness::Missing("set channels.slack.botToken or SLACK_BOT_TOKEN".into())
    );
    assert_eq!(
        missing(json!({ "botToken": "b" })),
        Readiness::Missing("set channels.slack.appToken or SLACK_APP_TOKEN".into())
    );
    assert_eq!(
        missing(json!({ "mode": "http", "accounts": { "work": { "botToken": "b" } } })),
        Readiness::Missing("set channels.slack.accounts.work.signingSecret".into())
    );
    assert_eq!(missing(json!({ "mode": "http", "botToken": "b", "signingSecret": "s" })), Readiness::Ready);
    // A person's token writes only where they say so.
    let person = json!({ "userToken": "u", "appToken": "a" });
    assert!(matches!(missing(person.clone()), Readiness::Missing(_)));
    let mut allowed = person;
    allowed["userTokenReadOnly"] = json!(false);
    assert_eq!(missing(allowed), Readiness::Ready);
}

#[test]
fn variables_stand_in_for_the_default_account_alone() {
    let given = Given(BTreeMap::from([("SLACK_BOT_TOKEN", "b"), ("SLACK_APP_TOKEN", "a")]));
    let (plans, _) = Slack.accounts(&json!({ "accounts": { "default": {}, "other": {} } }), &given);
    let ready: Vec<bool> = plans.iter().map(|plan| plan.ready == Readiness::Ready).collect();
    assert_eq!(ready, [true, false]);
    assert_eq!(plans[0].facts["botTokenSource"], json!("env"));
}

#[test]
fn a_secret_that_is_none_is_reported_where_it_stands() {
    let (_, faults) = plans(&json!({ "accounts": { "work": { "botToken": 5, "appToken": "a" } } }));
    assert_eq!(faults, [ConfigFault { path: "accounts.work.botToken".into(), message: "not a text".into() }]);
}

#[test]
fn secrets_are_in_no_text_and_change_the_fingerprint() {
    let one = ready(json!({}));
    let mut section = json!({ "botToken": "xoxb-2", "appToken": "xapp-1" });
    assert_ne!(plan(&section).fingerprint, one.fingerprint);
    section["botToken"] = json!("xoxb-1");
    section["requireMention"] = json!(false);
    assert_eq!(plan(&section).fingerprint, one.fingerprint);
    assert!(!format!("{:?}{}", one.facts, one.fingerprint).contains("xoxb-1"));
}

#[test]
fn rooms_are_open_to_those_in_them_unless_they_list_people() {
    let door = ready(json!({ "channels": {
        "C0ROOM": { "requireMention": false, "users": ["U0ANA", "slack:u0ben", "Carl"] },
        "#General": { "systemPrompt": "Be brief." },
        "channel:c0off": { "allow": false },
    } }))
    .door;
    assert_eq!(
        (door.group, door.require_mention, door.group_dms),
        (GroupPolicy::Allowlist, true, Some(false))
    );
    let rooms: Vec<_> = door
        .rooms
        .iter()
        .map(|room| (room.room.clone(), room.policy, room.enabled, room.require_mention))
        .collect();
    assert_eq!(
        rooms,
        [
            (RoomName::Id("C0ROOM".into()), Some(GroupPolicy::Open), None, Some(false)),
            (RoomName::Name("general".into()), Some(GroupPolicy::Open), None, None),
            (RoomName::Id("C0OFF".into()), Some(GroupPolicy::Open), Some(false), None),
        ]
    );
    let people = AllowList { ids: vec!["U0ANA".into(), "U0BEN".into()], names: Vec::new() };
    assert_eq!(door.rooms[0].allow_from, Some(people));
}

#[test]
fn without_a_list_of_rooms_there_is_none_and_a_closed_account_stays_closed() {
    assert_eq!(ready(json!({ "allowFrom": ["*"] })).door.group, GroupPolicy::Disabled);
    assert_eq!(ready(json!({ "groupPolicy": "open" })).door.group, GroupPolicy::Open);
    let door = ready(json!({ "groupPolicy": "disabled", "channels": { "C1": {} } })).door;
    assert_eq!((door.group, door.rooms[0].policy), (GroupPolicy::Disabled, None));
    let all =
        ready(json!({ "channels": { "*": { "enabled": false }, "C1": {}, "C2": { "enabled": true } } })).door;
    let enabled: Vec<_> = all.rooms.iter().map(|room| room.enabled).collect();
    assert_eq!(enabled, [Some(false), Some(false), Some(true)]);
}

#[test]
fn older_keys_stand_in_for_newer_ones() {
    let door =
        ready(json!({ "dm": { "policy": "allowlist", "allowFrom": ["U1"], "groupEnabled": true } })).door;
    assert_eq!(
        (door.dm, door.allow_from.ids, door.group_dms),
        (DmPolicy::Allowlist, vec!["U1".into()], Some(true))
    );
    let some = ready(json!({ "dm": { "groupChannels": ["G0MANY", "*"] } })).door.group_dm_rooms;
    assert_eq!(some, [RoomName::Id("G0MANY".into()), RoomName::Any]);
    let door = ready(json!({ "dmPolicy": "open", "dm": { "policy": "disabled", "enabled": true } })).door;
    assert_eq!(door.dm, DmPolicy::Open);
    assert_eq!(ready(json!({ "dm": { "enabled": false } })).door.dm, DmPolicy::Disabled);
    let draft = |section: Value| ready(section).manner.draft;
    assert_eq!(draft(json!({})), DraftMode::Partial);
    assert_eq!(draft(json!({ "streaming": false })), DraftMode::Partial);
    assert_eq!(draft(json!({ "streaming": "off" })), DraftMode::Off);
    assert_eq!(draft(json!({ "streamMode": "status_final" })), DraftMode::Progress);
    assert_eq!(draft(json!({ "streamMode": "append" })), DraftMode::Block);
}

#[test]
fn answers_go_into_threads_as_the_kind_of_conversation_says() {
    let manner = ready(json!({
        "replyToMode": "first", "replyToModeByChatType": { "channel": "all" }, "dm": { "replyToMode": "off" },
        "textChunkLimit": 9000, "reactionNotifications": "allowlist", "reactionAllowlist": ["U1"], "mediaMaxMb": 1,
    }))
    .manner;
    let modes = [ChatKind::Direct, ChatKind::Group, ChatKind::Channel].map(|kind| manner.reply_mode(kind));
    assert_eq!(modes, [ReplyToMode::Off, ReplyToMode::First, ReplyToMode::All]);
    assert_eq!((manner.text_limit, manner.media_bytes, manner.tags_when_off), (4_000, 1024 * 1024, false));
    assert_eq!(manner.reactions, ReactionNotices::From(vec!["U1".into()]));
    assert_eq!(manner.coalesce.map(|coalesce| coalesce.idle), Some(Duration::from_secs(1)));
}

#[test]
fn threads_begin_with_the_conversation_above_them_where_that_is_wished() {
    let inherits = |thread: Value| ready(json!({ "thread": thread })).manner.threads_inherit;
    assert_eq!([json!({}), json!({ "inheritParent": true })].map(inherits), [false, true]);
}

#[test]
fn targets_are_read_as_people_write_them() {
    for (written, read) in [
        ("user:U0ANA", "user:U0ANA"),
        ("slack:U0ANA", "user:U0ANA"),
        ("slack:channel:C0ROOM", "channel:C0ROOM"),
        ("<@U0ANA>", "user:U0ANA"),
        ("<#C0ROOM|room>", "channel:C0ROOM"),
        ("@u0ana", "user:U0ANA"),
        ("C0ROOM", "channel:C0ROOM"),
        ("channel:c0room", "channel:C0ROOM"),
        ("D0ANA", "channel:D0ANA"),
        ("#general", "channel:#general"),
        ("channel:general", "channel:#general"),
        (" general ", "channel:#general"),
        ("ephemeral:C0ROOM:U0ANA", "ephemeral:C0ROOM:U0ANA"),
    ] {
        assert_eq!(Slack.target(written).as_deref(), Ok(read), "{written}");
        assert_eq!(Slack.target(read).as_deref(), Ok(read), "{read}");
    }
    for wrong in ["", "@ana", "user:ana", "a room", "ephemeral:C1", "ephemeral:x:y"] {
        assert!(Slack.target(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn ids_are_told_from_names() {
    for (text, expected) in
        [("U0ANA", true), ("u0ana", true), ("UABC", true), ("wolfgang", false), ("U", false), ("U 1", false)]
    {
        assert_eq!(is_id(text, PEOPLE), expected, "{text}");
    }
    assert_eq!(listed("Slack:<@u0ana>"), Some("U0ANA".into()));
    assert_eq!(listed("ana"), None);
}

#[test]
fn signatures_are_checked_as_slack_documents_them() {
    // The example of Slack's own documentation.
    let secret = Secret::new("8f742231b10e8888abcd99yyyzzz85a5".to_owned());
    let body =
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&\
channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&\
response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&\
trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    let signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    assert!(fits(&secret, "1531420618", body, signature));
    assert!(!fits(&secret, "1531420619", body, signature));
    assert!(!fits(&secret, "1531420618", &body[1..], signature));
    for wrong in
        ["", "v0=", "v0=zz", "a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503", "v1=a2"]
    {
        assert!(!fits(&secret, "1531420618", body, wrong), "{wrong}");
    }
    let now = UnixMillis(1_531_420_618_000);
    for (time, expected) in [
        ("1531420618", true),
        ("1531420318", true),
        ("1531420317", false),
        ("1531420919", false),
        ("+1531420618", false),
        ("x", false),
        ("", false),
    ] {
        assert_eq!(is_recent(time, now), expected, "{time}");
    }
}

#[test]
fn what_is_declared_names_both_ways_in() {
    let declared = Slack.descriptor().capabilities;
    assert!(declared.contains(&Capability::Receive) && declared.contains(&Capability::Webhook));
}

#[test]
fn threads_hear_their_room_only_where_the_scope_says_so() {
    let fingerprint = |scope: &str| ready(json!({ "thread": { "historyScope": scope } })).fingerprint;
    assert_ne!(fingerprint("thread"), fingerprint("channel"), "a change makes the line anew");
    assert_eq!(fingerprint("thread"), ready(json!({})).fingerprint, "each thread hears itself");
}
