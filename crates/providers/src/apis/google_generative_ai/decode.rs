//! Reads an answer: events with parts, a reason to finish, and counts.
//!
//! There is no end marker of its own: the reason to finish is one. Counts come with it as a rule; where they do not,
//! the end of the body ends the answer, and what comes in between only counts.

use openclaw_ports::model::{Completion, FaultReason, ModelEvent, ModelFault, StreamDecoder};
use openclaw_types::{Image, ImageData, StopReason, Usage};

use super::classify;
use super::wire::{Candidate, Chunk, Part, PromptFeedback, UsageMetadata};
use crate::apis::shared::{
    GrowingAnswer, Seed, WholeCall, clean, cut_off, empty, is_half, malformed, too_large,
};
use crate::framing::SseSplitter;

/// Reads one answer.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    frames: SseSplitter,
    answer: GrowingAnswer,
    started: bool,
    response_id: Option<String>,
    model: Option<String>,
    usage: Option<Usage>,
    /// Whether the latest event brought counts: those before the end are not the last ones.
    counted: bool,
    finish: Option<Finish>,
    ended: bool,
}

/// Why the model finished, in the vendor's words.
#[derive(Debug)]
struct Finish {
    reason: String,
    message: Option<String>,
}

impl StreamDecoder for Decoder {
    fn push(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) {
        if self.ended {
            return;
        }
        let mut frames = std::mem::take(&mut self.frames);
        let fits = frames.push(bytes, |frame| self.take(frame.data, events));
        self.frames = frames;
        if fits.is_err() {
            self.fail(too_large(), events);
        }
    }

    fn finish(&mut self, events: &mut Vec<ModelEvent>) {
        // The last event may lack its blank line. Half of one was cut, not malformed.
        let mut frames = std::mem::take(&mut self.frames);
        if let Some(frame) = frames.finish().filter(|frame| !is_half(frame.data.as_bytes())) {
            self.take(frame.data, events);
        }
        match self.finish.take() {
            Some(finish) => self.end(finish, events),
            None => self.fail(cut_off(), events),
        }
    }
}

impl Decoder {
    fn take(&mut self, frame: &str, events: &mut Vec<ModelEvent>) {
        // Some proxies close the stream the way other protocols do.
        if self.ended || frame.trim() == "[DONE]" {
            return;
        }
        if let Err(fault) = self.read(frame, events) {
            self.fail(fault, events);
        } else if self.counted
            && let Some(finish) = self.finish.take()
        {
            self.end(finish, events);
        }
    }

    fn read(&mut self, frame: &str, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let mut chunk =
            serde_json::from_str::<Chunk>(frame).map_err(|_error| malformed("an event of the answer"))?;
        if let Some(inner) = chunk.response.take() {
            chunk = *inner;
        }
        if let Some(error) = chunk.error {
            return Err(classify::in_stream(&error));
        }
        self.response_id = self.response_id.take().or(chunk.response_id);
        self.model = self.model.take().or(chunk.model_version);
        self.counted = chunk.usage_metadata.is_some();
        self.usage = chunk.usage_metadata.map(usage).or(self.usage);
        if !self.started {
            self.started = true;
            let (response_id, model) = (self.response_id.clone(), self.model.clone());
            events.push(ModelEvent::Started { response_id, model });
        }
        if let Some(fault) = chunk.prompt_feedback.and_then(blocked) {
            return Err(fault);
        }
        match chunk.candidates.into_iter().next() {
            Some(candidate) if self.finish.is_none() => self.candidate(candidate, &Seed::new(frame), events),
            _ => Ok(()),
        }
    }

