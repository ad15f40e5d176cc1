//! Requests as the vendor takes them, answers as it gives them.

use std::collections::{BTreeMap, BTreeSet};

use openclaw_ports::model::{
    ApiName, FaultReason, ModelApi, ModelEvent, ModelFault, ModelRequest, ModelTarget, ToolChoice, ToolSpec,
};
use openclaw_types::{
    Content, Image, ImageData, Message, Secret, Text, Thinking, ThinkingLevel, ToolOutcome,
};
use serde_json::{Value, json};

use super::GoogleGenerativeAi;
use crate::apis::conformance::{codec_conformance, completion, decode, repeated_for_ever_is_too_large};
use crate::apis::samples::{
    self, credential, fault, fault_reason, hello, picture, refusal, request, result, user,
};

codec_conformance!(words: GoogleGenerativeAi, include_bytes!("fixtures/thoughts_and_text.sse"));
codec_conformance!(calls: GoogleGenerativeAi, include_bytes!("fixtures/parallel_calls.sse"));
codec_conformance!(pictures: GoogleGenerativeAi, include_bytes!("fixtures/picture.sse"));

fn target(model: &str) -> ModelTarget {
    ModelTarget {
        credential: credential("AIza-key"),
        max_output_tokens: 65_536,
        ..samples::target(model, "https://generativelanguage.googleapis.com/v1beta/")
    }
}

fn answer(model: &str, content: Vec<Content>) -> Message {
    samples::answer(ApiName::GoogleGenerativeAi, model, content)
}

fn call(id: &str, signature: Option<&str>) -> Content {
    let arguments = json!({ "path": "a" });
    match signature {
        Some(signature) => samples::signed_call(id, "read", arguments, signature),
        None => samples::call(id, "read", arguments),
    }
}

fn image() -> Content {
    picture(None, "/9j/4AAQ")
}

fn body(request: &ModelRequest, target: &ModelTarget) -> Value {
    samples::body(&GoogleGenerativeAi, request, target)
}

#[track_caller]
fn check_contents(model: &str, messages: Vec<Message>, expected: &Value) {
    assert_eq!(&body(&request(messages), &target(model))["contents"], expected);
}

#[test]
fn answers_are_read_as_they_come() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/apis/google_generative_ai/fixtures");
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        for name in [
            "thoughts_and_text", "parallel_calls",
            "call_from_an_imitation", "picture", "length_in_thoughts", "safety", "recitation",
            "malformed_call", "blocked_prompt", "empty", "cut", "not_json", "error_in_stream",
        ] {
            let stream = std::fs::read(folder.join(format!("{name}.sse"))).unwrap();
            insta::assert_debug_snapshot!(name, decode(&GoogleGenerativeAi, &[&stream]));
        }
    });
}

#[test]
fn a_whole_request_is_said_in_the_vendors_words() {
    let request = ModelRequest {
        system: vec!["You are Claw.".to_owned(), " ".to_owned(), "Today is Monday.".to_owned()].into(),
        tools: vec![
            ToolSpec {
                name: "read".to_owned(),
                description: "Reads a file".into(),
                parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } }, "additionalProperties": false }).into(),
            },
            ToolSpec {
                name: "now".to_owned(),
                description: "The time".into(),
                parameters: json!({ "type": "object" }).into(),
            },
        ],
        tool_choice: ToolChoice::Named("read".to_owned()),
        thinking: ThinkingLevel::Medium,
        max_output_tokens: Some(1000),
        temperature: Some(0.5),
        ..request(vec![hello(), user(vec![Content::text("look"), image()])])
    };
    let call = GoogleGenerativeAi.encode(&request, &target("gemini-2.5-flash")).unwrap();
    assert_eq!(
        call.url,
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    );
    assert_eq!(
        call.headers,
        BTreeMap::from([
            ("content-type".to_owned(), Secret::new("application/json".to_owned())),
            ("x-goog-api-key".to_owned(), Secret::new("AIza-key".to_owned())),
        ])
    );
    assert_eq!(
        serde_json::from_slice::<Value>(&call.body).unwrap(),
        json!({
            "systemInstruction": { "parts": [{ "text": "You are Claw." }, { "text": "Today is Monday." }] },
            "contents": [{ "role": "user", "parts": [
                { "text": "hello" },
                { "text": "look" },
                { "inlineData": { "mimeType": "image/jpeg", "data": "/9j/4AAQ" } },
            ] }],
            "tools": [{ "functionDeclarations": [
                {
                    "name": "read",
                    "description": "Reads a file",
                    "parameters": { "type": "object", "properties": { "path": { "type": "string" } } },
                },
                { "name": "now", "description": "The time" },
            ] }],
            "toolConfig": { "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": ["read"] } },
            "generationConfig": {
                "maxOutputTokens": 1000,
                "temperature": 0.5,
                "thinkingConfig": { "includeThoughts": true, "thinkingBudget": 8192 },
            },
        })
    );
}

