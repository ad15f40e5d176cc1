//! Targets as people write them, settings as rules, switches of the manner.

use openclaw_ports::channel::{ChannelKind as _, Readiness, Resolver};
use openclaw_testkit::AsWritten;
use openclaw_types::{DmPolicy, GroupPolicy, ReplyToMode, RoomName, RoomRule, Secret};
use serde_json::{Value, json};

use crate::discord::Discord;

fn check(text: &str, expected: Result<&str, &str>) {
    match (Discord.target(text), expected) {
        (Ok(read), Ok(expected)) => assert_eq!(read, expected),
        (Err(said), Err(part)) => assert!(said.contains(part), "{said}"),
        (read, expected) => panic!("{text}: {read:?}, not {expected:?}"),
    }
}

#[test]
fn targets_as_people_write_them() {
    check("channel:12", Ok("channel:12"));
    check("Channel: 12", Ok("channel:12"));
    check("discord:channel:12", Ok("channel:12"));
    check("user:12", Ok("user:12"));
    check("discord:12", Ok("user:12"));
    check("<@12>", Ok("user:12"));
    check("<@!12>", Ok("user:12"));
    check("@12", Ok("user:12"));
    check("<#12>", Ok("channel:12"));
    check("channel:12:thread:34", Ok("channel:12:thread:34"));
    check("user:12:interaction:34", Ok("user:12:interaction:34"));
    check("12", Err("user:12 or channel:12"));
    check("#general", Err("channel:<id>"));
    check("channel:12:thread:x", Err("no Discord target"));
    check("channel:../users", Err("no Discord target"));
    check("", Err("no Discord target"));
}

fn door(section: Value) -> openclaw_types::DoorRules {
    Discord.accounts(&section, &AsWritten).0.remove(0).door
}

#[test]
fn guilds_and_rooms_become_rules() {
    let door = door(json!({
        "token": "t", "dm": { "policy": "open", "allowFrom": ["*"], "groupEnabled": true },
        "guilds": {
            "123456789012345678": {
                "requireMention": false, "users": [1, "user:2", "ana"], "roles": ["3"],
                "channels": {
                    "456": { "allow": true, "systemPrompt": "Be brief.", "skills": ["search"] },
                    "general": { "allow": false, "enabled": true },
                    "*": { "users": [] }
                }
            },
            "friends of claw": { "roles": ["*"] }
        }
    }));
    assert_eq!((door.dm, door.group, door.group_dms), (DmPolicy::Open, GroupPolicy::Allowlist, Some(true)));
    assert_eq!(door.allow_from.ids, ["*"]);
    assert!(door.group_allow_from.is_some_and(|list| list.ids.is_empty()));
    let guild = &door.rooms[0];
    assert_eq!(guild.room, RoomName::Id("123456789012345678".to_owned()));
    assert_eq!((guild.policy, guild.require_mention), (Some(GroupPolicy::Open), Some(false)));
    assert_eq!(guild.allow_from.as_ref().unwrap().ids, ["1", "2"]);
    assert_eq!(guild.roles, ["3"]);
    let room = |name: &RoomName| guild.children.iter().find(|child| child.room == *name).unwrap();
    let listed = room(&RoomName::Id("456".to_owned()));
    assert_eq!((listed.enabled, listed.system_prompt.as_deref()), (Some(true), Some("Be brief.")));
    assert_eq!(listed.skills.as_deref(), Some(["search".to_owned()].as_slice()));
    assert_eq!(room(&RoomName::Name("general".to_owned())).enabled, Some(false));
    assert_eq!(*room(&RoomName::Any), RoomRule { room: RoomName::Any, ..RoomRule::default() });
    assert_eq!(door.rooms[1].room, RoomName::Name("friends-of-claw".to_owned()));
    assert_eq!(door.rooms[1].allow_from.as_ref().unwrap().ids, ["*"]);
}

#[test]
fn chats_with_several_people_may_be_listed() {
    let listed =
        door(json!({ "dm": { "groupEnabled": true, "groupChannels": [123, "456", "*", "Friends"] } }));
    let id = |id: &str| RoomName::Id(id.to_owned());
    let named = RoomName::Name("friends".to_owned());
    assert_eq!(listed.group_dm_rooms, [id("123"), id("456"), RoomName::Any, named]);
}

#[test]
fn an_account_does_not_take_the_sections_token_unless_it_is_the_default() {
    let ready = |section: Value| {
        let (plans, faults) = Discord.accounts(&section, &AsWritten);
        assert_eq!(faults, []);
        let word = |ready: &Readiness| *ready == Readiness::Ready;
        plans.iter().map(|plan| (plan.id.to_string(), word(&plan.ready))).collect::<Vec<_>>()
    };
    let row = |id: &str, is_ready: bool| (id.to_owned(), is_ready);
    assert_eq!(
        ready(json!({ "token": "t", "accounts": { "work": {} } })),
        [row("default", true), row("work", false)]
    );
    assert_eq!(
        ready(json!({ "token": "t", "accounts": { "default": {}, "work": { "token": "u" } } })),
        [row("default", true), row("work", true)]
    );
    assert_eq!(
        ready(json!({ "accounts": { "a": { "token": "t" }, "b": { "token": "Bot t" } } })),
        [row("a", true), row("b", false)]
    );
}

