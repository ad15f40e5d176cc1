//! Methods about accounts on platforms: how they are, starting and stopping, what they can do, who is meant, who answers.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

mod support;

use std::time::Duration;

use openclaw_ports::channel::ChannelError;
use openclaw_ports::{Clock as _, Deadline, SystemClock};
use openclaw_providers::Scripts;
use openclaw_testkit::{FakePlatform, SendFailure};
use serde_json::{Value, json};
use support::{Client, Setup, TestGateway};

async fn within<T>(work: impl Future<Output = T>) -> T {
    let clock = SystemClock::new();
    Deadline::after(&clock, Duration::from_secs(30)).bound(&clock, work).await.unwrap()
}

async fn gateway(more: &str) -> TestGateway {
    let settings = format!(
        r#"channels: {{ fake: {{ allowFrom: ["ana"], accounts: {{
            default: {{ token: "one", name: "First" }}, gone: {{ token: "revoked" }}, bare: {{}},
            off: {{ token: "three", enabled: false }} }} }} }}, {more}"#
    );
    let gateway = Setup::answering(&settings, Scripts::new()).start().await;
    assert_eq!(gateway.flow.as_ref().unwrap().open_channels().await.unwrap(), []);
    gateway
}

async fn accounts(client: &mut Client) -> Vec<Value> {
    let status = client.ok("channels.status", json!({})).await;
    status["channelAccounts"]["fake"].as_array().unwrap().clone()
}

/// Waits until the accounts are as wanted.
async fn until(client: &mut Client, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    within(async {
        loop {
            let all = accounts(client).await;
            if wanted(&all) {
                return all;
            }
        }
    })
    .await
}

fn one<'a>(all: &'a [Value], id: &str) -> &'a Value {
    all.iter().find(|account| account["accountId"] == id).unwrap()
}

fn flags(account: &Value) -> [bool; 5] {
    ["enabled", "configured", "linked", "running", "connected"].map(|flag| account[flag] == json!(true))
}

#[tokio::test]
async fn signing_out_takes_the_token_out_of_the_file_and_leaves_those_of_others() {
    let gateway = gateway("").await;
    let mut admin = gateway.admin().await;
    let done = admin.ok("channels.logout", json!({ "channel": "fake", "accountId": "Gone" })).await;
    let expected = json!({
        "channel": "fake", "accountId": "gone", "cleared": true, "loggedOut": true, "envToken": false
    });
    assert_eq!(done, expected);
    let file = admin.ok("config.get", json!({})).await;
    let accounts = &file["parsed"]["channels"]["fake"]["accounts"];
    assert_eq!(accounts["gone"], json!({}));
    assert!(accounts["default"].get("token").is_some(), "{accounts}");
    let again = admin.ok("channels.logout", json!({ "channel": "fake", "accountId": "bare" })).await;
    assert_eq!(again["cleared"], json!(false));
}

#[tokio::test]
async fn strangers_who_wait_are_seen_and_sent_away_so_that_others_may_ask() {
    let gateway = gateway("").await;
    let mut admin = gateway.admin().await;
    until(&mut admin, |all| one(all, "default")["connected"] == json!(true)).await;
    let says = async |name: &str, event: &str| {
        let at = SystemClock::new().now();
        let event = FakePlatform::direct("default", name, event, "let me in", at);
        gateway.platform.receive(event).await.unwrap();
    };
    for name in ["bob", "eve", "mallory", "carol"] {
        says(name, name).await;
    }
    let mut clerk = gateway.operator(&["operator.pairing"]).await;
    let waiting = |list: Value| -> Vec<String> {
        let all = list["requests"].as_array().unwrap().clone();
        all.iter().map(|one| one["senderId"].as_str().unwrap().to_owned()).collect()
    };
    let list = within(async {
        loop {
            let list = clerk.ok("channels.pairing.list", json!({ "channel": "fake" })).await;
            if list["requests"].as_array().unwrap().len() == 3 {
                return list;
            }
        }
    })
    .await;
    assert!(!list.to_string().contains("\"code\""), "codes are for who approves by them");
    assert_eq!(
        (&list["limits"]["pendingPerAccount"], &list["limits"]["ttlMs"]),
        (&json!(3), &json!(3_600_000))
    );
    let first = &list["requests"][0];
    let which = json!({
        "channel": "fake", "accountId": first["accountId"], "requestId": first["requestId"]
    });
    let gone = clerk.ok("channels.pairing.dismiss", which.clone()).await;
    assert_eq!(gone["senderId"], first["senderId"]);
    assert_eq!(clerk.error("channels.pairing.dismiss", which).await["code"], "INVALID_REQUEST");
    let next = waiting(clerk.ok("channels.pairing.list", json!({})).await);
    assert_eq!(next.len(), 2);
    let by_id = admin.ok("pairing.dismiss", json!({ "channel": "fake", "id": next[0] })).await;
    assert_eq!(by_id, json!({ "channel": "fake", "accountId": "default", "id": next[0] }));
    says("carol", "again").await;
    within(async {
        while !waiting(clerk.ok("channels.pairing.list", json!({})).await).contains(&"carol".to_owned()) {}
    })
    .await;
}

