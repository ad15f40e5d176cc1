//! Which pieces of an answer are shown as answers to a message.
//!
//! A tag in the words says which message; without one it is the message that led to the answer. The mode of the
//! conversation says how many pieces show it, and whether a tag counts where nothing is to be shown.

use openclaw_types::{MessageId, ReplyPlace, ReplyToMode};

use crate::tags::ReplyTo;

/// Decides for one piece after the other; one for each run.
#[derive(Debug, Clone)]
pub struct Replies {
    mode: ReplyToMode,
    tags_when_off: TagsWhenOff,
    current: Option<MessageId>,
    quote: Option<String>,
    used: bool,
}

/// Whether a tag counts where the mode is off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TagsWhenOff {
    /// It counts: the model means it.
    #[default]
    Kept,
    /// It does not: on the platform an answer opens a thread.
    Dropped,
}

/// Where a piece stands in its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Position {
    /// It is the first.
    First,
    /// Others came before it.
    Later,
}

impl Replies {
    /// Before the first piece. `current` is the message that led to the answer.
    #[must_use]
    pub fn new(mode: ReplyToMode, tags_when_off: TagsWhenOff, current: Option<MessageId>) -> Self {
        Self { mode, tags_when_off, current, quote: None, used: false }
    }

    /// Quotes a part of the message that led to the answer, wherever that is shown.
    #[must_use]
    pub fn quoting(mut self, quote: Option<String>) -> Self {
        self.quote = quote;
        self
    }

    /// After a piece that was shown as an answer.
    #[must_use]
    pub fn used(mut self) -> Self {
        self.used = true;
        self
    }

    /// Which message the next piece is shown to answer.
    #[must_use]
    pub fn next(&mut self, tag: Option<&ReplyTo>, position: Position) -> Option<ReplyPlace> {
        let message = match tag {
            Some(ReplyTo::Message(id)) => MessageId::new(id).ok().or_else(|| self.current.clone()),
            Some(ReplyTo::Current) | None => self.current.clone(),
        }?;
        let shows = match self.mode {
            ReplyToMode::All => true,
            ReplyToMode::First => !self.used,
            ReplyToMode::Off => {
                tag.is_some() && self.tags_when_off == TagsWhenOff::Kept && position == Position::First
            }
        };
        if !shows {
            return None;
        }
        self.used = true;
        let quote = self.quote.clone().filter(|_| self.current.as_ref() == Some(&message));
        Some(ReplyPlace { message, quote })
    }
}
