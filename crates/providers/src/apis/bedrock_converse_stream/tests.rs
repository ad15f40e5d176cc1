//! Streams in the shape the vendor sends, framed by another implementation, and whole request bodies of Converse.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::model::{
    ApiName, CacheLifetime, FaultReason, ModelApi, ModelEvent, ModelFault, ModelRequest, ModelTarget,
    ToolChoice,
};
use openclaw_types::{Content, Message, RedactedThinking, Secret, StopReason, ThinkingLevel, ToolOutcome};
use serde_json::{Value, json};

use super::BedrockConverseStream;
use crate::apis::conformance::{codec_conformance, decode, repeated_for_ever_is_too_large};
use crate::apis::samples::{
    self, call, credential, failed, picture, picture_at, result, thought, tool, user,
};
use crate::framing::aws_message;

const TEXT: &[u8] = include_bytes!("fixtures/text.bin");
const THINKING_AND_TOOLS: &[u8] = include_bytes!("fixtures/thinking_and_tools.bin");
const CLAUDE: &str = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

codec_conformance!(conformance_of_text: BedrockConverseStream, TEXT);
codec_conformance!(conformance_of_tools: BedrockConverseStream, THINKING_AND_TOOLS);

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest { max_output_tokens: Some(1000), ..samples::request(messages) }
}

fn target(model: &str) -> ModelTarget {
    samples::target(model, "https://bedrock-runtime.us-east-1.amazonaws.com/")
}

fn answer(content: Vec<Content>, model: &str) -> Message {
    samples::answer(ApiName::BedrockConverseStream, model, content)
}

fn body(request: &ModelRequest, target: &ModelTarget) -> Value {
    samples::body(&BedrockConverseStream, request, target)
}

fn events(stream: &[u8]) -> Vec<ModelEvent> {
    decode(&BedrockConverseStream, &[stream])
}

fn event(kind: &str, payload: Value) -> Vec<u8> {
    aws_message(&[(":event-type", kind), (":message-type", "event")], payload.to_string().as_bytes())
}

fn exception(kind: &str, payload: &str) -> Vec<u8> {
    aws_message(&[(":exception-type", kind), (":message-type", "exception")], payload.as_bytes())
}

fn words(text: &str) -> Vec<u8> {
    event("contentBlockDelta", json!({ "contentBlockIndex": 0, "delta": { "text": text } }))
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
    snapshot("throttled_midway", include_bytes!("fixtures/throttled_midway.bin"));
}

#[test]
fn every_stop_reason_ends_the_answer_in_its_way() {
    for (word, expected) in [
        ("end_turn", Ok(StopReason::Stop)),
        ("stop_sequence", Ok(StopReason::Stop)),
        ("max_tokens", Ok(StopReason::Length)),
        ("model_context_window_exceeded", Ok(StopReason::Length)),
        ("tool_use", Ok(StopReason::ToolUse)),
        ("new_reason", Ok(StopReason::Other("new_reason".into()))),
        ("content_filtered", Err(FaultReason::Refused)),
        ("guardrail_intervened", Err(FaultReason::Refused)),
        ("malformed_tool_use", Err(FaultReason::Malformed)),
        ("malformed_model_output", Err(FaultReason::Malformed)),
    ] {
        let stop = event("messageStop", json!({ "stopReason": word }));
        let found = match events(&[words("hi"), stop].concat()).pop() {
            Some(ModelEvent::Done(done)) => Ok((done.stop, done.usage)),
            Some(ModelEvent::Failed(fault)) => Err(fault.reason),
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected.map(|stop| (stop, None)), "{word}");
    }
}

