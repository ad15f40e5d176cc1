//! Says a conversation as the messages of a completions call.
//!
//! Tools answer with text only in this protocol: pictures from tools follow in a user message behind the last result
//! of a turn. Thoughts go back in the very field they came in, which their signature names.

use std::borrow::Cow;

use openclaw_ports::model::{ModelTarget, SystemText};
use openclaw_types::{Content, Message, Thinking, ToolCall, ToolResultMessage};
use serde_json::Value;

use super::wire::{self, AssistantMessage, Call, CalledFunction, ImageUrl, Part, UserContent};
use crate::apis::openai_dialect::{CallIds, IdForm, PICTURES_FOLLOW, data_url, result_text};

/// What the assistant says where a server wants it to speak between a tool result and a person.
const BRIDGE: &str = "The tool results are in.";

/// All messages of a call, the system prompt first, for a conversation that is fit for the target.
pub(super) fn all<'a>(
    system: &SystemText,
    history: &'a [Cow<'_, Message>],
    target: &'a ModelTarget,
) -> Vec<wire::Message<'a>> {
    let mut said = Said::new(target, history.len());
    said.system(system);
    for message in history {
        match &**message {
            Message::ToolResult(result) => said.tool_result(result),
            Message::User(user) => said.user(&user.content),
            Message::Assistant(answer) => said.assistant(&answer.content),
            _ => {}
        }
    }
    said.flush_pictures();
    said.messages
}

struct Said<'a> {
    target: &'a ModelTarget,
    ids: CallIds,
    messages: Vec<wire::Message<'a>>,
    /// Pictures of tool results that wait for the end of the results.
    pictures: Vec<Part<'a>>,
}

impl<'a> Said<'a> {
    fn new(target: &'a ModelTarget, messages: usize) -> Self {
        let form = if target.compatibility.short_tool_ids { IdForm::Nine } else { IdForm::Short };
        let messages = Vec::with_capacity(messages + 1);
        Self { target, ids: CallIds::new(form), messages, pictures: Vec::new() }
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

    fn user(&mut self, content: &'a [Content]) {
        self.flush_pictures();
        self.bridge();
        if let Some(content) = user_content(content) {
            self.messages.push(wire::Message::User { content });
        }
    }

    fn assistant(&mut self, content: &'a [Content]) {
        self.flush_pictures();
        let mut message = AssistantMessage::default();
        let mut words: Vec<Cow<'a, str>> = Vec::new();
        let thoughts: Vec<&Thinking> = content.iter().filter_map(as_thinking).collect();
        if self.target.compatibility.thinking_as_text {
            let thoughts: Vec<&str> = thoughts.iter().map(|thought| thought.text.trim()).collect();
            let thoughts = thoughts.into_iter().filter(|text| !text.is_empty());
            words.extend(thoughts.map(|text| Cow::Owned(format!("{text}\n"))));
        } else {
            put_thoughts(&mut message, &thoughts);
        }
        for piece in content {
            match piece {
                Content::Text(text) if !text.text.trim().is_empty() => words.push(Cow::Borrowed(&text.text)),
                Content::ToolCall(call) => {
                    let call = self.tool_call(call, &mut message.reasoning_details);
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

    fn tool_call(&mut self, call: &'a ToolCall, details: &mut Vec<Value>) -> Call<'a> {
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
            function: CalledFunction { name: &call.name, arguments: call.arguments.to_string() },
            extra_content,
        }
    }

    fn tool_result(&mut self, result: &'a ToolResultMessage) {
        let pictures: Vec<_> = result.content.iter().filter_map(picture).collect();
        let content = result_text(result, pictures.len());
        self.pictures.extend(pictures);
        let name = self.target.compatibility.tool_result_name.then_some(result.tool.as_str());
        self.messages.push(wire::Message::Tool { content, tool_call_id: self.ids.of(&result.call), name });
    }

    fn flush_pictures(&mut self) {
        if self.pictures.is_empty() {
            return;
        }
        self.bridge();
        let mut parts = vec![Part::Text { text: PICTURES_FOLLOW }];
        parts.append(&mut self.pictures);
        self.messages.push(wire::Message::User { content: UserContent::Parts(parts) });
    }

    fn bridge(&mut self) {
        let after_result = matches!(self.messages.last(), Some(wire::Message::Tool { .. }));
        if after_result && self.target.compatibility.assistant_after_tool_result {
            let content = Some(BRIDGE.into());
            self.messages.push(wire::Message::Assistant(AssistantMessage { content, ..Default::default() }));
        }
    }
}

fn user_content(content: &[Content]) -> Option<UserContent<'_>> {
    if content.iter().any(|piece| matches!(piece, Content::Image(_))) {
        let parts: Vec<Part<'_>> = content.iter().filter_map(part).collect();
        if parts.iter().any(|part| matches!(part, Part::ImageUrl { .. })) {
            return Some(UserContent::Parts(parts));
        }
    }
    // Many small servers take plain text only.
    let texts = content.iter().filter_map(Content::as_text).map(Cow::Borrowed);
    joined(texts).map(UserContent::Text)
}

fn part(piece: &Content) -> Option<Part<'_>> {
    match piece {
        Content::Text(text) => Some(Part::Text { text: &text.text }),
        other => picture(other),
    }
}

/// Texts as lines of one; nothing when there are none.
fn joined<'a>(texts: impl IntoIterator<Item = Cow<'a, str>>) -> Option<Cow<'a, str>> {
    let join = |mut all: Cow<'a, str>, text: Cow<'a, str>| {
        let whole = all.to_mut();
        whole.push('\n');
        whole.push_str(&text);
        all
    };
    texts.into_iter().reduce(join)
}

fn picture(piece: &Content) -> Option<Part<'_>> {
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
fn put_thoughts(message: &mut AssistantMessage<'_>, thoughts: &[&Thinking]) {
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
