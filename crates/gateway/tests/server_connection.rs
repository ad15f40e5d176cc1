//! The request loop: order, limits, malformed frames, and clients that do not behave.

mod support;

use std::sync::Arc;

use futures_util::{SinkExt as _, StreamExt as _};
use openclaw_gateway::GatewayLimits;
use openclaw_testkit::SimClock;
use serde_json::json;
use support::{Client, Device, Frame, Secrets, Setup, TestGateway, connect_params};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;

const UPGRADE: [(&str, &str); 4] = [
    ("Connection", "Upgrade"),
    ("Upgrade", "websocket"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

#[tokio::test]
async fn responses_come_when_they_are_ready_not_in_the_order_of_requests() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    gateway.host.secrets.send_replace(Secrets::Held);
    let slow = admin.request("secrets.reload", &json!({})).await;
    let fast = admin.request("health", &json!({})).await;
    assert_eq!(admin.response(&fast).await["ok"], true);
    assert!(!admin.skipped.iter().any(|frame| frame["id"] == slow.as_str()));
    gateway.host.secrets.send_replace(Secrets::Ready);
    assert_eq!(admin.response(&slow).await["ok"], true);
}

#[tokio::test]
async fn a_client_with_too_many_unanswered_requests_is_not_read_until_one_is_answered() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let mut other = gateway.admin().await;
    gateway.host.secrets.send_replace(Secrets::Held);
    let mut held = Vec::new();
    for _ in 0..64 {
        held.push(admin.request("secrets.reload", &json!({})).await);
    }
    let waiting = admin.request("system-presence", &json!({})).await;
    // Somebody else is served meanwhile, and by then the waiting request has not been answered.
    for _ in 0..20 {
        other.ok("health", json!({})).await;
    }
    gateway.host.secrets.send_replace(Secrets::Ready);
    assert_eq!(admin.response(&waiting).await["ok"], true);
    for id in held {
        assert_eq!(admin.response(&id).await["ok"], true);
    }
}

#[tokio::test]
async fn a_request_goes_on_when_its_client_has_left() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let mut other = gateway.admin().await;
    gateway.host.secrets.send_replace(Secrets::Held);
    admin.request("secrets.reload", &json!({})).await;
    admin.ok("health", json!({})).await;
    admin.socket.close(None).await.unwrap();
    other.event("presence").await;
    gateway.host.secrets.send_replace(Secrets::Ready);
    while gateway.audited().await.is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(gateway.audited().await, ["secrets.reload"]);
}

#[tokio::test]
async fn binary_frames_are_requests_too() {
    let gateway = TestGateway::new().await;
    let mut client = Client::open(gateway.address()).await;
    client.event("connect.challenge").await;
    let connect = json!({"type": "req", "id": "c", "method": "connect", "params": connect_params(&[])});
    client.send_binary(connect.to_string().as_bytes()).await;
    assert_eq!(client.response("c").await["ok"], true);
    client.send_binary(json!({"type": "req", "id": "h", "method": "health"}).to_string().as_bytes()).await;
    assert_eq!(client.response("h").await["ok"], true);
}

#[tokio::test]
async fn pings_are_answered() {
    let gateway = TestGateway::new().await;
    let mut client = gateway.admin().await;
    client.socket.send(Message::Ping(bytes::Bytes::from_static(b"hello"))).await.unwrap();
    loop {
        match client.socket.next().await.unwrap().unwrap() {
            Message::Pong(bytes) => return assert_eq!(bytes, bytes::Bytes::from_static(b"hello")),
            _ => continue,
        }
    }
}

