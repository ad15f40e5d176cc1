//! Requests as they are written, streams as they are read.

use std::collections::BTreeMap;

use openclaw_ports::model::{
    CacheLifetime, Compatibility, FaultReason, MaxTokensField, ModelApi, ModelEvent, ModelRequest,
    ModelTarget, ToolChoice, ToolSpec,
};
use openclaw_types::{
    AssistantMessage, Content, Image, ImageData, Message, Secret, StopReason, Text, Thinking, ThinkingLevel,
    ToolCall, ToolCallId, ToolOutcome, ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

use super::OpenaiCompletions;
use crate::apis::conformance::{codec_conformance, completion, decode};

const PARALLEL_CALLS: &str = include_str!("fixtures/parallel_calls.sse");
const ROUTER_DETAILS: &str = include_str!("fixtures/router_details.sse");
const NUMBERED_ZERO: &str = include_str!("fixtures/numbered_zero.sse");

codec_conformance!(with_parallel_calls: OpenaiCompletions, PARALLEL_CALLS);
codec_conformance!(with_router_details: OpenaiCompletions, ROUTER_DETAILS);
codec_conformance!(with_calls_all_numbered_zero: OpenaiCompletions, NUMBERED_ZERO);

fn events(stream: &str) -> Vec<ModelEvent> {
    decode(&OpenaiCompletions, &[stream.as_bytes()])
}

#[test]
fn streams_of_many_servers_are_read() {
    for (name, stream) in [
        ("parallel_calls", PARALLEL_CALLS),
        ("reasoning_content", include_str!("fixtures/reasoning_content.sse")),
        ("router_details", ROUTER_DETAILS),
        ("filter_first", include_str!("fixtures/filter_first.sse")),
        ("whole_calls", include_str!("fixtures/whole_calls.sse")),
        ("numbered_zero", NUMBERED_ZERO),
        ("no_end_marker", include_str!("fixtures/no_end_marker.sse")),
        ("thinking_parts", include_str!("fixtures/thinking_parts.sse")),
        ("error_inside", include_str!("fixtures/error_inside.sse")),
    ] {
        let lines: Vec<String> = events(stream).iter().map(|event| format!("{event:?}")).collect();
        insta::with_settings!({ snapshot_path => "fixtures", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, lines.join("\n"));
        });
    }
}

/// The reason of the fault at the end.
#[track_caller]
fn reason(stream: &str) -> FaultReason {
    match events(stream).last() {
        Some(ModelEvent::Failed(fault)) => fault.reason,
        other => panic!("the stream ended in {other:?}"),
    }
}

#[test]
fn broken_streams_have_a_typed_reason() {
    let said = r#"data: {"id":"1","choices":[{"delta":{"content":"a"}}]}"#;
    for (stream, expected) in [
        (String::new(), FaultReason::Truncated),
        (" \n\n".to_owned(), FaultReason::Truncated),
        (": only a comment\n\n".to_owned(), FaultReason::Truncated),
        (format!("{said}\n\n"), FaultReason::Truncated),
        (format!("{said}\n\ndata: {{\"id\":"), FaultReason::Truncated),
        (format!("{said}\n\ndata: {{\"id\":\n\n"), FaultReason::Malformed),
        ("data: {\"choices\":7}\n\n".to_owned(), FaultReason::Malformed),
        ("data: [DONE]\n\n".to_owned(), FaultReason::Empty),
        ("data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n".to_owned(), FaultReason::Empty),
        (
            "data: {\"choices\":[{\"delta\":{\"content\":\" \\n\"},\"finish_reason\":\"stop\"}]}\n\n".to_owned(),
            FaultReason::Empty,
        ),
        (
            format!("{said}\n\ndata: {{\"choices\":[{{\"finish_reason\":\"content_filter\"}}]}}\n\ndata: [DONE]\n\n"),
            FaultReason::Refused,
        ),
        (
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\"}]}}]}\n\ndata: [DONE]\n\n".to_owned(),
            FaultReason::Malformed,
        ),
        ("event: error\ndata: {\"message\":\"overloaded\"}\n\n".to_owned(), FaultReason::Overloaded),
        ("data: {\"error\":\"no such model\"}\n\n".to_owned(), FaultReason::ModelNotFound),
        (
            "data: {\"object\":\"error\",\"message\":\"context length exceeded\"}\n\n".to_owned(),
            FaultReason::ContextOverflow,
        ),
        ("{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"pay\"}}".to_owned(), FaultReason::Billing),
        ("{\"id\":\"half".to_owned(), FaultReason::Truncated),
        ("{nonsense".to_owned(), FaultReason::Malformed),
    ] {
        assert_eq!(reason(&stream), expected, "{stream}");
    }
}

