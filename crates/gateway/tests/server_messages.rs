//! Messages on platforms without an agent: sending, polls, what else can be done with them, and answers of agents that
//! are sent somewhere.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

mod support;

use std::time::Duration;

use openclaw_ports::channel::ChannelError;
use openclaw_ports::{Deadline, SystemClock};
use openclaw_providers::{Script, Scripts};
use openclaw_testkit::SendFailure;
use openclaw_types::PiecePayload;
use serde_json::{Value, json};
use support::{Client, Setup, TestGateway};

const WRITER: [&str; 2] = ["operator.read", "operator.write"];

async fn within<T>(work: impl Future<Output = T>) -> T {
    let clock = SystemClock::new();
    Deadline::after(&clock, Duration::from_secs(30)).bound(&clock, work).await.unwrap()
}

/// A gateway with two accounts on the fake platform, both up.
async fn gateway(scripts: impl Into<Scripts>) -> TestGateway {
    let settings = r#"channels: { fake: { dmPolicy: "open", allowFrom: ["*"], accounts: {
        default: { token: "one" }, work: { token: "two" } } } }"#;
    let gateway = Setup::answering(settings, scripts).start().await;
    assert_eq!(gateway.flow.as_ref().unwrap().open_channels().await.unwrap(), []);
    let mut client = gateway.operator(&WRITER).await;
    within(async {
        loop {
            let status = client.ok("channels.status", json!({})).await;
            let all = status["channelAccounts"]["fake"].as_array().unwrap().clone();
            if all.iter().all(|one| one["connected"] == json!(true)) {
                break;
            }
        }
    })
    .await;
    gateway
}