#[test]
fn addresses_and_credentials_fit_the_server() {
    for (model, path) in [
        ("models/gemini-x", "models/gemini-x"),
        ("tunedModels/mine-1", "tunedModels/mine-1"),
        ("a?b#c/../d", "models/a%3Fb%23c/%2E%2E/d"),
    ] {
        let url = GoogleGenerativeAi.encode(&request(vec![hello()]), &target(model)).unwrap().url;
        assert_eq!(
            url,
            format!("https://generativelanguage.googleapis.com/v1beta/{path}:streamGenerateContent?alt=sse")
        );
    }
    let own = BTreeMap::from([("X-Own".to_owned(), Secret::new("1".to_owned()))]);
    let account = ModelTarget {
        credential: Some(Secret::new("ya29.token".to_owned())),
        headers: own,
        ..target("gemini-x")
    };
    let headers = GoogleGenerativeAi.encode(&request(vec![hello()]), &account).unwrap().headers;
    assert_eq!(headers.keys().collect::<Vec<_>>(), ["authorization", "content-type", "x-own"]);
    assert_eq!(headers["authorization"].reveal(), "Bearer ya29.token");
}

#[test]
fn a_personal_account_is_asked_in_an_envelope() {
    let account = ModelTarget {
        base_url: "https://cloudcode-pa.googleapis.com/".to_owned(),
        credential: Some(Secret::new("ya29.token".to_owned())),
        headers: BTreeMap::from([("X-Goog-User-Project".to_owned(), Secret::new("mine-1".to_owned()))]),
        ..target("gemini-2.5-pro")
    };
    let asked = request(vec![hello()]);
    let call = GoogleGenerativeAi.encode(&asked, &account).unwrap();
    assert_eq!(call.url, "https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent?alt=sse");
    assert_eq!(call.headers.keys().collect::<Vec<_>>(), ["authorization", "content-type"]);
    let inner = body(&asked, &target("gemini-2.5-pro"));
    assert_eq!(
        serde_json::from_slice::<Value>(&call.body).unwrap(),
        json!({ "model": "gemini-2.5-pro", "project": "mine-1", "request": inner })
    );
}

