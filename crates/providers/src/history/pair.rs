//! Puts every tool result right behind the call it answers.
//!
//! A result belongs to the latest open call with its id before it. A call without a result gets one that says so; a
//! result without a call is dropped, and so is a second result for the same call.

use std::collections::{BTreeMap, HashMap, VecDeque};

use openclaw_types::{AssistantMessage, Content, Message, ToolCallId, ToolOutcome, ToolResultMessage};

use super::IdRule;
use super::names::Ids;

/// A call: the place of its message, and its place among the message's calls.
type Place = (usize, usize);

/// What a result repeats of its call.
struct Named {
    id: ToolCallId,
    name: String,
}

/// Orders calls and results, and gives them ids that the target takes.
pub(super) fn calls_with_results(messages: Vec<Message>, rule: IdRule) -> Vec<Message> {
    if !messages.iter().any(has_to_do_with_tools) {
        return messages;
    }
    let answered = answers(&messages);
    let (mut results, others): (BTreeMap<usize, Message>, BTreeMap<usize, Message>) =
        messages.into_iter().enumerate().partition(|(_, message)| matches!(message, Message::ToolResult(_)));
    let mut ids = Ids::new(rule);
    let mut ordered = Vec::with_capacity(others.len() + results.len());
    for (at, message) in others {
        match message {
            Message::Assistant(answer) => {
                let (answer, calls) = with_new_ids(answer, &mut ids);
                ordered.push(Message::Assistant(answer));
                ordered.extend(calls.into_iter().enumerate().map(|(number, call)| {
                    let result = answered.get(&(at, number)).and_then(|place| results.remove(place));
                    Message::ToolResult(match result {
                        Some(Message::ToolResult(result)) => {
                            ToolResultMessage { call: call.id, tool: call.name, ..result }
                        }
                        _ => missing(call),
                    })
                }));
            }
            other => ordered.push(other),
        }
    }
    ordered
}

fn has_to_do_with_tools(message: &Message) -> bool {
    match message {
        Message::Assistant(answer) => answer.tool_calls().next().is_some(),
        Message::ToolResult(_) => true,
        _ => false,
    }
}

/// Finds the place of each call's result.
fn answers(messages: &[Message]) -> HashMap<Place, usize> {
    let mut open: HashMap<&ToolCallId, VecDeque<Place>> = HashMap::new();
    let mut found = HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::Assistant(answer) => {
                for (number, call) in answer.tool_calls().enumerate() {
                    let waiting = open.entry(&call.id).or_default();
                    // An id that is used again means the later call; the earlier ones stay without a result.
                    waiting.retain(|(earlier, _)| *earlier == at);
                    waiting.push_back((at, number));
                }
            }
            Message::ToolResult(result) => {
                if let Some(place) = open.get_mut(&result.call).and_then(VecDeque::pop_front) {
                    found.insert(place, at);
                }
            }
            _ => {}
        }
    }
    found
}

fn with_new_ids(mut answer: AssistantMessage, ids: &mut Ids) -> (AssistantMessage, Vec<Named>) {
    let mut calls = Vec::new();
    for piece in &mut answer.content {
        if let Content::ToolCall(call) = piece {
            call.id = ids.assign(&call.id);
            calls.push(Named { id: call.id.clone(), name: call.name.clone() });
        }
    }
    (answer, calls)
}

fn missing(call: Named) -> ToolResultMessage {
    ToolResultMessage {
        call: call.id,
        tool: call.name,
        content: vec![Content::text(
            "No result of this call was recorded. It may or may not have been carried out.",
        )],
        outcome: ToolOutcome::Failed,
        details: None,
        at: None,
    }
}