#[test]
fn a_stream_without_end_stops_at_the_size_limit() {
    let mut decoder = OpenaiCompletions.decoder();
    let mut events = Vec::new();
    let frame =
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", "x".repeat(1 << 20));
    for _ in 0..12 {
        decoder.push(frame.as_bytes(), &mut events);
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
        "id": "c1", "object": "chat.completion", "model": "m",
        "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "Here.",
            "tool_calls": [{ "id": "t1", "type": "function", "function": { "name": "go", "arguments": "" } }],
        } }],
        "usage": { "prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5 },
    });
    let events = events(&body.to_string());
    let end = completion(&events);
    assert_eq!(end.stop, StopReason::ToolUse);
    assert_eq!(end.usage.map(|usage| (usage.input, usage.output)), Some((3, 2)));
    assert_eq!(end.content, [Content::text("Here."), call("t1", "go", json!({}), None)]);
}

#[test]
fn arguments_that_are_no_json_stay_as_they_were_written() {
    for (written, expected) in [
        ("", json!({})),
        ("null", json!({})),
        ("{\"a\":1}", json!({ "a": 1 })),
        ("\"{\\\"a\\\":1}\"", json!({ "a": 1 })),
        ("{\"a\":", json!("{\"a\":")),
        ("[1]", json!([1])),
    ] {
        let delta = json!({ "id": "r", "choices": [{
            "delta": { "tool_calls": [{ "index": 0, "id": "t", "function": { "name": "go", "arguments": written } }] },
            "finish_reason": "tool_calls",
        }] });
        let events = events(&format!("data: {delta}\n\ndata: [DONE]\n\n"));
        assert_eq!(completion(&events).content, [call("t", "go", expected, None)], "{written}");
    }
}

#[test]
fn a_call_without_an_id_gets_one_from_the_answer() {
    let delta = json!({ "id": "chatcmpl-77", "choices": [{
        "delta": { "function_call": { "name": "go", "arguments": "{}" } }, "finish_reason": "function_call",
    }] });
    let events = events(&format!("data: {delta}\n\n"));
    assert_eq!(completion(&events).content, [call("call_chatcmpl77_0", "go", json!({}), None)]);
}

#[test]
fn thoughts_are_counted_once_however_the_server_adds_up() {
    for (total, output, sum) in [(150, 50, 150), (190, 90, 190), (0, 50, 150)] {
        let chunk = json!({ "id": "r", "choices": [{ "delta": { "content": "x" }, "finish_reason": "stop" }], "usage": {
            "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": total,
            "completion_tokens_details": { "reasoning_tokens": 40 },
        } });
        let events = events(&format!("data: {chunk}\n\n"));
        let usage = completion(&events).usage.unwrap();
        assert_eq!((usage.input, usage.output, usage.total_tokens), (100, output, sum), "{total}");
    }
}

#[test]
fn counts_of_nothing_are_no_usage() {
    let counted =
        json!({ "id": "r", "choices": [{ "delta": { "content": "x" } }], "usage": { "prompt_tokens": "7" } });
    let zeros = json!({ "choices": [{ "finish_reason": "stop" }], "usage": { "prompt_tokens": 0, "total_tokens": 0.0 } });
    let usage = completion(&events(&format!("data: {counted}\n\ndata: {zeros}\n\n"))).usage;
    assert_eq!(usage.map(|usage| (usage.input, usage.total_tokens)), Some((7, 7)));
    let said = json!({ "id": "r", "choices": [{ "delta": { "content": "x" } }] });
    assert_eq!(completion(&events(&format!("data: {said}\n\ndata: {zeros}\n\n"))).usage, None);
}

