//! Requests as they are written, streams as they are read.

use openclaw_ports::model::{
    ApiName, CacheLifetime, Compatibility, FaultReason, MaxTokensField, ModelApi, ModelEvent, ModelRequest,
    ModelTarget, ThinkingFormat, ToolChoice,
};
use openclaw_types::{AssistantMessage, Content, Message, StopReason, Text, ThinkingLevel, ToolOutcome};
use serde_json::{Value, json};

use super::OpenaiCompletions;
use crate::apis::conformance::{codec_conformance, completion, decode, repeated_for_ever_is_too_large};
use crate::apis::samples::{
    self, call, credential, fault_reason, result_of, signed_call, thought, tool, user,
};

const PARALLEL_CALLS: &str = include_str!("fixtures/parallel_calls.sse");
const ROUTER_DETAILS: &str = include_str!("fixtures/router_details.sse");
const NUMBERED_ZERO: &str = include_str!("fixtures/numbered_zero.sse");

codec_conformance!(with_parallel_calls: OpenaiCompletions, PARALLEL_CALLS);
codec_conformance!(with_router_details: OpenaiCompletions, ROUTER_DETAILS);
codec_conformance!(with_calls_all_numbered_zero: OpenaiCompletions, NUMBERED_ZERO);

fn assistant(content: Vec<Content>) -> Message {
    samples::answer(ApiName::OpenaiCompletions, "m-1", content)
}

fn result(of: &str, tool: &str, content: Vec<Content>) -> Message {
    result_of(tool, of, content, ToolOutcome::Done)
}

fn picture() -> Content {
    samples::picture(Some("image/jpeg"), "AAAA")
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: vec!["Be kind.".to_owned(), " ".to_owned(), "Be brief.".to_owned()].into(),
        cache: CacheLifetime::Short,
        ..samples::request(messages)
    }
}

fn target() -> ModelTarget {
    ModelTarget {
        credential: credential("planted-secret"),
        max_output_tokens: 4096,
        ..samples::target("m-1", "https://api.example.test/v1/")
    }
}

fn body(request: &ModelRequest, target: &ModelTarget) -> Value {
    samples::body(&OpenaiCompletions, request, target)
}

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
        assert_eq!(fault_reason(&events(&stream)), expected, "{stream}");
    }
}

#[test]
fn a_stream_without_end_stops_at_the_size_limit() {
    let delta = json!({ "content": "x".repeat(1 << 20) });
    let frame = json!({ "choices": [{ "delta": delta }] });
    repeated_for_ever_is_too_large(&OpenaiCompletions, format!("data: {frame}\n\n").as_bytes());
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
    assert_eq!(end.content, [Content::text("Here."), call("t1", "go", json!({}))]);
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
        assert_eq!(completion(&events).content, [call("t", "go", expected)], "{written}");
    }
}

#[test]
fn a_call_without_an_id_gets_one_from_the_answer() {
    let delta = json!({ "id": "chatcmpl-77", "choices": [{
        "delta": { "function_call": { "name": "go", "arguments": "{}" } }, "finish_reason": "function_call",
    }] });
    let events = events(&format!("data: {delta}\n\n"));
    assert_eq!(completion(&events).content, [call("call_chatcmpl77_0", "go", json!({}))]);
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

#[test]
fn a_request_is_written_with_all_that_the_protocol_has() {
    let mut request = request(vec![user(vec![Content::text("Look:"), picture()])]);
    request.tools = vec![tool("read")];
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
                "description": "Does read.",
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
    request.tools = vec![tool("read")];
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
                "description": "Does read.",
                "parameters": { "type": "object", "properties": { "path": { "type": "string" } } },
            } }],
        })
    );
}

/// The messages behind the system prompt.
fn messages(messages: Vec<Message>, compatibility: Compatibility) -> Value {
    let target = ModelTarget { compatibility, ..target() };
    let mut request = request(messages);
    request.system = openclaw_ports::model::SystemText::default();
    body(&request, &target)["messages"].take()
}

