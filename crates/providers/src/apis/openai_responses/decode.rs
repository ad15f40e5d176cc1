//! Reads the events of a responses answer.
//!
//! An answer is a list of items; each grows by deltas and is told once more as a whole at its end, which fills in
//! what the deltas left out. The end is `response.completed`, `.incomplete` or `.failed`, or an `error` event.
//! Items are found by their number; their ids are not reliable, some gateways seal them anew in every event.

use openclaw_ports::model::{Completion, ModelEvent, ModelFault};
use openclaw_types::{StopReason, ToolCallId, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::wire::{Event, ItemPart, OutputItem, Response, UsageCounts};
use super::{classify, signature};
use crate::apis::openai_dialect::{
    DialectOutcome, Dialog, Heading, Pieces, Progress, Tokens, conclude, usage,
};
use crate::apis::shared::{cut_off, malformed, too_large};
use crate::framing::SseEvent;

/// What stands between the parts of a summary.
const BETWEEN_PARTS: &str = "\n\n";

/// The most items of one answer; each event is compared with all of them.
const MAX_ITEMS: usize = 1024;

/// What is known of an answer so far.
#[derive(Debug, Default)]
pub(super) struct ResponseState {
    heading: Heading,
    pieces: Pieces,
    items: Vec<Slot>,
}

/// An item of the answer.
#[derive(Debug)]
struct Slot {
    kind: Kind,
    output_index: Option<u64>,
    item_id: Option<String>,
    /// The piece it became, once there is something in it.
    piece: Option<usize>,
    /// The part of the summary that came last.
    part: Option<u64>,
    done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Message,
    Reasoning,
    Call,
}

impl Kind {
    fn of(word: &str) -> Option<Self> {
        match word {
            "message" => Some(Self::Message),
            "reasoning" => Some(Self::Reasoning),
            "function_call" => Some(Self::Call),
            // Tools that run at the vendor are never asked for.
            _ => None,
        }
    }
}

impl Dialog for ResponseState {
    fn event(&mut self, event: SseEvent<'_>, events: &mut Vec<ModelEvent>) -> Result<Progress, ModelFault> {
        let data = event.data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(Progress::More);
        }
        let read: Event<'_> =
            serde_json::from_str(data).map_err(|_error| malformed("an event of the answer"))?;
        let kind = read.kind.as_deref().or(event.name).unwrap_or_default();
        match kind {
            "response.completed"
            | "response.done"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled" => {
                let response = response_of(read.response)?;
                let status = kind.trim_start_matches("response.");
                self.ended(&response, status, events).map(Progress::Ended)
            }
            "error" => Err(classify::error_event(data)),
            "" if names_error(data) => Err(classify::error_event(data)),
            kind => self.grow(kind, &read, events).map(|()| Progress::More),
        }
    }

    fn whole(&mut self, body: &str, events: &mut Vec<ModelEvent>) -> Result<Completion, ModelFault> {
        let response: Response<'_> =
            serde_json::from_str(body).map_err(|_error| malformed("the answer as a whole"))?;
        if response.output.is_none() {
            return Err(if names_error(body) { classify::error_event(body) } else { cut_off() });
        }
        let status = response.status.clone().unwrap_or_default();
        self.ended(&response, &status, events)
    }

    fn body_ended(&mut self, _events: &mut Vec<ModelEvent>) -> Result<Completion, ModelFault> {
        Err(cut_off())
    }
}

