//! How real servers spell an answer, protocol by protocol. Written from the vendors' documents and recordings, not
//! with the codecs that are tested against it.

mod anthropic;
mod aws_framing;
mod bedrock;
mod completions;
mod google;
mod ollama;
mod openai_errors;
mod responses;

use openclaw_ports::model::FaultReason;
use openclaw_providers::{AnswerPart, Finish, Rejection};
use openclaw_types::Usage;
use serde_json::Value;

/// What is spoken on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    Anthropic,
    Completions,
    Responses,
    Google,
    Bedrock,
    Ollama,
}

/// What a speaker knows before it begins.
#[derive(Debug, Clone)]
pub(super) struct Heading {
    /// The answer's number on this server.
    pub(super) number: u64,
    /// The model that was asked.
    pub(super) model: String,
    /// When the answer was made, in seconds since 1970.
    pub(super) created: i64,
    /// What the answer is going to take, where the script says; some servers tell a part of it first.
    pub(super) usage: Option<Usage>,
    /// Whether the caller wants to hear of usage, where that is asked for.
    pub(super) wants_usage: bool,
}

/// Turns beats into the bytes of a protocol.
pub(super) trait Speaker: Send {
    /// The type of the body.
    fn content_type(&self) -> &'static str {
        "text/event-stream; charset=utf-8"
    }
    /// What comes before the first piece.
    fn open(&mut self) -> Vec<u8>;
    /// A piece begins.
    fn began(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8>;
    /// A piece grows.
    fn grew(&mut self, piece: usize, part: &AnswerPart, delta: &str) -> Vec<u8>;
    /// A piece is whole.
    fn ended(&mut self, piece: usize, part: &AnswerPart) -> Vec<u8>;
    /// Something that is not of the protocol.
    fn malformed(&mut self) -> Vec<u8> {
        b"data: {\"this is\": no frame}\n\n".to_vec()
    }
    /// An error in the middle of the answer.
    fn failed(&mut self, rejection: &Rejection) -> Vec<u8>;
    /// The answer is whole.
    fn finished(&mut self, finish: &Finish) -> Vec<u8>;
}

/// An answer with a status that is no success.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rejected {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Value,
}

/// Someone who speaks this protocol.
pub(super) fn speaker(speech: Speech, heading: Heading) -> Box<dyn Speaker> {
    match speech {
        Speech::Anthropic => Box::new(anthropic::Messages::new(heading)),
        Speech::Completions => Box::new(completions::Completions::new(heading)),
        Speech::Responses => Box::new(responses::Responses::new(heading)),
        Speech::Google => Box::new(google::Generate::new(heading)),
        Speech::Bedrock => Box::new(bedrock::Converse::new(heading)),
        Speech::Ollama => Box::new(ollama::Chat::new(heading)),
    }
}

/// A rejection as the vendor says it.
pub(super) fn rejected(speech: Speech, rejection: &Rejection, model: &str) -> Rejected {
    let mut rejected = match speech {
        Speech::Anthropic => anthropic::rejected(rejection, model),
        Speech::Completions | Speech::Responses => openai_errors::rejected(rejection, model),
        Speech::Google => google::rejected(rejection, model),
        Speech::Bedrock => bedrock::rejected(rejection),
        Speech::Ollama => ollama::rejected(rejection, model),
    };
    rejected.status = rejection.status.unwrap_or(rejected.status);
    if let Some(wait) = rejection.retry_after {
        rejected.headers.push(("retry-after", wait.as_secs_f64().to_string()));
    }
    rejected
}

/// An event with a name.
fn named_event(name: &str, data: &Value) -> Vec<u8> {
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

/// An event without a name.
fn event(data: &Value) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

/// The words of a rejection: its own, or the vendor's.
fn words(rejection: &Rejection, usual: &str) -> String {
    rejection.message.clone().unwrap_or_else(|| usual.to_owned())
}

/// Whether a rejection is a plain failure inside the server, not the vendor's word for too much work.
fn is_internal(rejection: &Rejection) -> bool {
    rejection.reason == FaultReason::Overloaded && rejection.status == Some(500)
}