#[test]
fn tool_results_are_text_and_their_pictures_follow_behind_the_last_one() {
    let conversation = vec![
        user(vec![Content::text("go")]),
        assistant(vec![
            thought("hm", Some("reasoning_content")),
            call("call_1|fc_9", "shoot", json!({ "n": 1 })),
            call(&"x".repeat(50), "read", json!({})),
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
        short_tool_ids: true,
        assistant_after_tool_result: true,
        thinking_as_text: true,
        ..Compatibility::default()
    };
    let conversation = vec![
        assistant(vec![thought("hm", Some("reasoning_content")), call("abcDEF123", "read", json!({}))]),
        result("abcDEF123", "read", vec![Content::text("a")]),
        user(vec![Content::text("and?")]),
        assistant(vec![call("call_other", "read", json!({}))]),
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
fn a_tools_name_and_a_short_id_are_wanted_apart() {
    let conversation = || {
        vec![
            assistant(vec![call("call_of_length_18", "read", json!({}))]),
            result("call_of_length_18", "read", vec![Content::text("a")]),
        ]
    };
    let names = Compatibility { tool_result_name: true, ..Compatibility::default() };
    let said = messages(conversation(), names);
    assert_eq!((&said[1]["tool_call_id"], &said[1]["name"]), (&json!("call_of_length_18"), &json!("read")));
    let ids = Compatibility { short_tool_ids: true, ..Compatibility::default() };
    let said = messages(conversation(), ids);
    assert_eq!(said[1]["tool_call_id"].as_str().map(str::len), Some(9));
    assert_eq!(said[1]["tool_call_id"], said[0]["tool_calls"][0]["id"]);
    assert_eq!(said[1].get("name"), None);
}

#[test]
fn thinking_is_asked_for_in_the_servers_own_way() {
    let fields = |format, level, reasoning| {
        let compatibility = Compatibility { thinking_format: format, ..Compatibility::default() };
        let target = ModelTarget { compatibility, reasoning, ..target() };
        let said = body(&ModelRequest { thinking: level, ..request(Vec::new()) }, &target);
        ["reasoning_effort", "thinking", "enable_thinking"].map(|field| said.get(field).cloned())
    };
    let (high, off) = (ThinkingLevel::High, ThinkingLevel::Off);
    let rows = [
        (ThinkingFormat::Effort, high, true, [Some(json!("high")), None, None]),
        (ThinkingFormat::Effort, off, true, [None, None, None]),
        (ThinkingFormat::Object, high, true, [None, Some(json!({ "type": "enabled" })), None]),
        (ThinkingFormat::Object, off, true, [None, Some(json!({ "type": "disabled" })), None]),
        (ThinkingFormat::Object, high, false, [None, None, None]),
        (ThinkingFormat::Switch, high, true, [None, None, Some(json!(true))]),
        (ThinkingFormat::Switch, off, true, [None, None, Some(json!(false))]),
        (ThinkingFormat::Switch, high, false, [None, None, None]),
    ];
    for (format, level, reasoning, expected) in rows {
        assert_eq!(fields(format, level, reasoning), expected, "{format:?} {level} {reasoning}");
    }
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
            vec![assistant(vec![thought("hm", Some(signature)), Content::text("x")])],
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
        messages(vec![assistant(vec![signed_call("c", "go", json!({}), &proof)])], Compatibility::default());
    assert_eq!(said[0]["tool_calls"][0]["extra_content"], json!({ "google": { "thought_signature": "s" } }));
}

#[test]
fn texts_of_another_model_keep_their_words_and_lose_their_proofs() {
    let foreign = Message::Assistant(AssistantMessage {
        content: vec![
            thought("secret", Some("sig")),
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
fn the_credential_is_in_its_header_and_nowhere_else() {
    let call = OpenaiCompletions.encode(&request(Vec::new()), &target()).unwrap();
    assert_eq!(call.url, "https://api.example.test/v1/chat/completions");
    assert_eq!(call.headers["authorization"].reveal(), "Bearer planted-secret");
    assert!(!format!("{call:?}").contains("planted"));
    assert!(!String::from_utf8_lossy(&call.body).contains("planted"));
}

#[test]
fn long_arguments_whose_every_delta_names_the_tool_are_read_in_time() {
    let delta = |number: usize, arguments: &str| {
        let function = json!({ "name": "write", "arguments": arguments });
        let call = json!({ "index": 0, "id": format!("c{number}"), "function": function });
        format!("data: {}\n\n", json!({ "id": "r", "choices": [{ "delta": { "tool_calls": [call] } }] }))
    };
    let mut stream = delta(0, "{\"text\":\"");
    (1..20_000).for_each(|number| stream.push_str(&delta(number, "} lorem ")));
    stream.push_str(&delta(20_000, "\"}"));
    stream.push_str(&delta(20_001, "{}"));
    stream.push_str("data: [DONE]\n\n");
    let written = json!({ "text": "} lorem ".repeat(19_999) });
    let expected = [call("c0", "write", written), call("c20001", "write", json!({}))];
    assert_eq!(completion(&events(&stream)).content, expected);
}

#[test]
fn endless_calls_and_endless_details_are_stopped() {
    let stream = |delta: &dyn Fn(usize) -> Value| -> String {
        let chunk = |number| json!({ "id": "r", "choices": [{ "delta": delta(number) }] });
        (0..2000).map(|number| format!("data: {}\n\n", chunk(number))).collect()
    };
    let calls =
        stream(&|number| json!({ "tool_calls": [{ "index": number, "function": { "name": "go" } }] }));
    let details = stream(&|number| json!({ "reasoning_details": [{ "type": "t", "index": number }] }));
    for endless in [calls, details] {
        assert_eq!(fault_reason(&events(&endless)), FaultReason::TooLarge);
    }
}
