//! Reads the stream of a Messages answer: one `Decoder` for each answer.
//!
//! Unknown events, blocks and deltas are passed over, as the protocol asks. `message_stop` is the end; what comes
//! after it is not looked at.

use openclaw_ports::model::{FaultReason, ModelEvent, ModelFault, StreamDecoder};
use openclaw_types::{StopReason, ToolCallId, Usage};

use super::classify;
use super::wire::{BlockStart, Delta, Frame, Head, Tokens};
use crate::apis::blocks::{AnswerEnd, BlockAnswer, Draft, Growth};
use crate::apis::shared::{clean, cut_off, empty, malformed, too_large};
use crate::framing::{SseEvent, SseSplitter};

/// Turns the bytes of one answer into events.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    splitter: SseSplitter,
    stream: Stream,
}

#[derive(Debug, Default)]
struct Stream {
    answer: BlockAnswer,
    tokens: Option<Tokens>,
    stop: Option<String>,
    refusal: Option<String>,
    heard: Heard,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Heard {
    #[default]
    Nothing,
    Something,
}

impl StreamDecoder for Decoder {
    fn push(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) {
        if self.stream.answer.is_over() {
            return;
        }
        if !bytes.is_empty() {
            self.stream.heard = Heard::Something;
        }
        let stream = &mut self.stream;
        let taken = self.splitter.push(bytes, |event| stream.take(event, events));
        if taken.is_err() {
            self.stream.answer.fail(too_large(), events);
        }
    }

    fn finish(&mut self, events: &mut Vec<ModelEvent>) {
        let stream = &mut self.stream;
        // The last event may lack its blank line. One that cannot be read was cut, not malformed.
        if let Some(event) = self.splitter.finish()
            && let Ok(frame) = serde_json::from_str::<Frame<'_>>(event.data)
        {
            stream.take_frame(frame, event.name, events);
        }
        let fault = if stream.heard == Heard::Nothing { empty() } else { cut_off() };
        stream.answer.fail(fault, events);
    }
}

impl Stream {
    fn take(&mut self, event: SseEvent<'_>, events: &mut Vec<ModelEvent>) {
        // Some gateways close every stream the way chat completions do.
        if self.answer.is_over() || event.data.trim() == "[DONE]" {
            return;
        }
        match serde_json::from_str::<Frame<'_>>(event.data) {
            Ok(frame) => self.take_frame(frame, event.name, events),
            Err(_) => self.answer.fail(malformed("an event of the stream"), events),
        }
    }

    fn take_frame(&mut self, frame: Frame<'_>, name: Option<&str>, events: &mut Vec<ModelEvent>) {
        if self.answer.is_over() {
            return;
        }
        if let Err(fault) = self.read(frame, name, events) {
            self.answer.fail(fault, events);
        }
    }

    fn read(
        &mut self,
        frame: Frame<'_>,
        name: Option<&str>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        if let Some(error) = &frame.error {
            return Err(classify::in_stream(error));
        }
        let kind = frame.kind.as_deref().or(name).ok_or_else(|| malformed("an event without a type"))?;
        match kind {
            "message_start" => self.start(frame.message, events),
            "content_block_start" => {
                let block = frame.content_block.ok_or_else(|| malformed("content_block_start"))?;
                self.answer.begin(place(frame.index)?, draft(block)?, events)?;
            }
            "content_block_delta" => {
                let delta = frame.delta.ok_or_else(|| malformed("content_block_delta"))?;
                self.grow(place(frame.index)?, delta, events)?;
            }
            "content_block_stop" => self.answer.close(place(frame.index)?, events),
            "message_delta" => self.note(frame.delta, frame.usage),
            "message_stop" => return self.end(events),
            "error" => return Err(classify::in_stream(&serde_json::Value::Null)),
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, head: Option<Head>, events: &mut Vec<ModelEvent>) {
        let head = head.unwrap_or(Head { id: None, model: None, usage: None });
        self.count(head.usage);
        self.answer.start(head.id, head.model, events);
    }

    fn grow(&mut self, key: u64, delta: Delta, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let growths = [
            delta.text.map(Growth::Text),
            delta.thinking.map(Growth::Thinking),
            delta.signature.map(Growth::WholeSignature),
            delta.partial_json.map(Growth::Arguments),
        ];
        growths.into_iter().flatten().try_for_each(|growth| self.answer.grow(key, growth, events))
    }

    fn note(&mut self, delta: Option<Delta>, usage: Option<Tokens>) {
        self.count(usage);
        let Some(delta) = delta else { return };
        self.stop = delta.stop_reason.or(self.stop.take());
        if let Some(details) = delta.stop_details {
            self.refusal = details.explanation.or(details.category);
        }
    }

    fn count(&mut self, newer: Option<Tokens>) {
        let Some(newer) = newer else { return };
        let known = self.tokens.unwrap_or_default();
        self.tokens = Some(Tokens {
            input_tokens: newer.input_tokens.or(known.input_tokens),
            output_tokens: newer.output_tokens.or(known.output_tokens),
            cache_read_input_tokens: newer.cache_read_input_tokens.or(known.cache_read_input_tokens),
            cache_creation_input_tokens: newer
                .cache_creation_input_tokens
                .or(known.cache_creation_input_tokens),
        });
    }

    fn end(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let stop = match self.stop.take().as_deref() {
            Some("refusal" | "sensitive" | "content_filter") => return Err(self.refused()),
            Some("model_context_window_exceeded") => Some(StopReason::Length),
            Some(word) => Some(StopReason::from_word(&clean(word))),
            None => None,
        };
        if stop == Some(StopReason::Error) {
            return Err(ModelFault::new(FaultReason::Unknown, "the server ended the answer with an error"));
        }
        let usage = self.tokens.map(usage);
        self.answer.done(AnswerEnd { stop, usage }, events);
        Ok(())
    }

    fn refused(&self) -> ModelFault {
        let words = self.refusal.as_deref().map(clean).filter(|words| !words.is_empty());
        let message = words.unwrap_or_else(|| "the vendor refused to answer this".to_owned());
        ModelFault::new(FaultReason::Refused, message)
    }
}

fn place(index: Option<u64>) -> Result<u64, ModelFault> {
    index.ok_or_else(|| malformed("a content block without a place"))
}

fn draft(block: BlockStart) -> Result<Draft, ModelFault> {
    let call = |id: String| ToolCallId::new(id).or(Err(malformed("a tool call without a usable id")));
    Ok(match block.kind.as_str() {
        "text" => Draft::Text(block.text.unwrap_or_default()),
        "thinking" => Draft::Thinking {
            text: block.thinking.unwrap_or_default(),
            signature: block.signature.unwrap_or_default(),
        },
        "redacted_thinking" => Draft::Sealed(block.data.unwrap_or_default().into()),
        "tool_use" => Draft::Call {
            id: call(block.id.unwrap_or_default())?,
            name: block.name.unwrap_or_default(),
            arguments: String::new(),
            given: block.input.filter(|input| input.as_object().is_some_and(|fields| !fields.is_empty())),
        },
        _ => Draft::Ignored,
    })
}

fn usage(tokens: Tokens) -> Usage {
    let counted = Usage {
        input: tokens.input_tokens.unwrap_or(0),
        output: tokens.output_tokens.unwrap_or(0),
        cache_read: tokens.cache_read_input_tokens.unwrap_or(0),
        cache_write: tokens.cache_creation_input_tokens.unwrap_or(0),
        ..Usage::default()
    };
    Usage { total_tokens: counted.sum(), ..counted }
}
