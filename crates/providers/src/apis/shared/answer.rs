//! Puts an answer together from whole words, thoughts, calls and pictures, and reports each as it comes.
//!
//! For protocols whose stream has no piece numbers of its own: a piece grows while more of its kind comes, and ends
//! when something else does. Names calls that come without a name. Bounded: too much text is a fault.

use std::cell::OnceCell;
use std::collections::HashSet;

use openclaw_ports::model::{ModelEvent, ModelFault};
use openclaw_types::{Content, Image, ImageData, StopReason, Text, Thinking, ToolCall, ToolCallId};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{MAX_TEXT_BYTES, malformed, too_large};
use crate::framing::MAX_FRAME_BYTES;

/// What a piece weighs before it holds anything, so that endless small pieces end too.
const PIECE_BYTES: usize = 64;
/// The most pictures that one answer may have, in bytes of Base64. One of them may fill a frame.
const MAX_PICTURE_BYTES: usize = 2 * MAX_FRAME_BYTES;

/// An answer that grows.
#[derive(Debug, Default)]
pub(crate) struct GrowingAnswer {
    pieces: Vec<Content>,
    growing: bool,
    bytes: usize,
    picture_bytes: usize,
    calls: HashSet<ToolCallId>,
}

/// A call as it came, all at once.
#[derive(Debug)]
pub(crate) struct WholeCall<'a> {
    /// The server's name for it, where it gave one.
    pub(crate) id: Option<&'a str>,
    /// The tool.
    pub(crate) name: String,
    /// The arguments: an object, or a text that holds one.
    pub(crate) arguments: Option<Value>,
    /// The vendor's proof.
    pub(crate) signature: Option<String>,
    /// What a name is made from when there is none: the frame that brought the call.
    pub(crate) seed: &'a Seed<'a>,
}

/// A frame that names are made from. It is read at most once, however many calls it brings.
#[derive(Debug)]
pub(crate) struct Seed<'a> {
    frame: &'a str,
    hash: OnceCell<Sha256>,
}

/// What a piece that grows is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
}

impl GrowingAnswer {
    /// Takes more words.
    ///
    /// # Errors
    /// When the answer grows too large.
    pub(crate) fn text(
        &mut self,
        delta: impl Into<String>,
        signature: Option<String>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        self.grow(Kind::Text, delta.into(), signature, events)
    }

    /// Takes more thoughts.
    ///
    /// # Errors
    /// When the answer grows too large.
    pub(crate) fn thinking(
        &mut self,
        delta: impl Into<String>,
        signature: Option<String>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        self.grow(Kind::Thinking, delta.into(), signature, events)
    }

    /// Takes a call.
    ///
    /// # Errors
    /// When the answer grows too large.
    pub(crate) fn call(
        &mut self,
        call: WholeCall<'_>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        self.close(events);
        let piece = self.pieces.len();
        let id = self.name_call(call.id, call.seed)?;
        let (delta, arguments) = arguments(call.arguments);
        let proof = call.signature.as_ref().map_or(0, String::len);
        self.count(PIECE_BYTES + id.as_str().len() + call.name.len() + delta.len() + proof)?;
        events.push(ModelEvent::ToolCallStarted { piece, id: id.clone(), name: call.name.clone() });
        events.push(ModelEvent::ToolCallArguments { piece, delta });
        let content =
            Content::ToolCall(ToolCall { id, name: call.name, arguments, signature: call.signature });
        self.whole(content, events);
        Ok(())
    }

    /// Takes a picture.
    ///
    /// # Errors
    /// When the answer grows too large.
    pub(crate) fn image(&mut self, image: Image, events: &mut Vec<ModelEvent>) -> Result<(), ModelFault> {
        self.close(events);
        self.count(PIECE_BYTES)?;
        if let ImageData::Inline(data) = &image.data {
            self.picture_bytes = self.picture_bytes.saturating_add(data.len());
        }
        if self.picture_bytes > MAX_PICTURE_BYTES {
            return Err(too_large());
        }
        self.whole(Content::Image(image), events);
        Ok(())
    }

    /// Ends the piece that grows, if one does.
    pub(crate) fn close(&mut self, events: &mut Vec<ModelEvent>) {
        if let (true, Some(content)) = (self.growing, self.pieces.last()) {
            events.push(ModelEvent::PieceEnded { piece: self.pieces.len() - 1, content: content.clone() });
        }
        self.growing = false;
    }

