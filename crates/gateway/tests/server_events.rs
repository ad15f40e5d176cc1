//! Who is told what, with which numbers, and when; and the copies that nodes get.

mod support;

use std::sync::Arc;
use std::time::Duration;

use openclaw_providers::{Script, Scripts};
use openclaw_testkit::SimClock;
use serde_json::{Value, json};
use support::{Client, Device, Setup, TOKEN, TestGateway, connect_params};

#[tokio::test]
async fn seq_is_one_counter_for_all_clients_and_counts_hidden_events_too() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let mut reader = gateway.operator(&["operator.read"]).await;
    reader.ok("system-presence", json!({})).await;
    admin.ok("system-event", json!({"text": "one"})).await;
    let first = reader.event("presence").await["seq"].as_u64().unwrap();
    // A device from elsewhere asks to be paired: only those who may decide hear of it.
    let mut stranger = Client::open_with(gateway.address(), &[("x-forwarded-for", "203.0.113.7")]).await;
    let challenge = stranger.event("connect.challenge").await;
    let mut params = connect_params(&["operator.read"]);
    Device::new(7).sign(&mut params, challenge["payload"]["nonce"].as_str().unwrap(), gateway.clock.now().0);
    let id = stranger.request("connect", &params).await;
    assert_eq!(stranger.response(&id).await["error"]["code"], "NOT_PAIRED");
    let asked = admin.event("device.pair.requested").await;
    assert_eq!(asked["payload"]["deviceId"], Device::new(7).id());
    admin.ok("system-event", json!({"text": "two"})).await;
    let second = reader.event("presence").await["seq"].as_u64().unwrap();
    assert_eq!(second, first + 2);
    assert_eq!(asked["seq"], first + 1);
    assert!(!reader.skipped.iter().any(|frame| frame["event"] == "device.pair.requested"));
}

#[tokio::test]
async fn a_client_that_leaves_is_missed_by_the_others() {
    let gateway = TestGateway::new().await;
    let mut watcher = gateway.operator(&["operator.read"]).await;
    let mut leaver = Client::open(gateway.address()).await;
    let mut params = connect_params(&[]);
    params["client"]["instanceId"] = json!("tab-1");
    assert_eq!(leaver.connect_with(&params).await["ok"], true);
    let before = watcher.ok("system-presence", json!({})).await;
    assert!(before.as_array().unwrap().iter().any(|entry| entry["instanceId"] == "tab-1"));
    leaver.socket.close(None).await.unwrap();
    let event = watcher.event("presence").await;
    let entry =
        event["payload"]["presence"].as_array().unwrap().iter().find(|entry| entry["instanceId"] == "tab-1");
    assert_eq!(entry.unwrap()["reason"], "disconnect");
    assert!(
        event["stateVersion"]["presence"].as_u64().unwrap()
            > watcher.hello["snapshot"]["stateVersion"]["presence"].as_u64().unwrap()
    );
}

#[tokio::test]
async fn a_client_of_protocol_4_without_read_does_not_see_presence() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let mut blind = Client::open(gateway.address()).await;
    let params = json!({
        "minProtocol": 4, "maxProtocol": 4, "scopes": [], "auth": {"token": TOKEN},
        "client": {"id": "gateway-client", "version": "1", "platform": "linux", "mode": "backend"},
    });
    assert_eq!(blind.connect_with(&params).await["ok"], true);
    admin.ok("system-event", json!({"text": "one"})).await;
    let hidden = admin.event("presence").await["seq"].as_u64().unwrap();
    let _newcomer = gateway.admin().await;
    let later = |frame: &Value| frame["event"] == "health" && frame["seq"].as_u64() > Some(hidden);
    blind.until(later).await;
    assert!(!blind.skipped.iter().any(|frame| frame["event"] == "presence"));
}

#[tokio::test]
async fn ticks_and_health_come_by_the_clock() {
    let clock = Arc::new(SimClock::new());
    let gateway = Setup { clock: clock.clone(), ..Setup::default() }.start().await;
    let mut client = gateway.admin().await;
    client.event("health").await;
    clock.advance(Duration::from_secs(30)).await;
    let tick = client.event("tick").await;
    assert_eq!(tick["payload"], json!({"ts": gateway.clock.now().0}));
    assert!(tick["stateVersion"].is_null());
    clock.advance(Duration::from_secs(30)).await;
    let health = client.event("health").await;
    assert_eq!(health["payload"]["ts"], gateway.clock.now().0);
}

#[tokio::test]
async fn health_is_answered_from_memory_and_refreshed_behind_the_answer() {
    let clock = Arc::new(SimClock::new());
    let gateway = Setup { clock: clock.clone(), ..Setup::default() }.start().await;
    let mut client = gateway.admin().await;
    let connected = client.event("health").await["payload"].clone();
    clock.advance(Duration::from_secs(5)).await;
    assert_eq!(client.ok("health", json!({})).await, connected);
    let refreshed = client.event("health").await["payload"].clone();
    assert_eq!(refreshed["ts"].as_i64(), connected["ts"].as_i64().map(|ts| ts + 5000));
    assert_eq!(client.ok("health", json!({})).await, refreshed);
}

#[tokio::test]
async fn probes_refresh_health_at_most_once_a_second_however_many_ask() {
    let clock = Arc::new(SimClock::new());
    let gateway = Setup { clock: clock.clone(), ..Setup::default() }.start().await;
    let mut client = gateway.admin().await;
    let connected = client.event("health").await["payload"].clone();
    for _ in 0..20 {
        assert_eq!(client.ok("health", json!({"probe": true})).await, connected);
    }
    clock.advance(Duration::from_secs(1)).await;
    let probed = client.ok("health", json!({"probe": true})).await;
    assert_eq!(probed["ts"].as_i64(), connected["ts"].as_i64().map(|ts| ts + 1000));
    for _ in 0..20 {
        assert_eq!(client.ok("health", json!({"probe": true})).await, probed);
    }
    client.ok("system-event", json!({"text": "done"})).await;
    client.event("presence").await;
    let told = client.skipped.iter().filter(|frame| frame["event"] == "health");
    assert_eq!(told.map(|frame| frame["payload"].clone()).collect::<Vec<_>>(), [probed]);
}

#[tokio::test]
async fn a_socket_that_never_connects_is_closed_after_ten_seconds() {
    let clock = Arc::new(SimClock::new());
    let gateway = Setup { clock: clock.clone(), ..Setup::default() }.start().await;
    let mut client = Client::open(gateway.address()).await;
    client.event("connect.challenge").await;
    clock.advance(Duration::from_secs(10)).await;
    assert_eq!(client.closed().await, (1000, String::new()));
}

async fn node(gateway: &TestGateway, number: u8) -> Client {
    let params = json!({
        "minProtocol": 3, "maxProtocol": 3,
        "client": {"id": "node-host", "version": "1", "platform": "linux", "mode": "node"},
        "role": "node", "scopes": [], "auth": {"token": TOKEN},
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
