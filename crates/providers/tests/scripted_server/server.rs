//! What the scripted server promises to other tests: captured requests, chosen scripts, counted connections.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use openclaw_ports::model::{ApiName, FaultReason, ModelEvent, ModelLine, ServerReach};
use openclaw_providers::{
    CallMethod, CopilotToken, Gate, JsonBody, JsonCall, Script, Scripts, read_ollama_model,
    read_ollama_models,
};
use openclaw_testkit::{ScriptedModelServer, SimClock};
use openclaw_types::{
    AssistantMessage, Content, Message, ToolCall, ToolCallId, ToolOutcome, ToolResultMessage,
};
use serde_json::{Value, json};

use super::{SPOKEN, open, request, transport, user};

/// A conversation in which the tool has answered.
fn after_the_tool() -> Vec<Message> {
    let id = ToolCallId::new("call_1").expect("a name");
    let call = ToolCall {
        id: id.clone(),
        name: "read".to_owned(),
        arguments: json!({"path": "a.txt"}),
        signature: None,
    };
    let asks = AssistantMessage { content: vec![Content::ToolCall(call)], ..AssistantMessage::default() };
    let result = ToolResultMessage {
        call: id,
        tool: "read".to_owned(),
        content: vec![Content::text("the file says 42")],
        outcome: ToolOutcome::Done,
        details: None,
        at: None,
    };
    vec![user("read a.txt"), Message::Assistant(asks), Message::ToolResult(result)]
}

