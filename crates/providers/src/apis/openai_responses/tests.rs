//! Requests as they are written, streams as they are read.

use openclaw_ports::model::{
    ApiName, CacheLifetime, Compatibility, FaultReason, ModelApi, ModelEvent, ModelRequest, ModelTarget,
    ToolChoice,
};
use openclaw_types::{Content, Message, StopReason, Text, ThinkingLevel, ToolOutcome};
use serde_json::{Value, json};

use super::OpenaiResponses;
use crate::apis::conformance::{codec_conformance, completion, decode, repeated_for_ever_is_too_large};
use crate::apis::samples::{self, credential, fault_reason, signed_text as text, tool, user};

const REASONING_THEN_CALL: &str = include_str!("fixtures/reasoning_then_call.sse");
const WITHOUT_NUMBERS: &str = include_str!("fixtures/without_numbers.sse");
const ONLY_THE_END: &str = include_str!("fixtures/only_the_end.sse");

codec_conformance!(with_reasoning_and_a_call: OpenaiResponses, REASONING_THEN_CALL);
codec_conformance!(without_numbers: OpenaiResponses, WITHOUT_NUMBERS);
codec_conformance!(with_only_the_end: OpenaiResponses, ONLY_THE_END);

fn assistant(content: Vec<Content>) -> Message {
    samples::answer(ApiName::OpenaiResponses, "gpt-5", content)
}

fn result(of: &str, content: Vec<Content>) -> Message {
    samples::result(of, content, ToolOutcome::Done)
}

fn call(of: &str) -> Content {
    samples::call(of, "read", json!({ "path": "a.txt" }))
}

fn picture() -> Content {
    samples::picture(None, "AAAA")
}

fn thought(text: &str, signature: &Value) -> Content {
    samples::thought(text, Some(&signature.to_string()))
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: vec!["Be kind.".to_owned(), "Be brief.".to_owned()].into(),
        session: Some("session-1".to_owned()),
        ..samples::request(messages)
    }
}

fn target() -> ModelTarget {
    ModelTarget {
        credential: credential("planted-secret"),
        max_output_tokens: 4096,
        ..samples::target("gpt-5", "https://api.openai.com/v1")
    }
}

fn body(request: &ModelRequest, target: &ModelTarget) -> Value {
    samples::body(&OpenaiResponses, request, target)
}

fn events(stream: &str) -> Vec<ModelEvent> {
    decode(&OpenaiResponses, &[stream.as_bytes()])
}

#[test]
fn streams_of_several_servers_are_read() {
    for (name, stream) in [
        ("reasoning_then_call", REASONING_THEN_CALL),
        ("refusal", include_str!("fixtures/refusal.sse")),
        ("incomplete", include_str!("fixtures/incomplete.sse")),
        ("failed", include_str!("fixtures/failed.sse")),
        ("without_numbers", WITHOUT_NUMBERS),
        ("only_the_end", ONLY_THE_END),
        ("changing_ids", include_str!("fixtures/changing_ids.sse")),
        ("error_inside", include_str!("fixtures/error_inside.sse")),
    ] {
        let lines: Vec<String> = events(stream).iter().map(|event| format!("{event:?}")).collect();
        insta::with_settings!({ snapshot_path => "fixtures", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, lines.join("\n"));
        });
    }
}

#[test]
fn broken_streams_have_a_typed_reason() {
    for (stream, expected) in [
        ("", FaultReason::Truncated),
        ("data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\n", FaultReason::Truncated),
        ("data: {\"type\":\"response.crea", FaultReason::Truncated),
        ("data: [DONE]\n\n", FaultReason::Truncated),
        ("data: nonsense\n\n", FaultReason::Malformed),
        ("data: {\"type\":\"response.output_text.delta\",\"delta\":7}\n\n", FaultReason::Malformed),
        (
            "data: {\"type\":\"response.function_call_arguments.delta\",\"delta\":\"x\"}\n\n",
            FaultReason::Malformed,
        ),
        (
            "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"function_call\",\"call_id\":\"c\"}}\n\n",
            FaultReason::Malformed,
        ),
        (
            "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
            FaultReason::Empty,
        ),
        (
            "data: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":{\"reason\":\"content_filter\"}}}\n\n",
            FaultReason::Refused,
        ),
        ("data: {\"type\":\"response.failed\",\"response\":{}}\n\n", FaultReason::Unknown),
        (
            "event: error\ndata: {\"error\":{\"type\":\"invalid_request_error\",\"code\":\"context_length_exceeded\",\"message\":\"long\"}}\n\n",
            FaultReason::ContextOverflow,
        ),
        (
            "data: {\"error\":{\"code\":\"usage_limit_reached\",\"message\":\"x\"}}\n\n",
            FaultReason::RateLimit,
        ),
        ("{\"detail\":\"Unauthorized\"}", FaultReason::Auth),
        ("{}", FaultReason::Truncated),
    ] {
        assert_eq!(fault_reason(&events(stream)), expected, "{stream}");
    }
}

#[test]
fn a_stream_without_end_stops_at_the_size_limit() {
    let frame =
        json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "x".repeat(1 << 20) });
    repeated_for_ever_is_too_large(&OpenaiResponses, format!("data: {frame}\n\n").as_bytes());
}

