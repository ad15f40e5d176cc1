//! Joins the deltas of tool calls to calls.
//!
//! The protocol numbers calls and names them in their first delta. Compatible servers repeat the id in every delta or
//! give a new one each time, leave the number out, number every call zero, or send whole calls at once. The rules:
//! a number joins; without one an id joins; without either a delta continues the last call. A delta that names a
//! tool begins a new call where the joined one is already whole, or is for another tool.

use openclaw_ports::model::{ModelEvent, ModelFault};
use openclaw_types::ToolCallId;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::whole::JsonEnd;
use super::wire::{CallDelta, FunctionDelta};
use crate::apis::openai_dialect::{Heading, Pieces};
use crate::apis::shared::{malformed, too_large};

/// The most calls of one answer; each delta is compared with all of them.
const MAX_CALLS: usize = 1024;

/// The longest arguments that are parsed to see whether they are whole.
const MAX_WORD: usize = 32;

/// The calls of one answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    all: Vec<OpenCall>,
}

#[derive(Debug)]
struct OpenCall {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    place: Place,
    /// How far the arguments are.
    end: JsonEnd,
}

/// What a delta says about which call it is of.
struct News<'a> {
    index: Option<u64>,
    id: Option<&'a str>,
    name: &'a str,
    arguments: &'a str,
}

/// Where the arguments of a call gather.
#[derive(Debug)]
enum Place {
    /// Here, until the tool's name is known.
    Held(String),
    /// In this piece of the answer.
    Piece(usize),
}

impl Calls {
    /// Takes one delta.
    pub(super) fn take(
        &mut self,
        delta: CallDelta,
        heading: &Heading,
        pieces: &mut Pieces,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        let function = delta.function.unwrap_or_default();
        let id = delta.id.filter(|id| !id.is_empty());
        let name = function.name.as_deref().unwrap_or_default();
        let arguments = argument_text(&function);
        let news = News { index: delta.index, id: id.as_deref(), name, arguments: &arguments };
        let at = match self.joined(&news, pieces) {
            Some(at) => at,
            None if self.all.len() >= MAX_CALLS => return Err(too_large()),
            None => {
                pieces.account(64 + id.as_ref().map_or(0, String::len))?;
                self.all.push(OpenCall {
                    index: delta.index,
                    id,
                    name: String::new(),
                    place: Place::Held(String::new()),
                    end: JsonEnd::default(),
                });
                self.all.len() - 1
            }
        };
        let call = &mut self.all[at];
        if call.name.is_empty() && !name.is_empty() {
            call.name = name.to_owned();
            call.start(at, heading, pieces, events)?;
        }
        call.grow(&arguments, pieces, events)?;
        if let (Place::Piece(piece), Some(extra)) = (&call.place, delta.extra_content) {
            let proof = serde_json::json!({ "extra_content": extra });
            pieces.sign(*piece, proof.to_string())?;
        }
        Ok(())
    }

    /// Says whether every call is one.
    ///
    /// # Errors
    /// When a call never got a name.
    pub(super) fn check(&self) -> Result<(), ModelFault> {
        match self.all.iter().any(|call| call.name.is_empty()) {
            true => Err(malformed("a tool call without a name")),
            false => Ok(()),
        }
    }

    fn joined(&self, news: &News<'_>, pieces: &Pieces) -> Option<usize> {
        let last_where = |test: &dyn Fn(&OpenCall) -> bool| self.all.iter().rposition(test);
        let same_id = |call: &OpenCall| news.id.is_some() && call.id.as_deref() == news.id;
        let at = match (news.index, news.id) {
            (Some(_), _) => last_where(&|call| call.index == news.index)?,
            (None, Some(_)) => last_where(&same_id)?,
            (None, None) => self.all.len().checked_sub(1)?,
        };
        let call = &self.all[at];
        let named = !news.name.is_empty() && !call.name.is_empty();
        let another = named
            && !same_id(call)
            && (call.name != news.name || (!news.arguments.is_empty() && call.is_whole(pieces)));
        (!another).then_some(at)
    }
}

impl OpenCall {
    fn start(
        &mut self,
        number: usize,
        heading: &Heading,
        pieces: &mut Pieces,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        let Place::Held(held) = &mut self.place else { return Ok(()) };
        let held = std::mem::take(held);
        let given = self.id.as_deref().and_then(|id| ToolCallId::new(id).ok());
        let id = match given.filter(|id| pieces.call_with_id(id.as_str()).is_none()) {
            Some(id) => id,
            None => made_up_id(heading, number)?,
        };
        let piece = pieces.open_call(id, self.name.clone(), events)?;
        self.place = Place::Piece(piece);
        pieces.grow(piece, &held, events)
    }

    fn grow(
        &mut self,
        delta: &str,
        pieces: &mut Pieces,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        self.end.push(delta);
        match &mut self.place {
            Place::Piece(piece) => pieces.grow(*piece, delta, events),
            Place::Held(held) => {
                held.push_str(delta);
                pieces.account(delta.len())
            }
        }
    }

    fn is_whole(&self, pieces: &Pieces) -> bool {
        let text = match &self.place {
            Place::Held(held) => held,
            Place::Piece(piece) => pieces.text(*piece),
        };
        // Words such as `null` have no brackets to follow.
        let is_word = || text.len() <= MAX_WORD && serde_json::from_str::<IgnoredAny>(text).is_ok();
        self.end.is_reached() || is_word()
    }
}

/// The new part of a call's arguments; servers that do not stream them may give the object itself.
fn argument_text(function: &FunctionDelta) -> String {
    match &function.arguments {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(value) => value.to_string(),
    }
}

/// An id for a call whose server gives none, from the name of the answer so that no two answers share it.
fn made_up_id(heading: &Heading, number: usize) -> Result<ToolCallId, ModelFault> {
    let answer: String =
        heading.response_id().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
    let tail = &answer[answer.len().saturating_sub(24)..];
    let text = if tail.is_empty() { format!("call_{number}") } else { format!("call_{tail}_{number}") };
    ToolCallId::new(text).map_err(|error| malformed(&error.to_string()))
}
