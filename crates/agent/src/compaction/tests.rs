//! Tables and properties of the pure parts; what a whole compaction does is tested with models and stores in
//! `tests/engine`.

mod cutting;
mod summing;
mod timing;

use openclaw_types::{
    AssistantMessage, Content, Message, ToolCall, ToolCallId, ToolOutcome, ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

pub(super) fn user(text: &str) -> Message {
    Message::User(UserMessage { content: vec![Content::text(text)], ..UserMessage::default() })
}

pub(super) fn says(text: &str) -> Message {
    Message::Assistant(AssistantMessage { content: vec![Content::text(text)], ..AssistantMessage::default() })
}

pub(super) fn calls(ids: &[&str]) -> Message {
    let calls = ids.iter().map(|id| call(id, "exec", json!({ "command": "ls" })));
    Message::Assistant(AssistantMessage { content: calls.collect(), ..AssistantMessage::default() })
}

pub(super) fn call(id: &str, name: &str, arguments: Value) -> Content {
    Content::ToolCall(ToolCall {
        id: ToolCallId::new(id).unwrap(),
        name: name.to_owned(),
        arguments,
        signature: None,
    })
}

pub(super) fn result(id: &str, text: &str, outcome: ToolOutcome) -> Message {
    Message::ToolResult(ToolResultMessage {
        call: ToolCallId::new(id).unwrap(),
        tool: "exec".to_owned(),
        content: vec![Content::text(text)],
        outcome,
        details: None,
        at: None,
    })
}

pub(super) fn done(id: &str, letters: usize) -> Message {
    result(id, &"x".repeat(letters), ToolOutcome::Done)
}

pub(super) fn summary(text: &str) -> Message {
    Message::CompactionSummary { summary: text.to_owned(), tokens_before: None, at: None }
}