fn id(text: &str) -> ToolCallId {
    ToolCallId::new(text).unwrap()
}

fn call(call: &str, name: &str, arguments: Value, signature: Option<&str>) -> Content {
    let signature = signature.map(str::to_owned);
    Content::ToolCall(ToolCall { id: id(call), name: name.to_owned(), arguments, signature })
}

fn user(content: Vec<Content>) -> Message {
    Message::User(UserMessage { content, ..UserMessage::default() })
}

fn assistant(content: Vec<Content>) -> Message {
    Message::Assistant(AssistantMessage {
        content,
        api: Some("openai-completions".to_owned()),
        model: Some("m-1".to_owned()),
        ..AssistantMessage::default()
    })
}

fn result(of: &str, tool: &str, content: Vec<Content>) -> Message {
    Message::ToolResult(ToolResultMessage {
        call: id(of),
        tool: tool.to_owned(),
        content,
        outcome: ToolOutcome::Done,
        details: None,
        at: None,
    })
}

fn picture() -> Content {
    Content::Image(Image {
        media_type: Some("image/jpeg".to_owned()),
        data: ImageData::Inline("AAAA".to_owned()),
    })
}

fn thought(text: &str, signature: &str) -> Content {
    Content::Thinking(Thinking { text: text.to_owned(), signature: Some(signature.to_owned()) })
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: vec!["Be kind.".to_owned(), " ".to_owned(), "Be brief.".to_owned()],
        messages,
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        thinking: ThinkingLevel::Off,
        max_output_tokens: None,
        temperature: None,
        cache: CacheLifetime::Short,
        session: None,
    }
}

fn target() -> ModelTarget {
    ModelTarget {
        model: "m-1".to_owned(),
        base_url: "https://api.example.test/v1/".to_owned(),
        credential: Some(Secret::new("planted-secret".to_owned())),
        headers: BTreeMap::new(),
        max_output_tokens: 4096,
        context_window: 100_000,
        reasoning: true,
        sees_images: true,
        compatibility: Compatibility::default(),
    }
}

/// A server that does nothing beyond the oldest form of the protocol.
fn plain() -> Compatibility {
    Compatibility {
        max_tokens_field: MaxTokensField::MaxTokens,
        developer_role: false,
        store: false,
        strict_tools: false,
        reasoning_effort: false,
        usage_in_stream: false,
        ..Compatibility::default()
    }
}

fn body(request: &ModelRequest, target: &ModelTarget) -> Value {
    serde_json::from_slice(&OpenaiCompletions.encode(request, target).unwrap().body).unwrap()
}

fn read_tool() -> ToolSpec {
    ToolSpec {
        name: "read".to_owned(),
        description: "Reads a file.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
    }
}

#[test]
fn a_request_is_written_with_all_that_the_protocol_has() {
    let mut request = request(vec![user(vec![Content::text("Look:"), picture()])]);
    request.tools = vec![read_tool()];
    request.tool_choice = ToolChoice::Named("read".to_owned());
    request.thinking = ThinkingLevel::High;
    request.max_output_tokens = Some(9999);
    request.temperature = Some(0.5);
    assert_eq!(
        body(&request, &target()),
        json!({
            "model": "m-1",
            "messages": [
                { "role": "developer", "content": "Be kind.\n\nBe brief." },
                { "role": "user", "content": [
                    { "type": "text", "text": "Look:" },
                    { "type": "image_url", "image_url": { "url": "data:image/jpeg;base64,AAAA" } },
                ] },
            ],
            "stream": true,
            "stream_options": { "include_usage": true },
            "store": false,
            "max_completion_tokens": 4096,
            "temperature": 0.5,
            "reasoning_effort": "high",
            "tools": [{ "type": "function", "function": {
                "name": "read",
                "description": "Reads a file.",
                "parameters": { "type": "object", "properties": { "path": { "type": "string" } } },
                "strict": false,
            } }],
            "tool_choice": { "type": "function", "function": { "name": "read" } },
        })
    );
}

