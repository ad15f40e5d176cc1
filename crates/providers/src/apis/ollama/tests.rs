//! Requests as the server takes them, answers as it gives them, and what it says about its models.

use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, FaultReason, ModelApi, ModelFault, ModelRequest, ModelTarget, ToolChoice, ToolSpec,
};
use openclaw_types::{AssistantMessage, Content, Message, Secret, ThinkingLevel, ToolOutcome};
use serde_json::{Value, json};

use super::{Ollama, OllamaModel, OllamaModelDetails, read_ollama_model, read_ollama_models};
use crate::apis::conformance::{codec_conformance, decode, repeated_for_ever_is_too_large};
use crate::apis::samples::{
    self, fault, fault_reason, hello, picture_at, refusal, request, result, thought, tool, user,
};

codec_conformance!(words: Ollama, include_bytes!("fixtures/thoughts_and_text.ndjson"));
codec_conformance!(calls: Ollama, include_bytes!("fixtures/calls.ndjson"));

fn target(model: &str) -> ModelTarget {
    ModelTarget {
        max_output_tokens: 8192,
        context_window: 65_536,
        ..samples::target(model, "http://127.0.0.1:11434")
    }
}

fn image(data: &str) -> Content {
    samples::picture(None, data)
}

fn call(id: &str) -> Content {
    samples::call(id, "read", json!({ "path": "a" }))
}

fn body(request: &ModelRequest, target: &ModelTarget) -> Value {
    samples::body(&Ollama, request, target)
}

#[test]
fn answers_are_read_as_they_come() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/apis/ollama/fixtures");
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        for name in [
            "thoughts_and_text", "calls", "thoughts_by_other_names", "length", "no_counts", "only_loaded", "cut", "not_json", "error_line",
            "error_with_status",
        ] {
            let stream = std::fs::read(folder.join(format!("{name}.ndjson"))).unwrap();
            insta::assert_debug_snapshot!(name, decode(&Ollama, &[&stream]));
        }
    });
}

#[test]
fn a_whole_request_is_said_in_the_servers_words() {
    let pieces = vec![thought("hm", None), Content::text("Let me look."), call("c1"), call("c2")];
    let linked = picture_at(None, "https://x/y.png");
    let request = ModelRequest {
        system: vec!["You are Claw.".to_owned(), "Today is Monday.".to_owned()].into(),
        tools: vec![tool("read")],
        thinking: ThinkingLevel::Low,
        temperature: Some(0.5),
        ..request(vec![
            user(vec![Content::text("look"), image("AAAA"), linked]),
            samples::answer(ApiName::Ollama, "qwen3:8b", pieces),
            result("c1", vec![Content::text("one"), image("BBBB")], ToolOutcome::Done),
            result("c2", vec![Content::text("two")], ToolOutcome::Failed),
        ])
    };
    let call = Ollama.encode(&request, &target("qwen3:8b")).unwrap();
    assert_eq!(call.url, "http://127.0.0.1:11434/api/chat");
    assert_eq!(call.headers.keys().collect::<Vec<_>>(), ["content-type"]);
    assert_eq!(
        serde_json::from_slice::<Value>(&call.body).unwrap(),
        json!({
            "model": "qwen3:8b",
            "stream": true,
            "think": true,
            "options": { "num_ctx": 65536, "num_predict": 8192, "temperature": 0.5 },
            "tools": [{ "type": "function", "function": {
                "name": "read",
                "description": "Does read.",
                "parameters": { "type": "object", "properties": { "path": { "type": "string" } } },
            } }],
            "messages": [
                { "role": "system", "content": "You are Claw.\n\nToday is Monday." },
                { "role": "user", "content": "look\n[picture at https://x/y.png]", "images": ["AAAA"] },
                { "role": "assistant", "content": "Let me look.", "thinking": "hm", "tool_calls": [
                    { "id": "c1", "function": { "name": "read", "arguments": { "path": "a" } } },
                    { "id": "c2", "function": { "name": "read", "arguments": { "path": "a" } } },
                ] },
                { "role": "tool", "content": "one", "tool_name": "read", "tool_call_id": "c1" },
                { "role": "tool", "content": "Error: two", "tool_name": "read", "tool_call_id": "c2" },
                { "role": "user", "content": "Pictures in the results above:", "images": ["BBBB"] },
            ],
        })
    );
}