fn said(events: &[ModelEvent]) -> String {
    match events.last() {
        Some(ModelEvent::Done(completion)) => {
            completion.content.iter().filter_map(Content::as_text).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_script_is_chosen_by_what_the_conversation_ends_with() {
    for (api, model) in SPOKEN {
        let scripts = Scripts::new()
            .when_last_user_contains("a.txt", Script::new().call_tool("read", json!({"path": "a.txt"})))
            .after_tool_result_contains("says 42", Script::new().say("It is 42."));
        let server = ScriptedModelServer::start(scripts).await;
        let first: Vec<ModelEvent> = open(&server, api, model).collect().await;
        let Some(ModelEvent::Done(completion)) = first.last() else { panic!("{api:?}: {first:?}") };
        assert!(completion.content.iter().any(|piece| piece.as_tool_call().is_some()), "{api:?}");
        let follow = Arc::new(request(after_the_tool()));
        let second: Vec<ModelEvent> = transport().open(follow, server.route(api, model)).collect().await;
        assert_eq!(said(&second), "It is 42.", "{api:?}");
    }
}

#[tokio::test]
async fn the_system_prompt_the_tools_and_the_wish_to_think_are_seen() {
    for (api, model) in SPOKEN {
        let fits = move |asked: &openclaw_providers::Asked| {
            let mut seen = asked.clone();
            // Older models of these vendors cannot be asked to think.
            seen.thinking |= matches!(model, "gpt-4.1" | "gpt-4o");
            seen.model == model && seen.system == "Be kind." && seen.tools == ["read"] && seen.thinking
        };
        let server = ScriptedModelServer::start(Scripts::new().when(fits, Script::new().say("seen"))).await;
        let events: Vec<ModelEvent> = open(&server, api, model).collect().await;
        assert!(matches!(events.last(), Some(ModelEvent::Done(_))), "{api:?}: {events:?}");
    }
}

#[tokio::test]
async fn requests_are_captured_with_their_protocol() {
    let paths = [
        "/v1/messages",
        "/v1/chat/completions",
        "/v1/responses",
        "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
        "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
        "/api/chat",
        "/chat/completions",
        "/responses",
    ];
    for ((api, model), path) in SPOKEN.into_iter().zip(paths) {
        let server = ScriptedModelServer::start(Script::new().say("x")).await;
        let (captured, events) =
            tokio::join!(server.next_request(), open(&server, api, model).collect::<Vec<_>>());
        assert_eq!(said(&events), "x", "{api:?}");
        let seen = (captured.protocol, captured.method.as_str(), captured.path.as_str(), captured.connection);
        assert_eq!(seen, (Some(api), "POST", path, 1));
        assert_eq!(captured.header("content-type"), "application/json");
        assert!(captured.body.is_object(), "{captured:?}");
        assert_eq!(server.requests(), [captured]);
    }
}

#[tokio::test]
async fn dropping_a_stream_closes_its_socket() {
    for (api, model) in SPOKEN {
        let server = ScriptedModelServer::start(Script::new().say("Half").stall()).await;
        let mut stream = open(&server, api, model);
        while !matches!(stream.next().await, Some(ModelEvent::Text { .. })) {}
        assert_eq!((server.open_streams(), server.open_connections()), (1, 1), "{api:?}");
        drop(stream);
        server.until_open_streams(0).await;
        server.until_open_connections(0).await;
    }
}

#[tokio::test]
async fn a_silent_server_is_left_by_dropping_the_stream() {
    let server = ScriptedModelServer::start(Script::new().silent()).await;
    let mut stream = open(&server, ApiName::OpenaiCompletions, "m");
    tokio::select! {
        event = stream.next() => panic!("{event:?}"),
        request = server.next_request() => assert_eq!(request.path, "/v1/chat/completions"),
    }
    drop(stream);
    server.until_open_connections(0).await;
}

#[tokio::test]
async fn pauses_are_taken_on_the_servers_clock() {
    let clock = Arc::new(SimClock::new());
    let script = Script::new().say("a").pause(Duration::from_secs(3600)).say("b");
    let server = ScriptedModelServer::start_with_clock(script, clock.clone()).await;
    let stream = open(&server, ApiName::AnthropicMessages, "m");
    let (events, ()) = tokio::join!(stream.collect::<Vec<_>>(), async {
        clock.until_asleep(1).await;
        clock.advance(Duration::from_secs(3600)).await;
    });
    assert_eq!(said(&events), "ab");
}

#[tokio::test]
async fn scripts_for_one_model_leave_the_queue_alone() {
    let server = ScriptedModelServer::start(Scripts::new()).await;
    server.push(Script::new().say("for anyone"));
    server.push_for("special", Script::new().say("for special"));
    let api = ApiName::OpenaiResponses;
    for (model, expected) in [("special", "for special"), ("special", "for anyone")] {
        let events: Vec<ModelEvent> = open(&server, api, model).collect().await;
        assert_eq!(said(&events), expected);
    }
    let events: Vec<ModelEvent> = open(&server, api, "special").collect().await;
    let Some(ModelEvent::Failed(fault)) = events.last() else { panic!("{events:?}") };
    assert_eq!(fault.reason, FaultReason::Format);
    assert!(fault.message.starts_with("no script is left for this request"), "{fault:?}");
}

#[tokio::test]
async fn a_thousand_streams_are_held_at_once() {
    const STREAMS: usize = 1_000;
    let gate = Gate::new();
    let scripts = Scripts::new().otherwise(Script::new().say("before ").hold(&gate).say("after"));
    let server = ScriptedModelServer::start(scripts).await;
    let (line, asked) = (transport(), Arc::new(request(vec![user("hello")])));
    let streams = (0..STREAMS).map(|number| {
        let (api, model) = SPOKEN[number % SPOKEN.len()];
        line.open(asked.clone(), server.route(api, model)).collect::<Vec<_>>()
    });
    let (answers, ()) = tokio::join!(futures_util::future::join_all(streams), async {
        gate.until_arrived(STREAMS).await;
        assert_eq!((server.open_streams(), server.open_connections()), (STREAMS, STREAMS));
        gate.open();
    });
    let whole = answers.iter().filter(|events| said(events) == "before after").count();
    assert_eq!(whole, STREAMS);
    server.until_open_streams(0).await;
}

async fn looked_up(server: &ScriptedModelServer, method: CallMethod, path: &str, body: JsonBody) -> Vec<u8> {
    let url = format!("{}{path}", server.root());
    let deadline = Duration::from_secs(30);
    let call =
        JsonCall { method, url, headers: BTreeMap::new(), body, reach: ServerReach::Anywhere, deadline };
    let answer = transport().json(call).await.expect("an answer");
    assert_eq!(answer.status, 200, "{path}");
    answer.body.to_vec()
}

#[tokio::test]
async fn models_are_listed_and_tokens_are_traded() {
    let server = ScriptedModelServer::start(Scripts::new()).await;
    server.set_models(["one", "two"]);
    let get = |path: &'static str| looked_up(&server, CallMethod::Get, path, JsonBody::None);
    let tags = read_ollama_models(&get("/api/tags").await).expect("a list");
    assert_eq!(tags.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    let asked = JsonBody::Json(json!({"model": "one"}));
    let shown = looked_up(&server, CallMethod::Post, "/api/show", asked).await;
    assert_eq!(read_ollama_model(&shown).expect("a model").context_window, Some(131_072));
    let list: Value = serde_json::from_slice(&get("/v1/models").await).expect("JSON");
    assert_eq!(list["data"][1]["id"], "two");
    let token = CopilotToken::read(&get("/copilot_internal/v2/token").await).expect("a token");
    assert!(token.token.reveal().starts_with("tid=scripted;"));
}
