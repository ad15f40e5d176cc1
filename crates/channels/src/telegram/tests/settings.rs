//! The section as people write it.

use openclaw_ports::channel::{AccountPlan, ChannelKind as _, ConfigFault, Readiness, Resolver};
use openclaw_types::{BreakPreference, DmPolicy, DraftChunk, DraftMode, GroupPolicy, RoomName, Secret};
use serde_json::{Value, json};

use super::super::Telegram;
use super::super::config::{ButtonScope, accounts};

/// A machine with a variable and a file.
struct Machine;

impl Resolver for Machine {
    fn variable(&self, name: &str) -> Option<Secret<String>> {
        (name == "TELEGRAM_BOT_TOKEN").then(|| Secret::new("9:from-variable".to_owned()))
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        match path {
            "/token" => Ok(Secret::new("8:from-file".to_owned())),
            _ => Err(format!("{path} is not there")),
        }
    }

    fn secret(&self, value: &Value) -> Result<Secret<String>, String> {
        value.as_str().map(|text| Secret::new(text.to_owned())).ok_or_else(|| "not a text".to_owned())
    }
}

fn read(section: Value) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
    accounts(&section, &Machine)
}

fn sources(section: Value) -> Vec<(String, Value, bool)> {
    let (plans, _) = read(section);
    plans
        .into_iter()
        .map(|plan| (plan.id.to_string(), plan.facts["tokenSource"].clone(), plan.account.is_some()))
        .collect()
}

#[test]
fn a_token_comes_from_a_file_the_section_or_the_environment_and_is_not_inherited() {
    let one = |id: &str, source: &str, ready: bool| (id.to_owned(), json!(source), ready);
    assert_eq!(sources(json!({})), [one("default", "env", true)]);
    assert_eq!(sources(json!({ "botToken": "1:a" })), [one("default", "config", true)]);
    assert_eq!(
        sources(json!({ "botToken": "1:a", "tokenFile": "/token" })),
        [one("default", "tokenFile", true)]
    );
    assert_eq!(
        sources(json!({ "botToken": "1:a", "accounts": { "work": {}, "home": { "botToken": "2:b" } } })),
        [one("default", "config", true), one("work", "none", false), one("home", "config", true)]
    );
    let (plans, faults) = read(json!({ "tokenFile": "/gone" }));
    assert!(plans[0].account.is_none());
    assert_eq!(faults, [ConfigFault { path: "tokenFile".into(), message: "/gone is not there".into() }]);
}

#[test]
fn two_accounts_cannot_have_one_bot() {
    let (plans, _) = read(json!({ "accounts": { "a": { "botToken": "1:x" }, "b": { "botToken": "1:x" } } }));
    assert!(plans[0].account.is_some() && plans[1].account.is_none());
    let Readiness::Missing(why) = &plans[1].ready else { panic!("{:?}", plans[1].ready) };
    assert!(why.contains("\"a\"") && !why.contains("1:x"), "{why}");
}

#[test]
fn a_webhook_needs_a_secret() {
    let section = |secret: Value| json!({ "botToken": "1:x", "webhookUrl": "https://a.example/hook", "webhookSecret": secret });
    for secret in [Value::Null, json!(""), json!("no spaces"), json!("a".repeat(257))] {
        let (plans, faults) = read(section(secret));
        assert!(plans[0].account.is_none() && matches!(plans[0].ready, Readiness::Missing(_)));
        assert_eq!(faults[0].path, "webhookSecret");
    }
    let (plans, faults) = read(section(json!("Right_1-2")));
    assert_eq!((plans[0].ready.clone(), faults), (Readiness::Ready, Vec::new()));
    assert_eq!(
        (&plans[0].facts["mode"], &plans[0].facts["webhookPath"]),
        (&json!("webhook"), &json!("/telegram-webhook"))
    );
    let both = json!({
        "webhookUrl": "https://a.example/hook", "webhookSecret": "s",
        "accounts": { "a": { "botToken": "1:x" }, "b": { "botToken": "2:y" }, "c": { "botToken": "3:z", "webhookPath": "c" } }
    });
    let (plans, faults) = read(both);
    let ready: Vec<bool> = plans.iter().map(|plan| plan.account.is_some()).collect();
    assert_eq!((ready, faults.len()), (vec![true, false, true], 1));
}

