//! Streams in the shape the vendor sends, and whole request bodies of the Messages protocol.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::model::{
    ApiName, CacheLifetime, FaultReason, ModelApi, ModelEvent, ModelFault, ModelRequest, ModelTarget,
    ToolChoice, ToolSpec,
};
use openclaw_types::{Content, Message, RedactedThinking, Secret, StopReason, ThinkingLevel, ToolOutcome};
use serde_json::{Value, json};

use super::AnthropicMessages;
use crate::apis::conformance::{codec_conformance, completion, decode, repeated_for_ever_is_too_large};
use crate::apis::samples::{
    self, call, credential, failed, pairs, picture, picture_at, request, result, thought, tool, user,
};

const TEXT: &[u8] = include_bytes!("fixtures/text.sse");
const THINKING_AND_TOOLS: &[u8] = include_bytes!("fixtures/thinking_and_tools.sse");

codec_conformance!(conformance_of_text: AnthropicMessages, TEXT);
codec_conformance!(conformance_of_tools: AnthropicMessages, THINKING_AND_TOOLS);

fn target(model: &str) -> ModelTarget {
    ModelTarget {
        credential: credential("sk-ant-api03-test"),
        ..samples::target(model, "https://api.anthropic.com")
    }
}

fn answer(content: Vec<Content>, model: &str) -> Message {
    samples::answer(ApiName::AnthropicMessages, model, content)
}

fn body(request: &ModelRequest, target: &ModelTarget) -> Value {
    samples::body(&AnthropicMessages, request, target)
}

fn headers_of(request: &ModelRequest, target: &ModelTarget) -> BTreeMap<String, String> {
    samples::headers_of(&AnthropicMessages.encode(request, target).unwrap())
}

fn events(stream: &[u8]) -> Vec<ModelEvent> {
    decode(&AnthropicMessages, &[stream])
}

/// A stream of these events.
fn sse(frames: &[Value]) -> Vec<u8> {
    frames.iter().flat_map(|frame| format!("data: {frame}\n\n").into_bytes()).collect()
}

fn start() -> Value {
    json!({ "type": "message_start", "message": { "id": "msg_1", "model": "m", "usage": { "input_tokens": 1 } } })
}

fn text_block(text: &str) -> [Value; 3] {
    [
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
        json!({ "type": "content_block_stop", "index": 0 }),
    ]
}

fn stop(reason: &str) -> [Value; 2] {
    [
        json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 2 } }),
        json!({ "type": "message_stop" }),
    ]
}

fn snapshot(name: &str, stream: &[u8]) {
    insta::with_settings!({ snapshot_path => "fixtures", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_debug_snapshot!(name, events(stream));
    });
}

#[test]
fn streams_as_the_vendor_sends_them_give_these_events() {
    snapshot("text", TEXT);
    snapshot("thinking_and_tools", THINKING_AND_TOOLS);
    snapshot("overloaded_midway", include_bytes!("fixtures/overloaded_midway.sse"));
    snapshot("refusal", include_bytes!("fixtures/refusal.sse"));
}

#[test]
fn every_stop_reason_ends_the_answer_in_its_way() {
    for (word, expected) in [
        ("end_turn", Ok(StopReason::Stop)),
        ("stop_sequence", Ok(StopReason::Stop)),
        ("pause_turn", Ok(StopReason::Stop)),
        ("max_tokens", Ok(StopReason::Length)),
        ("model_context_window_exceeded", Ok(StopReason::Length)),
        ("new_reason", Ok(StopReason::Other("new_reason".into()))),
        ("refusal", Err(FaultReason::Refused)),
        ("sensitive", Err(FaultReason::Refused)),
        ("error", Err(FaultReason::Unknown)),
    ] {
        let stream = sse(&[vec![start()], text_block("hi").to_vec(), stop(word).to_vec()].concat());
        let found = match events(&stream).pop() {
            Some(ModelEvent::Done(done)) => Ok(done.stop),
            Some(ModelEvent::Failed(fault)) => Err(fault.reason),
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected, "{word}");
    }
}