#[test]
fn an_answer_in_an_envelope_is_the_answer() {
    let plain = json!({
        "candidates": [{ "content": { "parts": [{ "text": "Hi" }] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 3, "candidatesTokenCount": 1, "totalTokenCount": 4 },
        "modelVersion": "gemini-2.5-pro",
        "responseId": "r1",
    });
    let wrapped = json!({ "response": plain, "traceId": "t" });
    let events = |event: &Value| {
        let (mut decoder, mut events) = (GoogleGenerativeAi.decoder(), Vec::new());
        decoder.push(format!("data: {event}\n\n").as_bytes(), &mut events);
        events
    };
    assert!(matches!(events(&plain).last(), Some(ModelEvent::Done(_))));
    assert_eq!(events(&wrapped), events(&plain));
}

#[test]
fn thinking_is_asked_for_in_the_way_of_each_family() {
    use ThinkingLevel::{High, Low, Medium, Minimal, Off, XHigh};
    let budget =
        |thoughts: bool, tokens: i64| json!({ "includeThoughts": thoughts, "thinkingBudget": tokens });
    let level = |thoughts: bool, word: &str| json!({ "includeThoughts": thoughts, "thinkingLevel": word });
    for (model, asked, expected) in [
        ("gemini-2.5-flash", Off, budget(false, 0)),
        ("gemini-2.5-flash-lite", Minimal, budget(true, 512)),
        ("gemini-2.5-pro", Off, budget(false, 128)),
        ("gemini-2.5-pro", XHigh, budget(true, 32768)),
        ("gemini-3-pro-preview", Off, level(false, "LOW")),
        ("gemini-3-pro-preview", Medium, level(true, "HIGH")),
        ("gemini-3.1-pro-preview", Medium, level(true, "MEDIUM")),
        ("gemini-3-flash-preview", Minimal, level(true, "MINIMAL")),
        ("gemini-3-flash-preview", Low, level(true, "LOW")),
        ("gemini-flash-latest", High, budget(true, -1)),
        ("gemini-flash-latest", Off, Value::Null),
    ] {
        let request = ModelRequest { thinking: asked, ..request(vec![hello()]) };
        let config = &body(&request, &target(model))["generationConfig"]["thinkingConfig"];
        assert_eq!(config, &expected, "{model} {asked}");
    }
    let plain = ModelTarget { reasoning: false, ..target("gemini-2.5-pro") };
    let request = ModelRequest { thinking: High, ..request(vec![hello()]) };
    assert_eq!(body(&request, &plain)["generationConfig"], json!({ "maxOutputTokens": 65536 }));
}

#[test]
fn tools_can_be_required_or_forbidden() {
    for (choice, mode) in [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::None, json!("NONE")),
        (ToolChoice::Required, json!("ANY")),
    ] {
        let tool = ToolSpec { name: "now".to_owned(), description: "".into(), parameters: json!({}).into() };
        let request = ModelRequest { tools: vec![tool], tool_choice: choice, ..request(vec![hello()]) };
        let body = body(&request, &target("gemini-x"));
        assert_eq!(body["toolConfig"]["functionCallingConfig"]["mode"], mode);
    }
}

#[test]
fn proofs_go_back_on_the_parts_they_came_on() {
    let thought = Content::Thinking(Thinking { text: "hm".to_owned(), signature: Some("AAAA".to_owned()) });
    let text = |signature: &str| {
        Content::Text(Text { text: "so".to_owned(), signature: Some(signature.to_owned()) })
    };
    check_contents(
        "gemini-3-flash",
        vec![
            hello(),
            answer(
                "gemini-3-flash",
                vec![thought, text("AAA="), text("not base64!"), call("c1", Some("QUJD")), call("c2", None)],
            ),
            result("c1", vec![Content::text("one")], ToolOutcome::Done),
            result("c2", vec![Content::text("two")], ToolOutcome::Failed),
        ],
        &json!([
            { "role": "user", "parts": [{ "text": "hello" }] },
            { "role": "model", "parts": [
                { "text": "hm", "thought": true, "thoughtSignature": "AAAA" },
                { "text": "so", "thoughtSignature": "AAA=" },
                { "text": "so" },
                { "thoughtSignature": "QUJD", "functionCall": { "name": "read", "args": { "path": "a" } } },
                { "functionCall": { "name": "read", "args": { "path": "a" } } },
            ] },
            { "role": "user", "parts": [
                { "functionResponse": { "name": "read", "response": { "output": "one" } } },
                { "functionResponse": { "name": "read", "response": { "error": "two" } } },
            ] },
        ]),
    );
}

#[test]
fn calls_of_another_model_say_that_they_have_no_proof_where_one_is_needed() {
    for (model, part) in [
        (
            "gemini-3-flash",
            json!({ "thoughtSignature": "skip_thought_signature_validator", "functionCall": { "name": "read", "args": { "path": "a" } } }),
        ),
        ("gemini-2.5-pro", json!({ "functionCall": { "name": "read", "args": { "path": "a" } } })),
        (
            "claude-sonnet",
            json!({ "functionCall": { "id": "c_1", "name": "read", "args": { "path": "a" } } }),
        ),
    ] {
        let messages = vec![hello(), answer("other", vec![call("c:1", Some("QUJD"))])];
        let contents = body(&request(messages), &target(model))["contents"].clone();
        assert_eq!(contents[1], json!({ "role": "model", "parts": [part] }));
    }
}

#[test]
fn pictures_in_results_stand_inside_or_behind_them() {
    let messages = || {
        vec![
            hello(),
            answer("other", vec![call("c1", None), call("c2", None)]),
            result("c1", vec![image()], ToolOutcome::Done),
            result("c2", vec![Content::text("two")], ToolOutcome::Done),
            user(vec![Content::text("and?")]),
        ]
    };
    let picture = json!({ "inlineData": { "mimeType": "image/jpeg", "data": "/9j/4AAQ" } });
    let two = json!({ "functionResponse": { "name": "read", "response": { "output": "two" } } });
    let seen = json!({ "name": "read", "response": { "output": "(see the pictures)" } });
    let mut inside = seen.clone();
    inside["parts"] = json!([picture]);
    let contents = body(&request(messages()), &target("gemini-3-flash"))["contents"].clone();
    assert_eq!(contents[2], json!({ "role": "user", "parts": [{ "functionResponse": inside }, two] }));
    assert_eq!(contents[3], json!({ "role": "user", "parts": [{ "text": "and?" }] }));
    let contents = body(&request(messages()), &target("gemini-2.5-pro"))["contents"].clone();
    assert_eq!(contents[2], json!({ "role": "user", "parts": [{ "functionResponse": seen }, two] }));
    assert_eq!(
        contents[3],
        json!({ "role": "user", "parts": [{ "text": "Pictures in the result of read:" }, picture, { "text": "and?" }] })
    );
}

#[test]
fn the_person_speaks_first_and_pictures_elsewhere_are_named() {
    let linked =
        Content::Image(Image { media_type: None, data: ImageData::Url("https://x/y.png".to_owned()) });
    check_contents(
        "gemini-2.5-pro",
        vec![answer("gemini-2.5-pro", vec![Content::text("Good morning")]), user(vec![linked])],
        &json!([
            { "role": "user", "parts": [{ "text": "(The conversation begins with your message.)" }] },
            { "role": "model", "parts": [{ "text": "Good morning" }] },
            { "role": "user", "parts": [{ "text": "[picture at https://x/y.png]" }] },
        ]),
    );
}

#[test]
fn a_request_without_messages_is_refused_here() {
    assert_eq!(
        GoogleGenerativeAi.encode(&request(vec![]), &target("gemini-x")),
        Err(ModelFault::new(FaultReason::Format, "there is no message to answer"))
    );
}

#[test]
fn made_up_ids_differ_between_answers_and_stay_for_the_same_one() {
    let stream = |response: &str| {
        let chunk = json!({
            "candidates": [{ "content": { "parts": [{ "functionCall": { "name": "now" } }, { "functionCall": { "name": "now" } }] }, "finishReason": "STOP" }],
            "responseId": response,
        });
        format!("data: {chunk}\n\n")
    };
    let ids = |stream: &str| {
        let events = decode(&GoogleGenerativeAi, &[stream.as_bytes()]);
        let completion = crate::apis::conformance::completion(&events).clone();
        completion
            .content
            .iter()
            .filter_map(Content::as_tool_call)
            .map(|call| call.id.clone())
            .collect::<Vec<_>>()
    };
    let (one, two) = (ids(&stream("a")), ids(&stream("b")));
    assert_eq!(one, ids(&stream("a")));
    let all: std::collections::HashSet<_> = one.iter().chain(&two).collect();
    assert_eq!(all.len(), 4);
}

#[test]
fn an_endless_answer_is_too_large() {
    let parts = json!([{ "text": "x".repeat(1 << 20) }]);
    let frame = json!({ "candidates": [{ "content": { "parts": parts } }] });
    repeated_for_ever_is_too_large(&GoogleGenerativeAi, format!("data: {frame}\n\n").as_bytes());
}

fn google_error(code: u16, status: &str, message: &str, details: Value) -> Vec<u8> {
    json!({ "error": { "code": code, "message": message, "status": status, "details": details } })
        .to_string()
        .into_bytes()
}

#[test]
fn refusals_are_explained() {
    let retry = json!([{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s" }]);
    let key = json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID" }]);
    let quota = "You exceeded your current quota, please check your plan and billing details.";
    let long = "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).";
    for (status, body, reason, message, wait) in [
        (
            429,
            google_error(429, "RESOURCE_EXHAUSTED", quota, retry),
            FaultReason::RateLimit,
            quota,
            Some(34_500),
        ),
        (
            429,
            google_error(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", json!([])),
            FaultReason::Billing,
            "Your prepayment credits are depleted.",
            Some(7_000),
        ),
        (
            400,
            google_error(400, "INVALID_ARGUMENT", "API key not valid.", key),
            FaultReason::Auth,
            "API key not valid.",
            None,
        ),
        (
            400,
            google_error(400, "INVALID_ARGUMENT", long, json!([])),
            FaultReason::ContextOverflow,
            long,
            None,
        ),
        (
            400,
            google_error(400, "INVALID_ARGUMENT", "Bad schema", json!([])),
            FaultReason::Format,
            "Bad schema",
            None,
        ),
        (403, google_error(403, "PERMISSION_DENIED", "No", json!([])), FaultReason::Auth, "No", None),
        (
            404,
            google_error(404, "NOT_FOUND", "models/x is not found", json!([])),
            FaultReason::ModelNotFound,
            "models/x is not found",
            None,
        ),
        (
            503,
            google_error(503, "UNAVAILABLE", "Busy", json!([])),
            FaultReason::Overloaded,
            "Busy",
            Some(7_000),
        ),
        (504, google_error(504, "DEADLINE_EXCEEDED", "Slow", json!([])), FaultReason::Timeout, "Slow", None),
        (
            502,
            b"<html>Bad gateway</html>".to_vec(),
            FaultReason::Overloaded,
            "<html>Bad gateway</html>",
            Some(7_000),
        ),
        (
            400,
            b"[{\"error\":{\"message\":\"Listed\",\"status\":\"INVALID_ARGUMENT\"}}]".to_vec(),
            FaultReason::Format,
            "Listed",
            None,
        ),
        (
            418,
            Vec::new(),
            FaultReason::Format,
            "the server answered with status 418 and no explanation",
            None,
        ),
    ] {
        assert_eq!(refusal(&GoogleGenerativeAi, status, &body), fault(status, reason, message, wait));
    }
}

#[test]
fn very_many_calls_in_one_event_are_read_in_time_and_have_names_of_their_own() {
    let parts = vec![json!({ "functionCall": { "name": "a" } }); 20_000];
    let event = json!({
        "candidates": [{ "content": { "parts": parts }, "finishReason": "STOP" }],
        "usageMetadata": {},
    });
    let events = decode(&GoogleGenerativeAi, &[format!("data: {event}\n\n").as_bytes()]);
    let content = &completion(&events).content;
    let names: BTreeSet<&str> =
        content.iter().filter_map(Content::as_tool_call).map(|call| call.id.as_str()).collect();
    assert_eq!((content.len(), names.len()), (20_000, 20_000));
}

#[test]
fn half_an_event_at_the_end_was_cut_and_nonsense_is_malformed() {
    for (end, reason) in [
        ("data: {\"candidates\": [{", FaultReason::Truncated),
        ("data: {]", FaultReason::Malformed),
        ("data: {\"candidates\": [{\n\n", FaultReason::Malformed),
    ] {
        assert_eq!(fault_reason(&decode(&GoogleGenerativeAi, &[end.as_bytes()])), reason, "{end}");
    }
}

#[test]
fn a_wait_beyond_reason_is_shortened() {
    let details = json!([{ "retryDelay": "1e18s" }]);
    let body = google_error(429, "RESOURCE_EXHAUSTED", "slow down", details);
    let week = 7 * 24 * 60 * 60 * 1000;
    let expected = fault(429, FaultReason::RateLimit, "slow down", Some(week));
    assert_eq!(refusal(&GoogleGenerativeAi, 429, &body), expected);
}
