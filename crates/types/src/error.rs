//! What can be wrong with the texts this crate parses, apart from single ids (see `ids::IdError`).
//!
//! Variants say what the caller should do. They never repeat more of the input than a person needs to find it.

use crate::IdError;

/// Says why a text is not a session key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionKeyError {
    /// The text was empty or only white space.
    #[error("the session key is empty; use \"main\" for the main session")]
    Empty,
    /// The text was longer than any key we accept.
    #[error("the session key is longer than {max} bytes")]
    TooLong {
        /// The limit that was passed.
        max: usize,
    },
    /// The text held a control character.
    #[error("the session key must not contain control characters")]
    ControlCharacter,
    /// The text begins like a full key but names no agent or no session of it.
    #[error("malformed session key {0:?}; a full key reads agent:<agent id>:<session>")]
    Malformed(String),
    /// The text is a short form, which only `SessionKey::resolve` can complete.
    #[error("{0:?} is a short session key; a full key reads agent:<agent id>:<session>")]
    Short(String),
}

/// Says why a text does not name a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelRefError {
    /// There is no provider in front of the model.
    #[error("{0:?} names no provider; write <provider>/<model>")]
    NoProvider(String),
    /// There is nothing after the provider.
    #[error("{0:?} names no model; write <provider>/<model>")]
    NoModel(String),
    /// The provider's name cannot be one.
    #[error(transparent)]
    Provider(#[from] IdError),
}

/// Says why a line of a transcript file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// The line is not JSON; a file cut off in the middle of a write ends like this.
    #[error("the transcript line is not valid JSON")]
    NotJson(#[source] serde_json::Error),
}