#[tokio::test]
async fn malformed_frames_are_answered_and_what_is_no_json_is_ignored() {
    let gateway = TestGateway::new().await;
    let mut client = gateway.admin().await;
    client.send_text("not json at all").await;
    client.send_text(r#"{"type":"req","id":"x","method":"health","surplus":1}"#).await;
    let answer = client.response("x").await;
    assert_eq!(answer["ok"], false);
    assert!(answer["error"]["message"].as_str().unwrap().starts_with("invalid request frame: "), "{answer}");
    client.send_text("[1,2,3]").await;
    let nameless = client.response("invalid").await;
    assert_eq!(nameless["error"]["code"], "INVALID_REQUEST");
    assert_eq!(client.ok("health", json!({})).await["ok"], true);
}

#[tokio::test]
async fn a_message_over_the_limit_closes_with_1009() {
    let gateway = TestGateway::new().await;
    let mut client = gateway.admin().await;
    // The gateway refuses at the frame's header, so the rest may not be written any more.
    let sent = client.socket.send(Message::text("x".repeat(25 * 1024 * 1024 + 1))).await;
    drop(sent);
    assert_eq!(client.closed().await.0, 1009);
}

#[tokio::test]
async fn a_large_message_within_the_limit_is_read() {
    let gateway = TestGateway::new().await;
    let mut client = gateway.admin().await;
    let error =
        client.error("config.set", json!({"raw": "x".repeat(5 * 1024 * 1024), "baseHash": "0"})).await;
    assert_eq!(error["code"], "INVALID_REQUEST");
}

#[tokio::test]
async fn a_stranger_may_send_only_a_little() {
    let gateway = TestGateway::new().await;
    let mut client = Client::open(gateway.address()).await;
    let sent = client.socket.send(Message::text("x".repeat(1024 * 1024))).await;
    drop(sent);
    assert_eq!(client.closed().await.0, 1009);
}

#[tokio::test]
async fn a_node_that_keeps_calling_methods_of_operators_is_put_out() {
    let gateway = TestGateway::new().await;
    let params = json!({
        "minProtocol": 3, "maxProtocol": 3,
        "client": {"id": "node-host", "version": "1", "platform": "linux", "mode": "node"},
        "role": "node", "scopes": [], "auth": {"token": support::TOKEN},
    });
    let (mut node, response) = gateway.device(&Device::new(1), params).await;
    assert_eq!(response["ok"], true, "{response}");
    assert_eq!(response["payload"]["auth"]["role"], "node");
    for _ in 0..10 {
        assert_eq!(node.error("status", json!({})).await["message"], "unauthorized role: node");
    }
    assert_eq!(node.ok("health", json!({})).await["ok"], true);
    for _ in 0..11 {
        assert_eq!(node.error("status", json!({})).await["message"], "unauthorized role: node");
    }
    assert_eq!(node.closed().await, (1008, "repeated unauthorized calls".to_owned()));
}

#[tokio::test]
async fn a_client_that_does_not_read_is_put_out_and_costs_the_others_nothing() {
    let limits = GatewayLimits { outbound_bytes: 64 * 1024, ..GatewayLimits::default() };
    let gateway = Setup { limits, ..Setup::default() }.start().await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let stream = socket.connect(gateway.address()).await.unwrap();
    let mut slow = Client::over(stream, &format!("ws://{}/", gateway.address()), &[]).await;
    assert_eq!(slow.connect_with(&connect_params(&["operator.admin"])).await["ok"], true);
    // Answers this client never reads fill the system's buffers and then its queue.
    for _ in 0..60 {
        slow.request("config.schema", &json!({})).await;
    }
    let mut other = gateway.admin().await;
    let mut rounds = 0;
    loop {
        // Everybody is told about health when somebody connects.
        gateway.admin().await;
        let metrics = support::http(gateway.address(), "GET /metrics", &[]).await.body;
        if metrics.contains("openclaw_slow_consumers_total 1") {
            break;
        }
        rounds += 1;
        assert!(rounds < 10_000, "the slow client was never put out");
    }
    while let Frame::Json(_) = slow.next().await {}
    assert_eq!(other.ok("health", json!({})).await["ok"], true);
}

#[tokio::test]
async fn only_so_many_strangers_may_knock_at_once() {
    let limits = GatewayLimits { strangers: 1, ..GatewayLimits::default() };
    let gateway = Setup { limits, ..Setup::default() }.start().await;
    let mut first = Client::open(gateway.address()).await;
    assert_eq!(support::http(gateway.address(), "GET /", &UPGRADE).await.status, 503);
    // Once the first one is in, the next may knock.
    assert_eq!(first.connect_with(&connect_params(&[])).await["ok"], true);
    gateway.admin().await;
}

#[tokio::test]
async fn a_foreign_page_that_keeps_knocking_does_not_keep_programs_out() {
    let gateway = TestGateway::new().await;
    let foreign = ("Origin", "https://evil.example");
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(Client::open_with(gateway.address(), &[foreign]).await);
    }
    let knock = [&UPGRADE[..], &[foreign]].concat();
    assert_eq!(support::http(gateway.address(), "GET /", &knock).await.status, 503);
    gateway.admin().await;
    let own = format!("http://{}", gateway.address());
    let mut page = Client::open_with(gateway.address(), &[("Origin", &own)]).await;
    page.event("connect.challenge").await;
}

#[tokio::test]
async fn one_machine_that_keeps_knocking_does_not_keep_others_out() {
    let config =
        r#"{ gateway: { auth: { token: "test-token-0123456789" }, trustedProxies: ["127.0.0.1"] } }"#;
    let gateway = Setup::config(config).start().await;
    let greedy = ("X-Forwarded-For", "203.0.113.7");
    let mut held = Vec::new();
    for _ in 0..16 {
        held.push(Client::open_with(gateway.address(), &[greedy]).await);
    }
    let knock = [&UPGRADE[..], &[greedy]].concat();
    assert_eq!(support::http(gateway.address(), "GET /", &knock).await.status, 503);
    let mut other = Client::open_with(gateway.address(), &[("X-Forwarded-For", "203.0.113.8")]).await;
    assert_eq!(other.connect_with(&connect_params(&[])).await["ok"], true);
    gateway.admin().await;
}

#[tokio::test]
async fn who_was_refused_holds_its_place_until_it_has_gone() {
    let limits = GatewayLimits { strangers: 1, ..GatewayLimits::default() };
    let clock = Arc::new(SimClock::new());
    let gateway = Setup { limits, clock, ..Setup::default() }.start().await;
    let mut refused = Client::open(gateway.address()).await;
    assert_eq!(refused.connect_with(&json!({})).await["ok"], false);
    // It does not answer the close, and the gateway's clock stands still.
    assert_eq!(support::http(gateway.address(), "GET /", &UPGRADE).await.status, 503);
}

#[tokio::test]
async fn sockets_beyond_the_limit_are_turned_away_and_the_others_stay() {
    let limits = GatewayLimits { sockets: 1, ..GatewayLimits::default() };
    let gateway = Setup { limits, ..Setup::default() }.start().await;
    let mut held = TcpStream::connect(gateway.address()).await.unwrap();
    held.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut first = [0; 15];
    held.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    let mut turned_away = TcpStream::connect(gateway.address()).await.unwrap();
    let mut rest = Vec::new();
    assert_eq!(turned_away.read_to_end(&mut rest).await.unwrap_or(0), 0);
    drop(held);
}

#[tokio::test]
async fn admitted_clients_count_towards_the_limit_too() {
    let limits = GatewayLimits { sockets: 2, ..GatewayLimits::default() };
    let gateway = Setup { limits, ..Setup::default() }.start().await;
    let mut first = gateway.admin().await;
    let second = gateway.admin().await;
    assert_eq!(support::http(gateway.address(), "GET /", &UPGRADE).await.status, 503);
    drop(second);
    first.event("presence").await;
    gateway.admin().await;
}
