//! Requests as they are written, streams as they are read.

use std::collections::BTreeMap;

use openclaw_ports::model::{
    CacheLifetime, Compatibility, FaultReason, ModelApi, ModelEvent, ModelRequest, ModelTarget, ToolChoice,
    ToolSpec,
};
use openclaw_types::{
    AssistantMessage, Content, Image, ImageData, Message, Secret, StopReason, Text, Thinking, ThinkingLevel,
    ToolCall, ToolCallId, ToolOutcome, ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

use super::OpenaiResponses;
use crate::apis::conformance::{codec_conformance, completion, decode};

const REASONING_THEN_CALL: &str = include_str!("fixtures/reasoning_then_call.sse");
const WITHOUT_NUMBERS: &str = include_str!("fixtures/without_numbers.sse");
const ONLY_THE_END: &str = include_str!("fixtures/only_the_end.sse");

codec_conformance!(with_reasoning_and_a_call: OpenaiResponses, REASONING_THEN_CALL);
codec_conformance!(without_numbers: OpenaiResponses, WITHOUT_NUMBERS);
codec_conformance!(with_only_the_end: OpenaiResponses, ONLY_THE_END);

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

#[track_caller]
fn reason(stream: &str) -> FaultReason {
    match events(stream).last() {
        Some(ModelEvent::Failed(fault)) => fault.reason,
        other => panic!("the stream ended in {other:?}"),
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
        assert_eq!(reason(stream), expected, "{stream}");
    }
}

#[test]
fn a_stream_without_end_stops_at_the_size_limit() {
    let mut decoder = OpenaiResponses.decoder();
    let mut events = Vec::new();
    let delta =
        json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "x".repeat(1 << 20) });
    for _ in 0..12 {
        decoder.push(format!("data: {delta}\n\n").as_bytes(), &mut events);
    }
    decoder.finish(&mut events);
    assert!(
        matches!(events.last(), Some(ModelEvent::Failed(fault)) if fault.reason == FaultReason::TooLarge)
    );
    assert_eq!(events.iter().filter(|event| event.is_end()).count(), 1);
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

fn user(content: Vec<Content>) -> Message {
    Message::User(UserMessage { content, ..UserMessage::default() })
}

fn assistant(content: Vec<Content>) -> Message {
    Message::Assistant(AssistantMessage {
        content,
        api: Some("openai-responses".to_owned()),
        model: Some("gpt-5".to_owned()),
        ..AssistantMessage::default()
    })
}

fn id(text: &str) -> ToolCallId {
    ToolCallId::new(text).unwrap()
}

fn result(of: &str, content: Vec<Content>) -> Message {
    Message::ToolResult(ToolResultMessage {
        call: id(of),
        tool: "read".to_owned(),
        content,
        outcome: ToolOutcome::Done,
        details: None,
        at: None,
    })
}

fn call(of: &str) -> Content {
    let arguments = json!({ "path": "a.txt" });
    Content::ToolCall(ToolCall { id: id(of), name: "read".to_owned(), arguments, signature: None })
}

fn picture() -> Content {
    Content::Image(Image { media_type: None, data: ImageData::Inline("AAAA".to_owned()) })
}

fn thought(text: &str, signature: &Value) -> Content {
    Content::Thinking(Thinking { text: text.to_owned(), signature: Some(signature.to_string()) })
}

fn text(text: &str, signature: &str) -> Content {
    Content::Text(Text { text: text.to_owned(), signature: Some(signature.to_owned()) })
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: vec!["Be kind.".to_owned(), "Be brief.".to_owned()],
        messages,
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        thinking: ThinkingLevel::Off,
        max_output_tokens: None,
        temperature: None,
        cache: CacheLifetime::Off,
        session: Some("session-1".to_owned()),
    }
}

fn target() -> ModelTarget {
    ModelTarget {
        model: "gpt-5".to_owned(),
        base_url: "https://api.openai.com/v1".to_owned(),
        credential: Some(Secret::new("planted-secret".to_owned())),
        headers: BTreeMap::new(),
        max_output_tokens: 4096,
        context_window: 100_000,
        reasoning: true,
        sees_images: true,
        compatibility: Compatibility::default(),
    }
}

fn body(request: &ModelRequest, target: &ModelTarget) -> Value {
    serde_json::from_slice(&OpenaiResponses.encode(request, target).unwrap().body).unwrap()
}

fn input(messages: Vec<Message>) -> Value {
    body(&request(messages), &target())["input"].take()
}

#[test]
fn a_request_is_written_with_all_that_the_protocol_has() {
    let mut request = request(vec![user(vec![Content::text("Look:"), picture()])]);
    request.tools = vec![ToolSpec {
        name: "read".to_owned(),
        description: "Reads a file.".to_owned(),
        parameters: json!({ "type": "object" }),
    }];
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
                "description": "Reads a file.",
                "parameters": { "type": "object" },
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
    request.system.clear();
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
fn a_tool_that_must_be_called_has_to_be_offered() {
    for choice in [ToolChoice::Required, ToolChoice::Named("read".to_owned())] {
        let request = ModelRequest { tool_choice: choice, ..request(Vec::new()) };
        assert_eq!(OpenaiResponses.encode(&request, &target()).unwrap_err().reason, FaultReason::Format);
    }
}
