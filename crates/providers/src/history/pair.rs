//! Puts every tool result right behind the call it answers.
//!
//! A result belongs to the latest open call with its id before it. A call without a result gets one that says so; a
//! result without a call is dropped, and so is a second result for the same call.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};

use openclaw_types::{Content, Message, ToolCallId, ToolOutcome, ToolResultMessage};

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
pub(super) fn calls_with_results(messages: Vec<Cow<'_, Message>>, rule: IdRule) -> Vec<Cow<'_, Message>> {
    if !messages.iter().any(|message| has_to_do_with_tools(message)) {
        return messages;
    }
    let answered = answers(&messages);
    let (mut results, others): (BTreeMap<usize, _>, BTreeMap<usize, _>) = messages
        .into_iter()
        .enumerate()
        .partition(|(_, message)| matches!(**message, Message::ToolResult(_)));
    let mut ids = Ids::new(rule);
    let mut ordered = Vec::with_capacity(others.len() + results.len());
    for (at, message) in others {
        let (message, calls) = with_new_ids(message, &mut ids);
        ordered.push(message);
        ordered.extend(calls.into_iter().enumerate().map(|(number, call)| {
            let result = answered.get(&(at, number)).and_then(|place| results.remove(place));
            answer_to(call, result)
        }));
    }
    ordered
}

/// The result of a call, under the id and the name that the call travels with.
fn answer_to(call: Named, result: Option<Cow<'_, Message>>) -> Cow<'_, Message> {
    let is_same = |message: &Message| match message {
        Message::ToolResult(result) => result.call == call.id && result.tool == call.name,
        _ => false,
    };
    match result {
        Some(message) if is_same(&message) => message,
        result => Cow::Owned(Message::ToolResult(match result.map(Cow::into_owned) {
            Some(Message::ToolResult(result)) => {
                ToolResultMessage { call: call.id, tool: call.name, ..result }
            }
            _ => missing(call),
        })),
    }
}

fn has_to_do_with_tools(message: &Message) -> bool {
    match message {
        Message::Assistant(answer) => answer.tool_calls().next().is_some(),
        Message::ToolResult(_) => true,
        _ => false,
    }
}

/// Finds the place of each call's result.
fn answers(messages: &[Cow<'_, Message>]) -> HashMap<Place, usize> {
    let mut open: HashMap<&ToolCallId, VecDeque<Place>> = HashMap::new();
    let mut found = HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        match &**message {
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

/// A message with the ids that its calls travel with, and these calls.
fn with_new_ids<'a>(mut message: Cow<'a, Message>, ids: &mut Ids) -> (Cow<'a, Message>, Vec<Named>) {
    let Message::Assistant(answer) = &*message else { return (message, Vec::new()) };
    let calls: Vec<Named> =
        answer.tool_calls().map(|call| Named { id: ids.assign(&call.id), name: call.name.clone() }).collect();
    let is_same = answer.tool_calls().zip(&calls).all(|(call, named)| call.id == named.id);
    if !is_same && let Message::Assistant(answer) = message.to_mut() {
        let travelling = answer.content.iter_mut().filter_map(|piece| match piece {
            Content::ToolCall(call) => Some(call),
            _ => None,
        });
        travelling.zip(&calls).for_each(|(call, named)| call.id = named.id.clone());
    }
    (message, calls)
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