#[test]
fn thoughts_that_are_not_shown_keep_their_proof() {
    let frames = [
        start(),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": "s" } }),
        json!({ "type": "content_block_stop", "index": 0 }),
    ];
    let stream = sse(&[frames.to_vec(), text_block("Hi").to_vec(), stop("end_turn").to_vec()].concat());
    assert_eq!(completion(&events(&stream)).content, [thought("", Some("s")), Content::text("Hi")]);
}

#[test]
fn arguments_are_read_leniently() {
    for (start_input, deltas, expected) in [
        (json!({}), vec![], json!({})),
        (json!({}), vec!["  "], json!({})),
        (json!({ "a": 1 }), vec![], json!({ "a": 1 })),
        (json!({ "a": 1 }), vec!["{\"b\":", "2}"], json!({ "b": 2 })),
        (json!({}), vec!["{\"cut\": \"o"], json!("{\"cut\": \"o")),
    ] {
        let mut frames = vec![
            start(),
            json!({ "type": "content_block_start", "index": 0,
                "content_block": { "type": "tool_use", "id": "t1", "name": "read", "input": start_input } }),
        ];
        for delta in deltas {
            frames.push(json!({ "type": "content_block_delta", "index": 0,
                "delta": { "type": "input_json_delta", "partial_json": delta } }));
        }
        // Neither the block's end nor a reason: both are told by what is there.
        frames.push(json!({ "type": "message_stop" }));
        let all = events(&sse(&frames));
        let done = completion(&all);
        assert_eq!(done.content, [call("t1", "read", expected)]);
        assert_eq!(done.stop, StopReason::ToolUse);
    }
}

#[test]
fn a_start_that_already_holds_words_tells_them() {
    let frames = [
        start(),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "Hi" } }),
        json!({ "type": "message_stop" }),
    ];
    let all = events(&sse(&frames));
    assert_eq!(all[1], ModelEvent::Text { piece: 0, delta: "Hi".to_owned() });
    assert_eq!(completion(&all).content, [Content::text("Hi")]);
}

#[test]
fn streams_that_go_wrong_fail_with_a_typed_reason() {
    let cut = "the connection ended in the middle of the answer";
    let unreadable = |what: &str| format!("the server sent something that could not be read: {what}");
    let empty = "the model gave an empty answer";
    let call_without_id = json!({ "type": "content_block_start", "index": 0,
        "content_block": { "type": "tool_use", "id": "", "name": "x" } });
    let lost_arguments =
        json!({ "type": "content_block_delta", "index": 0, "delta": { "partial_json": "{" } });
    for (stream, expected) in [
        (Vec::new(), failed(FaultReason::Empty, empty)),
        (sse(&[start()]), failed(FaultReason::Truncated, cut)),
        (sse(&[vec![start()], stop("end_turn").to_vec()].concat()), failed(FaultReason::Empty, empty)),
        (
            b"data: {\"type\":\n\n".to_vec(),
            failed(FaultReason::Malformed, &unreadable("an event of the stream")),
        ),
        (b"data: {\"type\":".to_vec(), failed(FaultReason::Truncated, cut)),
        (b"data: {}\n\n".to_vec(), failed(FaultReason::Malformed, &unreadable("an event without a type"))),
        (
            sse(&[call_without_id]),
            failed(FaultReason::Malformed, &unreadable("a tool call without a usable id")),
        ),
        (
            sse(&[lost_arguments]),
            failed(FaultReason::Malformed, &unreadable("arguments of a tool call that never began")),
        ),
        (
            sse(&[json!({ "error": "Rate limit reached" })]),
            failed(FaultReason::RateLimit, "Rate limit reached"),
        ),
        (
            b"event: error\ndata: {}\n\n".to_vec(),
            failed(FaultReason::Unknown, "the server broke off the answer"),
        ),
    ] {
        assert_eq!(events(&stream).pop(), expected, "{}", String::from_utf8_lossy(&stream));
    }
}