#[test]
fn listed_guilds_close_the_others_and_a_policy_of_nobody_stays() {
    let guilds = json!({ "1": {} });
    assert_eq!(door(json!({ "groupPolicy": "open", "guilds": guilds })).group, GroupPolicy::Allowlist);
    assert_eq!(door(json!({ "groupPolicy": "open" })).group, GroupPolicy::Open);
    let nobody = door(json!({ "groupPolicy": "disabled", "guilds": guilds, "dm": { "enabled": false } }));
    assert_eq!(
        (nobody.group, nobody.dm, nobody.rooms[0].policy),
        (GroupPolicy::Disabled, DmPolicy::Disabled, None)
    );
}

#[test]
fn the_manner_has_the_platforms_defaults() {
    let plans = |section: Value| Discord.accounts(&section, &AsWritten).0;
    let usual = plans(json!({ "token": "t" })).remove(0).manner;
    assert_eq!((usual.text_limit, usual.line_limit, usual.history.group), (2000, Some(17), Some(20)));
    assert_eq!(
        (usual.media_bytes, usual.reply_mode(openclaw_types::ChatKind::Channel)),
        (8 << 20, ReplyToMode::Off)
    );
    let said = plans(json!({
        "token": "t", "maxLinesPerMessage": 40, "replyToMode": "first", "historyLimit": 0, "textChunkLimit": 9000
    }));
    let said = &said[0].manner;
    assert_eq!((said.text_limit, said.line_limit, said.history.group), (2000, Some(40), Some(0)));
    assert_eq!(said.reply_mode(openclaw_types::ChatKind::Direct), ReplyToMode::First);
}

struct InEnvironment;

impl Resolver for InEnvironment {
    fn variable(&self, name: &str) -> Option<Secret<String>> {
        (name == "DISCORD_BOT_TOKEN").then(|| Secret::new("Bot from-the-environment".to_owned()))
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        Err(format!("there is no {path}"))
    }

    fn secret(&self, _value: &Value) -> Result<Secret<String>, String> {
        Err("it is locked".to_owned())
    }
}

#[test]
fn the_token_comes_from_the_section_else_from_the_environment() {
    let source = |section: Value, resolver: &dyn Resolver| {
        let (plans, faults) = Discord.accounts(&section, resolver);
        let plan = &plans[0];
        (plan.facts["tokenSource"].clone(), plan.ready.clone(), plan.account.is_some(), faults.len())
    };
    assert_eq!(source(json!({ "token": "t" }), &AsWritten), (json!("config"), Readiness::Ready, true, 0));
    assert_eq!(source(json!({}), &InEnvironment), (json!("env"), Readiness::Ready, true, 0));
    for nothing in ["Bot", " Bot \t"] {
        assert_eq!(source(json!({ "token": nothing }), &AsWritten).0, json!("none"));
    }
    assert_eq!(source(json!({ "token": "Bottle" }), &AsWritten).0, json!("config"));
    let (from, ready, _, faults) = source(json!({ "token": { "file": "x" } }), &InEnvironment);
    assert_eq!((from, faults), (json!("none"), 1));
    assert!(matches!(ready, Readiness::Missing(what) if what.contains("channels.discord.token")));
}

#[test]
fn a_reload_leaves_the_line_alone_unless_it_depends_on_the_change() {
    let print = |section: Value| Discord.accounts(&section, &AsWritten).0.remove(0).fingerprint;
    let usual = print(json!({ "token": "t" }));
    assert_eq!(usual, print(json!({ "token": "t", "allowFrom": [1], "replyToMode": "all" })));
    let guild = |rules: Value| print(json!({ "token": "t", "guilds": { "1": rules } }));
    assert_eq!(guild(json!({})), guild(json!({ "users": ["2"], "systemPrompt": "Be brief." })));
    assert_ne!(guild(json!({})), guild(json!({ "reactionNotifications": "all" })));
    assert_ne!(usual, print(json!({ "token": "u" })));
    assert_ne!(usual, print(json!({ "token": "t", "status": "idle" })));
}

#[test]
fn those_who_are_asked_about_commands_are_named_by_id() {
    use openclaw_types::{ApprovalRules, AskAt};
    let asked = |written: Value| door(json!({ "token": "t", "execApprovals": written })).approvals;
    let all = json!({
        "enabled": true, "approvers": [7, "user:8", "*", "ana"], "agentFilter": ["main"],
        "sessionFilter": ["discord"], "cleanupAfterResolve": true, "target": "both",
    });
    let expected = ApprovalRules {
        approvers: vec!["7".to_owned(), "8".to_owned()],
        agents: vec!["main".to_owned()],
        sessions: vec!["discord".to_owned()],
        ask: AskAt::Both,
        tidy: true,
    };
    assert_eq!(asked(all), Some(expected));
    let plain = ApprovalRules { approvers: vec!["7".to_owned()], ..ApprovalRules::default() };
    assert_eq!(asked(json!({ "enabled": true, "approvers": [7] })), Some(plain));
    for nobody in [
        json!({ "approvers": [7] }),
        json!({ "enabled": false, "approvers": [7] }),
        json!({ "enabled": true }),
        json!({ "enabled": true, "approvers": ["*", "ana"] }),
    ] {
        assert_eq!(asked(nobody.clone()), None, "{nobody}");
    }
}