#[test]
fn rules_of_groups_and_topics_are_read() {
    let (plans, faults) = read(json!({
        "botToken": "1:x", "dmPolicy": "allowlist", "allowFrom": ["tg:12", 34, "@name"], "groupPolicy": "open",
        "groups": {
            "*": { "requireMention": true },
            "-1001": { "requireMention": false, "groupPolicy": "open", "topics": { "4": { "enabled": false, "skills": [] } } }
        }
    }));
    assert_eq!(faults, []);
    let door = &plans[0].door;
    assert_eq!((door.dm, door.group), (DmPolicy::Allowlist, GroupPolicy::Open));
    assert_eq!(door.allow_from.ids, ["12", "34"]);
    let all = door.rooms.iter().find(|rule| rule.room == RoomName::Any).expect("the rule for all");
    assert_eq!(all.require_mention, Some(true));
    let room = door.rooms.iter().find(|rule| rule.room == RoomName::Id("-1001".into())).expect("the room");
    assert_eq!((room.require_mention, room.policy), (Some(false), Some(GroupPolicy::Open)));
    let topic = &room.children[0];
    assert_eq!(
        (&topic.room, topic.enabled, topic.skills.as_ref().map(Vec::len)),
        (&RoomName::Id("4".into()), Some(false), Some(0))
    );
}

#[test]
fn how_an_account_writes_is_read() {
    let (plans, _) = read(json!({
        "botToken": "1:x", "streaming": "progress", "textChunkLimit": 9000, "mediaMaxMb": 7, "linkPreview": true,
        "defaultTo": -1001, "ackReaction": "",
        "draftChunk": { "minChars": 50, "maxChars": 90, "breakPreference": "sentence" }
    }));
    let manner = &plans[0].manner;
    assert_eq!(
        (manner.draft, manner.text_limit, manner.media_bytes),
        (DraftMode::Partial, 4000, 7 * 1024 * 1024)
    );
    let chunk = DraftChunk { least: 50, most: 90, prefer: BreakPreference::Sentence };
    assert_eq!(manner.draft_chunk, chunk);
    assert_eq!((manner.link_preview, manner.ack_reaction.as_deref()), (true, Some("")));
    assert_eq!(plans[0].default_to.as_deref(), Some("-1001"));
    let (plans, _) = read(json!({ "botToken": "1:x" }));
    assert!(!plans[0].manner.link_preview, "a preview is fetched without anybody's click");
}

#[test]
fn a_line_is_made_again_only_where_its_own_settings_change() {
    let print = |section: Value| read(section).0[0].fingerprint.clone();
    let base = print(json!({ "botToken": "1:x" }));
    assert_eq!(print(json!({ "botToken": " 1:x\n" })), base);
    for same in
        [json!({ "botToken": "1:x", "dmPolicy": "open" }), json!({ "botToken": "1:x", "textChunkLimit": 5 })]
    {
        assert_eq!(print(same), base);
    }
    for other in [
        json!({ "botToken": "1:y" }),
        json!({ "botToken": "1:x", "apiRoot": "http://127.0.0.1:1" }),
        json!({ "botToken": "1:x", "proxy": "socks5://127.0.0.1:1" }),
        json!({ "botToken": "1:x", "timeoutSeconds": 5 }),
        json!({ "botToken": "1:x", "network": { "autoSelectFamily": false } }),
        json!({ "botToken": "1:x", "capabilities": { "inlineButtons": "off" } }),
        json!({ "botToken": "1:x", "customCommands": [{ "command": "a", "description": "b" }] }),
        json!({ "botToken": "1:x", "webhookUrl": "https://a.example", "webhookSecret": "s" }),
        json!({ "botToken": "1:x", "linkPreview": true }),
    ] {
        assert_ne!(print(other.clone()), base, "{other}");
    }
}

#[test]
fn commands_that_do_not_fit_are_told() {
    let (_, faults) = read(json!({ "botToken": "1:x", "customCommands": [
        { "command": "/Backup", "description": "Copies" }, { "command": "b-c", "description": "x" },
        { "command": "backup", "description": "again" }, { "command": "empty" }
    ] }));
    let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["customCommands[1]", "customCommands[2]", "customCommands[3]"]);
}

#[test]
fn buttons_are_used_where_the_settings_say() {
    let covers = |scope: ButtonScope| (scope.covers(true), scope.covers(false));
    assert_eq!(covers(ButtonScope::Off), (false, false));
    assert_eq!(covers(ButtonScope::Private), (true, false));
    assert_eq!(covers(ButtonScope::Groups), (false, true));
    assert_eq!(covers(ButtonScope::Everywhere), (true, true));
}

#[test]
fn broken_sections_never_panic() {
    let broken = [
        json!(null),
        json!([]),
        json!("x"),
        json!({ "accounts": 5 }),
        json!({ "accounts": { "a": 5, "": {}, "b": { "botToken": {} } } }),
        json!({ "botToken": 5, "groups": [], "customCommands": "x", "network": 1, "timeoutSeconds": -5 }),
        json!({ "botToken": "1:x", "groups": { "-1": null, "x": { "topics": [] } }, "capabilities": 7 }),
    ];
    for section in broken {
        let (plans, _) = Telegram.accounts(&section, &Machine);
        assert!(plans.iter().all(|plan| plan.manner.text_limit > 0));
    }
}
