//! What becomes of a conversation that a client tells, message by message.

use openclaw_types::{
    AssistantMessage, Content, Message, ToolCall, ToolCallId, ToolOutcome, ToolResultMessage, UnixMillis,
    UserMessage,
};
use serde_json::json;

use super::Told;

fn call(id: &str) -> ToolCall {
    ToolCall {
        id: ToolCallId::new(id).unwrap(),
        name: format!("tool-of-{id}"),
        arguments: json!({}),
        signature: None,
    }
}

fn asks(ids: &[&str]) -> Message {
    let content = ids.iter().map(|id| Content::ToolCall(call(id))).collect();
    Message::Assistant(AssistantMessage { content, ..AssistantMessage::default() })
}

fn gives(id: &str, words: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        call: ToolCallId::new(id).unwrap(),
        tool: String::new(),
        content: vec![Content::text(words)],
        outcome: ToolOutcome::Done,
        details: None,
        at: None,
    })
}

fn says(words: &str) -> Message {
    Message::User(UserMessage { content: vec![Content::text(words)], ..UserMessage::default() })
}

/// One short line for each message.
fn fitted(open: &[&str], answered: &[&str], told: Vec<Message>) -> Vec<String> {
    let start = Told {
        open: open.iter().map(|id| call(id)).collect(),
        answered: answered.iter().map(|id| ToolCallId::new(*id).unwrap()).collect(),
    };
    let line = |message: &Message| match message {
        Message::ToolResult(result) => format!("{} ({}): {}", result.call, result.tool, message.plain_text()),
        Message::Assistant(message) => {
            let ids: Vec<String> = message.tool_calls().map(|call| call.id.to_string()).collect();
            format!("asks {}", ids.join(" "))
        }
        _ => message.plain_text().replace('\n', " / "),
    };
    start.fit(told, UnixMillis(1)).iter().map(line).collect()
}

const NONE_GIVEN: &str = "The client gave no result for this call.";

#[test]
fn results_answer_the_open_calls_of_the_transcript_by_name() {
    let told = vec![gives("b", "two"), gives("a", "one")];
    assert_eq!(fitted(&["a", "b"], &[], told), ["b (tool-of-b): two", "a (tool-of-a): one"]);
}

#[test]
fn a_result_that_is_stored_is_not_stored_again() {
    assert_eq!(fitted(&["b"], &["a"], vec![gives("a", "one"), gives("b", "two")]), ["b (tool-of-b): two"]);
    assert_eq!(fitted(&["a"], &[], vec![gives("a", "one"), gives("a", "two")]), ["a (tool-of-a): one"]);
}

#[test]
fn a_whole_conversation_keeps_its_shape() {
    let told = vec![says("hi"), asks(&["a"]), gives("a", "one"), asks(&[]), says("and now?"), asks(&["b"])];
    let lines = ["hi", "asks a", "a (tool-of-a): one", "asks ", "and now?", "asks b"];
    assert_eq!(fitted(&[], &[], told), lines);
}

#[test]
fn a_call_that_got_no_result_is_closed_before_anything_else_is_said() {
    let told = vec![asks(&["a", "b"]), gives("b", "two"), says("never mind")];
    let closed = format!("a (tool-of-a): {NONE_GIVEN}");
    assert_eq!(fitted(&[], &[], told), ["asks a b", "b (tool-of-b): two", &closed, "never mind"]);
}

#[test]
fn a_result_without_a_call_is_told_in_words_after_the_results_around_it() {
    let told = vec![asks(&["a"]), gives("x", "lost"), gives("a", "one")];
    let words = "[Result of the client's tool call x, which is not in this conversation] / lost";
    assert_eq!(fitted(&[], &[], told), ["asks a", "a (tool-of-a): one", words]);
}
