//! Answers to requests: once, twice, and to clients that have to leave.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use openclaw_protocol::{Close, Dialect, ErrorShape};
use openclaw_types::{ConnectionId, Role, Scope, ScopeSet};
use serde_json::{Value, json};

use super::client::{Client, MAX_IN_FLIGHT};
use super::outbound::Outbound;
use super::reply::Reply;
use crate::auth::{AuthMethod, Locality, Principal};
use crate::methods::Payload;

/// A client with these scopes and a queue of this size, for tests of everything around it.
pub(crate) fn client(id: &str, scopes: &[Scope], limit: usize) -> Arc<Client> {
    Arc::new(Client {
        id: ConnectionId::new(id).unwrap(),
        principal: Principal {
            role: Role::Operator,
            scopes: scopes.iter().copied().collect::<ScopeSet>(),
            device: None,
            method: AuthMethod::Token,
            client_ip: None,
            locality: Locality::Local,
        },
        dialect: Dialect::V3,
        program: "test".to_owned(),
        outbound: Outbound::new(limit),
        in_flight: AtomicUsize::new(0),
        farewell: OnceLock::new(),
    })
}

/// Everything that waits for a client, as JSON.
pub(crate) fn waiting(client: &Client) -> Vec<Value> {
    let mut texts = Vec::new();
    client.outbound.take(&mut texts);
    texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

fn payload(value: &Value) -> Payload {
    Payload::of(value).unwrap()
}

#[test]
fn a_request_may_be_accepted_now_and_answered_later_under_the_same_id() {
    let client = client("c", &[], 1000);
    let reply = Reply::new(client.clone(), "r1".to_owned());
    reply.accept(&payload(&json!({"status": "accepted"})));
    reply.finish(&Ok(payload(&json!({"status": "ok"}))));
    assert_eq!(
        waiting(&client),
        [
            json!({"type": "res", "id": "r1", "ok": true, "payload": {"status": "accepted"}}),
            json!({"type": "res", "id": "r1", "ok": true, "payload": {"status": "ok"}}),
        ]
    );
}

#[test]
fn an_accepted_request_does_not_keep_its_client_from_asking() {
    let client = client("c", &[], 1000);
    let replies: Vec<_> =
        (0..MAX_IN_FLIGHT).map(|number| Reply::new(client.clone(), number.to_string())).collect();
    assert!(!client.has_room());
    replies[0].accept(&payload(&json!({})));
    assert!(client.has_room());
    replies[0].finish(&Err(ErrorShape::unavailable("late")));
    drop(replies);
    assert!(client.has_room());
    assert_eq!(client.in_flight.load(std::sync::atomic::Ordering::Relaxed), 0);
}

#[test]
fn a_client_that_has_to_leave_gets_its_answers_first() {
    let client = client("c", &[], 1000);
    let reply = Reply::new(client.clone(), "r1".to_owned());
    client.leave_when_answered(Close::SERVICE_RESTART);
    assert!(client.outbound.ending().is_none() && !client.has_room());
    reply.finish(&Ok(payload(&json!({}))));
    assert_eq!(waiting(&client).len(), 1);
    assert_eq!(client.outbound.ending().map(|ending| ending.close), Some(Close::SERVICE_RESTART));
}