#[test]
fn an_endless_answer_is_stopped() {
    let delta = json!({ "text": "a".repeat(1024 * 1024) });
    let more = sse(&[json!({ "type": "content_block_delta", "index": 0, "delta": delta })]);
    repeated_for_ever_is_too_large(&AnthropicMessages, &more);
}

#[test]
fn refusals_are_explained_by_type_words_and_status() {
    let body = |kind: &str, message: &str| {
        json!({ "type": "error", "error": { "type": kind, "message": message } }).to_string()
    };
    for (status, body, reason) in [
        (
            429,
            body("rate_limit_error", "Number of request tokens has exceeded your limit"),
            FaultReason::RateLimit,
        ),
        (401, body("authentication_error", "invalid x-api-key"), FaultReason::Auth),
        (403, body("permission_error", "not allowed"), FaultReason::Auth),
        (402, body("billing_error", "payment failed"), FaultReason::Billing),
        (400, body("invalid_request_error", "Your credit balance is too low"), FaultReason::Billing),
        (
            400,
            body("invalid_request_error", "You have reached your specified API usage limits."),
            FaultReason::Billing,
        ),
        (
            400,
            body("invalid_request_error", "prompt is too long: 2 tokens > 1 maximum"),
            FaultReason::ContextOverflow,
        ),
        (
            400,
            body("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 2"),
            FaultReason::ContextOverflow,
        ),
        (400, body("invalid_request_error", "messages.0: unexpected role"), FaultReason::Format),
        (413, body("request_too_large", "Request exceeds the maximum size"), FaultReason::ContextOverflow),
        (404, body("not_found_error", "model: claude-nope"), FaultReason::ModelNotFound),
        (500, body("api_error", "Internal server error"), FaultReason::Overloaded),
        (529, body("overloaded_error", "Overloaded"), FaultReason::Overloaded),
        (504, body("timeout_error", "took too long"), FaultReason::Timeout),
        (422, "{\"message\":\"bad field\"}".to_owned(), FaultReason::Format),
        (429, "{\"error\":\"insufficient balance\"}".to_owned(), FaultReason::Billing),
        (503, "<html>down</html>".to_owned(), FaultReason::Overloaded),
        (404, String::new(), FaultReason::ModelNotFound),
    ] {
        let found = AnthropicMessages.classify(status, &BTreeMap::new(), body.as_bytes());
        assert_eq!(found.reason, reason, "{status} {body}");
    }
}

#[test]
fn a_refusal_says_how_long_to_wait_and_hides_keys() {
    let headers = BTreeMap::from([("retry-after".to_owned(), "17".to_owned())]);
    let body =
        json!({ "error": { "type": "rate_limit_error", "message": "slow\ndown sk-ant-api03-abcdef123456" } });
    assert_eq!(
        AnthropicMessages.classify(429, &headers, body.to_string().as_bytes()),
        ModelFault {
            reason: FaultReason::RateLimit,
            message: "slow down [hidden]".to_owned(),
            status: Some(429),
            retry_after: Some(Duration::from_secs(17)),
        }
    );
}

#[test]
fn a_plain_question_is_a_plain_body() {
    let asked = ModelRequest { temperature: Some(0.3), ..request(vec![user(vec![Content::text("Hi")])]) };
    assert_eq!(
        body(&asked, &target("claude-sonnet-4-5")),
        json!({
            "model": "claude-sonnet-4-5",
            "max_tokens": 32000,
            "stream": true,
            "temperature": 0.3,
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Hi" }] }],
        })
    );
}