#[tokio::test]
async fn every_account_has_five_flags_and_says_what_is_wrong() {
    let gateway = gateway("").await;
    let mut client = gateway.operator(&["operator.read"]).await;
    let settled = |all: &[Value]| {
        one(all, "default")["connected"] == json!(true) && one(all, "gone")["statusMessage"].is_string()
    };
    let all = until(&mut client, settled).await;
    assert_eq!(flags(one(&all, "default")), [true; 5]);
    assert_eq!(flags(one(&all, "bare")), [true, false, false, false, false]);
    assert_eq!(flags(one(&all, "off")), [false, true, true, false, false]);
    assert_eq!(flags(one(&all, "gone")), [true, true, false, false, false], "its token was revoked");
    let said = one(&all, "gone")["statusMessage"].as_str().unwrap();
    assert!(said.contains("does not accept the credentials") && said.contains("channels add"), "{said}");
    let said = one(&all, "bare")["statusMessage"].as_str().unwrap();
    assert!(said.contains("set channels.fake.accounts.bare.token"), "{said}");
    let first = one(&all, "default");
    assert_eq!(
        (&first["name"], &first["dmPolicy"], &first["allowFrom"]),
        (&json!("First"), &json!("pairing"), &json!(["ana"]))
    );
    assert_eq!((&first["self"]["id"], &first["reconnectAttempts"]), (&json!("bot"), &json!(0)));
}

#[tokio::test]
async fn a_channel_says_what_its_default_account_does_and_every_account_is_asked() {
    let gateway = gateway("").await;
    let mut client = gateway.operator(&["operator.read"]).await;
    let settled = |all: &[Value]| {
        one(all, "default")["connected"] == json!(true) && one(all, "gone")["statusMessage"].is_string()
    };
    until(&mut client, settled).await;
    let status = client.ok("channels.status", json!({ "probe": true, "timeoutMs": 0 })).await;
    let whole = &status["channels"]["fake"];
    assert!(whole["lastStartAt"].is_u64() && whole["lastProbeAt"].is_u64(), "{whole}");
    assert_eq!((&whole["lastStopAt"], &whole["probe"]["ok"]), (&Value::Null, &json!(true)), "{whole}");
    assert_eq!(status["channelDetailLabels"], json!({ "fake": "Fake" }));
    let all = status["channelAccounts"]["fake"].as_array().unwrap();
    assert_eq!(one(all, "gone")["probe"]["ok"], json!(false), "a line that is down is told");
    assert_eq!(one(all, "off")["probe"], Value::Null, "what is switched off is not asked");
}

