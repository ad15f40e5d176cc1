//! Says a conversation as the items of a responses call.
//!
//! The vendor checks that a thought stands before what it led to, and that items which had a thought still have it.
//! So the vendor's own ids go back only together with the thought; without one, the items travel as new ones.

use openclaw_ports::model::{ApiName, ModelRequest, ModelTarget};
use openclaw_types::{Content, Message, ToolCall, ToolResultMessage};

use super::signature;
use super::wire::{InputPart, Item, OutputPart, TypedItem};
use crate::apis::openai_dialect::{CallIds, IdForm, PICTURES_FOLLOW, data_url, history_rules, result_text};
use crate::history::for_target;

/// All items of a call.
pub(super) fn all(api: ApiName, request: &ModelRequest, target: &ModelTarget) -> Vec<Item> {
    let rules = history_rules(api, target);
    let mut said = Said { ids: CallIds::new(IdForm::Plain), items: Vec::new(), pictures: Vec::new() };
    for (number, message) in for_target(&request.messages, &rules).iter().enumerate() {
        match &**message {
            Message::ToolResult(result) => said.tool_result(result),
            Message::User(user) => said.user(&user.content),
            Message::Assistant(answer) => said.assistant(number, &answer.content),
            _ => {}
        }
    }
    said.flush_pictures();
    said.items
}

struct Said {
    ids: CallIds,
    items: Vec<Item>,
    /// Pictures of tool results that wait for the end of the results.
    pictures: Vec<InputPart>,
}

impl Said {
    fn user(&mut self, content: &[Content]) {
        self.flush_pictures();
        let content: Vec<InputPart> = content
            .iter()
            .filter_map(|piece| match piece {
                Content::Text(text) => Some(InputPart::InputText { text: text.text.clone() }),
                other => picture(other),
            })
            .collect();
        if !content.is_empty() {
            self.items.push(Item::User { role: "user", content });
        }
    }

    fn assistant(&mut self, number: usize, content: &[Content]) {
        self.flush_pictures();
        let last = content.iter().rposition(|piece| matches!(piece, Content::Text(_) | Content::ToolCall(_)));
        let Some(last) = last else { return };
        let mut thoughtful = false;
        for (place, piece) in content.iter().enumerate().take(last + 1) {
            match piece {
                Content::Thinking(thinking) => {
                    if let Some(item) = signature::read_thinking(thinking) {
                        thoughtful = true;
                        self.items.push(Item::Typed(TypedItem::Reasoning(item)));
                    }
                }
                Content::Text(text) if !text.text.trim().is_empty() => {
                    let (id, phase) = signature::read_text(text);
                    let id = id.filter(|_| thoughtful).unwrap_or_else(|| format!("msg_{number}_{place}"));
                    let text =
                        OutputPart::OutputText { text: text.text.clone(), annotations: [], logprobs: [] };
                    self.items.push(Item::Typed(TypedItem::Message {
                        role: "assistant",
                        content: vec![text],
                        status: "completed",
                        id,
                        phase,
                    }));
                }
                Content::ToolCall(call) => self.tool_call(call, thoughtful),
                _ => {}
            }
        }
    }

    fn tool_call(&mut self, call: &ToolCall, thoughtful: bool) {
        self.items.push(Item::Typed(TypedItem::FunctionCall {
            id: signature::read_call(&call.id).filter(|_| thoughtful),
            call_id: self.ids.of(&call.id),
            name: call.name.clone(),
            arguments: call.arguments.to_string(),
        }));
    }

    fn tool_result(&mut self, result: &ToolResultMessage) {
        let pictures: Vec<_> = result.content.iter().filter_map(picture).collect();
        let output = result_text(result, pictures.len());
        self.pictures.extend(pictures);
        let call_id = self.ids.of(&result.call);
        self.items.push(Item::Typed(TypedItem::FunctionCallOutput { call_id, output }));
    }

    fn flush_pictures(&mut self) {
        if self.pictures.is_empty() {
            return;
        }
        let mut content = vec![InputPart::InputText { text: PICTURES_FOLLOW.to_owned() }];
        content.append(&mut self.pictures);
        self.items.push(Item::User { role: "user", content });
    }
}

fn picture(piece: &Content) -> Option<InputPart> {
    match piece {
        Content::Image(image) => {
            data_url(image).map(|image_url| InputPart::InputImage { detail: "auto", image_url })
        }
        _ => None,
    }
}
