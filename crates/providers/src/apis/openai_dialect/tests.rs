//! Addresses, credentials, ids, and what servers say when they refuse.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::model::{FaultReason, ModelFault, ModelRequest, ModelTarget, ToolChoice};
use openclaw_types::{Secret, ToolCallId};
use serde_json::json;

use super::{CallIds, Choice, IdForm, classify, endpoint, headers, host_of, stream_fault, tool_choice};
use crate::apis::samples;

fn target(base_url: &str, credential: Option<&str>, own: &[(&str, &str)]) -> ModelTarget {
    let secret = |text: &str| Secret::new(text.to_owned());
    ModelTarget {
        credential: credential.map(secret),
        headers: own.iter().map(|(name, value)| ((*name).to_owned(), secret(value))).collect(),
        ..samples::target("m", base_url)
    }
}

#[test]
fn the_path_comes_before_the_query_and_only_once() {
    for (base, expected) in [
        ("https://a.test/v1", "https://a.test/v1/chat/completions"),
        (" https://a.test/v1// ", "https://a.test/v1/chat/completions"),
        ("https://a.test/v1/chat/completions", "https://a.test/v1/chat/completions"),
        (
            "https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
            "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
        ("https://a.test/?#top", "https://a.test/chat/completions"),
    ] {
        assert_eq!(endpoint(base, "/chat/completions"), expected);
    }
    assert_eq!(host_of("https://user@A.Test:8443/v1?x"), "a.test");
    assert_eq!(host_of("a.test/v1"), "a.test");
}

#[test]
fn credentials_go_where_the_server_looks_for_them() {
    let table: [(ModelTarget, &[(&str, &str)]); 5] = [
        (target("https://a.test", Some(" k\n"), &[]), &[("authorization", "Bearer k")]),
        (target("https://r.openai.azure.com/openai/v1", Some("k"), &[]), &[("api-key", "k")]),
        (
            target("https://r.openai.azure.com", Some("eyJ0.x.y"), &[]),
            &[("authorization", "Bearer eyJ0.x.y")],
        ),
        (target("http://localhost:8080", Some(" "), &[]), &[]),
        (
            target("https://a.test", Some("k"), &[("Authorization", "Basic x"), ("X-Own", "1")]),
            &[("authorization", "Basic x"), ("x-own", "1")],
        ),
    ];
    for (target, extra) in table {
        let mut expected =
            BTreeMap::from([("accept", "text/event-stream"), ("content-type", "application/json")]);
        expected.extend(extra.iter().copied());
        let headers = headers(&target);
        let shown: BTreeMap<&str, &str> =
            headers.iter().map(|(name, value)| (name.as_str(), value.reveal().as_str())).collect();
        assert_eq!(shown, expected);
    }
}

#[test]
fn ids_are_of_the_right_form_and_never_shared() {
    let id = |text: &str| ToolCallId::new(text).unwrap();
    for (form, own, expected) in [
        (IdForm::Short, "functions.read:0", "functions.read:0"),
        (IdForm::Short, "call_1|fc_2", "call_1"),
        (IdForm::Plain, "functions.read:0", "functions_read_0"),
        (IdForm::Nine, "abcDEF123", "abcDEF123"),
    ] {
        assert_eq!(CallIds::new(form).of(&id(own)), expected);
    }
    for (form, length) in [(IdForm::Short, 37), (IdForm::Plain, 37), (IdForm::Nine, 9)] {
        let mut ids = CallIds::new(form);
        let one = ids.of(&id("call_1|fc_1"));
        let two = ids.of(&id("call_1|fc_2"));
        assert_ne!(one, two);
        assert_eq!((two.len(), ids.of(&id("call_1|fc_2"))), (length, two.clone()));
    }
}

#[test]
fn refusals_are_told_apart_by_code_then_words_then_status() {
    for (status, body, reason) in [
        (
            429,
            r#"{"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded your current quota"}}"#,
            FaultReason::Billing,
        ),
        (
            429,
            r#"{"error":{"type":"tokens","code":"rate_limit_exceeded","message":"slow"}}"#,
            FaultReason::RateLimit,
        ),
        (
            429,
            r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"quota, see plan and billing"}}]"#,
            FaultReason::RateLimit,
        ),
        (429, "", FaultReason::RateLimit),
        (402, r#"{"error":{"message":"Insufficient credits","code":402}}"#, FaultReason::Billing),
        (
            400,
            r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#,
            FaultReason::ContextOverflow,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
            FaultReason::ContextOverflow,
        ),
        (
            400,
            r#"{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}"#,
            FaultReason::ContextOverflow,
        ),
        (400, "  ", FaultReason::ContextOverflow),
        (413, "", FaultReason::ContextOverflow),
        (
            400,
            r#"{"error":{"message":"Unknown parameter: 'store'.","type":"invalid_request_error"}}"#,
            FaultReason::Format,
        ),
        (
            422,
            r#"{"detail":[{"loc":["body"],"msg":"field required","type":"value_error"}]}"#,
            FaultReason::Format,
        ),
        (
            401,
            r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#,
            FaultReason::Auth,
        ),
        (401, "unauthorized: token expired\n", FaultReason::Auth),
        (
            403,
            r#"{"error":{"message":"Project does not have access to model","code":"model_not_found"}}"#,
            FaultReason::ModelNotFound,
        ),
        (404, r#"{"error":{"message":"The model `x` does not exist"}}"#, FaultReason::ModelNotFound),
        (
            400,
            r#"{"error":{"message":"The requested model is not supported.","code":"model_not_supported"}}"#,
            FaultReason::ModelNotFound,
        ),
        (
            400,
            r#"{"error":{"code":"content_filter","message":"filtered","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
            FaultReason::Refused,
        ),
        (
            500,
            r#"{"error":{"message":"The server had an error","type":"server_error"}}"#,
            FaultReason::Overloaded,
        ),
        (503, "<html><body>Bad day</body></html>", FaultReason::Overloaded),
        (504, "", FaultReason::Timeout),
        (408, "{}", FaultReason::Timeout),
        (302, "", FaultReason::Unknown),
    ] {
        let fault = classify(status, &BTreeMap::new(), body.as_bytes());
        assert_eq!((fault.reason, fault.status), (reason, Some(status)), "{status} {body}");
    }
}

