//! ConverseStream: binary messages; only calls announce their block; the counts come behind the end, exceptions as
//! messages of their own. Document: <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>.

use openclaw_ports::model::FaultReason;
use openclaw_providers::{AnswerPart, Finish, Rejection, Stop};
use openclaw_types::Usage;
use serde_json::{Value, json};

use super::aws_framing::message;
use super::{Heading, Rejected, Speaker, is_internal, words};

/// Real messages are padded with letters in this field, so that their length tells nothing.
const PADDING: &str = "abcdefghijk";

pub(super) struct Converse {
    heading: Heading,
}

impl Converse {
    pub(super) fn new(heading: Heading) -> Self {
        Self { heading }
    }
}

impl Speaker for Converse {
    fn content_type(&self) -> &'static str {
        "application/vnd.amazon.eventstream"
    }

    fn open(&mut self) -> Vec<u8> {
        happening("messageStart", &json!({"p": PADDING, "role": "assistant"}))
    }

    fn began(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8> {
        let AnswerPart::Call { id, name, .. } = part else { return Vec::new() };
        let id = id.clone().unwrap_or_else(|| format!("tooluse_{:08}{piece:04}", self.heading.number));
        let start = json!({"toolUse": {"name": name, "toolUseId": id}});
        happening("contentBlockStart", &json!({"contentBlockIndex": piece, "p": PADDING, "start": start}))
    }

    fn grew(&mut self, piece: usize, part: &AnswerPart, delta: &str) -> Vec<u8> {
        block_delta(
            piece,
            &match part {
                AnswerPart::Words(_) => json!({"text": delta}),
                AnswerPart::Thought(_) => json!({"reasoningContent": {"text": delta}}),
                AnswerPart::Call { .. } => json!({"toolUse": {"input": delta}}),
            },
        )
    }

    fn ended(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8> {
        let mut bytes = match part {
            AnswerPart::Thought(_) => {
                let signature = format!("c2lnbmF0dXJl{:04}{piece:04}", self.heading.number);
                block_delta(piece, &json!({"reasoningContent": {"signature": signature}}))
            }
            _ => Vec::new(),
        };
        bytes.extend(happening("contentBlockStop", &json!({"contentBlockIndex": piece, "p": PADDING})));
        bytes
    }

    fn malformed(&mut self) -> Vec<u8> {
        let mut bytes = block_delta(0, &json!({"text": "damaged on the way"}));
        if let Some(last) = bytes.last_mut() {
            *last ^= 0xff;
        }
        bytes
    }

    fn failed(&mut self, rejection: &Rejection) -> Vec<u8> {
        let (_, kind, usual) = told(rejection);
        let mut letters = kind.chars();
        // In the stream the kinds begin with a small letter.
        let kind: String =
            letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect();
        let headers = [
            (":exception-type", kind.as_str()),
            (":content-type", "application/json"),
            (":message-type", "exception"),
        ];
        message(&headers, &json!({"message": words(rejection, usual)}))
    }

    fn finished(&mut self, finish: &Finish) -> Vec<u8> {
        let stop = match finish.stop {
            Stop::Done => "end_turn",
            Stop::Tools => "tool_use",
            Stop::Length => "max_tokens",
            Stop::Refused => "content_filtered",
        };
        let mut bytes = happening("messageStop", &json!({"p": PADDING, "stopReason": stop}));
        let mut metadata = json!({"metrics": {"latencyMs": 42}, "p": PADDING});
        if let Some(usage) = &finish.usage {
            metadata["usage"] = counts(usage);
        }
        bytes.extend(happening("metadata", &metadata));
        bytes
    }
}

fn happening(kind: &str, payload: &Value) -> Vec<u8> {
    let headers = [(":event-type", kind), (":content-type", "application/json"), (":message-type", "event")];
    message(&headers, payload)
}

fn block_delta(piece: usize, delta: &Value) -> Vec<u8> {
    happening("contentBlockDelta", &json!({"contentBlockIndex": piece, "delta": delta, "p": PADDING}))
}

fn counts(usage: &Usage) -> Value {
    json!({
        "inputTokens": usage.input, "outputTokens": usage.output,
        "totalTokens": usage.input + usage.output + usage.cache_read + usage.cache_write,
        "cacheReadInputTokens": usage.cache_read, "cacheWriteInputTokens": usage.cache_write,
    })
}

/// The vendor's error for a rejection.
pub(super) fn rejected(rejection: &Rejection) -> Rejected {
    let (status, kind, usual) = told(rejection);
    let address = "http://internal.amazon.com/coral/com.amazon.bedrock/";
    Rejected {
        status,
        headers: vec![
            ("x-amzn-requestid", "scripted".to_owned()),
            ("x-amzn-errortype", format!("{kind}:{address}")),
        ],
        body: json!({"message": words(rejection, usual)}),
    }
}

fn told(rejection: &Rejection) -> (u16, &'static str, &'static str) {
    match rejection.reason {
        _ if is_internal(rejection) => {
            (500, "InternalServerException", "The system encountered an unexpected error during processing.")
        }
        FaultReason::RateLimit => {
            (429, "ThrottlingException", "Too many requests, please wait before trying again.")
        }
        FaultReason::Auth => {
            (403, "UnrecognizedClientException", "The security token included in the request is invalid.")
        }
        FaultReason::Billing => (
            403,
            "AccessDeniedException",
            "Model access is denied due to INVALID_PAYMENT_INSTRUMENT: a valid payment instrument must be provided.",
        ),
        FaultReason::Overloaded => {
            (503, "ServiceUnavailableException", "Bedrock is unable to process your request.")
        }
        FaultReason::ContextOverflow => {
            (400, "ValidationException", "Input is too long for requested model.")
        }
        FaultReason::ModelNotFound => {
            (400, "ValidationException", "The provided model identifier is invalid.")
        }
        FaultReason::Timeout => (408, "ModelTimeoutException", "Model timed out"),
        FaultReason::Unknown => (418, "UnheardOfException", "Something unheard of happened."),
        _ => (400, "ValidationException", "1 validation error detected."),
    }
}
