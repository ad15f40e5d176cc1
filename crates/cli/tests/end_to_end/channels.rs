//! `openclaw channels`, `route` and `pairing`: accounts are added, looked at and removed, with and without a gateway.

use std::fs;

use openclaw_testkit::planted_secret;
use serde_json::json;

use crate::world::World;

#[test]
fn an_account_is_added_listed_switched_off_and_deleted() {
    let world = World::new();
    world.write("openclaw.json", "{\n  // mine\n}\n");
    let secret = planted_secret("channels-add");
    let add = |more: &[&str]| {
        let all = [&["channels", "add", "--channel", "IRC"], more].concat();
        world.run(&all)
    };
    let half = add(&["--set", "nick=claw", "--password", &secret]);
    assert_eq!(half.code, Some(1), "{}", half.stderr);
    assert!(half.stderr.contains("set channels.irc.host"), "{}", half.stderr);
    assert!(!format!("{}{}", half.stdout, half.stderr).contains(&secret));
    add(&["--set", "host=irc.example", "--set", "port=6697"]).ok();
    let more = add(&["--account", "Work", "--set", "host=two.example", "--set", "nick=paw"]).ok();
    assert!(more.contains("IRC work"), "{more}");
    let listed = world.run(&["channels", "list", "--json"]).ok_json();
    assert_eq!(listed, json!({ "chat": { "irc": ["default", "work"] } }));
    let section = world.run(&["config", "get", "channels.irc", "--json"]).ok_json();
    assert_eq!((&section["host"], &section["port"]), (&json!("irc.example"), &json!(6697)));
    assert_eq!(section["accounts"]["work"]["nick"], json!("paw"));
    assert!(world.read("openclaw.json").contains("// mine"));
    world.run(&["channels", "remove", "--channel", "irc", "--account", "work"]).ok();
    let list = world.run(&["channels", "list"]).ok();
    assert!(list.contains("switched off") && list.contains("configured"), "{list}");
    world.run(&["channels", "remove", "--channel", "irc"]).ok();
    world.run(&["channels", "add", "--channel", "irc", "--account", "work", "--set", "nick=paw"]).ok();
    let section = world.run(&["config", "get", "channels.irc", "--json"]).ok_json();
    assert_eq!(
        (
            &section["enabled"],
            &section["accounts"]["default"]["enabled"],
            &section["accounts"]["work"]["enabled"]
        ),
        (&json!(true), &json!(false), &json!(true)),
        "each account has a switch of its own"
    );
    let later = add(&["--homeserver", "https://m.example"]);
    assert!(later.code == Some(2) && later.stderr.contains("--homeserver"), "{}", later.stderr);
    world.run(&["channels", "remove", "--channel", "irc", "--account", "work", "--delete"]).ok();
    let listed = world.run(&["channels", "list", "--json"]).ok_json();
    assert_eq!(listed, json!({ "chat": { "irc": ["default"] } }));
    assert_eq!(world.run(&["channels", "add", "--channel", "pigeon", "--token", "x"]).code, Some(2));
    assert_eq!(world.run(&["channels", "add", "--channel", "irc", "--token", "x"]).code, Some(2));
}

#[test]
fn a_gateway_tells_how_accounts_are_and_who_answers_whom() {
    let world = World::new();
    let config = json!({
        "gateway": { "mode": "local" },
        "agents": { "list": [{ "id": "main", "default": true }, { "id": "work" }] },
        "bindings": [{ "agentId": "work", "match": { "channel": "irc", "peer": { "kind": "group", "id": "#ops" } } }],
        "channels": { "irc": { "host": "127.0.0.1", "port": 1, "tls": false, "nick": "claw" } },
    });
    world.write("openclaw.json", &config.to_string());
    let away = world.run(&["channels", "status"]);
    assert_eq!(away.code, Some(1));
    assert!(
        away.stdout.contains("IRC") && away.stderr.contains("the gateway does not answer"),
        "{}",
        away.stderr
    );
    let credentials = world.path("credentials");
    fs::create_dir_all(&credentials).unwrap();
    fs::write(credentials.join("irc-allowFrom.json"), r#"{ "version": 1, "allowFrom": ["ana!a@host"] }"#)
        .unwrap();
    let _gateway = world.start_gateway(&[]);
    let status = world.run(&["channels", "status", "--json"]).ok_json();
    let account = &status["channelAccounts"]["irc"][0];
    assert_eq!(
        (&account["enabled"], &account["configured"], &account["running"], &account["connected"]),
        (&json!(true), &json!(true), &json!(true), &json!(false))
    );
    let shown = world.run(&["channels", "capabilities", "--channel", "irc"]).ok();
    assert!(shown.contains("IRC default") && shown.contains("direct, group"), "{shown}");
    let why = world.run(&["route", "explain", "--channel", "irc", "--peer", "group:#ops"]).ok();
    assert!(why.starts_with("work answers in agent:work:irc:group:#ops"), "{why}");
    let why = world.run(&["route", "explain", "--channel", "irc", "--peer", "eve", "--json"]).ok_json();
    assert_eq!((&why["agentId"], &why["matchedBy"]), (&json!("main"), &json!("default")));
    let found = world.run(&["channels", "resolve", "--channel", "irc", "channel:ops", "--json"]).ok_json();
    assert_eq!((&found[0]["resolved"], &found[0]["id"]), (&json!(true), &json!("#ops")));
    world.run(&["channels", "stop", "--channel", "irc"]).ok();
    let status = world.run(&["channels", "status", "--json"]).ok_json();
    assert_eq!(status["channelAccounts"]["irc"][0]["running"], json!(false));
    let requests = world.run(&["pairing", "list", "irc", "--json"]).ok_json();
    assert_eq!(requests, json!({ "channel": "irc", "requests": [] }));
    let out = world.run(&["pairing", "remove", "irc", "ana!a@host"]).ok();
    assert!(out.starts_with("Put out ana!a@host on irc"), "{out}");
    let again = world.run(&["pairing", "remove", "irc", "ana!a@host", "--json"]).ok_json();
    assert_eq!(again["removed"], json!(false));
    let logs = world.run(&["channels", "logs", "--channel", "irc", "--json"]).ok_json();
    assert!(!logs["lines"].as_array().unwrap().is_empty(), "{logs}");
}