#[test]
fn streams_that_go_wrong_fail_with_a_typed_reason() {
    let cut = "the connection ended in the middle of the answer";
    let unreadable = |what: &str| format!("the server sent something that could not be read: {what}");
    let mut damaged = words("hi");
    let end = damaged.len() - 1;
    damaged[end] ^= 1;
    let empty = "the model gave an empty answer";
    let call = json!({ "contentBlockIndex": 0, "start": { "toolUse": { "name": "x" } } });
    for (stream, expected) in [
        (Vec::new(), failed(FaultReason::Empty, empty)),
        (words("hi"), failed(FaultReason::Truncated, cut)),
        (words("hi")[..20].to_vec(), failed(FaultReason::Truncated, cut)),
        (event("messageStop", json!({ "stopReason": "end_turn" })), failed(FaultReason::Empty, empty)),
        (damaged, failed(FaultReason::Malformed, &unreadable("a message whose checksum is wrong"))),
        (aws_message(&[], b"{}"), failed(FaultReason::Malformed, &unreadable("a message without a type"))),
        (
            event("contentBlockDelta", json!({})),
            failed(FaultReason::Malformed, &unreadable("contentBlockDelta")),
        ),
        (
            event("contentBlockStart", call),
            failed(FaultReason::Malformed, &unreadable("a tool call without a usable id")),
        ),
        (
            exception("validationException", "{\"message\":\"Input is too long for requested model.\"}"),
            failed(FaultReason::ContextOverflow, "Input is too long for requested model."),
        ),
        (
            exception(
                "modelStreamErrorException",
                "{\"originalMessage\":\"broke\",\"originalStatusCode\":500}",
            ),
            failed(FaultReason::Overloaded, "broke"),
        ),
        (
            exception("internalServerException", "not json"),
            failed(FaultReason::Overloaded, "the server broke off the answer: internalServerException"),
        ),
        (
            aws_message(
                &[
                    (":message-type", "error"),
                    (":error-code", "InternalFailure"),
                    (":error-message", "oh no"),
                ],
                b"",
            ),
            failed(FaultReason::Overloaded, "oh no"),
        ),
        (
            aws_message(&[(":message-type", "error")], b""),
            failed(FaultReason::Unknown, "the server broke off the answer"),
        ),
    ] {
        assert_eq!(events(&stream).pop(), expected);
    }
}

#[test]
fn an_endless_answer_is_stopped() {
    repeated_for_ever_is_too_large(&BedrockConverseStream, &words(&"a".repeat(1024 * 1024)));
}

#[test]
fn refusals_are_explained_by_kind_words_and_status() {
    for (status, kind, body, reason) in [
        (429, "ThrottlingException:http://x/", "{\"message\":\"Too many tokens\"}", FaultReason::RateLimit),
        (400, "ServiceQuotaExceededException", "{}", FaultReason::RateLimit),
        (
            403,
            "AccessDeniedException",
            "{\"Message\":\"You don't have access to the model\"}",
            FaultReason::Auth,
        ),
        (403, "AccessDeniedException", "{\"message\":\"INVALID_PAYMENT_INSTRUMENT\"}", FaultReason::Billing),
        (403, "UnrecognizedClientException", "{}", FaultReason::Auth),
        (403, "ExpiredTokenException", "{}", FaultReason::Auth),
        (404, "ResourceNotFoundException", "{}", FaultReason::ModelNotFound),
        (400, "ValidationException", "{\"message\":\"Input is too long\"}", FaultReason::ContextOverflow),
        (
            400,
            "ValidationException",
            "{\"message\":\"prompt is too long: 3 > 2\"}",
            FaultReason::ContextOverflow,
        ),
        (
            400,
            "ValidationException",
            "{\"message\":\"The provided model identifier is invalid.\"}",
            FaultReason::ModelNotFound,
        ),
        (
            400,
            "ValidationException",
            "{\"message\":\"Invocation with on-demand throughput isn't supported.\"}",
            FaultReason::ModelNotFound,
        ),
        (400, "ValidationException", "{\"message\":\"toolConfig is missing\"}", FaultReason::Format),
        (408, "ModelTimeoutException", "{}", FaultReason::Timeout),
        (429, "ModelNotReadyException", "{}", FaultReason::Overloaded),
        (424, "ModelErrorException", "{}", FaultReason::Overloaded),
        (503, "ServiceUnavailableException", "{}", FaultReason::Overloaded),
        (502, "", "<html>", FaultReason::Overloaded),
        (400, "", "{\"__type\":\"com.amazon.coral#ValidationException\"}", FaultReason::Format),
        (403, "", "{\"message\":\"forbidden\"}", FaultReason::Auth),
    ] {
        let mut headers = BTreeMap::new();
        if !kind.is_empty() {
            headers.insert("x-amzn-errortype".to_owned(), kind.to_owned());
        }
        let found = BedrockConverseStream.classify(status, &headers, body.as_bytes());
        assert_eq!(found.reason, reason, "{status} {kind} {body}");
    }
}