    fn candidate(
        &mut self,
        candidate: Candidate,
        seed: &Seed<'_>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        for part in candidate.content.and_then(|content| content.parts).unwrap_or_default() {
            self.part(part, seed, events)?;
        }
        if let Some(reason) = candidate.finish_reason {
            self.finish = Some(Finish { reason, message: candidate.finish_message });
        }
        Ok(())
    }

    fn part(&mut self, part: Part, seed: &Seed<'_>, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        if let Some(call) = part.function_call {
            let call = WholeCall {
                id: call.id.as_deref(),
                name: call.name,
                arguments: call.args,
                signature: part.thought_signature,
                seed,
            };
            return self.answer.call(call, events);
        }
        if let Some(blob) = part.inline_data {
            let media_type = Some(blob.mime_type).filter(|kind| !kind.is_empty());
            return self.answer.image(Image { media_type, data: ImageData::Inline(blob.data) }, events);
        }
        let text = part.text.unwrap_or_default();
        match part.thought {
            Some(true) => self.answer.thinking(text, part.thought_signature, events),
            _ => self.answer.text(text, part.thought_signature, events),
        }
    }

    fn end(&mut self, finish: Finish, events: &mut Vec<ModelEvent>) {
        if self.ended {
            return;
        }
        let stop = match stop(&finish) {
            Ok(StopReason::Stop) if self.answer.has_calls() => StopReason::ToolUse,
            Ok(stop) => stop,
            Err(fault) => return self.fail(fault, events),
        };
        if self.answer.is_empty(&stop) {
            return self.fail(empty(), events);
        }
        self.ended = true;
        self.answer.close(events);
        events.push(ModelEvent::Done(Completion {
            content: self.answer.take(),
            stop,
            usage: self.usage,
            response_id: self.response_id.take(),
            model: self.model.take(),
        }));
    }

    fn fail(&mut self, fault: ModelFault, events: &mut Vec<ModelEvent>) {
        if !self.ended {
            self.ended = true;
            events.push(ModelEvent::Failed(fault));
        }
    }
}

fn blocked(feedback: PromptFeedback) -> Option<ModelFault> {
    let reason = feedback.block_reason.filter(|reason| reason != "BLOCKED_REASON_UNSPECIFIED")?;
    let detail = feedback.block_reason_message.unwrap_or_default();
    let said = format!("the vendor blocked the prompt ({reason}). {detail}");
    Some(ModelFault::new(FaultReason::Refused, clean(&said)))
}

/// What a reason to finish means; everything but a plain end and the limit is a fault.
fn stop(finish: &Finish) -> Result<StopReason, ModelFault> {
    let detail = finish.message.as_deref().unwrap_or_default();
    let reason = finish.reason.as_str();
    let fault = |kind, what: &str| Err(ModelFault::new(kind, clean(&format!("{what} ({reason}). {detail}"))));
    match reason {
        // The second word is not the vendor's; servers that imitate it say it.
        "STOP" | "FUNCTION_CALL" => Ok(StopReason::Stop),
        "MAX_TOKENS" => Ok(StopReason::Length),
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => fault(FaultReason::Refused, "the vendor stopped the answer"),
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" | "MALFORMED_RESPONSE" => {
            fault(FaultReason::Malformed, "the model called a tool in a way that could not be read")
        }
        "MISSING_THOUGHT_SIGNATURE" => {
            fault(FaultReason::Format, "the vendor misses proofs of earlier thoughts")
        }
        "FINISH_REASON_UNSPECIFIED" | "OTHER" | "NO_IMAGE" | "IMAGE_OTHER" => {
            fault(FaultReason::Unknown, "the model stopped without saying why")
        }
        other => Ok(StopReason::from_word(&clean(other))),
    }
}

fn usage(counts: UsageMetadata) -> Usage {
    let cache_read = counts.cached_content_token_count.unwrap_or(0);
    let read = counts.prompt_token_count.unwrap_or(0).saturating_sub(cache_read);
    let thoughts = counts.thoughts_token_count.unwrap_or(0);
    let mut usage = Usage {
        input: read.saturating_add(counts.tool_use_prompt_token_count.unwrap_or(0)),
        output: counts.candidates_token_count.unwrap_or(0).saturating_add(thoughts),
        cache_read,
        reasoning: thoughts,
        ..Usage::default()
    };
    usage.total_tokens = counts.total_token_count.unwrap_or_else(|| usage.sum());
    usage
}
