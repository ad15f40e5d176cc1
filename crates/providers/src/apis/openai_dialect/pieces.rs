//! The pieces of an answer while they grow.
//!
//! Numbers them, bounds them all together, tells each change as an event, and gives back the whole. Knows nothing of
//! how a server says any of this.

use openclaw_ports::model::{ModelEvent, ModelFault};
use openclaw_types::{Content, Text, Thinking, ToolCall, ToolCallId};
use serde_json::{Map, Value};

use crate::apis::shared::{MAX_TEXT_BYTES, malformed, too_large};

/// What each piece counts beside its text, so that endless empty pieces have an end as well.
const PIECE_BYTES: usize = 64;

/// The pieces so far, in order.
#[derive(Debug, Default)]
pub(in crate::apis) struct Pieces {
    all: Vec<Piece>,
    bytes: usize,
}

#[derive(Debug)]
struct Piece {
    kind: Kind,
    text: String,
    signature: Option<String>,
    open: bool,
}

#[derive(Debug)]
enum Kind {
    Text,
    Thinking,
    Call { id: ToolCallId, name: String },
}

impl Pieces {
    /// Whether there is none yet.
    pub(in crate::apis) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many there are.
    pub(in crate::apis) fn len(&self) -> usize {
        self.all.len()
    }

    /// Begins a piece of words.
    pub(in crate::apis) fn open_text(&mut self) -> Result<usize, ModelFault> {
        self.open(Kind::Text)
    }

    /// Begins a piece of thoughts.
    pub(in crate::apis) fn open_thinking(&mut self) -> Result<usize, ModelFault> {
        self.open(Kind::Thinking)
    }

    /// Begins a tool call. An id that another call of this answer has is changed: results are joined by it.
    pub(in crate::apis) fn open_call(
        &mut self,
        id: ToolCallId,
        name: String,
        events: &mut Vec<ModelEvent>,
    ) -> Result<usize, ModelFault> {
        let id = self.unused(id)?;
        self.account(id.as_str().len() + name.len())?;
        let piece = self.open(Kind::Call { id: id.clone(), name: name.clone() })?;
        events.push(ModelEvent::ToolCallStarted { piece, id, name });
        Ok(piece)
    }

    /// Adds to a piece. What is empty changes nothing, and a piece that is whole stays as it is.
    pub(in crate::apis) fn grow(
        &mut self,
        piece: usize,
        delta: &str,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        self.account(delta.len())?;
        let Some(growing) = self.all.get_mut(piece).filter(|growing| growing.open && !delta.is_empty())
        else {
            return Ok(());
        };
        growing.text.push_str(delta);
        let delta = delta.to_owned();
        events.push(match growing.kind {
            Kind::Text => ModelEvent::Text { piece, delta },
            Kind::Thinking => ModelEvent::Thinking { piece, delta },
            Kind::Call { .. } => ModelEvent::ToolCallArguments { piece, delta },
        });
        Ok(())
    }

    /// Adds what a piece still lacks of its whole text. Where the two do not agree, what was streamed stays.
    pub(in crate::apis) fn complete(
        &mut self,
        piece: usize,
        whole: &str,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        match whole.strip_prefix(self.text(piece)) {
            Some(rest) => self.grow(piece, rest, events),
            None => Ok(()),
        }
    }

    /// Keeps the vendor's proof for a piece that is still open.
    pub(in crate::apis) fn sign(&mut self, piece: usize, signature: String) -> Result<(), ModelFault> {
        self.account(signature.len())?;
        if let Some(signed) = self.all.get_mut(piece).filter(|signed| signed.open) {
            signed.signature = Some(signature);
        }
        Ok(())
    }

    /// The text of a piece so far.
    pub(in crate::apis) fn text(&self, piece: usize) -> &str {
        self.all.get(piece).map_or("", |piece| &piece.text)
    }

    /// Whether a piece is of thoughts and still open.
    pub(in crate::apis) fn is_open_thinking(&self, piece: usize) -> bool {
        self.all.get(piece).is_some_and(|piece| piece.open && matches!(piece.kind, Kind::Thinking))
    }

    /// The place of the tool call with this id.
    pub(in crate::apis) fn call_with_id(&self, wanted: &str) -> Option<usize> {
        self.all
            .iter()
            .position(|piece| matches!(&piece.kind, Kind::Call { id, .. } if id.as_str() == wanted))
    }

    /// Says that a piece is whole.
    pub(in crate::apis) fn close(&mut self, piece: usize, events: &mut Vec<ModelEvent>) {
        if let Some(closing) = self.all.get_mut(piece).filter(|closing| closing.open) {
            closing.open = false;
            events.push(ModelEvent::PieceEnded { piece, content: closing.content() });
        }
    }

    /// Says that every piece is whole and gives back the answer.
    pub(in crate::apis) fn close_all(&mut self, events: &mut Vec<ModelEvent>) -> Vec<Content> {
        for piece in 0..self.all.len() {
            self.close(piece, events);
        }
        self.all.iter().map(Piece::content).collect()
    }

    /// Counts bytes that are kept somewhere for this answer.
    ///
    /// # Errors
    /// When the answer is larger than we take.
    pub(in crate::apis) fn account(&mut self, bytes: usize) -> Result<(), ModelFault> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MAX_TEXT_BYTES { Err(too_large()) } else { Ok(()) }
    }

    fn unused(&self, id: ToolCallId) -> Result<ToolCallId, ModelFault> {
        if self.call_with_id(id.as_str()).is_none() {
            return Ok(id);
        }
        // What stands behind a bar is the vendor's name for the item, which cannot be the same item again.
        let start = id.as_str().split('|').next().unwrap_or_default();
        let mut made = (self.len()..=2 * self.len()).map(|number| format!("{start}_{number}"));
        made.find(|made| self.call_with_id(made).is_none())
            .and_then(|made| ToolCallId::new(made).ok())
            .ok_or_else(|| malformed("two tool calls with one id"))
    }

    fn open(&mut self, kind: Kind) -> Result<usize, ModelFault> {
        self.account(PIECE_BYTES)?;
        self.all.push(Piece { kind, text: String::new(), signature: None, open: true });
        Ok(self.all.len() - 1)
    }
}

impl Piece {
    fn content(&self) -> Content {
        let (text, signature) = (self.text.clone(), self.signature.clone());
        match &self.kind {
            Kind::Text => Content::Text(Text { text, signature }),
            Kind::Thinking => Content::Thinking(Thinking { text, signature }),
            Kind::Call { id, name } => Content::ToolCall(ToolCall {
                id: id.clone(),
                name: name.clone(),
                arguments: arguments(&text),
                signature,
            }),
        }
    }
}

/// The arguments of a call. What is no JSON stays as it was written, for the tool layer to answer.
fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) => Value::Object(Map::new()),
        // Some servers write the object as a text inside the text.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(Value::Object(object)) => Value::Object(object),
            _ => Value::String(inner),
        },
        Ok(value) => value,
        Err(_) => Value::String(text.to_owned()),
    }
}