#[test]
fn a_plain_server_gets_only_what_it_knows() {
    let mut request = request(vec![user(vec![Content::text("one"), Content::text("two"), picture()])]);
    request.tools = vec![read_tool()];
    request.thinking = ThinkingLevel::High;
    let target = ModelTarget { compatibility: plain(), sees_images: false, ..target() };
    assert_eq!(
        body(&request, &target),
        json!({
            "model": "m-1",
            "messages": [
                { "role": "system", "content": "Be kind.\n\nBe brief." },
                { "role": "user", "content": "one\ntwo\n[image/jpeg, not shown]" },
            ],
            "stream": true,
            "max_tokens": 4096,
            "tools": [{ "type": "function", "function": {
                "name": "read",
                "description": "Reads a file.",
                "parameters": { "type": "object", "properties": { "path": { "type": "string" } } },
            } }],
        })
    );
}

/// The messages behind the system prompt.
fn messages(messages: Vec<Message>, compatibility: Compatibility) -> Value {
    let target = ModelTarget { compatibility, ..target() };
    let mut request = request(messages);
    request.system.clear();
    body(&request, &target)["messages"].take()
}

#[test]
fn tool_results_are_text_and_their_pictures_follow_behind_the_last_one() {
    let conversation = vec![
        user(vec![Content::text("go")]),
        assistant(vec![
            thought("hm", "reasoning_content"),
            call("call_1|fc_9", "shoot", json!({ "n": 1 }), None),
            call(&"x".repeat(50), "read", json!({}), None),
        ]),
        result("call_1|fc_9", "shoot", vec![picture()]),
        result(&"x".repeat(50), "read", vec![Content::text("a"), Content::text("b")]),
        user(vec![Content::text("and?")]),
    ];
    let said = messages(conversation.clone(), Compatibility::default());
    let long_id = said[1]["tool_calls"][1]["id"].as_str().unwrap().to_owned();
    assert_eq!((long_id.len(), long_id.starts_with("call_")), (37, true));
    assert_eq!(
        said,
        json!([
            { "role": "user", "content": "go" },
            { "role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
                { "id": "call_1", "type": "function", "function": { "name": "shoot", "arguments": "{\"n\":1}" } },
                { "id": long_id, "type": "function", "function": { "name": "read", "arguments": "{}" } },
            ] },
            { "role": "tool", "content": "(the result is a picture, shown below)", "tool_call_id": "call_1" },
            { "role": "tool", "content": "a\nb", "tool_call_id": long_id },
            { "role": "user", "content": [
                { "type": "text", "text": "These pictures belong to the tool results above:" },
                { "type": "image_url", "image_url": { "url": "data:image/jpeg;base64,AAAA" } },
            ] },
            { "role": "user", "content": "and?" },
        ])
    );
}

