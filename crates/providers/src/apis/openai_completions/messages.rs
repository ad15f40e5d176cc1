//! Says a conversation as the messages of a completions call.
//!
//! Tools answer with text only in this protocol: pictures from tools follow in a user message behind the last result
//! of a turn. Thoughts go back in the very field they came in, which their signature names.

use openclaw_ports::model::{ApiName, ModelRequest, ModelTarget, SystemText};
use openclaw_types::{Content, Message, Thinking, ToolCall, ToolResultMessage};
use serde_json::Value;

use super::wire::{self, AssistantMessage, Call, CalledFunction, ImageUrl, Part, UserContent};
use crate::apis::openai_dialect::{CallIds, IdForm, PICTURES_FOLLOW, data_url, history_rules, result_text};
use crate::history::for_target;

/// What the assistant says where a server wants it to speak between a tool result and a person.
const BRIDGE: &str = "The tool results are in.";

/// All messages of a call, the system prompt first.
pub(super) fn all(api: ApiName, request: &ModelRequest, target: &ModelTarget) -> Vec<wire::Message> {
    let rules = history_rules(api, target);
    let mut said = Said::new(target);
    said.system(&request.system);
    for message in for_target(&request.messages, &rules) {
        match message {
            Message::ToolResult(result) => said.tool_result(&result),
            Message::User(user) => said.user(user.content),
            Message::Assistant(answer) => said.assistant(answer.content),
            _ => {}
        }
    }
    said.flush_pictures();
    said.messages
}

struct Said<'a> {
    target: &'a ModelTarget,
    ids: CallIds,
    messages: Vec<wire::Message>,
    /// Pictures of tool results that wait for the end of the results.
    pictures: Vec<Part>,
}

impl<'a> Said<'a> {
    fn new(target: &'a ModelTarget) -> Self {
        let form = if target.compatibility.short_tool_ids { IdForm::Nine } else { IdForm::Short };
        Self { target, ids: CallIds::new(form), messages: Vec::new(), pictures: Vec::new() }
    }

    fn system(&mut self, prompt: &SystemText) {
        let Some(content) = prompt.whole().cloned() else { return };
        let developer = self.target.reasoning && self.target.compatibility.developer_role;
        self.messages.push(if developer {
            wire::Message::Developer { content }
        } else {
            wire::Message::System { content }
        });
    }

    fn user(&mut self, content: Vec<Content>) {
        self.flush_pictures();
        self.bridge();
        if let Some(content) = user_content(content) {
            self.messages.push(wire::Message::User { content });
        }
    }

    fn assistant(&mut self, content: Vec<Content>) {
        self.flush_pictures();
        let mut message = AssistantMessage::default();
        let mut words = Vec::new();
        let thoughts: Vec<&Thinking> = content.iter().filter_map(as_thinking).collect();
        if self.target.compatibility.thinking_as_text {
            let thoughts: Vec<&str> = thoughts.iter().map(|thought| thought.text.trim()).collect();
            words
                .extend(thoughts.into_iter().filter(|text| !text.is_empty()).map(|text| format!("{text}\n")));
        } else {
            put_thoughts(&mut message, &thoughts);
        }
        for piece in content {
            match piece {
                Content::Text(text) if !text.text.trim().is_empty() => words.push(text.text),
                Content::ToolCall(call) => {
                    let call = self.tool_call(&call, &mut message.reasoning_details);
                    message.tool_calls.push(call);
                }
                _ => {}
            }
        }
        if words.is_empty() && message.tool_calls.is_empty() {
            return;
        }
        // The servers that want a bridge do not take null either.
        let spoken = !words.is_empty() || self.target.compatibility.assistant_after_tool_result;
        message.content = spoken.then(|| joined(words).unwrap_or_default());
        self.messages.push(wire::Message::Assistant(message));
    }