#[test]
fn an_answer_that_was_not_streamed_is_read_as_a_whole() {
    let body = json!({
        "id": "resp_1", "object": "response", "status": "completed", "model": "m",
        "output": [{ "type": "message", "id": "msg_1", "content": [{ "type": "output_text", "text": "Hi" }] }],
    });
    let events = events(&body.to_string());
    let end = completion(&events);
    let text = Content::Text(Text { text: "Hi".to_owned(), signature: Some("msg_1".to_owned()) });
    assert_eq!((&end.content, &end.stop), (&vec![text], &StopReason::Stop));
}

#[test]
fn where_the_end_of_an_item_disagrees_what_was_streamed_stays() {
    let stream = [
        json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "streamed" }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": {
            "type": "message", "id": "msg_1", "content": [{ "type": "output_text", "text": "other" }],
        } }),
        json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "late" }),
        json!({ "type": "response.completed", "response": { "id": "r", "status": "completed" } }),
    ];
    let stream: String = stream.iter().map(|event| format!("data: {event}\n\n")).collect();
    let text = Content::Text(Text { text: "streamed".to_owned(), signature: Some("msg_1".to_owned()) });
    assert_eq!(completion(&events(&stream)).content, [text]);
}

fn input(messages: Vec<Message>) -> Value {
    body(&request(messages), &target())["input"].take()
}

#[test]
fn a_request_is_written_with_all_that_the_protocol_has() {
    let mut request = request(vec![user(vec![Content::text("Look:"), picture()])]);
    request.tools = vec![tool("read")];
    request.tool_choice = ToolChoice::Named("read".to_owned());
    request.thinking = ThinkingLevel::Medium;
    request.max_output_tokens = Some(100);
    request.temperature = Some(1.0);
    request.cache = CacheLifetime::Long;
    assert_eq!(
        body(&request, &target()),
        json!({
            "model": "gpt-5",
            "instructions": "Be kind.\n\nBe brief.",
            "input": [{ "role": "user", "content": [
                { "type": "input_text", "text": "Look:" },
                { "type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AAAA" },
            ] }],
            "stream": true,
            "store": false,
            "max_output_tokens": 100,
            "temperature": 1.0,
            "reasoning": { "effort": "medium", "summary": "auto" },
            "include": ["reasoning.encrypted_content"],
            "prompt_cache_key": "session-1",
            "prompt_cache_retention": "24h",
            "tools": [{
                "type": "function",
                "name": "read",
                "description": "Does read.",
                "parameters": { "type": "object", "properties": { "path": { "type": "string" } } },
                "strict": false,
            }],
            "tool_choice": { "type": "function", "name": "read" },
        })
    );
}

#[test]
fn a_server_that_cannot_think_or_store_gets_neither_field() {
    let quirks = Compatibility {
        store: false,
        strict_tools: false,
        reasoning_effort: false,
        ..Compatibility::default()
    };
    let target = ModelTarget {
        reasoning: false,
        max_output_tokens: 0,
        base_url: "http://127.0.0.1:8080/v1".to_owned(),
        compatibility: quirks,
        ..target()
    };
    let mut request = request(vec![user(vec![Content::text("hi")])]);
    request.system = openclaw_ports::model::SystemText::default();
    request.thinking = ThinkingLevel::High;
    request.cache = CacheLifetime::Long;
    request.session = Some("s".repeat(70));
    let written = body(&request, &target);
    let cache_key = written["prompt_cache_key"].as_str().unwrap().to_owned();
    assert_eq!(cache_key.len(), 64);
    assert_eq!(
        written,
        json!({
            "model": "gpt-5",
            "input": [{ "role": "user", "content": [{ "type": "input_text", "text": "hi" }] }],
            "stream": true,
            "prompt_cache_key": cache_key,
        })
    );
}