#[test]
fn pictures_of_results_join_what_the_person_says_next() {
    let answer = AssistantMessage { content: vec![call("c1")], ..AssistantMessage::default() };
    let messages = vec![
        hello(),
        Message::Assistant(answer),
        result("c1", vec![image("BBBB")], ToolOutcome::Done),
        user(vec![Content::text("and?"), image("CCCC")]),
    ];
    let messages = body(&request(messages), &target("llava"))["messages"].clone();
    assert_eq!(messages[3], json!({ "role": "user", "content": "and?", "images": ["BBBB", "CCCC"] }));
}

#[test]
fn addresses_and_credentials_fit_the_server() {
    for (base, url) in [
        ("http://host:11434/", "http://host:11434/api/chat"),
        ("http://host:11434/v1/", "http://host:11434/api/chat"),
        ("https://ollama.com/api", "https://ollama.com/api/chat"),
        (" http://host/ollama ", "http://host/ollama/api/chat"),
    ] {
        let target = ModelTarget { base_url: base.to_owned(), ..target("m") };
        assert_eq!(Ollama.encode(&request(vec![hello()]), &target).unwrap().url, url);
    }
    let own = BTreeMap::from([("X-Own".to_owned(), Secret::new("1".to_owned()))]);
    let cloud = ModelTarget { credential: Some(Secret::new("key".to_owned())), headers: own, ..target("m") };
    let headers = Ollama.encode(&request(vec![hello()]), &cloud).unwrap().headers;
    assert_eq!(headers.keys().collect::<Vec<_>>(), ["authorization", "content-type", "x-own"]);
    assert_eq!(headers["authorization"].reveal(), "Bearer key");
}

#[test]
fn thinking_is_a_switch_or_a_level() {
    use ThinkingLevel::{High, Medium, Off, XHigh};
    for (model, level, think) in [
        ("qwen3", Off, json!(false)),
        ("qwen3", High, json!(true)),
        ("gpt-oss:20b", Off, json!("low")),
        ("gpt-oss:20b", Medium, json!("medium")),
        ("gpt-oss:20b", XHigh, json!("high")),
    ] {
        let request = ModelRequest { thinking: level, ..request(vec![hello()]) };
        assert_eq!(body(&request, &target(model))["think"], think, "{model} {level}");
    }
    let plain = ModelTarget { reasoning: false, ..target("llama3") };
    assert_eq!(body(&ModelRequest { thinking: High, ..request(vec![hello()]) }, &plain).get("think"), None);
}

#[test]
fn limits_that_are_not_known_are_left_to_the_server() {
    let target = ModelTarget { context_window: 0, max_output_tokens: 0, ..target("m") };
    assert_eq!(body(&request(vec![hello()]), &target)["options"], json!({}));
}

#[test]
fn what_the_protocol_cannot_say_is_refused_here() {
    let tool = ToolSpec { name: "now".to_owned(), description: "".into(), parameters: Value::Null.into() };
    let with =
        |tool_choice| ModelRequest { tools: vec![tool.clone()], tool_choice, ..request(vec![hello()]) };
    let said = "this model server cannot be made to call a tool; use another protocol for that";
    for choice in [ToolChoice::Required, ToolChoice::Named("now".to_owned())] {
        let fault = ModelFault::new(FaultReason::Format, said);
        assert_eq!(Ollama.encode(&with(choice), &target("m")), Err(fault));
    }
    assert_eq!(body(&with(ToolChoice::None), &target("m")).get("tools"), None);
    let parameters =
        body(&with(ToolChoice::Auto), &target("m"))["tools"][0]["function"]["parameters"].clone();
    assert_eq!(parameters, json!({ "type": "object", "properties": {} }));
    let nothing = ModelRequest { system: vec!["x".to_owned()].into(), ..request(vec![]) };
    let fault = ModelFault::new(FaultReason::Format, "there is no message to answer");
    assert_eq!(Ollama.encode(&nothing, &target("m")), Err(fault));
}

#[test]
fn an_endless_line_and_an_endless_answer_are_too_large() {
    repeated_for_ever_is_too_large(&Ollama, &vec![b'x'; 1 << 20]);
    let line = format!("{}\n", json!({ "message": { "content": "x".repeat(1 << 20) } }));
    repeated_for_ever_is_too_large(&Ollama, line.as_bytes());
}