async fn history(client: &mut Client, key: &str) -> Vec<String> {
    let history = client.ok("chat.history", json!({ "sessionKey": key })).await;
    let text = |one: &Value| one["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    history["messages"].as_array().unwrap().iter().map(text).collect()
}

#[tokio::test]
async fn a_message_goes_to_the_only_channel_and_its_id_is_told() {
    let gateway = gateway(Scripts::new()).await;
    let mut client = gateway.operator(&WRITER).await;
    let params = json!({ "to": "ana", "message": "hi", "accountId": "Work", "sessionKey": "desk", "idempotencyKey": "k1" });
    let sent = client.ok("send", params.clone()).await;
    assert_eq!(
        (&sent["channel"], &sent["chatId"], &sent["runId"]),
        (&json!("fake"), &json!("ana"), &json!("k1"))
    );
    let id = sent["messageId"].as_str().unwrap().to_owned();
    assert!(!id.starts_with("outbox:"), "{id}");
    assert_eq!(client.ok("send", params).await, sent, "the same request has one effect");
    let taken = gateway.platform.sent();
    assert_eq!((taken.len(), taken[0].target.account.as_str()), (1, "work"));
    assert_eq!(history(&mut client, "desk").await, ["hi"], "the session knows what was sent for it");
}

#[tokio::test]
async fn the_session_of_the_conversation_knows_what_was_sent_there() {
    let gateway = gateway(Scripts::new()).await;
    let mut client = gateway.operator(&WRITER).await;
    client.ok("send", json!({ "to": "-7", "message": "hello room", "idempotencyKey": "k1" })).await;
    assert_eq!(history(&mut client, "agent:main:fake:group:-7").await, ["hello room"]);
    client.ok("send", json!({ "to": "ana", "message": "hello ana", "idempotencyKey": "k2" })).await;
    assert_eq!(history(&mut client, "main").await, ["hello ana"]);
    let nobody = json!({ "to": "ana", "message": "x", "agentId": "nobody", "idempotencyKey": "k3" });
    assert_eq!(client.error("send", nobody).await["message"], "unknown agent id \"nobody\"");
}

#[tokio::test]
async fn what_the_platform_refuses_is_told_and_what_waits_is_named() {
    let gateway = gateway(Scripts::new()).await;
    let mut client = gateway.operator(&WRITER).await;
    let no = ChannelError::Refused { reason: "no such place".to_owned() };
    gateway.platform.fail(SendFailure::Before(no));
    let refused = client.error("send", json!({ "to": "ana", "message": "hi", "idempotencyKey": "k1" })).await;
    assert_eq!(refused["code"], "UNAVAILABLE", "{refused}");
    let mut admin = gateway.admin().await;
    admin.ok("channels.stop", json!({ "channel": "fake" })).await;
    let waits = client.ok("send", json!({ "to": "ana", "message": "hi", "idempotencyKey": "k2" })).await;
    assert_eq!(waits["messageId"], "outbox:k2");
    for (params, expected) in [
        (
            json!({ "to": "ana", "message": "x", "channel": "pigeon", "idempotencyKey": "k3" }),
            "unsupported channel: pigeon",
        ),
        (json!({ "to": "ana", "idempotencyKey": "k4" }), "invalid send params: text or media is required"),
    ] {
        assert_eq!(client.error("send", params).await["message"], expected);
    }
}

#[tokio::test]
async fn a_poll_is_asked_once() {
    let gateway = gateway(Scripts::new()).await;
    let mut client = gateway.operator(&WRITER).await;
    let params = json!({
        "to": "ana", "question": "Tea?", "options": ["yes", "no", "later"], "maxSelections": 2, "durationHours": 2,
        "silent": true, "isAnonymous": false, "channel": "pretend", "idempotencyKey": "p1",
    });
    let asked = client.ok("poll", params.clone()).await;
    assert_eq!(client.ok("poll", params).await, asked);
    assert_eq!(asked["channel"], "fake");
    let sent = gateway.platform.sent();
    let [piece] = sent.as_slice() else { panic!("{sent:?}") };
    let PiecePayload::Poll(poll) = &piece.payload else { panic!("{piece:?}") };
    assert_eq!((poll.most, poll.seconds, poll.anonymous, piece.silent), (2, Some(7200), Some(false), true));
    let web = json!({ "to": "main", "question": "q", "options": ["a", "b"], "channel": "webchat", "idempotencyKey": "p2" });
    assert_eq!(client.error("poll", web).await["message"], "the web chat has no polls");
}

#[tokio::test]
async fn an_operator_does_with_messages_what_an_agent_can() {
    let gateway = gateway(Scripts::new()).await;
    let mut client = gateway.operator(&WRITER).await;
    let act = |action: &str, params: Value, key: &str| json!({ "action": action, "params": params, "idempotencyKey": key });
    let react = act("react", json!({ "target": "ana", "messageId": "m-1", "emoji": "👍" }), "a1");
    let done = client.ok("message.action", react.clone()).await;
    assert_eq!((&done["ok"], &done["to"]), (&json!(true), &json!("ana")));
    assert_eq!(client.ok("message.action", react).await, done);
    client.ok("message.action", act("pin", json!({ "target": "ana", "messageId": "m-1" }), "a2")).await;
    let signs = gateway.platform.signs();
    assert_eq!(signs.iter().filter(|sign| sign.contains("👍")).count(), 1, "{signs:?}");
    assert!(signs.iter().any(|sign| sign == "pin ana"), "{signs:?}");
    let reply = json!({ "target": "ana", "message": "yes", "replyTo": "m-1" });
    client.ok("message.action", act("send", reply, "a3")).await;
    assert_eq!(within(gateway.platform.told("ana", 1)).await, ["yes"]);
    for (action, params, expected) in [
        ("kick", json!({ "userId": "eve" }), "turned off on fake (channels.fake.actions.moderation)"),
        ("voice-status", json!({ "target": "ana" }), "'voice-status' is not something that fake can do"),
        (
            "send",
            json!({ "target": "ana", "message": "x", "components": { "modal": {} } }),
            "fake has no menus and forms below messages",
        ),
        (
            "send",
            json!({ "target": "ana", "message": "x", "card": {} }),
            "no channel here can do what card asks for",
        ),
    ] {
        let refused = client.error("message.action", act(action, params, expected)).await;
        assert_eq!(refused["code"], "INVALID_REQUEST");
        assert!(refused["message"].as_str().unwrap().contains(expected), "{refused}");
    }
    let mut reader = gateway.operator(&["operator.read"]).await;
    let refused = reader.error("message.action", act("pin", json!({}), "a9")).await;
    assert_eq!(refused["message"], "missing scope: operator.write");
}

#[tokio::test]
async fn the_answer_of_an_agent_is_sent_where_the_request_says() {
    let gateway = gateway(Scripts::new().otherwise(Script::new().say("Soup."))).await;
    let mut client = gateway.operator(&WRITER).await;
    let ask = |more: Value, run: &str| {
        let mut params = json!({ "message": "What is there?", "sessionKey": "main", "idempotencyKey": run });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let wrong = client.error("agent", ask(json!({ "deliver": true }), "r0")).await;
    assert!(wrong["message"].as_str().unwrap().contains("nowhere to go"), "{wrong}");
    let wrong = client.error("agent", ask(json!({ "channel": "pigeon" }), "r0")).await;
    assert_eq!(wrong["message"], "invalid agent params: unknown channel: pigeon");
    let id = client.request("agent", &ask(json!({ "channel": "fake", "replyTo": "ana" }), "r1")).await;
    client.response(&id).await;
    client.response(&id).await;
    assert_eq!(gateway.platform.sent(), [], "nobody asked for it to be sent");
    let there = json!({ "deliver": true, "channel": "pretend", "to": "+1", "replyTo": "ana", "replyAccountId": "Work" });
    let id = client.request("agent", &ask(there, "r2")).await;
    client.response(&id).await;
    client.response(&id).await;
    assert_eq!(within(gateway.platform.told("ana", 1)).await, ["Soup."]);
    let last = client.request("agent", &ask(json!({ "deliver": true, "channel": "last" }), "r3")).await;
    client.response(&last).await;
    client.response(&last).await;
    assert_eq!(within(gateway.platform.told("ana", 2)).await, ["Soup.", "Soup."]);
    assert!(gateway.platform.sent().iter().all(|piece| piece.target.account.as_str() == "work"));
}

#[tokio::test]
async fn somebody_who_was_let_in_is_put_out_again_and_names_of_channels_are_read() {
    let gateway = gateway(Scripts::new()).await;
    let mut admin = gateway.admin().await;
    let params = json!({ "channel": "pretend", "id": "ana", "accountId": "work" });
    let out = admin.ok("pairing.remove", params).await;
    assert_eq!(out, json!({ "channel": "fake", "accountId": "work", "id": "ana", "removed": false }));
    assert_eq!(admin.ok("pairing.list", json!({ "channel": "Pretend" })).await, json!({ "requests": [] }));
    let unknown = admin.error("pairing.approve", json!({ "code": "NOBODY", "accountId": "work" })).await;
    assert_eq!(unknown["code"], "INVALID_REQUEST");
    for method in ["web.login.start", "web.login.wait"] {
        let refused = admin.error(method, json!({})).await;
        assert_eq!(
            (&refused["code"], &refused["message"]),
            (&json!("INVALID_REQUEST"), &json!("web login provider is not available"))
        );
    }
}

#[tokio::test]
async fn a_client_of_protocol_4_may_say_more_than_we_read() {
    let gateway = gateway(Scripts::new()).await;
    let newer = json!({
        "channel": "fake", "action": "pin", "params": { "target": "ana", "messageId": "m-1" }, "idempotencyKey": "n1",
        "senderIsOwner": false, "toolContext": { "currentChannelId": "x" },
    });
    let mut older = gateway.operator(&WRITER).await;
    let refused = older.error("message.action", newer.clone()).await;
    assert!(refused["message"].as_str().unwrap().contains("senderIsOwner"), "{refused}");
    let mut client = Client::open(gateway.address()).await;
    let mut params = support::connect_params(&WRITER);
    params["maxProtocol"] = json!(4);
    assert_eq!(client.connect_with(&params).await["payload"]["protocol"], 4);
    assert_eq!(client.ok("message.action", newer).await["ok"], json!(true));
}
