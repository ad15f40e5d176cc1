//! Nonsense on the wire: no panic, no hang, and the next client is served.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

mod support;

use futures_util::{SinkExt as _, StreamExt as _};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Client, TestGateway};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

/// Messages that are nearly right, and messages that are not.
fn messages() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let json = prop_oneof![
        Just(json!({"type": "req"})),
        Just(json!({"type": "req", "id": 1, "method": "health"})),
        Just(json!({"type": "req", "id": "a", "method": "", "params": {}})),
        Just(json!({"type": "res", "id": "a", "ok": true})),
        Just(json!({"type": "req", "id": "a", "method": "connect", "params": {"minProtocol": -1}})),
        Just(json!([[[[[[]]]]]])),
        "[a-z.]{0,12}"
            .prop_map(|method| json!({"type": "req", "id": "x", "method": method, "params": {"a": [null]}})),
        ("[a-z]{1,3}\\.[a-z]{1,6}", any::<i64>()).prop_map(|(key, value)| json!({key: value})),
    ]
    .prop_map(|value: Value| value.to_string().into_bytes());
    let bytes = proptest::collection::vec(any::<u8>(), 0..300);
    let deep = (0_usize..4000).prop_map(|depth| "[".repeat(depth).into_bytes());
    proptest::collection::vec(prop_oneof![3 => json, 3 => bytes, 1 => deep], 1..8)
}

async fn throw(client: &mut Client, messages: &[Vec<u8>]) {
    for message in messages {
        let message = match std::str::from_utf8(message) {
            Ok(text) => Message::text(text.to_owned()),
            Err(_) => Message::binary(message.clone()),
        };
        if client.socket.send(message).await.is_err() {
            return;
        }
    }
}

async fn still_answers(gateway: &TestGateway) {
    assert_eq!(gateway.admin().await.ok("health", json!({})).await["ok"], true);
}

fn check(cases: u32, test: impl AsyncFn(&TestGateway, Vec<Vec<u8>>)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let gateway = runtime.block_on(TestGateway::new());
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(messages in messages())| {
        runtime.block_on(test(&gateway, messages));
    });
    runtime.block_on(still_answers(&gateway));
}

#[test]
fn nonsense_before_the_handshake_ends_that_socket_only() {
    check(64, async |gateway, messages| {
        let mut client = Client::open(gateway.address()).await;
        throw(&mut client, &messages).await;
        // Every first message here is wrong, so the gateway closes; a hang would end in the client's patience.
        while let support::Frame::Json(_) = client.next().await {}
        still_answers(gateway).await;
    });
}

#[test]
fn nonsense_after_the_handshake_leaves_the_socket_usable() {
    check(64, async |gateway, messages| {
        let mut client = gateway.admin().await;
        throw(&mut client, &messages).await;
        assert_eq!(client.ok("health", json!({})).await["ok"], true);
        still_answers(gateway).await;
    });
}

#[test]
fn bytes_that_are_no_http_and_no_websocket_do_no_harm() {
    check(48, async |gateway, messages| {
        let mut raw = TcpStream::connect(gateway.address()).await.unwrap();
        for message in &messages {
            if raw.write_all(message).await.is_err() {
                break;
            }
        }
        drop(raw.shutdown().await);
        let mut answer = Vec::new();
        drop(raw.read_to_end(&mut answer).await);
        let mut client = gateway.admin().await;
        for message in &messages {
            if client.socket.get_mut().write_all(message).await.is_err() {
                break;
            }
        }
        drop(client.socket.get_mut().shutdown().await);
        while client.socket.next().await.is_some_and(|message| message.is_ok()) {}
        still_answers(gateway).await;
    });
}
