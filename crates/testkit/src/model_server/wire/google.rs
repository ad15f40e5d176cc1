//! Generated content: unnamed events with parts; calls come whole and without ids; the last event has the reason to
//! finish and the counts. Documents: <https://ai.google.dev/api/generate-content>, `/gemini-api/docs/troubleshooting`.

use openclaw_ports::model::FaultReason;
use openclaw_providers::{AnswerPart, Finish, Rejection, Stop};
use openclaw_types::Usage;
use serde_json::{Value, json};

use super::{Heading, Rejected, Speaker, event, is_internal, words};

pub(super) struct Generate {
    heading: Heading,
}

impl Generate {
    pub(super) fn new(heading: Heading) -> Self {
        Self { heading }
    }

    fn frame(&self, parts: &Value, finish: Option<(&str, Option<Usage>)>) -> Vec<u8> {
        let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
        let mut usage = self.heading.usage.map(|usage| {
            let read = usage.input + usage.cache_read;
            json!({"promptTokenCount": read, "totalTokenCount": read})
        });
        if let Some((reason, counted)) = finish {
            candidate["finishReason"] = json!(reason);
            usage = counted.as_ref().map(counts);
        }
        let mut frame = json!({
            "candidates": [candidate], "modelVersion": self.heading.model,
            "responseId": format!("scripted{:08}", self.heading.number),
        });
        if let Some(usage) = usage {
            frame["usageMetadata"] = usage;
        }
        event(&frame)
    }
}

impl Speaker for Generate {
    fn content_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn open(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn began(&mut self, _piece: usize, _part: &AnswerPart) -> Vec<u8> {
        Vec::new()
    }

    fn grew(&mut self, _piece: usize, part: &AnswerPart, delta: &str) -> Vec<u8> {
        match part {
            AnswerPart::Words(_) => self.frame(&json!([{"text": delta}]), None),
            AnswerPart::Thought(_) => self.frame(&json!([{"text": delta, "thought": true}]), None),
            AnswerPart::Call { .. } => Vec::new(),
        }
    }

    fn ended(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8> {
        let AnswerPart::Call { name, arguments, .. } = part else { return Vec::new() };
        let signature = format!("c2lnbmF0dXJl{:04}{piece:04}", self.heading.number);
        let call = json!({"functionCall": {"name": name, "args": arguments}, "thoughtSignature": signature});
        self.frame(&json!([call]), None)
    }

    fn failed(&mut self, rejection: &Rejection) -> Vec<u8> {
        event(&rejected(rejection, &self.heading.model).body)
    }

    fn finished(&mut self, finish: &Finish) -> Vec<u8> {
        let reason = match finish.stop {
            Stop::Done | Stop::Tools => "STOP",
            Stop::Length => "MAX_TOKENS",
            Stop::Refused => "SAFETY",
        };
        self.frame(&json!([{"text": ""}]), Some((reason, finish.usage)))
    }
}

fn counts(usage: &Usage) -> Value {
    let read = usage.input + usage.cache_read;
    json!({
        "promptTokenCount": read, "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output.saturating_sub(usage.reasoning),
        "thoughtsTokenCount": usage.reasoning, "totalTokenCount": read + usage.output,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": read}],
    })
}

/// The vendor's error for a rejection.
pub(super) fn rejected(rejection: &Rejection, model: &str) -> Rejected {
    let no_model = format!("models/{model} is not found for API version v1beta, or is not supported.");
    let (status, word, usual) = match rejection.reason {
        _ if is_internal(rejection) => (500, "INTERNAL", "An internal error has occurred."),
        FaultReason::RateLimit => (
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        FaultReason::Auth => (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        FaultReason::Billing => {
            (429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted. Please go to AI Studio.")
        }
        FaultReason::Overloaded => (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
        FaultReason::ContextOverflow => (
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        ),
        FaultReason::ModelNotFound => (404, "NOT_FOUND", no_model.as_str()),
        FaultReason::Timeout => (504, "DEADLINE_EXCEEDED", "The request timed out."),
        FaultReason::Unknown => (418, "UNKNOWN", "Something unheard of happened."),
        _ => (400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
    };
    let mut details = Vec::new();
    if rejection.reason == FaultReason::Auth {
        details.push(json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID",
            "domain": "googleapis.com", "metadata": {"service": "generativelanguage.googleapis.com"},
        }));
    }
    if let Some(wait) = rejection.retry_after {
        let delay = format!("{}s", wait.as_secs_f64());
        details.push(json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}));
    }
    let code = rejection.status.unwrap_or(status);
    let mut error = json!({"code": code, "message": words(rejection, usual), "status": word});
    if !details.is_empty() {
        error["details"] = Value::Array(details);
    }
    Rejected { status, headers: Vec::new(), body: json!({"error": error}) }
}