#[test]
fn what_the_server_says_is_kept_short_and_without_keys() {
    let key = ["sk", "-proj-", "abcdefgh12345678"].concat();
    let body = json!({ "error": { "message": format!("Incorrect API key provided: {key}.\nGo away"), "code": "invalid_api_key" } });
    assert_eq!(
        classify(401, &BTreeMap::new(), body.to_string().as_bytes()),
        ModelFault {
            reason: FaultReason::Auth,
            message: "Incorrect API key provided: [hidden] Go away".to_owned(),
            status: Some(401),
            retry_after: None,
        }
    );
    let page = classify(502, &BTreeMap::new(), b"<!DOCTYPE html><p>nginx");
    assert_eq!(page.message, "the server answered with status 502 and no explanation");
}

#[test]
fn the_wait_comes_from_headers_then_from_the_words() {
    let body =
        br#"{"error":{"code":"rate_limit_exceeded","message":"Please try again in 1m2.5s. See docs."}}"#;
    let in_words = classify(429, &BTreeMap::new(), body);
    assert_eq!(in_words.retry_after, Some(Duration::from_millis(62_500)));
    let headers = BTreeMap::from([("retry-after".to_owned(), "7".to_owned())]);
    assert_eq!(classify(429, &headers, body).retry_after, Some(Duration::from_secs(7)));
    for (error, wait) in [
        (
            json!({ "type": "usage_limit_reached", "message": "limit", "resets_in_seconds": 90 }),
            Some(Duration::from_secs(90)),
        ),
        (json!({ "code": "slow_down", "message": "try again in 20 seconds" }), Some(Duration::from_secs(20))),
        (json!({ "code": "slow_down", "message": "try again in a while" }), None),
        (json!({ "code": "slow_down", "message": "try again in 1e999s" }), None),
        (json!({ "code": "invalid_api_key", "message": "try again in 20s" }), None),
    ] {
        assert_eq!(stream_fault(&error).retry_after, wait, "{error}");
    }
}

#[test]
fn errors_inside_a_stream_need_no_status() {
    for (error, reason, message) in [
        (
            json!({ "error": { "code": 503, "message": "" } }),
            FaultReason::Overloaded,
            "the server ended the answer with an error and no explanation",
        ),
        (
            json!({ "type": "error", "code": "invalid_image", "message": "bad picture" }),
            FaultReason::Format,
            "bad picture",
        ),
        (json!({ "error": "strange" }), FaultReason::Unknown, "strange"),
        (json!({ "error": "overloaded_error", "message": "later" }), FaultReason::Overloaded, "later"),
        (json!(null), FaultReason::Unknown, "the server ended the answer with an error and no explanation"),
    ] {
        let fault = stream_fault(&error);
        assert_eq!((fault.reason, fault.message.as_str()), (reason, message), "{error}");
    }
}

#[test]
fn a_tool_that_must_be_called_has_to_be_offered() {
    let asked = |tools, choice| ModelRequest { tools, tool_choice: choice, ..samples::request(Vec::new()) };
    let named = || ToolChoice::Named("read".to_owned());
    let read = || vec![samples::tool("read")];
    for (request, expected) in [
        (asked(read(), ToolChoice::Auto), Ok(None)),
        (asked(Vec::new(), ToolChoice::None), Ok(None)),
        (asked(read(), ToolChoice::None), Ok(Some(Choice::Word("none")))),
        (asked(read(), ToolChoice::Required), Ok(Some(Choice::Word("required")))),
        (asked(read(), named()), Ok(Some(Choice::Named("read")))),
        (asked(Vec::new(), ToolChoice::Required), Err(FaultReason::Format)),
        (asked(vec![samples::tool("list")], named()), Err(FaultReason::Format)),
    ] {
        assert_eq!(tool_choice(&request).map_err(|fault| fault.reason), expected);
    }
}