impl ResponseState {
    fn grow(
        &mut self,
        kind: &str,
        event: &Event<'_>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        match kind {
            "response.created" | "response.in_progress" | "response.queued" => {
                let response = response_of(event.response)?;
                self.heading.learn(response.id.as_deref(), response.model.as_deref());
                self.heading.announce(events);
                Ok(())
            }
            "response.output_item.added" => self.added(event, events),
            "response.output_item.done" => self.done(event.output_index, event.item, events),
            "response.output_text.delta" | "response.refusal.delta" => self.text(event, events),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.thought(event, events)
            }
            "response.function_call_arguments.delta" => {
                let delta = text_of(event.delta)?;
                match self.find(Kind::Call, event).and_then(|slot| self.items[slot].piece) {
                    Some(piece) => self.pieces.grow(piece, &delta, events),
                    None => Err(malformed("arguments without a call")),
                }
            }
            "response.function_call_arguments.done" => {
                let whole = text_of(event.arguments)?;
                match self.find(Kind::Call, event).and_then(|slot| self.items[slot].piece) {
                    Some(piece) => self.pieces.complete(piece, &whole, events),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn added(&mut self, event: &Event<'_>, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let Some((item, _)) = item_of(event.item)? else { return Ok(()) };
        let Some(kind) = Kind::of(&item.kind) else { return Ok(()) };
        self.heading.announce(events);
        let slot = self.open(kind, event.output_index, item.id.clone())?;
        if kind == Kind::Call {
            self.begin_call(slot, &item, events)?;
        }
        Ok(())
    }

    fn text(&mut self, event: &Event<'_>, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let delta = text_of(event.delta)?;
        let slot = self.find_or_open(Kind::Message, event, events)?;
        self.add(slot, &delta, events)
    }

    fn thought(&mut self, event: &Event<'_>, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        let delta = text_of(event.delta)?;
        let slot = self.find_or_open(Kind::Reasoning, event, events)?;
        let before = std::mem::replace(&mut self.items[slot].part, event.summary_index);
        if self.items[slot].piece.is_some() && before != event.summary_index {
            self.add(slot, BETWEEN_PARTS, events)?;
        }
        self.add(slot, &delta, events)
    }

    /// Takes an item as a whole: fills in what is missing, keeps its proof, and ends its piece.
    fn done(
        &mut self,
        output_index: Option<u64>,
        item: Option<&RawValue>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        let Some((item, raw)) = item_of(item)? else { return Ok(()) };
        let Some(kind) = Kind::of(&item.kind) else { return Ok(()) };
        self.heading.announce(events);
        let slot = match self.position(kind, output_index, item.id.as_deref()) {
            Some(slot) => slot,
            None => self.open(kind, output_index, item.id.clone())?,
        };
        if std::mem::replace(&mut self.items[slot].done, true) {
            return Ok(());
        }
        match kind {
            Kind::Message => self.message_done(slot, &item, events)?,
            Kind::Reasoning => self.reasoning_done(slot, &item, raw, events)?,
            Kind::Call => {
                self.begin_call(slot, &item, events)?;
                if let (Some(piece), Some(whole)) = (self.items[slot].piece, &item.arguments) {
                    self.pieces.complete(piece, whole, events)?;
                }
            }
        }
        if let Some(piece) = self.items[slot].piece {
            self.pieces.close(piece, events);
        }
        Ok(())
    }

    fn message_done(
        &mut self,
        slot: usize,
        item: &OutputItem,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        let whole: String = item
            .content
            .iter()
            .flatten()
            .filter_map(|part| part.text.as_ref().or(part.refusal.as_ref()))
            .cloned()
            .collect();
        self.complete(slot, &whole, events)?;
        match (self.items[slot].piece, signature::of_text(item)) {
            (Some(piece), Some(signature)) => self.pieces.sign(piece, signature),
            _ => Ok(()),
        }
    }

    fn reasoning_done(
        &mut self,
        slot: usize,
        item: &OutputItem,
        raw: &RawValue,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        let summary = joined(item.summary.as_deref().unwrap_or_default());
        let whole =
            if summary.is_empty() { joined(item.content.as_deref().unwrap_or_default()) } else { summary };
        self.complete(slot, &whole, events)?;
        let sealed = item.encrypted_content.as_ref().is_some_and(|sealed| !sealed.is_empty());
        if self.items[slot].piece.is_none() && sealed {
            self.items[slot].piece = Some(self.pieces.open_thinking()?);
        }
        match self.items[slot].piece {
            Some(piece) => self.pieces.sign(piece, compact(raw)),
            None => Ok(()),
        }
    }

    fn begin_call(
        &mut self,
        slot: usize,
        item: &OutputItem,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        if self.items[slot].piece.is_some() {
            return Ok(());
        }
        let Some(name) = item.name.clone().filter(|name| !name.is_empty()) else {
            return Err(malformed("a tool call without a name"));
        };
        let id = match signature::of_call(item) {
            Some(id) => id,
            None => ToolCallId::new(format!("call_{slot}")).map_err(|error| malformed(&error.to_string()))?,
        };
        let piece = self.pieces.open_call(id, name, events)?;
        self.items[slot].piece = Some(piece);
        self.pieces.grow(piece, item.arguments.as_deref().unwrap_or_default(), events)
    }

    fn ended(
        &mut self,
        response: &Response<'_>,
        status: &str,
        events: &mut Vec<ModelEvent>,
    ) -> Result<Completion, ModelFault> {
        self.heading.learn(response.id.as_deref(), response.model.as_deref());
        self.heading.announce(events);
        let stop = match response.status.as_deref().unwrap_or(status) {
            "failed" | "cancelled" => return Err(classify::failed(response)),
            "incomplete" => classify::incomplete(response)?,
            _ => StopReason::Stop,
        };
        // Servers that do not stream their items tell them here.
        if self.items.is_empty() {
            for (number, item) in response.output.iter().flatten().enumerate() {
                self.done(u64::try_from(number).ok(), Some(item), events)?;
            }
        }
        let outcome = DialectOutcome { stop, usage: response.usage.as_ref().and_then(UsageCounts::to_usage) };
        conclude(&self.heading, &mut self.pieces, outcome, events)
    }

    fn add(&mut self, slot: usize, delta: &str, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        if delta.is_empty() {
            return Ok(());
        }
        let piece = match (self.items[slot].piece, self.items[slot].kind) {
            (Some(piece), _) => piece,
            (None, Kind::Reasoning) => self.pieces.open_thinking()?,
            (None, _) => self.pieces.open_text()?,
        };
        self.items[slot].piece = Some(piece);
        self.pieces.grow(piece, delta, events)
    }

    fn complete(&mut self, slot: usize, whole: &str, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        match self.items[slot].piece {
            Some(piece) => self.pieces.complete(piece, whole, events),
            None => self.add(slot, whole, events),
        }
    }

    fn find_or_open(
        &mut self,
        kind: Kind,
        event: &Event<'_>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<usize, ModelFault> {
        self.heading.announce(events);
        match self.find(kind, event) {
            Some(slot) => Ok(slot),
            None => self.open(kind, event.output_index, event.item_id.clone()),
        }
    }

    fn find(&self, kind: Kind, event: &Event<'_>) -> Option<usize> {
        self.position(kind, event.output_index, event.item_id.as_deref())
    }

    /// The item of this kind with this number, else with this id, else the last one that is not done.
    fn position(&self, kind: Kind, output_index: Option<u64>, item_id: Option<&str>) -> Option<usize> {
        let find = |test: &dyn Fn(&Slot) -> bool| {
            self.items.iter().rposition(|slot| slot.kind == kind && test(slot))
        };
        if output_index.is_some() {
            return find(&|slot| slot.output_index == output_index);
        }
        find(&|slot| item_id.is_some() && slot.item_id.as_deref() == item_id)
            .or_else(|| find(&|slot| !slot.done && (item_id.is_none() || slot.item_id.is_none())))
    }

    fn open(
        &mut self,
        kind: Kind,
        output_index: Option<u64>,
        item_id: Option<String>,
    ) -> Result<usize, ModelFault> {
        if self.items.len() >= MAX_ITEMS {
            return Err(too_large());
        }
        self.pieces.account(64 + item_id.as_ref().map_or(0, String::len))?;
        self.items.push(Slot { kind, output_index, item_id, piece: None, part: None, done: false });
        Ok(self.items.len() - 1)
    }
}

fn response_of(raw: Option<&RawValue>) -> Result<Response<'_>, ModelFault> {
    match raw {
        Some(raw) => serde_json::from_str(raw.get()).map_err(|_error| malformed("the state of the answer")),
        None => Ok(Response::default()),
    }
}

fn item_of(raw: Option<&RawValue>) -> Result<Option<(OutputItem, &RawValue)>, ModelFault> {
    let Some(raw) = raw else { return Ok(None) };
    match serde_json::from_str::<OutputItem>(raw.get()) {
        Ok(item) => Ok(Some((item, raw))),
        Err(_) if is_unknown_item(raw) => Ok(None),
        Err(_) => Err(malformed("an item of the answer")),
    }
}

/// Whether an item is of a kind whose fields we do not know, so that it need not be readable.
fn is_unknown_item(raw: &RawValue) -> bool {
    serde_json::from_str::<Value>(raw.get()).is_ok_and(|item| {
        item.get("type").and_then(Value::as_str).is_some_and(|kind| Kind::of(kind).is_none())
    })
}

fn text_of(raw: Option<&RawValue>) -> Result<String, ModelFault> {
    match raw {
        Some(raw) => serde_json::from_str(raw.get()).map_err(|_error| malformed("a piece of text")),
        None => Ok(String::new()),
    }
}

fn joined(parts: &[ItemPart]) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.text.as_deref()).collect();
    texts.join(BETWEEN_PARTS)
}

fn compact(raw: &RawValue) -> String {
    match serde_json::from_str::<Value>(raw.get()) {
        Ok(value) => value.to_string(),
        Err(_) => raw.get().to_owned(),
    }
}

fn names_error(data: &str) -> bool {
    serde_json::from_str::<Value>(data).is_ok_and(|value| {
        ["error", "detail"].iter().any(|name| value.get(*name).is_some_and(|error| !error.is_null()))
    })
}

impl UsageCounts {
    fn to_usage(&self) -> Option<Usage> {
        let input = self.input_tokens_details.as_ref();
        usage(Tokens {
            read: self.input_tokens.0,
            cached: input.map_or(0, |details| details.cached_tokens.0),
            cache_write: input.map_or(0, |details| details.cache_write_tokens.0),
            written: self.output_tokens.0,
            reasoning: self.output_tokens_details.as_ref().map_or(0, |details| details.reasoning_tokens.0),
            total: self.total_tokens.0,
        })
    }
}
