//! All protocols against `@copilotkit/aimock`, a simulator of the vendors' interfaces from npm, over real sockets.
//!
//! What it answers to which words stands in `xtask/peers/aimock-fixtures.json`. Run by `cargo xtask test`.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

mod peer_line;

use std::time::Duration;

use openclaw_ports::model::{ApiName, FaultReason, ModelEvent, ModelRoute, ToolSpec};
use openclaw_types::{
    AssistantMessage, Content, Image, ImageData, Message, StopReason, ToolCall, ToolOutcome,
    ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

use peer_line::{address, asking, end, events, get, reason, route, saying, user, words};

const ADDRESS: &str = "OPENCLAW_PEER_AIMOCK";

/// Every way to the simulator: the protocol, what stands behind its address, the model, and the path it must see.
const WAYS: &[(ApiName, &str, &str, &str)] = &[
    (ApiName::AnthropicMessages, "", "claude-sonnet-4-5", "/v1/messages"),
    (ApiName::OpenaiCompletions, "/v1", "gpt-4o", "/v1/chat/completions"),
    (ApiName::OpenaiResponses, "/v1", "gpt-5", "/v1/responses"),
    (
        ApiName::GoogleGenerativeAi,
        "/v1beta",
        "gemini-2.5-flash",
        "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
    ),
    (ApiName::BedrockConverseStream, "", "anthropic.claude-v4", "/model/anthropic.claude-v4/converse-stream"),
    (ApiName::Ollama, "", "qwen3", "/api/chat"),
    (ApiName::GithubCopilot, "/copilot", "gpt-4o", "/chat/completions"),
    (ApiName::GithubCopilot, "/copilot", "gpt-5", "/responses"),
];

/// The ways of one test, each under a name that the simulator's journal can be asked for.
fn ways(test: &str) -> Vec<(String, ModelRoute, &'static str)> {
    let root = address(ADDRESS);
    let way = |(api, behind, model, path): &(ApiName, &str, &'static str, &'static str)| {
        let name = format!("{test}-{}-{model}", api.as_str());
        let route = route(*api, format!("{root}{behind}"), model, &name);
        (name, route, *path)
    };
    WAYS.iter().map(way).collect()
}

/// What the simulator saw under a name.
async fn journal(name: &str) -> Vec<Value> {
    let url = format!("{}/__aimock/journal?testId={name}", address(ADDRESS));
    serde_json::from_slice(&get(url).await).unwrap()
}

fn weather() -> ToolSpec {
    ToolSpec {
        name: "get_weather".to_owned(),
        description: "Tells the weather of a city.".into(),
        parameters:
            json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}).into(),
    }
}

#[tokio::test]
async fn a_greeting_streams_through_every_protocol() {
    for (name, route, path) in ways("greeting") {
        let told = events(saying("hello"), route).await;
        let completion = end(&told).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(
            (words(completion).as_str(), &completion.stop),
            ("Hello there.", &StopReason::Stop),
            "{name}"
        );
        let pieces = told.iter().filter(|event| matches!(event, ModelEvent::Text { .. })).count();
        assert!(pieces > 1, "{name} did not stream: {told:#?}");
        let seen = journal(&name).await;
        let paths: Vec<&str> = seen.iter().filter_map(|call| call["path"].as_str()).collect();
        assert!(paths.len() == 1 && paths[0].split('?').next().unwrap().ends_with(path), "{name}: {paths:?}");
    }
}