#[tokio::test]
async fn an_account_is_stopped_and_started_and_the_others_stay() {
    let gateway = gateway("").await;
    let mut client = gateway.admin().await;
    until(&mut client, |all| one(all, "default")["connected"] == json!(true)).await;
    let stopped = client.ok("channels.stop", json!({ "channel": "pretend" })).await;
    assert_eq!(stopped, json!({ "channel": "fake", "accountId": "default", "running": false }));
    let all = accounts(&mut client).await;
    assert_eq!(flags(one(&all, "default")), [true, true, true, false, false]);
    let started = client.ok("channels.start", json!({ "channel": "fake", "accountId": "Default" })).await;
    assert_eq!(started["running"], json!(true));
    until(&mut client, |all| one(all, "default")["connected"] == json!(true)).await;
    assert_eq!(gateway.platform.connects("default"), 2);
    assert_eq!(gateway.platform.connects("gone"), 1);
    for (params, expected) in [
        (json!({ "channel": "fake", "accountId": "off" }), "fake off is switched off in the configuration"),
        (json!({ "channel": "fake", "accountId": "nobody" }), "there is no account nobody of fake"),
        (json!({ "channel": "carrier-pigeon" }), "there is no channel carrier-pigeon"),
    ] {
        assert_eq!(client.error("channels.start", params).await["message"], expected);
    }
}

