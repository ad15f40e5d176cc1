//! The first frames of a socket: what is no handshake at all, and how long one may take.

mod handshake;
mod support;

use std::sync::Arc;
use std::time::Duration;

use handshake::connect;
use openclaw_testkit::SimClock;
use serde_json::{Value, json};
use support::{Client, Setup, TOKEN, TestGateway};

/// Sends one message as text and gives the responses and the close that came.
async fn first_message(gateway: &TestGateway, text: &str) -> (Vec<Value>, (u16, String)) {
    let mut client = Client::open(gateway.address()).await;
    client.event("connect.challenge").await;
    client.send_text(text).await;
    let close = client.closed().await;
    (client.skipped, close)
}

fn policy(reason: &str) -> (u16, String) {
    (1008, reason.to_owned())
}

#[tokio::test]
async fn what_is_no_json_is_closed_with_1000_and_no_answer() {
    let gateway = TestGateway::new().await;
    for text in ["hello", "", "{", "{\"type\":\"req\""] {
        assert_eq!(first_message(&gateway, text).await, (vec![], (1000, String::new())), "{text:?}");
    }
}

#[tokio::test]
async fn json_that_is_no_request_is_closed_without_an_answer() {
    let gateway = TestGateway::new().await;
    for frame in [
        json!({}),
        json!([]),
        json!("connect"),
        json!(null),
        json!({"type": "event", "event": "tick"}),
        json!({"type": "req", "method": "connect"}),
        json!({"type": "req", "id": "", "method": "connect"}),
        json!({"type": "req", "id": 7, "method": "connect"}),
        json!({"type": "req", "id": "a", "method": "connect", "params": {}, "extra": 1}),
    ] {
        let heard = first_message(&gateway, &frame.to_string()).await;
        assert_eq!(heard, (vec![], policy("invalid request frame")), "{frame}");
    }
}

#[tokio::test]
async fn the_first_request_must_be_connect() {
    let gateway = TestGateway::new().await;
    let text = "invalid handshake: first request must be connect";
    for method in ["health", "status", "Connect"] {
        let frame = json!({"type": "req", "id": "a", "method": method, "params": {}});
        let (answers, close) = first_message(&gateway, &frame.to_string()).await;
        let error = json!({"code": "INVALID_REQUEST", "message": text});
        assert_eq!(answers, [json!({"type": "res", "id": "a", "ok": false, "error": error})]);
        assert_eq!(close, policy(text));
    }
}

#[tokio::test]
async fn a_connect_in_a_binary_frame_is_a_connect() {
    let gateway = TestGateway::new().await;
    let mut client = Client::open(gateway.address()).await;
    client.event("connect.challenge").await;
    let params = connect(json!({"auth": {"token": TOKEN}, "scopes": ["operator.read"]}));
    let frame = json!({"type": "req", "id": "b1", "method": "connect", "params": params});
    client.send_binary(frame.to_string().as_bytes()).await;
    assert_eq!(client.response("b1").await["ok"], true);
    let frame = json!({"type": "req", "id": "b2", "method": "health", "params": {}});
    client.send_binary(frame.to_string().as_bytes()).await;
    assert_eq!(client.response("b2").await["ok"], true);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_no_json_either() {
    let gateway = TestGateway::new().await;
    let mut client = Client::open(gateway.address()).await;
    client.event("connect.challenge").await;
    client.send_binary(&[0xff, 0xfe, 0x00]).await;
    assert_eq!(client.closed().await, (1000, String::new()));
}

#[tokio::test]
async fn a_second_connect_is_refused_and_the_socket_stays() {
    let gateway = TestGateway::new().await;
    let mut client = gateway.admin().await;
    let error = client.error("connect", connect(json!({"auth": {"token": TOKEN}}))).await;
    assert_eq!(error["code"], "INVALID_REQUEST");
    client.ok("health", json!({})).await;
}

#[tokio::test]
async fn a_handshake_that_takes_ten_seconds_is_closed_with_1000() {
    let clock = Arc::new(SimClock::new());
    let gateway = Setup { clock: clock.clone(), ..Setup::default() }.start().await;
    let mut client = Client::open(gateway.address()).await;
    client.event("connect.challenge").await;
    clock.advance(Duration::from_millis(9_999)).await;
    let mut punctual = Client::open(gateway.address()).await;
    assert_eq!(punctual.connect_with(&connect(json!({"auth": {"token": TOKEN}}))).await["ok"], true);
    clock.advance(Duration::from_millis(1)).await;
    assert_eq!(client.closed().await, (1000, String::new()));
    punctual.ok("health", json!({})).await;
}

#[tokio::test]
async fn two_sockets_never_get_the_same_challenge() {
    let gateway = TestGateway::new().await;
    let mut nonces = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let mut client = Client::open(gateway.address()).await;
        let challenge = client.event("connect.challenge").await;
        nonces.insert(challenge["payload"]["nonce"].as_str().unwrap().to_owned());
    }
    assert_eq!(nonces.len(), 20);
}
