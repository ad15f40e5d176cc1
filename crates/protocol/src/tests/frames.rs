//! Frames in both directions.

use serde_json::json;
use serde_json::value::RawValue;

use crate::{ErrorShape, FrameFault, Request, ServerFrame, request, response_error, response_ok};

fn not_request(message: &str) -> (Option<String>, String) {
    match Request::parse(message.as_bytes()) {
        Err(FrameFault::NotRequest { id, problems }) => (id, problems),
        other => panic!("expected a refused frame, got {other:?}"),
    }
}

#[test]
fn a_request_keeps_its_params_as_they_were_written() {
    let frame = Request::parse(br#" {"type":"req","id":"1","method":"health","params":{ "probe" : true }} "#)
        .unwrap();
    assert_eq!((frame.id.as_str(), frame.method.as_str()), ("1", "health"));
    assert_eq!(frame.params.map(|params| params.get().to_owned()), Some(r#"{ "probe" : true }"#.to_owned()));
}

#[test]
fn absent_and_null_params_are_the_same() {
    for message in
        [r#"{"type":"req","id":"1","method":"m"}"#, r#"{"type":"req","id":"1","method":"m","params":null}"#]
    {
        assert!(Request::parse(message.as_bytes()).unwrap().params.is_none(), "{message}");
    }
}

#[test]
fn additions_of_protocol_4_are_read_from_everybody() {
    let message = br#"{"type":"req","id":"1:u","method":"m","traceparent":"00-a","expectedProfileId":"p"}"#;
    let frame = Request::parse(message).unwrap();
    assert_eq!(
        (frame.traceparent.as_deref(), frame.expected_profile_id.as_deref()),
        (Some("00-a"), Some("p"))
    );
}

#[test]
fn bytes_that_are_not_json_are_told_from_json_that_is_no_request() {
    for message in [&b"hello"[..], b"", b"{", b"\xff\xfe", b"{\"a\":1}}", b"[1,"] {
        assert_eq!(Request::parse(message).unwrap_err(), FrameFault::NotJson, "{message:?}");
    }
    assert_eq!(
        not_request(r#"["req","1","health"]"#),
        (None, "at root: must be object, found array".to_owned())
    );
    assert_eq!(not_request("5"), (None, "at root: must be object, found number".to_owned()));
    assert_eq!(
        not_request(r#"{"type":"req","id":"7","method":"","extra":1}"#),
        (
            Some("7".to_owned()),
            "at /method: must be non-empty; at root: unexpected property 'extra'".to_owned()
        )
    );
    assert_eq!(
        not_request(r#"{"type":"req","id":""}"#),
        (None, "at /id: must be non-empty; at root: must have required property 'method'".to_owned())
    );
}

#[test]
fn deeply_nested_params_are_no_reason_to_call_a_frame_broken() {
    let deep = format!(
        r#"{{"type":"req","id":"1","method":"m","params":{}{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    assert!(Request::parse(deep.as_bytes()).is_ok());
}

#[test]
fn a_refused_frame_is_answered_under_its_id_or_as_invalid() {
    let answer = |message: &str| {
        let fault = Request::parse(message.as_bytes()).unwrap_err();
        fault.to_answer().map(|(id, error)| (id.to_owned(), error.message))
    };
    assert_eq!(answer("nope"), None);
    assert_eq!(
        answer(r#"{"type":"req","id":"9"}"#),
        Some((
            "9".to_owned(),
            "invalid request frame: at root: must have required property 'method'".to_owned()
        ))
    );
    assert_eq!(answer("[]").map(|(id, _)| id), Some("invalid".to_owned()));
}

#[test]
fn answers_are_written_without_empty_places() {
    let raw = RawValue::from_string(r#"{"a": 1}"#.to_owned()).unwrap();
    let error = ErrorShape::unavailable("busy").retry_after(500);
    assert_eq!(response_ok("1", &*raw).unwrap(), r#"{"type":"res","id":"1","ok":true,"payload":{"a": 1}}"#);
    assert_eq!(response_ok("1", &()).unwrap(), r#"{"type":"res","id":"1","ok":true,"payload":null}"#);
    assert_eq!(
        response_error("2", &error).unwrap(),
        r#"{"type":"res","id":"2","ok":false,"error":{"code":"UNAVAILABLE","message":"busy","retryable":true,"retryAfterMs":500}}"#
    );
}

#[test]
fn our_client_reads_what_our_server_writes() {
    match ServerFrame::parse(response_ok("1", &json!({"x": 1})).unwrap().as_bytes()).unwrap() {
        ServerFrame::Response(response) => {
            assert_eq!(response.id, "1");
            assert_eq!(response.outcome.unwrap().unwrap().get(), r#"{"x":1}"#);
        }
        ServerFrame::Event(event) => panic!("not an event: {event:?}"),
    }
    let error = ErrorShape::unknown_method("nope.method");
    match ServerFrame::parse(response_error("2", &error).unwrap().as_bytes()).unwrap() {
        ServerFrame::Response(response) => assert_eq!(response.outcome.unwrap_err().error, error),
        ServerFrame::Event(event) => panic!("not an event: {event:?}"),
    }
}

#[test]
fn our_client_reads_codes_and_keys_of_newer_servers() {
    let message = br#"{"type":"event","event":"tick","payload":{"ts":1},"seq":4,"recipientProfileId":"p"}"#;
    match ServerFrame::parse(message).unwrap() {
        ServerFrame::Event(event) => assert_eq!((event.event.as_str(), event.seq), ("tick", Some(4))),
        ServerFrame::Response(response) => panic!("not a response: {response:?}"),
    }
    let message =
        br#"{"type":"res","id":"1","ok":false,"error":{"code":"BRAND_NEW","message":"m","hint":1}}"#;
    match ServerFrame::parse(message).unwrap() {
        ServerFrame::Response(response) => {
            assert_eq!(response.outcome.unwrap_err().error.code.as_str(), "BRAND_NEW");
        }
        ServerFrame::Event(event) => panic!("not an event: {event:?}"),
    }
}

#[test]
fn a_server_message_that_is_no_frame_is_refused() {
    for message in
        ["", "5", "{}", r#"{"type":"res","ok":true}"#, r#"{"type":"event"}"#, r#"{"type":"req","id":"1"}"#]
    {
        assert!(ServerFrame::parse(message.as_bytes()).is_err(), "{message}");
    }
}

#[test]
fn our_server_reads_what_our_client_writes() {
    let text = request("1", "logs.tail", &json!({"limit": 2})).unwrap();
    let frame = Request::parse(text.as_bytes()).unwrap();
    assert_eq!((frame.id.as_str(), frame.method.as_str()), ("1", "logs.tail"));
}
