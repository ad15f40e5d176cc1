//! An answer that grows piece by piece: numbers its pieces, bounds its size, ends it exactly once.
//!
//! A protocol names its pieces by keys of its own, which may be used again once a piece is whole. Here a piece gets
//! its number with its first substance, so that pieces that stay empty leave no gap.

use std::collections::HashSet;

use openclaw_ports::model::{Completion, ModelEvent, ModelFault};
use openclaw_types::{Content, RedactedThinking, StopReason, Text, Thinking, ToolCall, ToolCallId, Usage};
use serde_json::Value;

use super::sealed::Sealed;
use crate::apis::shared::{MAX_TEXT_BYTES, empty, malformed, too_large};

#[cfg(test)]
mod tests;

/// What a piece weighs before it holds anything, so that endless empty pieces end too.
const PIECE_BYTES: usize = 64;
/// How many pieces may grow at once.
const MAX_OPEN_PIECES: usize = 256;

/// An answer while it arrives.
#[derive(Debug, Default)]
pub(crate) struct BlockAnswer {
    open: Vec<Piece>,
    contents: Vec<Option<Content>>,
    calls: HashSet<ToolCallId>,
    bytes: usize,
    response_id: Option<String>,
    model: Option<String>,
    stage: Stage,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    #[default]
    Waiting,
    Started,
    Over,
}

#[derive(Debug)]
struct Piece {
    key: u64,
    number: Option<usize>,
    draft: Draft,
}

/// A piece that is not whole yet.
#[derive(Debug)]
pub(crate) enum Draft {
    /// Words.
    Text(String),
    /// Thoughts and their proof.
    Thinking {
        /// The thoughts.
        text: String,
        /// The proof.
        signature: String,
    },
    /// Thoughts that the vendor sealed, in Base64.
    Sealed(Sealed),
    /// A tool call.
    Call {
        /// Joins the call with its result.
        id: ToolCallId,
        /// The tool.
        name: String,
        /// The arguments so far, as JSON text.
        arguments: String,
        /// Arguments that came with the start, for servers that stream none.
        given: Option<Value>,
    },
    /// A kind of piece that means nothing to us.
    Ignored,
}

/// More of a piece.
#[derive(Debug)]
pub(crate) enum Growth {
    /// More words.
    Text(String),
    /// More thoughts.
    Thinking(String),
    /// More of the proof of thoughts.
    Signature(String),
    /// The whole proof of thoughts, in place of any before it.
    WholeSignature(String),
    /// More sealed thoughts, in Base64.
    Sealed(String),
    /// More of a call's arguments.
    Arguments(String),
}

/// How an answer came to its end.
#[derive(Debug)]
pub(crate) struct AnswerEnd {
    /// Why the model stopped; told by the pieces when the server does not say.
    pub(crate) stop: Option<StopReason>,
    /// What it took.
    pub(crate) usage: Option<Usage>,
}

impl BlockAnswer {
    /// Whether the answer has ended; nothing may be added after that.
    pub(crate) fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// The server names its answer. Only the first time counts.
    pub(crate) fn start(&mut self, id: Option<String>, model: Option<String>, events: &mut Vec<ModelEvent>) {
        if self.stage != Stage::Waiting {
            return;
        }
        self.stage = Stage::Started;
        self.response_id.clone_from(&id);
        self.model.clone_from(&model);
        events.push(ModelEvent::Started { response_id: id, model });
    }

    /// A piece begins. One that still grows under the same key is whole with that.
    pub(crate) fn begin(
        &mut self,
        key: u64,
        draft: Draft,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        // A name that comes later is not told: the start comes first or not at all.
        if self.stage == Stage::Waiting {
            self.stage = Stage::Started;
        }
        self.close(key, events);
        if self.open.len() >= MAX_OPEN_PIECES {
            return Err(malformed("too many pieces at once"));
        }
        self.weigh(PIECE_BYTES)?;
        let (draft, first) = draft.emptied();
        let mut piece = Piece { key, number: None, draft };
        if let Draft::Call { id, name, given, .. } = &mut piece.draft {
            *id = unused(id, &self.calls)?;
            self.calls.insert(id.clone());
            let (id, name) = (id.clone(), name.clone());
            let given = given.as_ref().map_or(0, |given| given.to_string().len());
            self.weigh(id.as_str().len() + name.len() + given)?;
            let number = number(&mut piece, &mut self.contents);
            events.push(ModelEvent::ToolCallStarted { piece: number, id, name });
        }
        self.open.push(piece);
        first.into_iter().try_for_each(|growth| self.grow(key, growth, events))
    }

