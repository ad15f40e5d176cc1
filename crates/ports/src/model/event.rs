//! What a model's stream is made of.
//!
//! Pieces are numbered by their place in the answer. Deltas come in order for each piece; several pieces may grow at
//! once. The stream ends in exactly one `Done` or `Failed`, and nothing comes after it.

use openclaw_types::{Content, StopReason, ToolCallId, Usage};

use super::ModelFault;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// The server accepted the call and names its answer.
    Started {
        /// The answer's own name, where the server gives one.
        response_id: Option<String>,
        /// The model that really answers, where the server says so.
        model: Option<String>,
    },
    /// More words.
    Text {
        /// Which piece.
        piece: usize,
        /// What is new.
        delta: String,
    },
    /// More thoughts.
    Thinking {
        /// Which piece.
        piece: usize,
        /// What is new.
        delta: String,
    },
    /// A tool call begins.
    ToolCallStarted {
        /// Which piece.
        piece: usize,
        /// Joins the call with its result.
        id: ToolCallId,
        /// The tool.
        name: String,
    },
    /// More of a call's arguments, as JSON text.
    ToolCallArguments {
        /// Which piece.
        piece: usize,
        /// What is new.
        delta: String,
    },
    /// A piece is whole.
    PieceEnded {
        /// Which piece.
        piece: usize,
        /// What it came to.
        content: Content,
    },
    /// The answer is whole.
    Done(Completion),
    /// There will be no answer.
    Failed(ModelFault),
}

impl ModelEvent {
    /// Whether nothing comes after this event.
    #[must_use]
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Done(_) | Self::Failed(_))
    }
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Its pieces, in order.
    pub content: Vec<Content>,
    /// Why the model stopped.
    pub stop: StopReason,
    /// What it took; nothing when the server did not say.
    pub usage: Option<Usage>,
    /// The answer's own name, where the server gives one.
    pub response_id: Option<String>,
    /// The model that really answered, where the server says so.
    pub model: Option<String>,
}