#[tokio::test]
async fn a_tool_is_called_and_its_result_is_answered_in_every_protocol() {
    for (name, route, _) in ways("tool") {
        let mut request = saying("what is the weather");
        request.tools = vec![weather()];
        let told = events(request.clone(), route.clone()).await;
        let completion = end(&told).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(completion.stop, StopReason::ToolUse, "{name}");
        let calls: Vec<&ToolCall> = completion.content.iter().filter_map(Content::as_tool_call).collect();
        let [call] = calls.as_slice() else { panic!("{name}: {completion:#?}") };
        assert_eq!(
            (call.name.as_str(), &call.arguments),
            ("get_weather", &json!({"city": "Paris"})),
            "{name}"
        );

        let called = AssistantMessage {
            content: completion.content.clone(),
            api: Some(route.api.as_str().to_owned()),
            model: Some(route.target.model.clone()),
            ..AssistantMessage::default()
        };
        let result = ToolResultMessage {
            call: call.id.clone(),
            tool: call.name.clone(),
            content: vec![Content::text("18 degrees, no cloud")],
            outcome: ToolOutcome::Done,
            details: None,
            at: None,
        };
        request.messages.extend([Message::Assistant(called).into(), Message::ToolResult(result).into()]);
        let told = events(request, route).await;
        let completion = end(&told).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(words(completion), "It is sunny in Paris.", "{name}");
        let seen = journal(&name).await;
        assert_eq!(seen.len(), 2, "{name}");
        the_simulator_understood(&name, &seen[1]["body"]);
    }
}

/// The simulator writes every request down in one form: what it says there, it understood.
#[track_caller]
fn the_simulator_understood(name: &str, body: &Value) {
    let text = body.to_string();
    for wanted in ["You are terse.", "what is the weather", "get_weather", "18 degrees, no cloud"] {
        assert!(text.contains(wanted), "{name}: the simulator did not see {wanted:?}: {body:#}");
    }
    let roles: Vec<&str> =
        body["messages"].as_array().into_iter().flatten().filter_map(|each| each["role"].as_str()).collect();
    assert!(
        roles.contains(&"user") && roles.contains(&"assistant") && roles.contains(&"tool"),
        "{name}: {roles:?}"
    );
}

#[tokio::test]
async fn thoughts_arrive_apart_from_words() {
    for (name, route, _) in ways("thoughts") {
        let told = events(saying("think about it"), route).await;
        let completion = end(&told).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(words(completion), "Forty-two.", "{name}");
        let thoughts: String = told
            .iter()
            .filter_map(|event| match event {
                ModelEvent::Thinking { delta, .. } => Some(delta.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(thoughts, "Six times seven.", "{name}");
    }
}

#[tokio::test]
async fn refusals_have_their_reason_and_their_wait() {
    for (name, route, _) in ways("refusals") {
        let told = events(saying("be overloaded"), route.clone()).await;
        assert_eq!(reason(&told), Some(FaultReason::Overloaded), "{name}");
        let told = events(saying("too often"), route.clone()).await;
        let fault = end(&told).unwrap_err();
        let expected = (FaultReason::RateLimit, Some(429), Some(Duration::from_secs(7)));
        assert_eq!((fault.reason, fault.status, fault.retry_after), expected, "{name}");
        let told = events(saying("wrong key"), route.clone()).await;
        assert_eq!(reason(&told), Some(FaultReason::Auth), "{name}");
        let told = events(saying("broken"), route).await;
        assert_eq!(reason(&told), Some(FaultReason::Overloaded), "{name}");
    }
}

#[tokio::test]
async fn a_line_that_breaks_is_no_answer() {
    for (name, route, _) in ways("break") {
        let told = events(saying("break off"), route).await;
        let reason = reason(&told);
        assert!(matches!(reason, Some(FaultReason::Truncated | FaultReason::Network)), "{name}: {reason:?}");
    }
}

#[tokio::test]
async fn pictures_and_a_history_of_another_protocol_are_accepted() {
    let picture = Content::Image(Image {
        media_type: Some("image/png".to_owned()),
        data: ImageData::Inline("iVBORw0KGgo=".to_owned()),
    });
    let shown = Message::User(UserMessage {
        content: vec![Content::text("look at this"), picture],
        ..UserMessage::default()
    });
    let seen = Message::Assistant(AssistantMessage {
        content: vec![Content::text("A very small picture.")],
        api: Some(ApiName::Ollama.as_str().to_owned()),
        model: Some("elsewhere".to_owned()),
        ..AssistantMessage::default()
    });
    for (name, route, _) in ways("pictures") {
        let told = events(asking(vec![shown.clone(), seen.clone(), user("hello")]), route).await;
        let completion = end(&told).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(words(completion), "Hello there.", "{name}");
        assert!(journal(&name).await[0]["body"].to_string().contains("A very small picture."), "{name}");
    }
}