#[test]
fn a_key_and_a_login_travel_in_their_own_headers() {
    let asked = request(vec![user(vec![Content::text("Hi")])]);
    let fixed = [
        ("accept", "text/event-stream"),
        ("anthropic-version", "2023-06-01"),
        ("content-type", "application/json"),
    ];
    let key = pairs(&[fixed[0], fixed[1], fixed[2], ("x-api-key", "sk-ant-api03-test")]);
    assert_eq!(headers_of(&asked, &target("claude-opus-4-6")), key);
    let mut bearer = target("claude-opus-4-6");
    bearer.compatibility.key_as_bearer = true;
    let expected = pairs(&[fixed[0], fixed[1], ("authorization", "Bearer sk-ant-api03-test"), fixed[2]]);
    assert_eq!(headers_of(&asked, &bearer), expected);
    let login = ModelTarget {
        credential: credential("sk-ant-oat01-test\n"),
        headers: BTreeMap::from([
            ("Anthropic-Beta".to_owned(), Secret::new("mine-2026-01-01".to_owned())),
            ("X-Mine".to_owned(), Secret::new("yes".to_owned())),
        ]),
        ..target("claude-opus-4-6")
    };
    let expected = pairs(&[
        fixed[0],
        ("anthropic-beta", "oauth-2025-04-20,mine-2026-01-01"),
        fixed[1],
        ("authorization", "Bearer sk-ant-oat01-test"),
        fixed[2],
        ("x-mine", "yes"),
    ]);
    assert_eq!(headers_of(&asked, &login), expected);
    let open = ModelTarget { credential: None, ..target("local") };
    assert_eq!(headers_of(&asked, &open), pairs(&fixed));
}

#[test]
fn the_address_is_the_same_with_and_without_a_version_in_the_base() {
    for (base, url) in [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
        ("http://127.0.0.1:8080/anthropic", "http://127.0.0.1:8080/anthropic/v1/messages"),
    ] {
        let there = ModelTarget { base_url: base.to_owned(), ..target("m") };
        let asked = request(vec![user(vec![Content::text("Hi")])]);
        assert_eq!(AnthropicMessages.encode(&asked, &there).unwrap().url, url);
    }
}

#[test]
fn thinking_is_asked_for_as_the_generation_takes_it() {
    let asked = |level| ModelRequest {
        thinking: level,
        tools: vec![tool("read")],
        max_output_tokens: Some(1000),
        ..request(vec![user(vec![Content::text("Hi")])])
    };
    for (model, level, max_tokens, thinking, output_config, beta) in [
        (
            "claude-sonnet-4-5",
            ThinkingLevel::Low,
            3048,
            json!({ "type": "enabled", "budget_tokens": 2048 }),
            Value::Null,
            Some("interleaved-thinking-2025-05-14"),
        ),
        (
            "claude-opus-4-7",
            ThinkingLevel::XHigh,
            1000,
            json!({ "type": "adaptive", "display": "summarized" }),
            json!({ "effort": "xhigh" }),
            None,
        ),
        ("claude-opus-5", ThinkingLevel::Off, 1000, json!({ "type": "disabled" }), Value::Null, None),
        ("claude-opus-5-5", ThinkingLevel::Off, 1000, Value::Null, json!({ "effort": "low" }), None),
    ] {
        let sent = body(&asked(level), &target(model));
        let found = (&sent["max_tokens"], &sent["thinking"], &sent["output_config"]);
        assert_eq!(found, (&json!(max_tokens), &thinking, &output_config), "{model}");
        let headers = headers_of(&asked(level), &target(model));
        assert_eq!(headers.get("anthropic-beta").map(String::as_str), beta, "{model}");
    }
}

