//! Refused params are explained in the form original clients show.

use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::methods::chat::ChatSend;
use crate::methods::cron::CronAdd;
use crate::methods::health::{Health, HealthParams};
use crate::methods::sessions::SessionsPatch;
use crate::{Dialect, decode_params, decode_params_in, find_method};

fn message(method: &str, params: &Value) -> String {
    let spec = find_method(method).unwrap();
    spec.check_params(Some(&to_raw_value(params).unwrap()))
        .map(|()| String::new())
        .unwrap_or_else(|error| error.message)
}

#[test]
fn every_problem_is_named_with_its_place() {
    let cases = [
        ("config.get", json!({"foo": 1}), "invalid config.get params: at root: unexpected property 'foo'"),
        (
            "logs.tail",
            json!({"limit": 0, "maxBytes": 2_000_000, "cursor": "x"}),
            "invalid logs.tail params: at /limit: must be at least 1 and at most 5000; \
             at /maxBytes: must be at least 1 and at most 1000000; at /cursor: must be integer, found string",
        ),
        (
            "device.pair.approve",
            json!({}),
            "invalid device.pair.approve params: at root: must have required property 'requestId'",
        ),
        (
            "chat.history",
            json!({"sessionKey": ""}),
            "invalid chat.history params: at /sessionKey: must be non-empty",
        ),
        (
            "wake",
            json!({"mode": "later", "text": "x"}),
            "invalid wake params: at /mode: must be one of \"now\", \"next-heartbeat\"",
        ),
        ("logs.tail", json!([]), "invalid logs.tail params: at root: must be object, found array"),
        (
            "exec.approvals.set",
            json!({"file": [1]}),
            "invalid exec.approvals.set params: at /file: must be object, found array",
        ),
        (
            "logs.tail",
            json!({"limit": null}),
            "invalid logs.tail params: at /limit: must be integer, found null",
        ),
        (
            "poll",
            json!({"to": "x", "question": "q", "options": ["a"], "idempotencyKey": "k"}),
            "invalid poll params: at /options: must be 2 to 12 items long",
        ),
        (
            "sessions.usage",
            json!({"startDate": "yesterday"}),
            r"invalid sessions.usage params: at /startDate: must match the pattern ^\d{4}-\d{2}-\d{2}$",
        ),
        (
            "cron.update",
            json!({"id": "j", "patch": {"schedule": {"kind": "every", "everyMs": 0}}}),
            "invalid cron.update params: at /patch/schedule/everyMs: must be at least 1",
        ),
        ("set-heartbeats", json!({"enabled": true, "else": 1}), ""),
    ];
    for (method, params, expected) in cases {
        let found = message(method, &params);
        assert_eq!(found, expected, "{method} {params}");
    }
}

#[test]
fn absent_and_null_params_are_an_empty_object() {
    let null = to_raw_value(&Value::Null).unwrap();
    assert_eq!(decode_params::<Health>(None), Ok(HealthParams { probe: None }));
    assert_eq!(decode_params::<Health>(Some(&null)), Ok(HealthParams { probe: None }));
}

#[test]
fn null_clears_a_preference_and_absence_leaves_it() {
    let params = to_raw_value(&json!({"key": "main", "label": null})).unwrap();
    let patch = decode_params::<SessionsPatch>(Some(&params)).unwrap();
    assert_eq!((patch.label, patch.model), (Some(None), None));
}

#[test]
fn keys_that_only_protocol_4_knows_are_left_out_for_its_clients() {
    let newer = to_raw_value(
        &json!({"sessionKey": "main", "message": "hi", "idempotencyKey": "k", "sessionId": "s"}),
    )
    .unwrap();
    let plain = to_raw_value(&json!({"sessionKey": "main", "message": "hi", "idempotencyKey": "k"})).unwrap();
    let expected = decode_params::<ChatSend>(Some(&plain));
    assert_eq!(decode_params_in::<ChatSend>(Dialect::V4, Some(&newer)), expected);
    assert_eq!(
        decode_params_in::<ChatSend>(Dialect::V3, Some(&newer)).unwrap_err().message,
        "invalid chat.send params: at root: unexpected property 'sessionId' (did you mean 'sessionKey'?)"
    );
}

#[test]
fn a_client_of_protocol_4_is_still_refused_what_is_wrong() {
    let params =
        to_raw_value(&json!({"sessionKey": "", "message": "hi", "idempotencyKey": "k", "sessionId": "s"}))
            .unwrap();
    assert_eq!(
        decode_params_in::<ChatSend>(Dialect::V4, Some(&params)).unwrap_err().message,
        "invalid chat.send params: at /sessionKey: must be non-empty; at root: unexpected property 'sessionId' (did you mean 'sessionKey'?)"
    );
}

#[test]
fn unknown_keys_inside_unions_are_left_out_too() {
    let params = to_raw_value(&json!({
        "name": "j",
        "schedule": {"kind": "every", "everyMs": 1000, "pacing": 1},
        "sessionTarget": "main",
        "wakeMode": "now",
        "payload": {"kind": "systemEvent", "text": "t"},
    }))
    .unwrap();
    assert!(decode_params_in::<CronAdd>(Dialect::V4, Some(&params)).is_ok());
    assert!(decode_params_in::<CronAdd>(Dialect::V3, Some(&params)).is_err());
}