#[test]
fn refusals_are_explained() {
    let error = |text: &str| json!({ "error": text }).to_string().into_bytes();
    for (status, body, reason, message, wait) in [
        (
            404,
            error("model 'x' not found, try pulling it first"),
            FaultReason::ModelNotFound,
            "model 'x' not found, try pulling it first",
            None,
        ),
        (
            400,
            error("registry.ollama.ai/library/x does not support tools"),
            FaultReason::Format,
            "registry.ollama.ai/library/x does not support tools",
            None,
        ),
        (
            400,
            error("input length exceeds the context length"),
            FaultReason::ContextOverflow,
            "input length exceeds the context length",
            None,
        ),
        (401, error("unauthorized"), FaultReason::Auth, "unauthorized", None),
        (429, error("too many requests"), FaultReason::RateLimit, "too many requests", Some(7_000)),
        (
            503,
            error("server busy, please try again"),
            FaultReason::Overloaded,
            "server busy, please try again",
            Some(7_000),
        ),
        (
            500,
            error("model requires more system memory (5.6 GiB) than is available"),
            FaultReason::Overloaded,
            "model requires more system memory (5.6 GiB) than is available",
            Some(7_000),
        ),
        (
            500,
            b"{\"error\":{\"message\":\"the prompt exceeds the available context size\"}}".to_vec(),
            FaultReason::ContextOverflow,
            "the prompt exceeds the available context size",
            None,
        ),
        (502, b"bad gateway\n".to_vec(), FaultReason::Overloaded, "bad gateway", Some(7_000)),
        (
            405,
            Vec::new(),
            FaultReason::Format,
            "the server answered with status 405 and no explanation",
            None,
        ),
    ] {
        assert_eq!(refusal(&Ollama, status, &body), fault(status, reason, message, wait));
    }
}

#[test]
fn the_list_of_models_is_read() {
    let body = json!({ "models": [
        { "name": "qwen3:8b", "model": "qwen3:8b", "size": 5_225_388_164_u64, "digest": "500a", "details": { "family": "qwen3", "parameter_size": "8.2B", "families": null } },
        { "model": "gpt-oss:120b-cloud", "details": { "family": "" } },
        { "name": "" },
    ] });
    assert_eq!(
        read_ollama_models(body.to_string().as_bytes()),
        Ok(vec![
            OllamaModel {
                name: "qwen3:8b".to_owned(),
                family: Some("qwen3".to_owned()),
                parameters: Some("8.2B".to_owned()),
                bytes: Some(5_225_388_164),
            },
            OllamaModel {
                name: "gpt-oss:120b-cloud".to_owned(),
                family: None,
                parameters: None,
                bytes: None
            },
        ])
    );
    for broken in ["", "{}", "[]", "<html>"] {
        assert_eq!(
            read_ollama_models(broken.as_bytes()).unwrap_err().reason,
            FaultReason::Malformed,
            "{broken}"
        );
    }
}

#[test]
fn the_description_of_a_model_is_read() {
    let whole = json!({
        "parameters": "stop \"<|im_end|>\"\nnum_ctx                        16384",
        "model_info": { "general.architecture": "qwen3vl", "clip.context_length": 77, "qwen3vl.context_length": 262_144 },
        "capabilities": ["completion", "tools", "vision"],
    });
    assert_eq!(
        read_ollama_model(whole.to_string().as_bytes()),
        Ok(OllamaModelDetails {
            context_window: Some(262_144),
            configured_context: Some(16_384),
            calls_tools: Some(true),
            thinks: Some(false),
            sees_images: Some(true),
        })
    );
    let old = json!({ "model_info": { "llama.context_length": 8192 } });
    assert_eq!(
        read_ollama_model(old.to_string().as_bytes()),
        Ok(OllamaModelDetails { context_window: Some(8192), ..OllamaModelDetails::default() })
    );
    assert_eq!(read_ollama_model(b"{}"), Ok(OllamaModelDetails::default()));
    assert_eq!(read_ollama_model(b"no").unwrap_err().reason, FaultReason::Malformed);
}

#[test]
fn half_a_line_at_the_end_was_cut_and_nonsense_is_malformed() {
    for (end, reason) in [
        ("{\"message\": {\"content\": \"hé", FaultReason::Truncated),
        ("{\"message\": {\n", FaultReason::Malformed),
        ("<html>", FaultReason::Malformed),
    ] {
        assert_eq!(fault_reason(&decode(&Ollama, &[end.as_bytes()])), reason, "{end}");
    }
}
