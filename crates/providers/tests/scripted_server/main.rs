//! Every protocol over a real socket: our transport and codecs against a server that knows nothing of them.
//!
//! `answers` holds whole and broken answers, `rejections` what servers say instead of one, `server` what the server
//! itself promises to other tests.
#![expect(clippy::expect_used, reason = "a test fails loudly, at the line that is wrong")]

mod answers;
mod rejections;
mod server;

use std::sync::Arc;

use futures_util::StreamExt;
use openclaw_config::Environment;
use openclaw_ports::SystemClock;
use openclaw_ports::model::{
    ApiName, CacheLifetime, ModelEvent, ModelLine, ModelRequest, ModelStream, ToolChoice, ToolSpec,
};
use openclaw_providers::{Script, Transport, TransportLimits};
use openclaw_testkit::ScriptedModelServer;
use openclaw_types::{Content, Message, ThinkingLevel, UserMessage};
use serde_json::json;

/// Every protocol with a model that speaks it; Copilot speaks two.
const SPOKEN: [(ApiName, &str); 8] = [
    (ApiName::AnthropicMessages, "claude-sonnet-4-5"),
    (ApiName::OpenaiCompletions, "gpt-4.1"),
    (ApiName::OpenaiResponses, "gpt-5"),
    (ApiName::GoogleGenerativeAi, "gemini-2.5-pro"),
    (ApiName::BedrockConverseStream, "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    (ApiName::Ollama, "qwen3:8b"),
    (ApiName::GithubCopilot, "gpt-4o"),
    (ApiName::GithubCopilot, "gpt-5"),
];

fn transport() -> Transport {
    transport_with(TransportLimits { retries: 0, ..TransportLimits::default() })
}

fn transport_with(limits: TransportLimits) -> Transport {
    let nothing: [(&str, &str); 0] = [];
    Transport::new(Arc::new(SystemClock::new()), &Environment::fake(nothing, "/"), limits)
}

fn user(text: &str) -> Message {
    Message::User(UserMessage { content: vec![Content::text(text)], ..UserMessage::default() })
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: vec!["Be kind.".to_owned()].into(),
        messages: messages.into_iter().map(Into::into).collect(),
        tools: vec![ToolSpec {
            name: "read".to_owned(),
            description: "Reads a file.".into(),
            parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}).into(),
        }],
        tool_choice: ToolChoice::Auto,
        thinking: ThinkingLevel::Low,
        max_output_tokens: None,
        temperature: None,
        cache: CacheLifetime::Short,
        session: None,
    }
}

fn open(server: &ScriptedModelServer, api: ApiName, model: &str) -> ModelStream {
    transport().open(Arc::new(request(vec![user("read a.txt")])), server.route(api, model))
}

/// All events of a server's answer to a script.
async fn events(script: Script, api: ApiName, model: &str) -> Vec<ModelEvent> {
    let server = ScriptedModelServer::start(script).await;
    let events: Vec<ModelEvent> = open(&server, api, model).collect().await;
    let ends = events.iter().filter(|event| event.is_end()).count();
    assert_eq!((ends, events.last().map(ModelEvent::is_end)), (1, Some(true)), "{api:?}: {events:#?}");
    events
}

/// The end of a server's answer to a script.
async fn end(script: Script, api: ApiName, model: &str) -> ModelEvent {
    events(script, api, model).await.pop().expect("a stream has an end")
}