#[test]
fn a_complaint_about_a_signature_does_not_repeat_the_session_token() {
    let body = json!({ "message": "The request signature we calculated does not match. The Canonical String for \
        this request should have been 'POST\n/model\n\nx-amz-security-token:IQoJb3JpZ2luX2VjEXAMPLE'" });
    let headers = BTreeMap::from([
        ("x-amzn-errortype".to_owned(), "InvalidSignatureException".to_owned()),
        ("retry-after".to_owned(), "3".to_owned()),
    ]);
    assert_eq!(
        BedrockConverseStream.classify(403, &headers, body.to_string().as_bytes()),
        ModelFault {
            reason: FaultReason::Auth,
            message: "The request signature we calculated does not match.".to_owned(),
            status: Some(403),
            retry_after: None,
        }
    );
    let headers = BTreeMap::from([("retry-after".to_owned(), "3".to_owned())]);
    let throttled = BedrockConverseStream.classify(429, &headers, b"{\"message\":\"slow down\"}");
    assert_eq!(throttled.retry_after, Some(Duration::from_secs(3)));
}

#[test]
fn a_call_is_unsigned_without_a_credential_and_bears_the_one_it_has() {
    let asked = request(vec![user(vec![Content::text("Hi")])]);
    let shown = |target: &ModelTarget| {
        let call = BedrockConverseStream.encode(&asked, target).unwrap();
        let headers: Vec<_> =
            call.headers.iter().map(|(name, value)| (name.clone(), value.reveal().clone())).collect();
        (call.url, headers)
    };
    let fixed = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let accept = fixed("accept", "application/vnd.amazon.eventstream");
    let json = fixed("content-type", "application/json");
    let url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream";
    assert_eq!(shown(&target(CLAUDE)), (url.to_owned(), vec![accept.clone(), json.clone()]));
    let arn = ModelTarget {
        credential: credential("bedrock-key"),
        headers: BTreeMap::from([("X-Mine".to_owned(), Secret::new("yes".to_owned()))]),
        ..target("arn:aws:bedrock:us-east-1:1:inference-profile/x")
    };
    let url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse-stream";
    let bearer = fixed("authorization", "Bearer bedrock-key");
    assert_eq!(shown(&arn), (url.to_owned(), vec![accept, bearer, json, fixed("x-mine", "yes")]));
}

