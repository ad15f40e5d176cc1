//! What a handler gives back: a payload that is JSON text already, or an error for the client.
//!
//! Payloads are shared buffers, so that a cached answer is never serialised twice.

use std::sync::Arc;

use openclaw_protocol::ErrorShape;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// A result as JSON text.
#[derive(Debug, Clone)]
pub(crate) struct JsonPayload {
    text: Arc<RawValue>,
}

/// A payload, or why there is none.
pub(crate) type MethodOutcome = Result<JsonPayload, ErrorShape>;

impl JsonPayload {
    /// Serialises a result.
    pub(crate) fn of<T: Serialize + ?Sized>(value: &T) -> MethodOutcome {
        match to_raw_value(value) {
            Ok(raw) => Ok(Self { text: raw.into() }),
            Err(error) => {
                tracing::error!(%error, "a result could not be written as JSON");
                Err(ErrorShape::unavailable("the result could not be written; see the gateway log"))
            }
        }
    }

    /// The JSON text.
    pub(crate) fn raw(&self) -> &RawValue {
        &self.text
    }
}

impl PartialEq for JsonPayload {
    fn eq(&self, other: &Self) -> bool {
        self.text.get() == other.text.get()
    }
}
