//! Chat completions: unnamed chunks with deltas, `[DONE]` at the end, usage behind the last choice when asked for.
//! Thoughts stand in `reasoning_content`, as compatible servers have them; the vendor itself shows none here.
//! Document: <https://platform.openai.com/docs/api-reference/chat-streaming>.

use openclaw_providers::{AnswerPart, Finish, Rejection, Stop};
use openclaw_types::Usage;
use serde_json::{Value, json};

use super::{Heading, Speaker, event, openai_errors};

pub(super) struct Completions {
    heading: Heading,
    calls: usize,
}

impl Completions {
    pub(super) fn new(heading: Heading) -> Self {
        Self { heading, calls: 0 }
    }

    fn chunk(&self, delta: &Value, finish: Option<&str>) -> Vec<u8> {
        event(&self.frame(
            &json!([{
                "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish,
            }]),
            None,
        ))
    }

    fn frame(&self, choices: &Value, usage: Option<&Value>) -> Value {
        let mut frame = json!({
            "id": format!("chatcmpl-{:012}", self.heading.number), "object": "chat.completion.chunk",
            "created": self.heading.created, "model": self.heading.model, "service_tier": "default",
            "system_fingerprint": "fp_scripted", "choices": choices,
        });
        if self.heading.wants_usage {
            frame["usage"] = usage.cloned().unwrap_or(Value::Null);
        }
        frame
    }
}

impl Speaker for Completions {
    fn open(&mut self) -> Vec<u8> {
        self.chunk(&json!({"role": "assistant", "content": "", "refusal": null}), None)
    }

    fn began(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8> {
        let AnswerPart::Call { id, name, .. } = part else { return Vec::new() };
        let id = id.clone().unwrap_or_else(|| format!("call_{:08}{piece:04}", self.heading.number));
        self.calls += 1;
        let call = json!({
            "index": self.calls - 1, "id": id, "type": "function", "function": {"name": name, "arguments": ""},
        });
        self.chunk(&json!({"tool_calls": [call]}), None)
    }

    fn grew(&mut self, _piece: usize, part: &AnswerPart, delta: &str) -> Vec<u8> {
        let delta = match part {
            AnswerPart::Words(_) => json!({"content": delta}),
            AnswerPart::Thought(_) => json!({"content": null, "reasoning_content": delta}),
            AnswerPart::Call { .. } => {
                let call = json!({"index": self.calls.saturating_sub(1), "function": {"arguments": delta}});
                json!({"tool_calls": [call]})
            }
        };
        self.chunk(&delta, None)
    }

    fn ended(&mut self, _piece: usize, _part: &AnswerPart) -> Vec<u8> {
        Vec::new()
    }

    fn failed(&mut self, rejection: &Rejection) -> Vec<u8> {
        event(&openai_errors::rejected(rejection, &self.heading.model).body)
    }

    fn finished(&mut self, finish: &Finish) -> Vec<u8> {
        let word = match finish.stop {
            Stop::Done => "stop",
            Stop::Tools => "tool_calls",
            Stop::Length => "length",
            Stop::Refused => "content_filter",
        };
        let mut bytes = self.chunk(&json!({}), Some(word));
        if let Some(usage) = finish.usage.filter(|_| self.heading.wants_usage) {
            bytes.extend(event(&self.frame(&json!([]), Some(&counts(&usage)))));
        }
        bytes.extend_from_slice(b"data: [DONE]\n\n");
        bytes
    }
}

fn counts(usage: &Usage) -> Value {
    let read = usage.input + usage.cache_read + usage.cache_write;
    json!({
        "prompt_tokens": read, "completion_tokens": usage.output, "total_tokens": read + usage.output,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write, "audio_tokens": 0
        },
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning, "audio_tokens": 0,
            "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
        },
    })
}