#[test]
fn a_whole_conversation_goes_back_with_its_proofs_in_turns_and_marks_for_the_cache() {
    let asked = ModelRequest {
        system: vec!["Be kind.".to_owned(), String::new(), "Today is Monday.".to_owned()].into(),
        tools: vec![tool("read")],
        tool_choice: ToolChoice::Named("read".to_owned()),
        temperature: Some(2.0),
        cache: CacheLifetime::Long,
        ..request(vec![
            user(vec![Content::text("Look"), picture(Some("image/jpeg"), "QUJD")]),
            answer(
                vec![
                    thought("hm", Some("sig")),
                    thought("lost its proof", None),
                    Content::RedactedThinking(RedactedThinking { data: "c2VhbGVk".to_owned() }),
                    Content::text("Reading."),
                    call("tooluse_1", "read", json!({ "path": "a" })),
                    call("tooluse_2", "read", json!({})),
                ],
                CLAUDE,
            ),
            result("tooluse_1", vec![Content::text("one")], ToolOutcome::Done),
            result(
                "tooluse_2",
                vec![Content::text("no"), picture(Some("image/png"), "QUJD")],
                ToolOutcome::Failed,
            ),
            user(vec![
                Content::text("And?"),
                picture_at(Some("image/png"), "https://example.com/a.png"),
                picture(Some("image/tiff"), "QUJD"),
            ]),
        ])
    };
    let point = json!({ "cachePoint": { "type": "default", "ttl": "1h" } });
    assert_eq!(
        body(&asked, &target(CLAUDE)),
        json!({
            "system": [{ "text": "Be kind." }, point, { "text": "Today is Monday." }, point],
            "messages": [
                { "role": "user", "content": [
                    { "text": "Look" },
                    { "image": { "format": "jpeg", "source": { "bytes": "QUJD" } } },
                ] },
                { "role": "assistant", "content": [
                    { "reasoningContent": { "reasoningText": { "text": "hm", "signature": "sig" } } },
                    { "text": "lost its proof" },
                    { "reasoningContent": { "redactedContent": "c2VhbGVk" } },
                    { "text": "Reading." },
                    { "toolUse": { "toolUseId": "tooluse_1", "name": "read", "input": { "path": "a" } } },
                    { "toolUse": { "toolUseId": "tooluse_2", "name": "read", "input": {} } },
                ] },
                { "role": "user", "content": [
                    { "toolResult":
                        { "toolUseId": "tooluse_1", "content": [{ "text": "one" }], "status": "success" } },
                    { "toolResult": { "toolUseId": "tooluse_2", "status": "error", "content": [
                        { "text": "no" },
                        { "image": { "format": "png", "source": { "bytes": "QUJD" } } },
                    ] } },
                    { "text": "And?" },
                    { "text": "[a picture at https://example.com/a.png, not shown]" },
                    { "text": "[a picture of a kind that the model does not take]" },
                    point,
                ] },
            ],
            "inferenceConfig": { "maxTokens": 1000, "temperature": 1.0 },
            "toolConfig": {
                "tools": [
                    { "toolSpec": { "name": "read", "description": "Does read.",
                        "inputSchema": { "json": tool("read").parameters } } },
                    point,
                ],
                "toolChoice": { "tool": { "name": "read" } },
            },
        })
    );
}

#[test]
fn thinking_is_asked_for_in_the_vendors_own_fields() {
    let asked = |level| ModelRequest {
        thinking: level,
        tools: vec![tool("read")],
        temperature: Some(0.5),
        ..request(vec![user(vec![Content::text("Hi")])])
    };
    for (model, level, config, fields) in [
        (
            CLAUDE,
            ThinkingLevel::Low,
            json!({ "maxTokens": 3048 }),
            json!({ "thinking": { "type": "enabled", "budget_tokens": 2048 },
                "anthropic_beta": ["interleaved-thinking-2025-05-14"] }),
        ),
        (
            "us.anthropic.claude-opus-4-6-v1",
            ThinkingLevel::Medium,
            json!({ "maxTokens": 1000 }),
            json!({ "thinking": { "type": "adaptive" }, "output_config": { "effort": "medium" } }),
        ),
        (
            "anthropic.claude-opus-5",
            ThinkingLevel::Off,
            json!({ "maxTokens": 1000 }),
            json!({ "thinking": { "type": "disabled" } }),
        ),
        (
            "anthropic.claude-opus-5-5",
            ThinkingLevel::Off,
            json!({ "maxTokens": 1000 }),
            json!({ "output_config": { "effort": "low" } }),
        ),
        (
            "amazon.nova-pro-v1:0",
            ThinkingLevel::High,
            json!({ "maxTokens": 1000, "temperature": 0.5 }),
            Value::Null,
        ),
    ] {
        let sent = body(&asked(level), &target(model));
        let found = (&sent["inferenceConfig"], &sent["additionalModelRequestFields"]);
        assert_eq!(found, (&config, &fields), "{model}");
    }
}

#[test]
fn only_models_that_have_a_cache_get_marks_and_an_hour_only_where_it_is_known() {
    let asked = |cache| ModelRequest { cache, ..request(vec![user(vec![Content::text("Hi")])]) };
    let short = Some(json!({ "type": "default" }));
    for (model, cache, mark) in [
        (CLAUDE, CacheLifetime::Short, short.clone()),
        (CLAUDE, CacheLifetime::Long, Some(json!({ "type": "default", "ttl": "1h" }))),
        (CLAUDE, CacheLifetime::Off, None),
        ("anthropic.claude-3-7-sonnet-20250219-v1:0", CacheLifetime::Long, short.clone()),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", CacheLifetime::Short, short),
        ("anthropic.claude-3-5-sonnet-20240620-v1:0", CacheLifetime::Short, None),
        ("meta.llama3-70b-instruct-v1:0", CacheLifetime::Short, None),
    ] {
        let sent = body(&asked(cache), &target(model));
        let found = sent["messages"][0]["content"].get(1).map(|block| block["cachePoint"].clone());
        assert_eq!(found, mark, "{model} {cache:?}");
    }
}