    /// A piece grows. Protocols that announce only some kinds of pieces begin the others with this.
    pub(crate) fn grow(
        &mut self,
        key: u64,
        growth: Growth,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFault> {
        self.weigh(growth.bytes())?;
        if !self.open.iter().any(|piece| piece.key == key) {
            self.begin(key, growth.implied_draft()?, events)?;
        }
        if let Some(piece) = self.open.iter_mut().find(|piece| piece.key == key) {
            extend(piece, growth, &mut self.contents, events);
        }
        Ok(())
    }

    /// A piece is whole.
    pub(crate) fn close(&mut self, key: u64, events: &mut Vec<ModelEvent>) {
        if let Some(at) = self.open.iter().position(|piece| piece.key == key) {
            let piece = self.open.remove(at);
            self.settle(piece, events);
        }
    }

    /// The answer is whole.
    pub(crate) fn done(&mut self, ending: AnswerEnd, events: &mut Vec<ModelEvent>) {
        if self.is_over() {
            return;
        }
        for piece in std::mem::take(&mut self.open) {
            self.settle(piece, events);
        }
        let content: Vec<Content> = std::mem::take(&mut self.contents).into_iter().flatten().collect();
        let calls = content.iter().any(|piece| piece.as_tool_call().is_some());
        let told = if calls { StopReason::ToolUse } else { StopReason::Stop };
        let stop = ending.stop.unwrap_or(told);
        if !content.iter().any(|piece| is_of_use(piece, &stop)) {
            self.fail(empty(), events);
            return;
        }
        self.stage = Stage::Over;
        events.push(ModelEvent::Done(Completion {
            content,
            stop,
            usage: ending.usage,
            response_id: self.response_id.take(),
            model: self.model.take(),
        }));
    }

    /// There will be no answer.
    pub(crate) fn fail(&mut self, fault: ModelFault, events: &mut Vec<ModelEvent>) {
        if self.is_over() {
            return;
        }
        self.stage = Stage::Over;
        self.open = Vec::new();
        self.contents = Vec::new();
        events.push(ModelEvent::Failed(fault));
    }

    fn weigh(&mut self, bytes: usize) -> Result<(), ModelFault> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MAX_TEXT_BYTES { Err(too_large()) } else { Ok(()) }
    }

    fn settle(&mut self, mut piece: Piece, events: &mut Vec<ModelEvent>) {
        if let Draft::Call { arguments, given: Some(given), .. } = &mut piece.draft
            && arguments.is_empty()
        {
            *arguments = given.to_string();
            let delta = arguments.clone();
            events
                .push(ModelEvent::ToolCallArguments { piece: number(&mut piece, &mut self.contents), delta });
        }
        let draft = std::mem::replace(&mut piece.draft, Draft::Ignored);
        if let Some(content) = draft.finished() {
            let number = number(&mut piece, &mut self.contents);
            self.contents[number] = Some(content.clone());
            events.push(ModelEvent::PieceEnded { piece: number, content });
        }
    }
}

impl Draft {
    /// The piece without what it begins with, and that as growth, so that it is counted and told like the rest.
    fn emptied(self) -> (Self, Vec<Growth>) {
        match self {
            Self::Text(text) => (Self::Text(String::new()), vec![Growth::Text(text)]),
            Self::Thinking { text, signature } => (
                Self::Thinking { text: String::new(), signature: String::new() },
                vec![Growth::Thinking(text), Growth::Signature(signature)],
            ),
            Self::Sealed(data) => (Self::Sealed(Sealed::default()), vec![Growth::Sealed(data.whole())]),
            whole @ (Self::Call { .. } | Self::Ignored) => (whole, Vec::new()),
        }
    }

