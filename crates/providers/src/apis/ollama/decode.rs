//! Reads an answer: one JSON object in each line, the last one marked as done and with the counts.

use openclaw_ports::model::{Completion, ModelEvent, ModelFault, StreamDecoder};
use openclaw_types::{StopReason, Usage};

use super::classify;
use super::wire::{Line, Said};
use crate::apis::shared::{
    GrowingAnswer, Seed, WholeCall, clean, cut_off, empty, is_half, malformed, too_large,
};
use crate::framing::LineSplitter;

/// Reads one answer.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    lines: LineSplitter,
    answer: GrowingAnswer,
    started: bool,
    ended: bool,
}

impl StreamDecoder for Decoder {
    fn push(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) {
        if self.ended {
            return;
        }
        let mut lines = std::mem::take(&mut self.lines);
        let fits = lines.push(bytes, |line| self.take(line, events));
        self.lines = lines;
        if fits.is_err() {
            self.fail(too_large(), events);
        }
    }

    fn finish(&mut self, events: &mut Vec<ModelEvent>) {
        // The last line may lack its end. Half of one was cut, not malformed.
        if let Some(line) = self.lines.finish().filter(|line| !is_half(line)) {
            self.take(&line, events);
        }
        self.fail(cut_off(), events);
    }
}

impl Decoder {
    fn take(&mut self, line: &[u8], events: &mut Vec<ModelEvent>) {
        if self.ended || line.trim_ascii().is_empty() {
            return;
        }
        let read = std::str::from_utf8(line)
            .ok()
            .and_then(|text| Some((text, serde_json::from_str::<Line>(text).ok()?)));
        let result = match read {
            // A list can pass for an object in serde's eyes.
            Some((text, line)) if text.trim_start().starts_with('{') => self.line(line, text, events),
            _ => Err(malformed("a line of the answer")),
        };
        if let Err(fault) = result {
            self.fail(fault, events);
        }
    }

    fn line(&mut self, line: Line, text: &str, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        if let Some(error) = &line.error {
            return Err(classify::in_stream(error, line.status_code));
        }
        if !self.started {
            self.started = true;
            events.push(ModelEvent::Started { response_id: None, model: line.model.clone() });
        }
        if let Some(said) = &line.message {
            self.said(said, &Seed::new(text), events)?;
        }
        if line.done { self.end(line, events) } else { Ok(()) }
    }

    fn said(&mut self, said: &Said, seed: &Seed<'_>, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let thoughts =
            [&said.thinking, &said.reasoning, &said.reasoning_content].into_iter().find_map(Option::as_deref);
        self.answer.thinking(thoughts.unwrap_or_default(), None, events)?;
        self.answer.text(said.content.as_deref().unwrap_or_default(), None, events)?;
        for call in said.tool_calls.iter().flatten() {
            let call = WholeCall {
                id: call.id.as_deref(),
                name: call.function.name.clone(),
                arguments: call.function.arguments.clone(),
                signature: None,
                seed,
            };
            self.answer.call(call, events)?;
        }
        Ok(())
    }

    fn end(&mut self, line: Line, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let stop = match line.done_reason.as_deref().map(|word| StopReason::from_word(&clean(word))) {
            None | Some(StopReason::Stop) if self.answer.has_calls() => StopReason::ToolUse,
            None => StopReason::Stop,
            Some(stop) => stop,
        };
        if self.answer.is_empty(&stop) {
            return Err(empty());
        }
        self.ended = true;
        self.answer.close(events);
        events.push(ModelEvent::Done(Completion {
            content: self.answer.take(),
            stop,
            usage: usage(&line),
            response_id: None,
            model: line.model,
        }));
        Ok(())
    }

    fn fail(&mut self, fault: ModelFault, events: &mut Vec<ModelEvent>) {
        if !self.ended {
            self.ended = true;
            events.push(ModelEvent::Failed(fault));
        }
    }
}

/// What it took. A prompt that the server still had in memory is not counted by some versions.
fn usage(line: &Line) -> Option<Usage> {
    if line.prompt_eval_count.is_none() && line.eval_count.is_none() {
        return None;
    }
    let mut usage = Usage {
        input: line.prompt_eval_count.unwrap_or(0),
        output: line.eval_count.unwrap_or(0),
        ..Usage::default()
    };
    usage.total_tokens = usage.sum();
    Some(usage)
}
