//! Reads the stream of a Converse answer: one `Decoder` for each answer.
//!
//! Only tool calls announce themselves; other blocks begin with their first delta. `messageStop` makes the answer
//! whole; the usage comes after it in `metadata`, so the end is told then, or when the body ends without one.

use openclaw_ports::model::{FaultReason, ModelEvent, ModelFault, StreamDecoder};
use openclaw_types::{StopReason, ToolCallId, Usage};
use serde::de::DeserializeOwned;

use super::classify;
use super::wire::{BlockDelta, BlockStart, BlockStop, MessageStop, Metadata, Tokens};
use crate::apis::blocks::{AnswerEnd, BlockAnswer, Draft, Growth};
use crate::apis::shared::{clean, cut_off, empty, malformed, too_large};
use crate::framing::{AwsEventStreamSplitter, AwsFramingError, AwsMessage};

/// Turns the bytes of one answer into events.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    splitter: AwsEventStreamSplitter,
    stream: Stream,
}

#[derive(Debug, Default)]
struct Stream {
    answer: BlockAnswer,
    phase: Phase,
}

#[derive(Debug, Default)]
enum Phase {
    /// Not a byte has come.
    #[default]
    Silent,
    /// The answer is being written.
    Writing,
    /// The model stopped; the usage may follow.
    Stopped(Option<String>),
}

impl StreamDecoder for Decoder {
    fn push(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) {
        if self.stream.answer.is_over() {
            return;
        }
        if !bytes.is_empty() && matches!(self.stream.phase, Phase::Silent) {
            self.stream.phase = Phase::Writing;
        }
        let stream = &mut self.stream;
        let fault = match self.splitter.push(bytes, |message| stream.take(&message, events)) {
            Ok(()) => return,
            Err(AwsFramingError::TooLarge) => too_large(),
            Err(AwsFramingError::Misshapen) => malformed("a message of the event stream"),
            Err(AwsFramingError::Corrupt) => malformed("a message whose checksum is wrong"),
        };
        self.stream.answer.fail(fault, events);
    }

    fn finish(&mut self, events: &mut Vec<ModelEvent>) {
        if self.stream.answer.is_over() {
            return;
        }
        let result = match self.stream.phase {
            Phase::Silent => Err(empty()),
            Phase::Writing => Err(cut_off()),
            Phase::Stopped(_) => self.stream.end(None, events),
        };
        if let Err(fault) = result {
            self.stream.answer.fail(fault, events);
        }
    }
}

impl Stream {
    fn take(&mut self, message: &AwsMessage<'_>, events: &mut Vec<ModelEvent>) {
        if self.answer.is_over() {
            return;
        }
        if let Err(fault) = self.read(message, events) {
            self.answer.fail(fault, events);
        }
    }

    fn read(&mut self, message: &AwsMessage<'_>, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        match message.header(":message-type") {
            Some("event") => {}
            Some("exception") => {
                let kind = message.header(":exception-type").unwrap_or_default();
                return Err(classify::exception(kind, message.payload));
            }
            Some("error") => {
                let kind = message.header(":error-code").unwrap_or_default();
                let words = message.header(":error-message").unwrap_or_default();
                return Err(classify::error(kind, words));
            }
            _ => return Err(malformed("a message without a type")),
        }
        match message.header(":event-type") {
            Some("messageStart") => self.answer.start(None, None, events),
            Some("contentBlockStart") => self.begin(payload(message)?, events)?,
            Some("contentBlockDelta") => self.grow(payload(message)?, events)?,
            Some("contentBlockStop") => {
                let stop: BlockStop = payload(message)?;
                self.answer.close(stop.content_block_index, events);
            }
            Some("messageStop") => {
                let stop: MessageStop = payload(message)?;
                self.phase = Phase::Stopped(stop.stop_reason);
            }
            Some("metadata") => {
                let metadata: Metadata = payload(message)?;
                if matches!(self.phase, Phase::Stopped(_)) {
                    return self.end(metadata.usage, events);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, block: BlockStart, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let Some(call) = block.start.and_then(|start| start.tool_use) else { return Ok(()) };
        let id = ToolCallId::new(call.tool_use_id).or(Err(malformed("a tool call without a usable id")))?;
        let draft = Draft::Call { id, name: call.name, arguments: String::new(), given: None };
        self.answer.begin(block.content_block_index, draft, events)
    }

    fn grow(&mut self, block: BlockDelta, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let Some(delta) = block.delta else { return Ok(()) };
        let thoughts = delta.reasoning_content;
        let (text, signature, sealed) = match thoughts {
            Some(thoughts) => (thoughts.text, thoughts.signature, thoughts.redacted_content),
            None => (None, None, None),
        };
        let growths = [
            delta.text.map(Growth::Text),
            delta.tool_use.and_then(|call| call.input).map(Growth::Arguments),
            text.map(Growth::Thinking),
            signature.map(Growth::Signature),
            sealed.map(Growth::Sealed),
        ];
        let key = block.content_block_index;
        growths.into_iter().flatten().try_for_each(|growth| self.answer.grow(key, growth, events))
    }

    fn end(&mut self, tokens: Option<Tokens>, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let word = match &mut self.phase {
            Phase::Stopped(word) => word.take(),
            Phase::Silent | Phase::Writing => None,
        };
        let stop = word.as_deref().map(stop_reason).transpose()?;
        self.answer.done(AnswerEnd { stop, usage: tokens.map(usage) }, events);
        Ok(())
    }
}

fn payload<T: DeserializeOwned>(message: &AwsMessage<'_>) -> Result<T, ModelFault> {
    // The cause would quote the server's bytes; which event it was is enough.
    let event = message.header(":event-type").unwrap_or("an event");
    match serde_json::from_slice(message.payload) {
        Ok(read) => Ok(read),
        Err(_) => Err(malformed(&clean(event))),
    }
}

fn stop_reason(word: &str) -> Result<StopReason, ModelFault> {
    match word {
        "content_filtered" => {
            Err(ModelFault::new(FaultReason::Refused, "the vendor's filter stopped the answer"))
        }
        "guardrail_intervened" => {
            Err(ModelFault::new(FaultReason::Refused, "a guardrail of the account stopped the answer"))
        }
        "malformed_model_output" | "malformed_tool_use" => Err(malformed("what the model wrote")),
        "model_context_window_exceeded" => Ok(StopReason::Length),
        other => Ok(StopReason::from_word(&clean(other))),
    }
}

fn usage(tokens: Tokens) -> Usage {
    let counted = Usage {
        input: tokens.input_tokens,
        output: tokens.output_tokens,
        cache_read: tokens.cache_read_input_tokens.unwrap_or(0),
        cache_write: tokens.cache_write_input_tokens.unwrap_or(0),
        ..Usage::default()
    };
    Usage { total_tokens: tokens.total_tokens.unwrap_or_else(|| counted.sum()), ..counted }
}