    /// The answer so far; `close` comes first.
    pub(crate) fn take(&mut self) -> Vec<Content> {
        std::mem::take(&mut self.pieces)
    }

    /// Whether the model asks for a tool.
    pub(crate) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Whether there is nothing that anyone could use. Thoughts alone count only where the limit cut them off.
    pub(crate) fn is_empty(&self, stop: &StopReason) -> bool {
        !self.pieces.iter().any(|piece| match piece {
            Content::Text(text) => !text.text.trim().is_empty(),
            Content::Thinking(_) => *stop == StopReason::Length,
            _ => true,
        })
    }

    fn grow(
        &mut self,
        kind: Kind,
        delta: String,
        signature: Option<String>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        let signature = signature.filter(|signature| !signature.is_empty());
        if delta.is_empty() && signature.is_none() {
            return Ok(());
        }
        self.count(delta.len() + signature.as_ref().map_or(0, String::len))?;
        if !self.continues(kind, signature.as_deref()) {
            self.count(PIECE_BYTES)?;
            self.close(events);
            self.pieces.push(match kind {
                Kind::Text => Content::text(""),
                Kind::Thinking => Content::Thinking(Thinking { text: String::new(), signature: None }),
            });
            self.growing = true;
        }
        let piece = self.pieces.len() - 1;
        if let Some(
            Content::Text(Text { text, signature: proof })
            | Content::Thinking(Thinking { text, signature: proof }),
        ) = self.pieces.last_mut()
        {
            text.push_str(&delta);
            if signature.is_some() {
                *proof = signature;
            }
        }
        if !delta.is_empty() {
            events.push(match kind {
                Kind::Text => ModelEvent::Text { piece, delta },
                Kind::Thinking => ModelEvent::Thinking { piece, delta },
            });
        }
        Ok(())
    }

    /// Whether the piece that grows takes more of this. Two different proofs belong to two pieces.
    fn continues(&self, kind: Kind, signature: Option<&str>) -> bool {
        let (same, proof) = match self.pieces.last() {
            Some(Content::Text(text)) => (kind == Kind::Text, text.signature.as_deref()),
            Some(Content::Thinking(thinking)) => (kind == Kind::Thinking, thinking.signature.as_deref()),
            _ => (false, None),
        };
        self.growing && same && (proof.is_none() || signature.is_none() || proof == signature)
    }

    fn whole(&mut self, content: Content, events: &mut Vec<ModelEvent>) {
        events.push(ModelEvent::PieceEnded { piece: self.pieces.len(), content: content.clone() });
        self.pieces.push(content);
    }

    fn count(&mut self, bytes: usize) -> Result<(), ModelFault> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MAX_TEXT_BYTES { Err(too_large()) } else { Ok(()) }
    }

    /// The server's own name where it is a new one, else one made from the frame: the same stream gives the same
    /// names, and another answer gives others.
    fn name_call(&mut self, own: Option<&str>, seed: &Seed<'_>) -> Result<ToolCallId, ModelFault> {
        let own = own.and_then(|own| ToolCallId::new(own).ok()).filter(|own| !self.calls.contains(own));
        let named = own.map_or_else(|| ToolCallId::new(seed.name(self.pieces.len())), Ok);
        let Ok(id) = named else { return Err(malformed("a tool call")) };
        self.calls.insert(id.clone());
        Ok(id)
    }
}

impl<'a> Seed<'a> {
    /// A seed of this frame.
    pub(crate) fn new(frame: &'a str) -> Self {
        Self { frame, hash: OnceCell::new() }
    }

    fn name(&self, number: usize) -> String {
        let mut hash = self.hash.get_or_init(|| Sha256::new_with_prefix(self.frame)).clone();
        hash.update(number.to_be_bytes());
        format!("call_{}", hex::encode(&hash.finalize()[..12]))
    }
}

/// The arguments as text and as a value. A text that holds no JSON stays a text, for the tool to complain about.
fn arguments(arguments: Option<Value>) -> (String, Value) {
    match arguments {
        None | Some(Value::Null) => ("{}".to_owned(), Value::Object(Map::new())),
        Some(Value::String(text)) if text.trim().is_empty() => ("{}".to_owned(), Value::Object(Map::new())),
        Some(Value::String(text)) => {
            let value = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone()));
            (text, value)
        }
        Some(value) => (value.to_string(), value),
    }
}
