//! What this crate refuses, by what the caller should do about it. Calls that fail end their stream instead.

use openclaw_types::ModelRef;

/// Why a model cannot be chosen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// The text names no model. Ask the person again.
    #[error("\"{0}\" is not a model; write it as provider/model, for example with a name from /model")]
    Invalid(String),
    /// The model exists but may not be chosen. Show the text as it is: clients know it.
    #[error("Model \"{0}\" is not allowed. Use /model to list available models.")]
    NotAllowed(ModelRef),
}

/// A time zone that this machine does not know. Name another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown time zone {0:?}; use a name such as Europe/Berlin, or UTC")]
pub struct ZoneError(pub String);
