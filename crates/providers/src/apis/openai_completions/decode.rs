//! Reads the chunks of a completions answer.
//!
//! The end is `[DONE]`; a server that hangs up after it gave a reason to stop has ended as well. Usage comes in a
//! chunk of its own behind the last choice, or in every chunk, or inside the choice: the last one counts.

use openclaw_ports::model::{Completion, FaultReason, ModelEvent, ModelFault};
use openclaw_types::{StopReason, Usage};
use serde_json::Value;

use super::calls::Calls;
use super::details::Details;
use super::wire::{CallDelta, Choice, Chunk, Delta, UsageCounts, Words};
use crate::apis::openai_dialect::{
    DialectOutcome, Dialog, Heading, Pieces, Progress, Tokens, conclude, refused_by_filter, stream_fault,
    usage,
};
use crate::apis::shared::{clean, cut_off, malformed};
use crate::framing::SseEvent;

/// What is known of an answer so far.
#[derive(Debug, Default)]
pub(super) struct CompletionState {
    heading: Heading,
    pieces: Pieces,
    calls: Calls,
    details: Details,
    /// The piece of words or thoughts that grows.
    growing: Option<Growing>,
    finish_reason: Option<String>,
    usage: Option<Usage>,
}

#[derive(Debug, Clone, Copy)]
struct Growing {
    piece: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
}

impl Dialog for CompletionState {
    fn event(&mut self, event: SseEvent<'_>, events: &mut Vec<ModelEvent>) -> Result<Progress, ModelFault> {
        let data = event.data.trim();
        if data == "[DONE]" {
            return self.conclude(events).map(Progress::Ended);
        }
        if data.is_empty() {
            return Ok(Progress::More);
        }
        if event.name == Some("error") {
            return Err(error_in(data));
        }
        self.chunk(data, events)?;
        Ok(Progress::More)
    }

    fn whole(&mut self, body: &str, events: &mut Vec<ModelEvent>) -> Result<Completion, ModelFault> {
        self.chunk(body, events)?;
        self.conclude(events)
    }

    fn body_ended(&mut self, events: &mut Vec<ModelEvent>) -> Result<Completion, ModelFault> {
        match self.finish_reason {
            Some(_) => self.conclude(events),
            None => Err(cut_off()),
        }
    }
}

impl CompletionState {
    fn chunk(&mut self, data: &str, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let chunk: Chunk = match serde_json::from_str(data) {
            Ok(chunk) => chunk,
            // An error may look like nothing we know beside its own field.
            Err(_) if holds_error(data) => return Err(error_in(data)),
            Err(_) => return Err(malformed("a chunk of the answer")),
        };
        if chunk.error.as_ref().is_some_and(|error| !error.is_null()) || chunk.is_bare_error(data) {
            return Err(error_in(data));
        }
        self.heading.learn(chunk.id.as_deref(), chunk.model.as_deref());
        let choices = chunk.choices.unwrap_or_default();
        // The first chunk of some servers is about their filter alone and names nothing.
        if !choices.is_empty() || self.heading.response_id().is_some() {
            self.heading.announce(events);
        }
        self.usage = chunk.usage.and_then(UsageCounts::into_usage).or(self.usage);
        match choices.into_iter().find(|choice| choice.index.0 == 0) {
            Some(choice) => self.choice(choice, events),
            None => Ok(()),
        }
    }