#[test]
fn models_of_other_vendors_get_thoughts_back_without_a_proof() {
    let model = "deepseek.r1-v1:0";
    let asked = request(vec![
        user(vec![Content::text("Hi")]),
        answer(vec![thought("hm", Some("sig")), Content::text("Hello")], model),
        user(vec![Content::text("And?")]),
    ]);
    let expected = json!([
        { "reasoningContent": { "reasoningText": { "text": "hm" } } },
        { "text": "Hello" },
    ]);
    assert_eq!(body(&asked, &target(model))["messages"][1]["content"], expected);
}

#[test]
fn tools_are_defined_whenever_the_conversation_mentions_one() {
    let called = vec![user(vec![Content::text("Hi")]), answer(vec![call("c1", "old", json!({}))], CLAUDE)];
    let gone = json!({ "tools": [{ "toolSpec": { "name": "old", "description": "Not available now; do not call it.",
        "inputSchema": { "json": { "type": "object", "properties": {} } } } }] });
    let read = json!([{ "toolSpec": { "name": "read", "description": "Does read.",
        "inputSchema": { "json": tool("read").parameters } } }]);
    let plain = vec![user(vec![Content::text("Hi")])];
    for (messages, tools, choice, expected) in [
        (called.clone(), vec![], ToolChoice::Auto, gone.clone()),
        (called, vec![tool("read")], ToolChoice::None, gone),
        (plain.clone(), vec![tool("read")], ToolChoice::None, Value::Null),
        (plain.clone(), vec![], ToolChoice::Required, Value::Null),
        (plain.clone(), vec![tool("read")], ToolChoice::Auto, json!({ "tools": read })),
        (
            plain,
            vec![tool("read")],
            ToolChoice::Required,
            json!({ "tools": read, "toolChoice": { "any": {} } }),
        ),
    ] {
        let asked = ModelRequest { tools, tool_choice: choice, ..request(messages) };
        assert_eq!(body(&asked, &target(CLAUDE))["toolConfig"], expected);
    }
}

#[test]
fn a_conversation_begins_with_a_person_and_is_never_empty() {
    let begun = request(vec![answer(vec![Content::text("Hello")], CLAUDE), user(vec![Content::text("Hi")])]);
    let expected = json!([
        { "role": "user", "content": [{ "text": "(The conversation goes on.)" }] },
        { "role": "assistant", "content": [{ "text": "Hello" }] },
        { "role": "user", "content": [{ "text": "Hi" }] },
    ]);
    assert_eq!(body(&begun, &target(CLAUDE))["messages"], expected);
    let fault = ModelFault::new(FaultReason::Format, "the conversation has nothing to send to the model");
    assert_eq!(BedrockConverseStream.encode(&request(Vec::new()), &target(CLAUDE)), Err(fault));
}

#[test]
fn what_one_side_says_in_a_row_is_one_turn() {
    let said = |words: &str| vec![Content::text(words)];
    let asked = request(vec![
        user(said("one")),
        user(said("two")),
        answer(said("three"), CLAUDE),
        answer(vec![Content::text("four"), call("c1", "read", json!({}))], CLAUDE),
        user(said("five")),
        result("c1", said("six"), ToolOutcome::Done),
    ]);
    let expected = json!([
        { "role": "user", "content": [{ "text": "one" }, { "text": "two" }] },
        { "role": "assistant", "content": [
            { "text": "three" },
            { "text": "four" },
            { "toolUse": { "toolUseId": "c1", "name": "read", "input": {} } },
        ] },
        { "role": "user", "content": [
            { "toolResult": { "toolUseId": "c1", "content": [{ "text": "six" }], "status": "success" } },
            { "text": "five" },
        ] },
    ]);
    assert_eq!(body(&asked, &target(CLAUDE))["messages"], expected);
}
