//! Ollama's native chat: a line of JSON for each step, calls whole and without ids, counts in the last line.
//! It knows no refusal: a model that does not want to answer says so. Document: <https://docs.ollama.com/api/chat>.

use openclaw_ports::model::FaultReason;
use openclaw_providers::{AnswerPart, Finish, Rejection, Stop};
use serde_json::{Value, json};

use super::{Heading, Rejected, Speaker, is_internal, words};

/// When every line was made; nobody reads it.
const MADE: &str = "2026-01-05T10:00:06.123456Z";

pub(super) struct Chat {
    heading: Heading,
}

impl Chat {
    pub(super) fn new(heading: Heading) -> Self {
        Self { heading }
    }

    fn line(&self, message: &Value) -> Vec<u8> {
        line(&json!({
            "model": self.heading.model, "created_at": MADE, "message": message, "done": false,
        }))
    }
}

impl Speaker for Chat {
    fn content_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn open(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn began(&mut self, _piece: usize, _part: &AnswerPart) -> Vec<u8> {
        Vec::new()
    }

    fn grew(&mut self, _piece: usize, part: &AnswerPart, delta: &str) -> Vec<u8> {
        match part {
            AnswerPart::Words(_) => self.line(&json!({"role": "assistant", "content": delta})),
            AnswerPart::Thought(_) => {
                self.line(&json!({"role": "assistant", "content": "", "thinking": delta}))
            }
            AnswerPart::Call { .. } => Vec::new(),
        }
    }

    fn ended(&mut self, _piece: usize, part: &AnswerPart) -> Vec<u8> {
        let AnswerPart::Call { name, arguments, .. } = part else { return Vec::new() };
        let call = json!({"function": {"name": name, "arguments": arguments}});
        self.line(&json!({"role": "assistant", "content": "", "tool_calls": [call]}))
    }

    fn malformed(&mut self) -> Vec<u8> {
        b"<html>this is no line of JSON</html>\n".to_vec()
    }

    fn failed(&mut self, rejection: &Rejection) -> Vec<u8> {
        line(&rejected(rejection, &self.heading.model).body)
    }

    fn finished(&mut self, finish: &Finish) -> Vec<u8> {
        let mut bytes = match finish.stop {
            Stop::Refused => self.line(&json!({"role": "assistant", "content": "I can't help with that."})),
            _ => Vec::new(),
        };
        let reason = if finish.stop == Stop::Length { "length" } else { "stop" };
        let mut last = json!({
            "model": self.heading.model, "created_at": MADE, "message": {"role": "assistant", "content": ""},
            "done": true, "done_reason": reason, "total_duration": 4_883_583_458_u64, "load_duration": 1_334_875,
        });
        if let Some(usage) = &finish.usage {
            last["prompt_eval_count"] = json!(usage.input);
            last["prompt_eval_duration"] = json!(342_546_000);
            last["eval_count"] = json!(usage.output);
            last["eval_duration"] = json!(4_535_599_000_u64);
        }
        bytes.extend(line(&last));
        bytes
    }
}

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

/// The server's error for a rejection.
pub(super) fn rejected(rejection: &Rejection, model: &str) -> Rejected {
    let no_model = format!("model '{model}' not found");
    let (status, usual) = match rejection.reason {
        _ if is_internal(rejection) => (500, "llama runner process has terminated: exit status 2"),
        FaultReason::RateLimit => (429, "too many concurrent requests"),
        FaultReason::Auth => (401, "unauthorized"),
        FaultReason::Billing => (402, "this model requires a subscription with a billing plan"),
        FaultReason::Overloaded => (503, "server busy, please try again.  maximum pending requests exceeded"),
        FaultReason::ContextOverflow => {
            (400, "the request exceeds the available context size, try increasing it")
        }
        FaultReason::ModelNotFound => (404, no_model.as_str()),
        FaultReason::Timeout => (504, "timed out waiting for llama runner to start"),
        FaultReason::Unknown => (418, "something unheard of happened"),
        _ => (400, "invalid message format"),
    };
    Rejected { status, headers: Vec::new(), body: json!({"error": words(rejection, usual)}) }
}