    fn tool_call(&mut self, call: &ToolCall, details: &mut Vec<Value>) -> Call {
        let mut extra_content = None;
        let proof = call.signature.as_deref().map(serde_json::from_str::<Value>);
        if let Some(Ok(Value::Object(mut proof))) = proof {
            match proof.shift_remove("extra_content") {
                Some(extra) => extra_content = Some(extra),
                None => details.push(Value::Object(proof)),
            }
        }
        Call {
            id: self.ids.of(&call.id),
            kind: "function",
            function: CalledFunction { name: call.name.clone(), arguments: call.arguments.to_string() },
            extra_content,
        }
    }

    fn tool_result(&mut self, result: &ToolResultMessage) {
        let pictures: Vec<_> = result.content.iter().filter_map(picture).collect();
        let content = result_text(result, pictures.len());
        self.pictures.extend(pictures);
        let name = self.target.compatibility.tool_result_name.then(|| result.tool.clone());
        self.messages.push(wire::Message::Tool { content, tool_call_id: self.ids.of(&result.call), name });
    }

    fn flush_pictures(&mut self) {
        if self.pictures.is_empty() {
            return;
        }
        self.bridge();
        let mut parts = vec![Part::Text { text: PICTURES_FOLLOW.to_owned() }];
        parts.append(&mut self.pictures);
        self.messages.push(wire::Message::User { content: UserContent::Parts(parts) });
    }

    fn bridge(&mut self) {
        let after_result = matches!(self.messages.last(), Some(wire::Message::Tool { .. }));
        if after_result && self.target.compatibility.assistant_after_tool_result {
            let content = Some(BRIDGE.to_owned());
            self.messages.push(wire::Message::Assistant(AssistantMessage { content, ..Default::default() }));
        }
    }
}

fn user_content(content: Vec<Content>) -> Option<UserContent> {
    let parts: Vec<Part> = content
        .into_iter()
        .filter_map(|piece| match piece {
            Content::Text(text) => Some(Part::Text { text: text.text }),
            other => picture(&other),
        })
        .collect();
    if parts.iter().any(|part| matches!(part, Part::ImageUrl { .. })) {
        return Some(UserContent::Parts(parts));
    }
    // Many small servers take plain text only.
    let texts = parts.into_iter().filter_map(|part| match part {
        Part::Text { text } => Some(text),
        Part::ImageUrl { .. } => None,
    });
    joined(texts).map(UserContent::Text)
}

/// Texts as lines of one; nothing when there are none.
fn joined(texts: impl IntoIterator<Item = String>) -> Option<String> {
    let join = |mut all: String, text: String| {
        all.push('\n');
        all.push_str(&text);
        all
    };
    texts.into_iter().reduce(join)
}

fn picture(piece: &Content) -> Option<Part> {
    match piece {
        Content::Image(image) => data_url(image).map(|url| Part::ImageUrl { image_url: ImageUrl { url } }),
        _ => None,
    }
}

fn as_thinking(piece: &Content) -> Option<&Thinking> {
    match piece {
        Content::Thinking(thinking) => Some(thinking),
        _ => None,
    }
}

/// Puts thoughts where they came from: into the field that their signature names, or as the list that it holds.
fn put_thoughts(message: &mut AssistantMessage, thoughts: &[&Thinking]) {
    let mut texts = Vec::new();
    let mut field = None;
    for thought in thoughts {
        let signature = thought.signature.as_deref().unwrap_or_default();
        if signature.starts_with('[') {
            if let Ok(Value::Array(list)) = serde_json::from_str(signature) {
                message.reasoning_details.extend(list);
            }
        } else if !thought.text.trim().is_empty() {
            field = field.or(Some(signature));
            texts.push(thought.text.as_str());
        }
    }
    let text = (!texts.is_empty()).then(|| texts.join("\n"));
    match field {
        Some("reasoning_content") => message.reasoning_content = text,
        Some("reasoning") => message.reasoning = text,
        Some("reasoning_text") => message.reasoning_text = text,
        _ => {}
    }
}