    fn choice(&mut self, choice: Choice, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        self.usage = choice.usage.and_then(UsageCounts::into_usage).or(self.usage);
        if let Some(delta) = choice.delta {
            self.delta(delta, events)?;
        }
        // A whole message at the end of a stream only repeats what was streamed.
        if let Some(message) = choice.message.filter(|_| self.pieces.is_empty()) {
            self.delta(message, events)?;
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish_reason.get_or_insert(reason);
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let details = delta.reasoning_details.unwrap_or_default();
        let detailed = self.details.take(details, &mut self.pieces)?;
        let thoughts = [
            ("reasoning_content", words(delta.reasoning_content)),
            ("reasoning", words(delta.reasoning)),
            ("reasoning_text", words(delta.reasoning_text)),
            ("reasoning", detailed),
        ];
        // Servers that fill several fields say the same in each.
        if let Some((field, text)) = thoughts.into_iter().find(|(_, text)| !text.is_empty()) {
            self.thinking(field, &text, events)?;
        }
        self.content(delta.content, events)?;
        self.text(&words(delta.refusal), events)?;
        let legacy = delta.function_call.map(|function| CallDelta {
            index: Some(0),
            function: Some(function),
            ..CallDelta::default()
        });
        for call in delta.tool_calls.unwrap_or_default().into_iter().chain(legacy) {
            self.leave(events);
            self.calls.take(call, &self.heading, &mut self.pieces, events)?;
        }
        Ok(())
    }

    fn content(&mut self, content: Words, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let parts = match content {
            Words::None => return Ok(()),
            Words::Text(text) => return self.text(&text, events),
            Words::Parts(parts) => parts,
        };
        for part in parts {
            for thought in part.thinking.unwrap_or_default() {
                self.thinking("reasoning_content", &thought.text.unwrap_or_default(), events)?;
            }
            self.text(&part.text.unwrap_or_default(), events)?;
        }
        Ok(())
    }

    fn text(&mut self, text: &str, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        if text.is_empty() {
            return Ok(());
        }
        let piece = match self.growing {
            Some(Growing { piece, kind: Kind::Text }) => piece,
            _ => {
                self.leave(events);
                let piece = self.pieces.open_text()?;
                self.growing = Some(Growing { piece, kind: Kind::Text });
                piece
            }
        };
        self.pieces.grow(piece, text, events)
    }

    fn thinking(&mut self, field: &str, text: &str, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        if text.is_empty() {
            return Ok(());
        }
        let piece = match self.growing {
            Some(Growing { piece, kind: Kind::Thinking }) => piece,
            _ => {
                self.leave(events);
                let piece = self.pieces.open_thinking()?;
                self.pieces.sign(piece, field.to_owned())?;
                self.growing = Some(Growing { piece, kind: Kind::Thinking });
                piece
            }
        };
        self.pieces.grow(piece, text, events)
    }

    /// Ends the piece that grows, because something else begins. Thoughts whose proof may still come stay open.
    fn leave(&mut self, events: &mut Vec<ModelEvent>) {
        if let Some(Growing { piece, kind }) = self.growing.take()
            && (kind == Kind::Text || self.details.is_empty())
        {
            self.pieces.close(piece, events);
        }
    }

    fn conclude(&mut self, events: &mut Vec<ModelEvent>) -> Result<Completion, ModelFault> {
        let stop = match self.finish_reason.as_deref() {
            Some(word) => stop_reason(word)?,
            None => StopReason::Stop,
        };
        self.calls.check()?;
        self.details.settle(&mut self.pieces)?;
        let outcome = DialectOutcome { stop, usage: self.usage };
        conclude(&self.heading, &mut self.pieces, outcome, events)
    }
}

/// What the server's word for the end means.
///
/// # Errors
/// When it means that there is no answer.
fn stop_reason(word: &str) -> Result<StopReason, ModelFault> {
    match word {
        _ if refused_by_filter(word) => {
            Err(ModelFault::new(FaultReason::Refused, "the vendor's content filter stopped the answer"))
        }
        "error" => Err(ModelFault::new(FaultReason::Unknown, "the server ended the answer with an error")),
        "network_error" | "insufficient_system_resource" => {
            Err(ModelFault::new(FaultReason::Overloaded, "the server could not finish the answer"))
        }
        "model_length" => Ok(StopReason::Length),
        "eos" | "eos_token" | "COMPLETE" => Ok(StopReason::Stop),
        word => Ok(StopReason::from_word(&clean(word))),
    }
}

fn words(words: Words) -> String {
    match words {
        Words::None => String::new(),
        Words::Text(text) => text,
        Words::Parts(parts) => parts.into_iter().filter_map(|part| part.text).collect(),
    }
}

fn error_in(data: &str) -> ModelFault {
    match serde_json::from_str::<Value>(data) {
        Ok(value) => stream_fault(&value),
        Err(_) => stream_fault(&Value::String(data.to_owned())),
    }
}

fn holds_error(data: &str) -> bool {
    serde_json::from_str::<Value>(data)
        .is_ok_and(|value| value.get("error").is_some_and(|error| !error.is_null()))
}

impl Chunk {
    /// Whether this is an error that stands there without a field of its own.
    fn is_bare_error(&self, data: &str) -> bool {
        let empty = self.choices.is_none() && self.id.is_none() && self.usage.is_none();
        empty
            && serde_json::from_str::<Value>(data).is_ok_and(|value| {
                value.get("object").and_then(Value::as_str) == Some("error")
                    || value.get("detail").is_some()
                    || value.get("message").is_some_and(Value::is_string)
            })
    }
}

impl UsageCounts {
    fn into_usage(self) -> Option<Usage> {
        let prompt = self.prompt_tokens_details.unwrap_or_default();
        let cached = [prompt.cached_tokens, self.cached_tokens, self.prompt_cache_hit_tokens];
        usage(Tokens {
            read: self.prompt_tokens.0,
            cached: cached.into_iter().map(|count| count.0).max().unwrap_or(0),
            cache_write: prompt.cache_write_tokens.0,
            written: self.completion_tokens.0,
            reasoning: self.completion_tokens_details.unwrap_or_default().reasoning_tokens.0,
            total: self.total_tokens.0,
        })
    }
}
