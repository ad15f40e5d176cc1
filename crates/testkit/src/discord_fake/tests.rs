//! The fake complains about what does not fit the platform's description.

use serde_json::{Value, json};

use super::contract::Contract;
use super::{shapes, world::ids};

fn complaints(operation: &str, query: &str, body: &Value) -> Vec<String> {
    Contract::read().request(operation, query, Some(body))
}

const SEND: &str = "POST /channels/{channel_id}/messages";

#[test]
fn paths_are_told_apart() {
    let contract = Contract::read();
    let check = |method: &str, path: &str, expected: Option<&str>| {
        assert_eq!(contract.operation(method, path).as_deref(), expected);
    };
    check("POST", "/channels/1/messages", Some(SEND));
    check("GET", "/channels/1/messages/pins", Some("GET /channels/{channel_id}/messages/pins"));
    check("GET", "/channels/1/messages/2", Some("GET /channels/{channel_id}/messages/{message_id}"));
    check("GET", "/users/@me", Some("GET /users/@me"));
    check("POST", "/users/@me", None);
}

#[test]
fn requests_that_do_not_fit_are_complaints() {
    assert_eq!(
        complaints(SEND, "", &json!({ "content": "hi", "nonce": "x", "enforce_nonce": true })),
        [""; 0]
    );
    assert_eq!(complaints(SEND, "", &json!({ "content": 1 })).len(), 1);
    assert_eq!(complaints(SEND, "", &json!({ "content": "x".repeat(2001) })).len(), 1);
    assert_eq!(complaints(SEND, "", &json!({ "nonce": "x".repeat(26) })).len(), 1);
    assert_eq!(Contract::read().strangers(SEND, &json!({ "contents": "hi", "content": "hi" })).len(), 1);
    assert_eq!(complaints(SEND, "wait=true", &json!({ "content": "hi" })).len(), 1);
    let button =
        json!([{ "type": 1, "components": [{ "type": 2, "style": 9, "label": "x", "custom_id": "y" }] }]);
    assert_eq!(complaints(SEND, "", &json!({ "components": button })).len(), 1);
    let poll = json!({ "question": { "text": "Q" }, "answers": [] });
    assert_eq!(complaints(SEND, "", &json!({ "poll": poll })).len(), 1);
}

#[test]
fn events_that_do_not_fit_are_complaints() {
    let mut user = shapes::user(ids::ANA, "ana", false);
    user.as_object_mut().unwrap().remove("flags");
    let message = shapes::message("1", "2", &user, &json!({ "application_id": null, "webhook_id": "3" }));
    assert_eq!(super::check_event("MESSAGE_CREATE", &message), [""; 0]);
    let mut broken = message;
    broken["author"].as_object_mut().unwrap().remove("username");
    broken["member"] = json!({});
    assert!(super::check_event("MESSAGE_CREATE", &broken).len() > 2);
}

#[test]
fn answers_that_do_not_fit_are_complaints() {
    let contract = Contract::read();
    let user = shapes::user(ids::ANA, "ana", false);
    let message = shapes::message("1", "2", &user, &json!({}));
    assert_eq!(contract.answer(SEND, 200, &message), [""; 0]);
    let mut broken = message.clone();
    broken.as_object_mut().unwrap().remove("author");
    assert_eq!(contract.answer(SEND, 200, &broken).len(), 1);
    assert_eq!(contract.answer(SEND, 201, &message).len(), 1);
}