#[test]
fn a_whole_conversation_goes_back_with_its_proofs_in_turns() {
    let model = "claude-opus-4-6";
    let asked = ModelRequest {
        system: vec!["Be kind.".to_owned(), " ".to_owned(), "Today is Monday.".to_owned()].into(),
        tools: vec![tool("read"), tool("list")],
        tool_choice: ToolChoice::None,
        ..request(vec![
            user(vec![Content::text("Look"), picture(Some("image/jpg"), "QUJD")]),
            answer(
                vec![
                    thought("hm", Some("sig")),
                    thought("", Some("sig2")),
                    Content::RedactedThinking(RedactedThinking { data: "c2VhbGVk".to_owned() }),
                    Content::text("Reading."),
                    call("toolu_1", "read", json!({ "path": "a" })),
                    call("toolu_2", "read", json!("{\"cut\": \"o")),
                ],
                model,
            ),
            result("toolu_1", vec![Content::text("one"), Content::text("two")], ToolOutcome::Done),
            result("toolu_2", vec![Content::text("no"), picture(None, "iVBORw0KGgo=")], ToolOutcome::Failed),
            user(vec![Content::text("And?"), picture_at(None, "https://example.com/a.png")]),
        ])
    };
    assert_eq!(
        body(&asked, &target(model)),
        json!({
            "model": model,
            "max_tokens": 32000,
            "stream": true,
            "tools": [
                { "name": "read", "description": "Does read.", "input_schema": tool("read").parameters },
                { "name": "list", "description": "Does list.", "input_schema": tool("list").parameters },
            ],
            "tool_choice": { "type": "none" },
            "system": [{ "type": "text", "text": "Be kind." }, { "type": "text", "text": "Today is Monday." }],
            "messages": [
                { "role": "user", "content": [
                    { "type": "text", "text": "Look" },
                    { "type": "image", "source": { "type": "base64", "media_type": "image/jpeg", "data": "QUJD" } },
                ] },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "hm", "signature": "sig" },
                    { "type": "thinking", "thinking": "", "signature": "sig2" },
                    { "type": "redacted_thinking", "data": "c2VhbGVk" },
                    { "type": "text", "text": "Reading." },
                    { "type": "tool_use", "id": "toolu_1", "name": "read", "input": { "path": "a" } },
                    { "type": "tool_use", "id": "toolu_2", "name": "read", "input": { "raw": "{\"cut\": \"o" } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "toolu_1", "content": "one\ntwo" },
                    { "type": "tool_result", "tool_use_id": "toolu_2", "is_error": true, "content": [
                        { "type": "text", "text": "no" },
                        { "type": "image", "source":
                            { "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" } },
                    ] },
                    { "type": "text", "text": "And?" },
                    { "type": "image", "source": { "type": "url", "url": "https://example.com/a.png" } },
                ] },
            ],
        })
    );
}

#[test]
fn the_cache_is_marked_at_tools_system_and_the_end_of_the_conversation() {
    let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let asked = |cache| ModelRequest {
        cache,
        system: texts(&["a", "b", "c"]).into(),
        tools: vec![tool("read"), tool("list")],
        ..request(vec![user(vec![Content::text("Hi")]), user(vec![Content::text("there")])])
    };
    let elsewhere =
        ModelTarget { base_url: "https://proxy.example/api.anthropic.com".to_owned(), ..target("m") };
    let short = json!({ "type": "ephemeral" });
    for (cache, target, mark) in [
        (CacheLifetime::Short, target("m"), Some(short.clone())),
        (CacheLifetime::Long, target("m"), Some(json!({ "type": "ephemeral", "ttl": "1h" }))),
        (CacheLifetime::Long, elsewhere, Some(short)),
        (CacheLifetime::Off, target("m"), None),
    ] {
        let sent = body(&asked(cache), &target);
        let marked = |value: &Value| value.get("cache_control").cloned();
        let system: Vec<_> = (0..3).map(|at| marked(&sent["system"][at])).collect();
        let tools: Vec<_> = (0..2).map(|at| marked(&sent["tools"][at])).collect();
        let last: Vec<_> = (0..2).map(|at| marked(&sent["messages"][0]["content"][at])).collect();
        assert_eq!(system, [mark.clone(), None, mark.clone()]);
        assert_eq!(tools, [None, mark.clone()]);
        assert_eq!(last, [None, mark]);
    }
}

#[test]
fn a_tool_can_be_forced_named_or_gone() {
    let asked = |choice| ModelRequest {
        tools: vec![tool("read")],
        tool_choice: choice,
        ..request(vec![user(vec![Content::text("Hi")])])
    };
    for (choice, expected) in [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::None, json!({ "type": "none" })),
        (ToolChoice::Required, json!({ "type": "any" })),
        (ToolChoice::Named("read".to_owned()), json!({ "type": "tool", "name": "read" })),
    ] {
        assert_eq!(body(&asked(choice), &target("claude-opus-4-6"))["tool_choice"], expected);
    }
    let without_tools =
        request(vec![user(vec![Content::text("Hi")]), answer(vec![call("c1", "old", json!({}))], "other")]);
    let sent = body(&without_tools, &target("claude-opus-4-6"));
    let gone = json!([{ "name": "old", "description": "Not available any more.",
        "input_schema": { "type": "object", "properties": {} } }]);
    assert_eq!((&sent["tools"], &sent["tool_choice"]), (&gone, &json!({ "type": "none" })));
}