#[test]
fn what_a_stream_gave_goes_back_as_the_items_it_was() {
    let answer = completion(&events(REASONING_THEN_CALL)).content.clone();
    let said = input(vec![assistant(answer), result("call_01|fc_01", vec![Content::text("done")])]);
    assert_eq!(
        said,
        json!([
            { "type": "reasoning", "id": "rs_01", "encrypted_content": "Z0FBQUFB", "summary": [
                { "type": "summary_text", "text": "**Plan**" },
                { "type": "summary_text", "text": "Read it." },
            ] },
            {
                "type": "message", "role": "assistant", "status": "completed", "id": "msg_01", "phase": "commentary",
                "content": [{ "type": "output_text", "text": "Reading now.", "annotations": [], "logprobs": [] }],
            },
            {
                "type": "function_call", "id": "fc_01", "call_id": "call_01", "name": "read",
                "arguments": "{\"path\":\"a.txt\"}",
            },
            { "type": "function_call_output", "call_id": "call_01", "output": "done" },
        ])
    );
}

#[test]
fn without_its_thought_an_item_travels_under_a_new_name() {
    let bare = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
    let said = input(vec![
        assistant(vec![thought("lost", &bare), text("a", "msg_real"), call("call_1|fc_1")]),
        result("call_1|fc_1", vec![Content::text("ok")]),
        assistant(vec![text("b", "msg_real_2")]),
    ]);
    let message = |id: &str, text: &str| {
        json!({
            "type": "message", "role": "assistant", "status": "completed", "id": id,
            "content": [{ "type": "output_text", "text": text, "annotations": [], "logprobs": [] }],
        })
    };
    assert_eq!(
        said,
        json!([
            message("msg_0_1", "a"),
            { "type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{\"path\":\"a.txt\"}" },
            { "type": "function_call_output", "call_id": "call_1", "output": "ok" },
            message("msg_2_0", "b"),
        ])
    );
}

#[test]
fn a_thought_that_led_nowhere_and_ids_the_vendor_refuses_stay_home() {
    let sealed =
        json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x", "status": null });
    let said = input(vec![
        assistant(vec![thought("", &sealed), call("call_1|not/an+id"), thought("more", &sealed)]),
        result("call_1|not/an+id", vec![picture()]),
        assistant(vec![thought("alone", &sealed)]),
        user(vec![Content::text("so?")]),
    ]);
    assert_eq!(
        said,
        json!([
            { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x" },
            { "type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{\"path\":\"a.txt\"}" },
            { "type": "function_call_output", "call_id": "call_1", "output": "(the result is a picture, shown below)" },
            { "role": "user", "content": [
                { "type": "input_text", "text": "These pictures belong to the tool results above:" },
                { "type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AAAA" },
            ] },
            { "role": "user", "content": [{ "type": "input_text", "text": "so?" }] },
        ])
    );
}

#[test]
fn addresses_keep_their_query_and_the_subscription_has_a_path_of_its_own() {
    for (base, expected) in [
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/responses"),
        (
            "https://r.openai.azure.com/openai?api-version=preview",
            "https://r.openai.azure.com/openai/responses?api-version=preview",
        ),
        ("https://chatgpt.com/backend-api", "https://chatgpt.com/backend-api/codex/responses"),
        ("https://chatgpt.com/backend-api/codex", "https://chatgpt.com/backend-api/codex/responses"),
    ] {
        let target = ModelTarget { base_url: base.to_owned(), ..target() };
        assert_eq!(OpenaiResponses.encode(&request(Vec::new()), &target).unwrap().url, expected);
    }
    let subscription =
        ModelTarget { base_url: "https://chatgpt.com/backend-api/codex".to_owned(), ..target() };
    let written = body(&request(Vec::new()), &subscription);
    assert_eq!((written.get("max_output_tokens"), written.get("temperature")), (None, None));
}

#[test]
fn endless_items_are_stopped() {
    let item = |number: usize| {
        let item = json!({ "type": "message", "id": format!("msg_{number}") });
        json!({ "type": "response.output_item.added", "output_index": number, "item": item })
    };
    let stream: String = (0..2000).map(|number| format!("data: {}\n\n", item(number))).collect();
    assert_eq!(fault_reason(&events(&stream)), FaultReason::TooLarge);
}
