//! Samples for the tests of all protocols: requests, targets, pieces of conversations, and short ways to look at calls
//! and events.
//!
//! A protocol's tests build on these with `..request(…)` and `..target(…)`, so that each test shows only what it is
//! about. Used by tests alone.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::model::{
    ApiName, CacheLifetime, Compatibility, FaultReason, HttpCall, ModelApi, ModelEvent, ModelFault,
    ModelRequest, ModelTarget, ToolChoice, ToolSpec,
};
use openclaw_types::{
    AssistantMessage, Content, Image, ImageData, Message, Secret, Text, Thinking, ThinkingLevel, ToolCall,
    ToolCallId, ToolOutcome, ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

/// A request that asks for nothing special.
pub(crate) fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: openclaw_ports::model::SystemText::default(),
        messages: messages.into_iter().map(Into::into).collect(),
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        thinking: ThinkingLevel::Off,
        max_output_tokens: None,
        temperature: None,
        cache: CacheLifetime::Off,
        session: None,
    }
}

/// A model that can do everything, on a server that needs no credential.
pub(crate) fn target(model: &str, base_url: &str) -> ModelTarget {
    ModelTarget {
        model: model.to_owned(),
        base_url: base_url.to_owned(),
        credential: None,
        headers: BTreeMap::new(),
        max_output_tokens: 32_000,
        context_window: 200_000,
        reasoning: true,
        sees_images: true,
        compatibility: Compatibility::default(),
    }
}

/// A credential.
pub(crate) fn credential(text: &str) -> Option<Secret<String>> {
    Some(Secret::new(text.to_owned()))
}

/// What a person says.
pub(crate) fn user(content: Vec<Content>) -> Message {
    Message::User(UserMessage { content, ..UserMessage::default() })
}

/// A short greeting.
pub(crate) fn hello() -> Message {
    user(vec![Content::text("hello")])
}

/// What a model answered.
pub(crate) fn answer(api: ApiName, model: &str, content: Vec<Content>) -> Message {
    Message::Assistant(AssistantMessage {
        content,
        api: Some(api.as_str().to_owned()),
        model: Some(model.to_owned()),
        ..AssistantMessage::default()
    })
}

/// The id of a call.
pub(crate) fn call_id(text: &str) -> ToolCallId {
    ToolCallId::new(text).unwrap()
}

/// A call of a tool.
pub(crate) fn call(id: &str, name: &str, arguments: Value) -> Content {
    Content::ToolCall(ToolCall { id: call_id(id), name: name.to_owned(), arguments, signature: None })
}

/// A call of a tool with the vendor's proof.
pub(crate) fn signed_call(id: &str, name: &str, arguments: Value, signature: &str) -> Content {
    let signature = Some(signature.to_owned());
    Content::ToolCall(ToolCall { id: call_id(id), name: name.to_owned(), arguments, signature })
}

/// What the tool `read` answered.
pub(crate) fn result(id: &str, content: Vec<Content>, outcome: ToolOutcome) -> Message {
    result_of("read", id, content, outcome)
}

/// What a tool answered.
pub(crate) fn result_of(tool: &str, id: &str, content: Vec<Content>, outcome: ToolOutcome) -> Message {
    Message::ToolResult(ToolResultMessage {
        call: call_id(id),
        tool: tool.to_owned(),
        content,
        outcome,
        details: None,
        at: None,
    })
}

/// A thought, with or without the vendor's proof.
pub(crate) fn thought(text: &str, signature: Option<&str>) -> Content {
    Content::Thinking(Thinking { text: text.to_owned(), signature: signature.map(str::to_owned) })
}

/// Words with the vendor's proof.
pub(crate) fn signed_text(text: &str, signature: &str) -> Content {
    Content::Text(Text { text: text.to_owned(), signature: Some(signature.to_owned()) })
}

/// A picture by value, in Base64.
pub(crate) fn picture(media_type: Option<&str>, data: &str) -> Content {
    let data = ImageData::Inline(data.to_owned());
    Content::Image(Image { media_type: media_type.map(str::to_owned), data })
}

/// A picture by its address.
pub(crate) fn picture_at(media_type: Option<&str>, url: &str) -> Content {
    let data = ImageData::Url(url.to_owned());
    Content::Image(Image { media_type: media_type.map(str::to_owned), data })
}

/// A tool that takes a path.
pub(crate) fn tool(name: &str) -> ToolSpec {
    let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    ToolSpec {
        name: name.to_owned(),
        description: format!("Does {name}.").into(),
        parameters: parameters.into(),
    }
}

/// The body of the call for a request.
#[track_caller]
pub(crate) fn body(api: &dyn ModelApi, request: &ModelRequest, target: &ModelTarget) -> Value {
    serde_json::from_slice(&api.encode(request, target).unwrap().body).unwrap()
}

/// The headers of a call, readable.
pub(crate) fn headers_of(call: &HttpCall) -> BTreeMap<String, String> {
    call.headers.iter().map(|(name, value)| (name.clone(), value.reveal().clone())).collect()
}

/// Names and values as they stand in headers.
pub(crate) fn pairs(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The end of a stream that failed.
pub(crate) fn failed(reason: FaultReason, message: &str) -> Option<ModelEvent> {
    Some(ModelEvent::Failed(ModelFault::new(reason, message)))
}

/// The fault of an answer with this status, from a server that wants to be left alone for seven seconds.
pub(crate) fn refusal(api: &dyn ModelApi, status: u16, body: &[u8]) -> ModelFault {
    api.classify(status, &pairs(&[("retry-after", "7")]), body)
}

/// A fault with a status and a wait in milliseconds.
pub(crate) fn fault(status: u16, reason: FaultReason, message: &str, wait: Option<u64>) -> ModelFault {
    let retry_after = wait.map(Duration::from_millis);
    ModelFault { reason, message: message.to_owned(), status: Some(status), retry_after }
}

/// The reason of the fault at the end of a stream.
#[track_caller]
pub(crate) fn fault_reason(events: &[ModelEvent]) -> FaultReason {
    match events.last() {
        Some(ModelEvent::Failed(fault)) => fault.reason,
        other => panic!("the stream ended in {other:?}"),
    }
}
