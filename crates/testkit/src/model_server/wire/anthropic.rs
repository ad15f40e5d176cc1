//! The Messages API: named events, blocks by number, counts at the beginning and the end.
//! Documents: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>, `/en/api/errors`.

use openclaw_ports::model::FaultReason;
use openclaw_providers::{AnswerPart, Finish, Rejection, Stop};
use serde_json::{Value, json};

use super::{Heading, Rejected, Speaker, is_internal, named_event, words};

pub(super) struct Messages {
    heading: Heading,
}

impl Messages {
    pub(super) fn new(heading: Heading) -> Self {
        Self { heading }
    }

    fn call_id(&self, piece: usize, own: Option<&String>) -> String {
        own.cloned().unwrap_or_else(|| format!("toolu_{:08}{piece:04}", self.heading.number))
    }
}

impl Speaker for Messages {
    fn open(&mut self) -> Vec<u8> {
        let usage = self.heading.usage.unwrap_or_default();
        let mut bytes = named_event(
            "message_start",
            &json!({"type": "message_start", "message": {
                "id": format!("msg_{:012}", self.heading.number), "type": "message", "role": "assistant",
                "model": self.heading.model, "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": {
                    "input_tokens": usage.input, "cache_creation_input_tokens": usage.cache_write,
                    "cache_read_input_tokens": usage.cache_read,
                    "cache_creation": {
                        "ephemeral_5m_input_tokens": usage.cache_write, "ephemeral_1h_input_tokens": 0
                    },
                    "output_tokens": 1, "service_tier": "standard",
                },
            }}),
        );
        bytes.extend(named_event("ping", &json!({"type": "ping"})));
        bytes
    }

    fn began(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8> {
        let block = match part {
            AnswerPart::Words(_) => json!({"type": "text", "text": ""}),
            AnswerPart::Thought(_) => json!({"type": "thinking", "thinking": "", "signature": ""}),
            AnswerPart::Call { id, name, .. } => {
                json!({"type": "tool_use", "id": self.call_id(piece, id.as_ref()), "name": name, "input": {}})
            }
        };
        let data = json!({"type": "content_block_start", "index": piece, "content_block": block});
        named_event("content_block_start", &data)
    }

    fn grew(&mut self, piece: usize, part: &AnswerPart, delta: &str) -> Vec<u8> {
        block_delta(
            piece,
            &match part {
                AnswerPart::Words(_) => json!({"type": "text_delta", "text": delta}),
                AnswerPart::Thought(_) => json!({"type": "thinking_delta", "thinking": delta}),
                AnswerPart::Call { .. } => json!({"type": "input_json_delta", "partial_json": delta}),
            },
        )
    }

    fn ended(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8> {
        let mut bytes = match part {
            AnswerPart::Thought(_) => {
                let signature = format!("c2lnbmF0dXJl{:04}{piece:04}", self.heading.number);
                block_delta(piece, &json!({"type": "signature_delta", "signature": signature}))
            }
            _ => Vec::new(),
        };
        bytes.extend(named_event(
            "content_block_stop",
            &json!({"type": "content_block_stop", "index": piece}),
        ));
        bytes
    }

    fn failed(&mut self, rejection: &Rejection) -> Vec<u8> {
        named_event("error", &rejected(rejection, &self.heading.model).body)
    }

    fn finished(&mut self, finish: &Finish) -> Vec<u8> {
        let stop = match finish.stop {
            Stop::Done => "end_turn",
            Stop::Tools => "tool_use",
            Stop::Length => "max_tokens",
            Stop::Refused => "refusal",
        };
        let usage = finish.usage.unwrap_or_default();
        let mut bytes = named_event(
            "message_delta",
            &json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
            "usage": {
                "input_tokens": usage.input, "cache_creation_input_tokens": usage.cache_write,
                "cache_read_input_tokens": usage.cache_read, "output_tokens": usage.output,
            }}),
        );
        bytes.extend(named_event("message_stop", &json!({"type": "message_stop"})));
        bytes
    }
}

fn block_delta(piece: usize, delta: &Value) -> Vec<u8> {
    let data = json!({"type": "content_block_delta", "index": piece, "delta": delta});
    named_event("content_block_delta", &data)
}

/// The vendor's error for a rejection.
pub(super) fn rejected(rejection: &Rejection, model: &str) -> Rejected {
    let no_model = format!("model: {model}");
    let (status, kind, usual) = match rejection.reason {
        _ if is_internal(rejection) => (500, "api_error", "Internal server error"),
        FaultReason::RateLimit => {
            (429, "rate_limit_error", "This request would exceed your account's rate limit.")
        }
        FaultReason::Auth => (401, "authentication_error", "invalid x-api-key"),
        FaultReason::Billing => {
            (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.")
        }
        FaultReason::Overloaded => (529, "overloaded_error", "Overloaded"),
        FaultReason::ContextOverflow => {
            (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
        }
        FaultReason::ModelNotFound => (404, "not_found_error", no_model.as_str()),
        FaultReason::Timeout => (504, "timeout_error", "Request timed out"),
        FaultReason::Unknown => (418, "unheard_of_error", "Something unheard of happened"),
        _ => (400, "invalid_request_error", "messages: this request is not valid"),
    };
    let body = json!({
        "type": "error",
        "error": {"type": kind, "message": words(rejection, usual)},
        "request_id": "req_scripted",
    });
    Rejected { status, headers: vec![("request-id", "req_scripted".to_owned())], body }
}