#[test]
fn servers_with_strict_turns_get_names_bridges_and_thoughts_as_text() {
    let quirks = Compatibility {
        tool_result_name: true,
        assistant_after_tool_result: true,
        thinking_as_text: true,
        ..Compatibility::default()
    };
    let conversation = vec![
        assistant(vec![thought("hm", "reasoning_content"), call("abcDEF123", "read", json!({}), None)]),
        result("abcDEF123", "read", vec![Content::text("a")]),
        user(vec![Content::text("and?")]),
        assistant(vec![call("call_other", "read", json!({}), None)]),
        result("call_other", "read", vec![Content::text("b")]),
    ];
    let said = messages(conversation, quirks);
    let other = said[4]["tool_calls"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!((other.len(), other.chars().all(|letter| letter.is_ascii_alphanumeric())), (9, true));
    assert_eq!(
        said,
        json!([
            { "role": "assistant", "content": "hm\n", "tool_calls": [
                { "id": "abcDEF123", "type": "function", "function": { "name": "read", "arguments": "{}" } },
            ] },
            { "role": "tool", "content": "a", "tool_call_id": "abcDEF123", "name": "read" },
            { "role": "assistant", "content": "The tool results are in." },
            { "role": "user", "content": "and?" },
            { "role": "assistant", "content": "", "tool_calls": [
                { "id": other, "type": "function", "function": { "name": "read", "arguments": "{}" } },
            ] },
            { "role": "tool", "content": "b", "tool_call_id": other, "name": "read" },
        ])
    );
}

#[test]
fn thoughts_go_back_only_in_fields_that_are_known() {
    for (signature, expected) in [
        ("reasoning_content", json!({ "role": "assistant", "content": "x", "reasoning_content": "hm" })),
        ("reasoning", json!({ "role": "assistant", "content": "x", "reasoning": "hm" })),
        ("reasoning_text", json!({ "role": "assistant", "content": "x", "reasoning_text": "hm" })),
        (
            "[{\"type\":\"reasoning.text\",\"text\":\"hm\",\"signature\":\"s\"}]",
            json!({
                "role": "assistant", "content": "x",
                "reasoning_details": [{ "type": "reasoning.text", "text": "hm", "signature": "s" }],
            }),
        ),
        ("role", json!({ "role": "assistant", "content": "x" })),
        ("[broken", json!({ "role": "assistant", "content": "x" })),
    ] {
        let said = messages(
            vec![assistant(vec![thought("hm", signature), Content::text("x")])],
            Compatibility::default(),
        );
        assert_eq!(said, json!([expected]), "{signature}");
    }
}

#[test]
fn what_a_stream_gave_goes_back_as_it_came() {
    let answer = completion(&events(ROUTER_DETAILS)).content.clone();
    let said = messages(vec![assistant(answer)], Compatibility::default());
    assert_eq!(
        said[0],
        json!({
            "role": "assistant",
            "content": "On it.",
            "reasoning_details": [
                { "type": "reasoning.text", "text": "Check first.", "format": "anthropic-claude-v1", "index": 0, "signature": "c2lnbmF0dXJl" },
                { "type": "reasoning.encrypted", "data": "c2VhbGVk", "id": "tool_9", "format": "google-gemini-v1", "index": 1 },
            ],
            "tool_calls": [{ "id": "tool_9", "type": "function", "function": { "name": "look", "arguments": "{}" } }],
        })
    );
    let proof = json!({ "extra_content": { "google": { "thought_signature": "s" } } }).to_string();
    let said =
        messages(vec![assistant(vec![call("c", "go", json!({}), Some(&proof))])], Compatibility::default());
    assert_eq!(said[0]["tool_calls"][0]["extra_content"], json!({ "google": { "thought_signature": "s" } }));
}

#[test]
fn texts_of_another_model_keep_their_words_and_lose_their_proofs() {
    let foreign = Message::Assistant(AssistantMessage {
        content: vec![
            thought("secret", "sig"),
            Content::Text(Text { text: "hello".to_owned(), signature: Some("msg_1".to_owned()) }),
        ],
        api: Some("anthropic-messages".to_owned()),
        model: Some("other".to_owned()),
        ..AssistantMessage::default()
    });
    let said = messages(vec![foreign], Compatibility::default());
    assert_eq!(said, json!([{ "role": "assistant", "content": "hello" }]));
}

#[test]
fn a_tool_that_must_be_called_has_to_be_offered() {
    for choice in [ToolChoice::Required, ToolChoice::Named("read".to_owned())] {
        let request = ModelRequest { tool_choice: choice, ..request(Vec::new()) };
        assert_eq!(OpenaiCompletions.encode(&request, &target()).unwrap_err().reason, FaultReason::Format);
    }
    let mut request = request(Vec::new());
    request.tools = vec![read_tool()];
    for (choice, word) in [(ToolChoice::None, "none"), (ToolChoice::Required, "required")] {
        request.tool_choice = choice;
        assert_eq!(body(&request, &target())["tool_choice"], word);
    }
}

#[test]
fn the_credential_is_in_its_header_and_nowhere_else() {
    let call = OpenaiCompletions.encode(&request(Vec::new()), &target()).unwrap();
    assert_eq!(call.url, "https://api.example.test/v1/chat/completions");
    assert_eq!(call.headers["authorization"].reveal(), "Bearer planted-secret");
    assert!(!format!("{call:?}").contains("planted"));
    assert!(!String::from_utf8_lossy(&call.body).contains("planted"));
}
