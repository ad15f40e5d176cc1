//! Nodes that show chats: what they follow, and the copies they get.

mod support;

use std::sync::Arc;
use std::time::Duration;

use openclaw_providers::{Script, Scripts};
use openclaw_testkit::SimClock;
use serde_json::{Value, json};
use support::{Client, Device, Setup, TestGateway};

async fn node(gateway: &TestGateway, number: u8) -> Client {
    let params = json!({
        "minProtocol": 3, "maxProtocol": 3,
        "client": {"id": "node-host", "version": "1", "platform": "linux", "mode": "node"},
        "role": "node", "scopes": [], "auth": {"token": support::TOKEN},
    });
    let (node, response) = gateway.device(&Device::new(number), params).await;
    assert_eq!(response["ok"], true, "{response}");
    node
}

async fn tell(node: &mut Client, event: &str, key: &str) {
    let payload = json!({"sessionKey": key}).to_string();
    let answer = node.ok("node.event", json!({"event": event, "payloadJSON": payload})).await;
    assert_eq!(answer, json!({"ok": true}));
}

async fn run(client: &mut Client, nodes: &mut [&mut Client], key: &str, run: &str) {
    client.ok("chat.send", json!({"sessionKey": key, "message": "hi", "idempotencyKey": run})).await;
    let fits = |frame: &Value| {
        frame["event"] == "chat" && frame["payload"]["runId"] == run && frame["payload"]["state"] == "final"
    };
    client.until(fits).await;
    // The copy of the last event comes right behind it, and before the answer to anything that is asked now.
    for node in nodes {
        node.until(|frame| fits(frame) && frame.get("seq").is_some()).await;
        node.ok("health", json!({})).await;
    }
}

/// The events of a run that came without a number.
fn copies(node: &Client, run: &str) -> Vec<(String, Value)> {
    let of_run = |frame: &&Value| frame["payload"]["runId"] == run && frame.get("seq").is_none();
    let named = |frame: &Value| {
        let payload = &frame["payload"];
        let what = if payload["stream"].is_null() { &payload["state"] } else { &payload["stream"] };
        (frame["event"].as_str().unwrap_or_default().to_owned(), what.clone())
    };
    node.skipped.iter().filter(of_run).map(named).collect()
}

#[tokio::test]
async fn a_node_that_follows_a_session_gets_its_events_a_second_time_until_it_stops() {
    let gateway = Setup::answering("", Scripts::new().otherwise(Script::new().say("Hello."))).start().await;
    let mut client = gateway.admin().await;
    let (mut follower, mut other) = (node(&gateway, 1).await, node(&gateway, 2).await);
    tell(&mut follower, "chat.subscribe", "main").await;
    tell(&mut other, "chat.subscribe", "side").await;
    run(&mut client, &mut [&mut follower, &mut other], "main", "r1").await;
    let row = |event: &str, what: &str| (event.to_owned(), json!(what));
    let expected = [
        row("agent", "lifecycle"),
        row("agent", "assistant"),
        row("chat", "delta"),
        row("agent", "lifecycle"),
        row("chat", "final"),
    ];
    assert_eq!(copies(&follower, "r1"), expected);
    assert_eq!(copies(&other, "r1"), []);
    tell(&mut follower, "chat.unsubscribe", "agent:main:main").await;
    run(&mut client, &mut [&mut follower], "main", "r2").await;
    assert_eq!(copies(&follower, "r2"), []);
}

#[tokio::test]
async fn a_node_sees_the_tools_of_a_session_it_follows_where_those_are_shown() {
    for (verbose, expected) in [("off", 0), ("on", 2)] {
        let scripts = Scripts::new()
            .then(Script::new().call_tool("ls", json!({"path": "."})))
            .otherwise(Script::new().say("Done."));
        let gateway = Setup::answering("", scripts).start().await;
        let mut client = gateway.admin().await;
        let mut follower = node(&gateway, 1).await;
        tell(&mut follower, "chat.subscribe", "main").await;
        client.ok("sessions.patch", json!({"key": "main", "verboseLevel": verbose})).await;
        run(&mut client, &mut [&mut follower], "main", "r1").await;
        let tools = copies(&follower, "r1").into_iter().filter(|(_, what)| what == "tool").count();
        assert_eq!(tools, expected, "{verbose}");
    }
}

#[tokio::test]
async fn a_node_that_follows_something_gets_ticks_twice() {
    let clock = Arc::new(SimClock::new());
    let setup = Setup::answering("", Scripts::new().otherwise_echo());
    let gateway = Setup { clock: clock.clone(), ..setup }.start().await;
    let mut follower = node(&gateway, 1).await;
    tell(&mut follower, "chat.subscribe", "main").await;
    clock.advance(Duration::from_secs(30)).await;
    let numbered = follower.event("tick").await;
    let copy = follower.event("tick").await;
    assert_eq!((numbered.get("seq").is_some(), copy.get("seq")), (true, None));
    assert_eq!(copy["payload"], numbered["payload"]);
}

#[tokio::test]
async fn unknown_events_of_nodes_are_left_and_known_ones_nobody_acts_on_are_refused() {
    let gateway = Setup::answering("", Scripts::new().otherwise_echo()).start().await;
    let mut node = node(&gateway, 1).await;
    for params in [
        json!({"event": "weather.report", "payload": {"rain": true}}),
        json!({"event": "chat.subscribe"}),
        json!({"event": "chat.subscribe", "payloadJSON": "{"}),
        json!({"event": "chat.subscribe", "payload": {"sessionKey": "  "}}),
    ] {
        assert_eq!(node.ok("node.event", params).await, json!({"ok": true}));
    }
    let error =
        node.error("node.event", json!({"event": "voice.transcript", "payload": {"text": "hi"}})).await;
    assert_eq!(error["code"], "UNAVAILABLE");
    let mut operator = gateway.admin().await;
    let error = operator.error("node.event", json!({"event": "chat.subscribe"})).await;
    assert_eq!(error["message"], "unauthorized role: operator");
}
