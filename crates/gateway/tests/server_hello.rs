//! The welcome, in both dialects, and the first frames of a socket.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

mod support;

use serde_json::{Value, json};
use support::{Client, Frame, TOKEN, TestGateway};

fn keys(value: &Value) -> Vec<String> {
    let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
    keys.sort();
    keys
}

#[tokio::test]
async fn the_challenge_is_the_first_frame_and_carries_no_seq() {
    let gateway = TestGateway::new().await;
    let mut client = Client::open(gateway.address()).await;
    let Frame::Json(first) = client.next().await else { panic!("no challenge") };
    assert_eq!(keys(&first), ["event", "payload", "type"]);
    assert_eq!(first["event"], "connect.challenge");
    assert_eq!(first["payload"]["nonce"].as_str().unwrap().len(), 36);
    assert!(first["payload"]["ts"].is_i64());
}

#[tokio::test]
async fn a_client_of_protocol_3_gets_the_whole_welcome() {
    let gateway = TestGateway::new().await;
    let client = gateway.admin().await;
    let hello = &client.hello;
    assert_eq!(keys(hello), ["features", "policy", "protocol", "server", "snapshot", "type"]);
    assert_eq!(hello["type"], "hello-ok");
    assert_eq!(hello["protocol"], 3);
    assert_eq!(hello["server"]["version"], "test");
    assert_eq!(hello["server"]["connId"].as_str().unwrap().len(), 36);
    assert_eq!(
        hello["policy"],
        json!({"maxPayload": 26214400, "maxBufferedBytes": 52428800, "tickIntervalMs": 30000})
    );
    let snapshot = &hello["snapshot"];
    assert_eq!(
        keys(snapshot),
        [
            "authMode",
            "configPath",
            "health",
            "presence",
            "sessionDefaults",
            "stateDir",
            "stateVersion",
            "uptimeMs"
        ]
    );
    assert_eq!(snapshot["authMode"], "token");
    assert_eq!(
        snapshot["sessionDefaults"],
        json!({"defaultAgentId": "main", "mainKey": "main", "mainSessionKey": "agent:main:main", "scope": "per-sender"})
    );
    assert_eq!(snapshot["health"]["defaultAgentId"], "main");
    assert_eq!(snapshot["stateDir"], gateway.home.state_dir().display().to_string());
    let presence = snapshot["presence"].as_array().unwrap();
    let seen: Vec<_> =
        presence.iter().map(|entry| (entry["mode"].as_str(), entry["reason"].as_str())).collect();
    assert!(seen.contains(&(Some("gateway"), Some("self"))), "{seen:?}");
    assert!(seen.contains(&(Some("backend"), Some("connect"))), "{seen:?}");
    let methods = hello["features"]["methods"].as_array().unwrap();
    assert!(methods.contains(&json!("health")) && !methods.contains(&json!("connect")));
    assert!(hello["features"]["events"].as_array().unwrap().contains(&json!("tick")));
}

#[tokio::test]
async fn a_client_of_protocol_4_is_told_what_it_was_recognised_as() {
    let gateway = TestGateway::new().await;
    let mut client = Client::open(gateway.address()).await;
    let response = client
        .connect_with(&json!({
            "minProtocol": 4, "maxProtocol": 4,
            "client": {"id": "openclaw-tui", "version": "2026.9.6", "platform": "linux", "mode": "ui", "buildId": "b", "timeZone": "UTC"},
            "role": "operator", "scopes": ["operator.read"], "auth": {"token": TOKEN}, "modelCatalog": {},
        }))
        .await;
    let hello = &response["payload"];
    assert_eq!(hello["protocol"], 4);
    assert_eq!(hello["auth"], json!({"method": "token", "role": "operator", "scopes": ["operator.read"]}));
    assert_eq!(hello["features"]["capabilities"], json!([]));
    assert_eq!(hello["server"]["bootId"].as_str().unwrap().len(), 36);
    assert!(hello["snapshot"]["appliedConfigHash"].is_string());
}

#[tokio::test]
async fn a_range_of_protocols_gets_the_newest_one() {
    let gateway = TestGateway::new().await;
    let mut client = Client::open(gateway.address()).await;
    let response = client
        .connect_with(&json!({
            "minProtocol": 3, "maxProtocol": 9,
            "client": {"id": "openclaw-probe", "version": "1", "platform": "linux", "mode": "probe"},
            "auth": {"token": TOKEN},
        }))
        .await;
    assert_eq!(response["payload"]["protocol"], 4);
}

#[tokio::test]
async fn health_is_told_to_everybody_after_each_connect() {
    let gateway = TestGateway::new().await;
    let mut first = gateway.admin().await;
    let own = first.event("health").await;
    let _second = gateway.admin().await;
    let next = first.event("health").await;
    assert_eq!(next["seq"].as_u64(), own["seq"].as_u64().map(|seq| seq + 1));
    assert_eq!(
        next["stateVersion"]["health"].as_u64(),
        own["stateVersion"]["health"].as_u64().map(|version| version + 1)
    );
    assert_eq!(next["payload"]["ok"], true);
}

#[tokio::test]
async fn any_path_upgrades_except_the_one_of_the_canvas() {
    let gateway = TestGateway::new().await;
    let mut client = Client::open_path(gateway.address(), "/some/base?x=1", &[]).await;
    client.event("connect.challenge").await;
    let headers = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    assert_eq!(support::http(gateway.address(), "GET /__openclaw__/ws", &headers).await.status, 404);
}

#[tokio::test]
async fn half_an_upgrade_is_refused_with_words() {
    let gateway = TestGateway::new().await;
    let upgrade = [("Connection", "Upgrade"), ("Upgrade", "websocket")];
    let old = support::http(gateway.address(), "GET /", &upgrade).await;
    assert_eq!((old.status, old.headers["sec-websocket-version"].as_str()), (426, "13"));
    let keyless = [upgrade[0], upgrade[1], ("Sec-WebSocket-Version", "13")];
    assert_eq!(support::http(gateway.address(), "GET /", &keyless).await.status, 400);
    assert_eq!(support::http(gateway.address(), "POST /", &keyless).await.status, 405);
}