#[test]
fn schemas_become_objects_without_alternatives_at_the_top() {
    let odd = |parameters| ModelRequest {
        tools: vec![ToolSpec { name: "x".to_owned(), description: "".into(), parameters }],
        ..request(vec![user(vec![Content::text("Hi")])])
    };
    for (parameters, schema) in [
        (Value::Null, json!({ "type": "object", "properties": {} })),
        (
            json!({ "$schema": "x", "anyOf": [], "properties": { "a": { "anyOf": [] } }, "$defs": {} }),
            json!({ "properties": { "a": { "anyOf": [] } }, "$defs": {}, "type": "object" }),
        ),
    ] {
        assert_eq!(body(&odd(parameters.into()), &target("m"))["tools"][0]["input_schema"], schema);
    }
}

#[test]
fn a_conversation_begins_with_a_person_and_is_never_empty() {
    let begun = request(vec![answer(vec![Content::text("Hello")], "m"), user(vec![Content::text("Hi")])]);
    let expected = json!([
        { "role": "user", "content": [{ "type": "text", "text": "(The conversation goes on.)" }] },
        { "role": "assistant", "content": [{ "type": "text", "text": "Hello" }] },
        { "role": "user", "content": [{ "type": "text", "text": "Hi" }] },
    ]);
    assert_eq!(body(&begun, &target("m"))["messages"], expected);
    let fault = ModelFault::new(FaultReason::Format, "the conversation has nothing to send to the model");
    assert_eq!(AnthropicMessages.encode(&request(Vec::new()), &target("m")), Err(fault));
}

#[test]
fn pictures_that_cannot_be_shown_are_mentioned() {
    let asked = request(vec![user(vec![picture(Some("image/tiff"), "QUJD"), picture(None, "QkFC")])]);
    let mention = json!({ "type": "text", "text": "[a picture of a kind that the model does not take]" });
    assert_eq!(body(&asked, &target("m"))["messages"][0]["content"], json!([mention, mention]));
}

#[test]
fn a_call_shows_no_credential_in_a_debug_print() {
    let shown = format!(
        "{:?}",
        AnthropicMessages.encode(&request(vec![user(vec![Content::text("Hi")])]), &target("m"))
    );
    assert!(!shown.contains("sk-ant"), "{shown}");
}

#[test]
fn what_one_side_says_in_a_row_is_one_turn() {
    let said = |words: &str| vec![Content::text(words)];
    let asked = request(vec![
        user(said("one")),
        user(said("two")),
        answer(said("three"), "m"),
        answer(vec![Content::text("four"), call("c1", "read", json!({}))], "m"),
        user(said("five")),
        result("c1", said("six"), ToolOutcome::Done),
    ]);
    let text = |words: &str| json!({ "type": "text", "text": words });
    let expected = json!([
        { "role": "user", "content": [text("one"), text("two")] },
        { "role": "assistant", "content": [
            text("three"),
            text("four"),
            { "type": "tool_use", "id": "c1", "name": "read", "input": {} },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "c1", "content": "six" },
            text("five"),
        ] },
    ]);
    assert_eq!(body(&asked, &target("m"))["messages"], expected);
}

#[test]
fn escapes_in_the_type_of_an_event_are_read() {
    let stream = [
        &sse(&[vec![start()], text_block("Hi").to_vec()].concat())[..],
        b"data: {\"type\":\"message\\u005fstop\"}\n\n",
    ];
    assert_eq!(completion(&events(&stream.concat())).content, [Content::text("Hi")]);
}
