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
    /// Takes up an event that grows the same piece further; gives back every other.
    #[must_use]
    pub fn take_up(&mut self, next: Self) -> Option<Self> {
        let (place, grown, at, more) = match (self, &next) {
            (Self::Text { piece, delta }, Self::Text { piece: at, delta: more })
            | (Self::Thinking { piece, delta }, Self::Thinking { piece: at, delta: more })
            | (
                Self::ToolCallArguments { piece, delta },
                Self::ToolCallArguments { piece: at, delta: more },
            ) => (piece, delta, at, more),
            _ => return Some(next),
        };
        if place != at {
            return Some(next);
        }
        grown.push_str(more);
        None
    }

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

#[cfg(test)]
mod tests {
    use super::ModelEvent::{self, Text, Thinking, ToolCallArguments};

    fn joined(events: Vec<ModelEvent>) -> Vec<ModelEvent> {
        let mut all: Vec<ModelEvent> = Vec::new();
        for event in events {
            let left = match all.last_mut() {
                Some(last) => last.take_up(event),
                None => Some(event),
            };
            all.extend(left);
        }
        all
    }

    #[test]
    fn what_grows_a_piece_is_taken_up_and_everything_else_is_given_back() {
        let text = |piece, words: &str| Text { piece, delta: words.to_owned() };
        let thought = |piece, words: &str| Thinking { piece, delta: words.to_owned() };
        let arguments = |piece, words: &str| ToolCallArguments { piece, delta: words.to_owned() };
        let told = vec![
            thought(0, "a"),
            thought(0, "b"),
            text(1, "c"),
            text(1, "d"),
            text(2, "e"),
            ModelEvent::PieceEnded { piece: 2, content: openclaw_types::Content::text("e") },
            text(2, "f"),
            arguments(3, "{"),
            arguments(3, "}"),
            arguments(4, "{"),
            text(4, "g"),
        ];
        let expected = vec![
            thought(0, "ab"),
            text(1, "cd"),
            text(2, "e"),
            told[5].clone(),
            text(2, "f"),
            arguments(3, "{}"),
            arguments(4, "{"),
            text(4, "g"),
        ];
        assert_eq!(joined(told), expected);
    }
}