#[tokio::test]
async fn what_an_account_can_do_is_told() {
    let gateway = gateway("").await;
    let mut client = gateway.operator(&["operator.read"]).await;
    let answer = client.ok("channels.capabilities", json!({ "channel": "fake", "accountId": "off" })).await;
    assert_eq!(
        answer,
        json!({ "channels": [{
            "channel": "fake", "label": "Fake", "accountId": "off", "configured": true, "enabled": false,
            "support": {
                "chatTypes": ["direct", "group"], "polls": true, "reactions": true, "edit": true, "unsend": true,
                "reply": true, "threads": true, "media": true, "nativeCommands": true, "blockStreaming": true
            },
            "actions": ["send", "poll", "react", "edit", "delete", "thread-create"]
        }] })
    );
    let all = client.ok("channels.capabilities", json!({ "channel": "all" })).await;
    assert_eq!(all["channels"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn names_are_looked_up_on_the_platform() {
    let gateway = gateway("").await;
    let mut client = gateway.operator(&["operator.read"]).await;
    until(&mut client, |all| one(all, "default")["connected"] == json!(true)).await;
    let params = json!({ "channel": "fake", "entries": ["@Ana", "kitchen", "nobody", "#bob"] });
    let answer = client.ok("channels.resolve", params).await;
    let nobody = "nobody and nothing of that name is to be seen";
    assert_eq!(
        answer["results"],
        json!([
            { "input": "@Ana", "resolved": true, "id": "ana", "name": "Ana" },
            { "input": "kitchen", "resolved": true, "id": "kitchen", "name": "Kitchen" },
            { "input": "nobody", "resolved": false, "note": nobody },
            { "input": "#bob", "resolved": false, "note": nobody },
        ])
    );
    let people = client.ok("directory.list", json!({ "what": "peers", "query": "b" })).await;
    assert_eq!(people["entries"], json!([{ "kind": "user", "id": "bob", "name": "Bob" }]));
    let me = client.ok("directory.list", json!({ "what": "self" })).await;
    assert_eq!(me["entries"][0]["id"], json!("bot"));
    let members =
        client.ok("directory.list", json!({ "what": "members", "groupId": "kitchen", "limit": 1 })).await;
    assert_eq!(members["entries"].as_array().unwrap().len(), 1);
    let refused = client.error("directory.list", json!({ "what": "peers", "accountId": "gone" })).await;
    assert_eq!(refused["code"], "UNAVAILABLE");
}

#[tokio::test]
async fn who_answers_whom_is_explained() {
    let gateway = gateway(
        r#"agents: { defaults: { model: "mock/m1" }, list: [{ id: "main", default: true }, { id: "work" }] },
           bindings: [
             { agentId: "work", match: { channel: "fake", accountId: "off" } },
             { agentId: "work", match: { channel: "fake", peer: { kind: "group", id: "kitchen" } } },
           ]"#,
    )
    .await;
    let mut client = gateway.operator(&["operator.read"]).await;
    let answer = client.ok("route.explain", json!({ "channel": "pretend", "peer": "group:kitchen" })).await;
    assert_eq!(
        [&answer["agentId"], &answer["sessionKey"], &answer["matchedBy"], &answer["binding"]],
        [&json!("work"), &json!("agent:work:fake:group:kitchen"), &json!("binding.peer"), &json!(1)]
    );
    let tiers = answer["tiers"].as_array().unwrap();
    assert_eq!(tiers.len(), 8);
    let account = tiers.iter().find(|tier| tier["tier"] == "binding.account").unwrap();
    assert_eq!((&account["decided"], &account["misses"][0]["binding"]), (&json!(false), &json!(0)));
    assert!(answer["lines"][0].as_str().unwrap().starts_with("work answers in"), "{}", answer["lines"]);
    let other = client.ok("route.explain", json!({ "channel": "fake", "peer": "direct:eve" })).await;
    assert_eq!((&other["agentId"], &other["matchedBy"]), (&json!("main"), &json!("default")));
    let wrong = client.error("route.explain", json!({ "channel": "fake", "peer": "group:" })).await;
    assert!(wrong["message"].as_str().unwrap().contains("direct:<id>"), "{wrong}");
}

#[tokio::test]
async fn the_menu_of_commands_follows_the_settings() {
    let gateway = gateway("").await;
    let full = within(gateway.platform.menu("default", |menu| menu.iter().any(|name| name == "help"))).await;
    assert!(full.iter().any(|name| name == "status") && !full.iter().any(|name| name == "bash"), "{full:?}");
    let text = std::fs::read_to_string(gateway.home.path("openclaw.json")).unwrap();
    let without = text.replace("allowFrom:", "commands: { native: false }, allowFrom:");
    std::fs::write(gateway.home.path("openclaw.json"), without).unwrap();
    gateway.config.reload();
    assert_eq!(gateway.flow.as_ref().unwrap().apply_channels().await, []);
    assert_eq!(within(gateway.platform.menu("default", |menu| menu.is_empty())).await, Vec::<String>::new());
    assert_eq!(gateway.platform.connects("default"), 1, "the line stays up");
}

#[tokio::test]
async fn people_see_what_waits_to_be_sent_and_try_it_again_or_drop_it() {
    let gateway = gateway("").await;
    let mut client = gateway.admin().await;
    until(&mut client, |all| one(all, "default")["connected"] == json!(true)).await;
    for _ in 0..2 {
        gateway.platform.fail(SendFailure::Before(ChannelError::Refused { reason: "blocked".to_owned() }));
    }
    for key in ["k1", "k2"] {
        let params = json!({ "channel": "fake", "to": "ana", "message": key, "idempotencyKey": key });
        let refused = client.error("send", params).await;
        assert!(refused["message"].as_str().unwrap().contains("blocked"), "{refused}");
    }
    let failed = within(async {
        loop {
            let list = client.ok("outbox.list", json!({ "state": "failed" })).await;
            if list["pieces"].as_array().unwrap().len() == 2 {
                return list["pieces"].clone();
            }
        }
    })
    .await;
    let newest = &failed[0];
    assert_eq!(
        (&newest["channel"], &newest["to"], &newest["text"], &newest["state"], &newest["attempts"]),
        (&json!("fake"), &json!("ana"), &json!("k2"), &json!("failed"), &json!(1))
    );
    assert!(newest["lastError"].as_str().unwrap().contains("blocked"), "{newest}");
    let (first, second) = (failed[1]["id"].clone(), failed[0]["id"].clone());
    assert_eq!(client.ok("outbox.drop", json!({ "id": second })).await, json!({ "id": second }));
    assert_eq!(client.ok("outbox.retry", json!({ "id": first })).await, json!({ "id": first }));
    assert_eq!(within(gateway.platform.told("ana", 1)).await, ["k1"]);
    let dropped = client.ok("outbox.list", json!({ "state": "dropped", "limit": 5 })).await;
    assert_eq!(dropped["pieces"][0]["id"], second);
    for (method, params, words) in [
        ("outbox.list", json!({ "state": "lost" }), "state is one of"),
        ("outbox.drop", json!({ "id": 999 }), "no such message"),
        ("outbox.retry", json!({ "id": 999 }), "no such message"),
    ] {
        let error = client.error(method, params).await;
        assert!(error["message"].as_str().unwrap().contains(words), "{method}: {error}");
    }
    let mut reader = gateway.operator(&["operator.read"]).await;
    reader.ok("outbox.list", json!({})).await;
    reader.error("outbox.drop", json!({ "id": second })).await;
}