    /// What the piece came to; nothing when it stayed empty.
    fn finished(self) -> Option<Content> {
        match self {
            Self::Text(text) => (!text.is_empty()).then(|| Content::Text(Text { text, signature: None })),
            Self::Thinking { text, signature } => (!text.is_empty() || !signature.is_empty()).then(|| {
                let signature = (!signature.is_empty()).then_some(signature);
                Content::Thinking(Thinking { text, signature })
            }),
            Self::Sealed(data) => {
                let data = data.whole();
                (!data.is_empty()).then(|| Content::RedactedThinking(RedactedThinking { data }))
            }
            Self::Call { id, name, arguments, .. } => {
                let arguments = read_arguments(arguments);
                Some(Content::ToolCall(ToolCall { id, name, arguments, signature: None }))
            }
            Self::Ignored => None,
        }
    }
}

impl Growth {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text)
            | Self::Thinking(text)
            | Self::Signature(text)
            | Self::WholeSignature(text)
            | Self::Sealed(text)
            | Self::Arguments(text) => text.len(),
        }
    }

    fn implied_draft(&self) -> Result<Draft, ModelFault> {
        match self {
            Self::Text(_) => Ok(Draft::Text(String::new())),
            Self::Thinking(_) | Self::Signature(_) | Self::WholeSignature(_) => {
                Ok(Draft::Thinking { text: String::new(), signature: String::new() })
            }
            Self::Sealed(_) => Ok(Draft::Sealed(Sealed::default())),
            Self::Arguments(_) => Err(malformed("arguments of a tool call that never began")),
        }
    }
}

/// Adds growth to a piece of the same kind; growth of another kind is passed over.
fn extend(
    piece: &mut Piece,
    growth: Growth,
    contents: &mut Vec<Option<Content>>,
    events: &mut Vec<ModelEvent>,
) {
    if growth.bytes() == 0 {
        return;
    }
    match (&mut piece.draft, growth) {
        (Draft::Text(text), Growth::Text(delta)) => {
            text.push_str(&delta);
            events.push(ModelEvent::Text { piece: number(piece, contents), delta });
        }
        (Draft::Thinking { text, .. }, Growth::Thinking(delta)) => {
            text.push_str(&delta);
            events.push(ModelEvent::Thinking { piece: number(piece, contents), delta });
        }
        (Draft::Thinking { signature, .. }, Growth::Signature(delta)) => {
            signature.push_str(&delta);
            number(piece, contents);
        }
        (Draft::Thinking { signature, .. }, Growth::WholeSignature(whole)) => {
            *signature = whole;
            number(piece, contents);
        }
        (Draft::Sealed(data), Growth::Sealed(delta)) => {
            data.push(&delta);
            number(piece, contents);
        }
        (Draft::Call { arguments, .. }, Growth::Arguments(delta)) => {
            arguments.push_str(&delta);
            events.push(ModelEvent::ToolCallArguments { piece: number(piece, contents), delta });
        }
        _ => {}
    }
}

/// The id, or another where a call of this answer has it already: results are joined by it.
fn unused(id: &ToolCallId, calls: &HashSet<ToolCallId>) -> Result<ToolCallId, ModelFault> {
    if !calls.contains(id) {
        return Ok(id.clone());
    }
    let mut made = (calls.len()..=2 * calls.len()).map(|number| ToolCallId::new(format!("{id}_{number}")));
    made.find_map(|made| made.ok().filter(|made| !calls.contains(made)))
        .ok_or_else(|| malformed("two tool calls with one id"))
}

fn number(piece: &mut Piece, contents: &mut Vec<Option<Content>>) -> usize {
    *piece.number.get_or_insert_with(|| {
        contents.push(None);
        contents.len() - 1
    })
}

/// Whether anyone could use the piece. Thoughts alone are no answer, unless the limit cut it off.
fn is_of_use(piece: &Content, stop: &StopReason) -> bool {
    match piece {
        Content::Text(text) => !text.text.trim().is_empty(),
        Content::Thinking(_) | Content::RedactedThinking(_) => *stop == StopReason::Length,
        Content::ToolCall(_) | Content::Image(_) | Content::Other(_) => true,
    }
}

/// Reads a call's arguments. What is no JSON stays text, for the tool to complain about to the model.
fn read_arguments(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}
