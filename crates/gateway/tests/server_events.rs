//! Who is told what, with which numbers, and when.

mod support;

use std::sync::Arc;
use std::time::Duration;

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
