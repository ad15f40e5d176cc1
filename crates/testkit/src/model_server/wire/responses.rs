//! Responses: numbered, named events about items, each told once more as a whole, and the whole answer at the end.
//! Document: <https://platform.openai.com/docs/api-reference/responses-streaming>.

use openclaw_providers::{AnswerPart, Finish, Rejection, Stop};
use openclaw_types::Usage;
use serde_json::{Value, json};

use super::{Heading, Speaker, named_event, openai_errors};

pub(super) struct Responses {
    heading: Heading,
    sequence: u64,
    items: Vec<Value>,
}

impl Responses {
    pub(super) fn new(heading: Heading) -> Self {
        Self { heading, sequence: 0, items: Vec::new() }
    }

    /// An event with its number.
    fn tell(&mut self, name: &str, mut data: Value) -> Vec<u8> {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        named_event(name, &data)
    }

    fn response(&self, status: &str, usage: Option<Value>) -> Value {
        json!({
            "id": format!("resp_{:012}", self.heading.number), "object": "response",
            "created_at": self.heading.created, "status": status, "error": null, "incomplete_details": null,
            "instructions": null, "model": self.heading.model, "output": self.items,
            "parallel_tool_calls": true, "store": false, "tool_choice": "auto", "usage": usage, "metadata": {},
        })
    }

    fn item_id(&self, piece: usize, part: &AnswerPart) -> String {
        let start = match part {
            AnswerPart::Thought(_) => "rs",
            AnswerPart::Words(_) => "msg",
            AnswerPart::Call { .. } => "fc",
        };
        format!("{start}_{:08}{piece:04}", self.heading.number)
    }

    fn item(&self, piece: usize, part: &AnswerPart, state: State) -> Value {
        let id = self.item_id(piece, part);
        let (status, whole) = match state {
            State::Begun => ("in_progress", false),
            State::Whole => ("completed", true),
        };
        match part {
            AnswerPart::Thought(text) => {
                let summary = json!([{"type": "summary_text", "text": text}]);
                let sealed = format!("Z0FBQUFB{:08}", self.heading.number);
                json!({"id": id, "type": "reasoning", "encrypted_content": if whole { sealed } else { String::new() },
                    "summary": if whole { summary } else { json!([]) }})
            }
            AnswerPart::Words(text) => {
                let content =
                    json!([{"type": "output_text", "annotations": [], "logprobs": [], "text": text}]);
                json!({"id": id, "type": "message", "status": status, "role": "assistant",
                    "content": if whole { content } else { json!([]) }})
            }
            AnswerPart::Call { id: call, name, arguments } => {
                let call =
                    call.clone().unwrap_or_else(|| format!("call_{:08}{piece:04}", self.heading.number));
                let arguments = if whole { arguments.to_string() } else { String::new() };
                json!({"id": id, "type": "function_call", "status": status, "arguments": arguments,
                    "call_id": call, "name": name})
            }
        }
    }
}

#[derive(Clone, Copy)]
enum State {
    Begun,
    Whole,
}

impl Speaker for Responses {
    fn open(&mut self) -> Vec<u8> {
        let response = json!({"response": self.response("in_progress", None)});
        let mut bytes = self.tell("response.created", response.clone());
        bytes.extend(self.tell("response.in_progress", response));
        bytes
    }

    fn began(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8> {
        let item = self.item(piece, part, State::Begun);
        let id = self.item_id(piece, part);
        let mut bytes = self.tell("response.output_item.added", json!({"output_index": piece, "item": item}));
        let place = json!({"item_id": id, "output_index": piece});
        match part {
            AnswerPart::Thought(_) => {
                let part = json!({"type": "summary_text", "text": ""});
                let data = with(place, &[("summary_index", json!(0)), ("part", part)]);
                bytes.extend(self.tell("response.reasoning_summary_part.added", data));
            }
            AnswerPart::Words(_) => {
                let part = json!({"type": "output_text", "annotations": [], "logprobs": [], "text": ""});
                let data = with(place, &[("content_index", json!(0)), ("part", part)]);
                bytes.extend(self.tell("response.content_part.added", data));
            }
            AnswerPart::Call { .. } => {}
        }
        bytes
    }

    fn grew(&mut self, piece: usize, part: &AnswerPart, delta: &str) -> Vec<u8> {
        let place = json!({"item_id": self.item_id(piece, part), "output_index": piece, "delta": delta});
        match part {
            AnswerPart::Thought(_) => {
                let data = with(place, &[("summary_index", json!(0))]);
                self.tell("response.reasoning_summary_text.delta", data)
            }
            AnswerPart::Words(_) => {
                let data = with(place, &[("content_index", json!(0)), ("logprobs", json!([]))]);
                self.tell("response.output_text.delta", data)
            }
            AnswerPart::Call { .. } => self.tell("response.function_call_arguments.delta", place),
        }
    }

    fn ended(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8> {
        let place = json!({"item_id": self.item_id(piece, part), "output_index": piece});
        let mut bytes = match part {
            AnswerPart::Thought(text) => {
                let zero = ("summary_index", json!(0));
                let done = with(place.clone(), &[zero.clone(), ("text", json!(text))]);
                let mut bytes = self.tell("response.reasoning_summary_text.done", done);
                let whole = json!({"type": "summary_text", "text": text});
                bytes.extend(
                    self.tell("response.reasoning_summary_part.done", with(place, &[zero, ("part", whole)])),
                );
                bytes
            }
            AnswerPart::Words(text) => {
                let zero = ("content_index", json!(0));
                let done =
                    with(place.clone(), &[zero.clone(), ("text", json!(text)), ("logprobs", json!([]))]);
                let mut bytes = self.tell("response.output_text.done", done);
                let whole = json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text});
                bytes.extend(self.tell("response.content_part.done", with(place, &[zero, ("part", whole)])));
                bytes
            }
            AnswerPart::Call { arguments, .. } => {
                let data = with(place, &[("arguments", json!(arguments.to_string()))]);
                self.tell("response.function_call_arguments.done", data)
            }
        };
        let item = self.item(piece, part, State::Whole);
        self.items.push(item.clone());
        bytes.extend(self.tell("response.output_item.done", json!({"output_index": piece, "item": item})));
        bytes
    }

    fn failed(&mut self, rejection: &Rejection) -> Vec<u8> {
        let error = openai_errors::rejected(rejection, &self.heading.model).body["error"].take();
        let code = [&error["code"], &error["type"]].into_iter().find(|code| code.is_string()).cloned();
        let mut response = self.response("failed", None);
        response["error"] = json!({"code": code, "message": error["message"]});
        self.tell("response.failed", json!({"response": response}))
    }

    fn finished(&mut self, finish: &Finish) -> Vec<u8> {
        let reason = match finish.stop {
            Stop::Done | Stop::Tools => None,
            Stop::Length => Some("max_output_tokens"),
            Stop::Refused => Some("content_filter"),
        };
        let status = if reason.is_some() { "incomplete" } else { "completed" };
        let mut response = self.response(status, finish.usage.as_ref().map(counts));
        if let Some(reason) = reason {
            response["incomplete_details"] = json!({"reason": reason});
        }
        self.tell(&format!("response.{status}"), json!({"response": response}))
    }
}

fn with(mut data: Value, more: &[(&str, Value)]) -> Value {
    for (name, value) in more {
        data[*name] = value.clone();
    }
    data
}

fn counts(usage: &Usage) -> Value {
    let read = usage.input + usage.cache_read + usage.cache_write;
    json!({
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": read + usage.output,
    })
}
