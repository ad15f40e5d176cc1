//! Explains refusals of a Messages server, as an answer of its own or in the middle of a stream.
//!
//! The vendor's type of error decides first, then what it says, then the status.

use std::collections::BTreeMap;

use openclaw_ports::model::{FaultReason, ModelFault};
use serde::Deserialize;
use serde_json::Value;

use super::wire::ErrorBody;
use crate::apis::shared::{clean, clean_bytes, http_fault, reason_of_status, reason_of_words};

/// Says that the organisation's own limit of spending is reached; comes as a bad request.
const SPENDING_LIMIT: &str = "api usage limits";
/// Says that prompt and answer together do not fit; names the two fields in between.
const CONTEXT_LIMIT: &str = "exceed context limit";

/// Explains an answer with another status than success.
pub(super) fn response(status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
    let value = serde_json::from_slice::<Value>(body).unwrap_or_default();
    let error = error_body(value.get("error").unwrap_or(&value));
    let message = error.message.clone().unwrap_or_else(|| clean_bytes(body));
    http_fault(reason(&error, Some(status)), status, headers, &message)
}

/// Explains an error event.
pub(super) fn in_stream(error: &Value) -> ModelFault {
    let error = error_body(error);
    let words = clean(error.message.as_deref().unwrap_or_default());
    let message = if words.is_empty() { "the server broke off the answer".to_owned() } else { words };
    ModelFault::new(reason(&error, None), message)
}

fn error_body(value: &Value) -> ErrorBody {
    match value {
        Value::String(text) => ErrorBody { kind: None, message: Some(text.clone()) },
        other => ErrorBody::deserialize(other).unwrap_or_default(),
    }
}

fn reason(error: &ErrorBody, status: Option<u16>) -> FaultReason {
    let words = error.message.as_deref().unwrap_or_default();
    match error.kind.as_deref() {
        Some("rate_limit_error") => match reason_of_words(words) {
            Some(FaultReason::Billing) => FaultReason::Billing,
            _ => FaultReason::RateLimit,
        },
        Some("authentication_error" | "permission_error") => FaultReason::Auth,
        Some("billing_error") => FaultReason::Billing,
        Some("not_found_error") => FaultReason::ModelNotFound,
        Some("request_too_large") => FaultReason::ContextOverflow,
        Some("overloaded_error" | "api_error") => FaultReason::Overloaded,
        Some("timeout_error") => FaultReason::Timeout,
        Some("invalid_request_error") => bad_request(words),
        _ => by_status(words, status),
    }
}

fn bad_request(words: &str) -> FaultReason {
    let lower = words.to_lowercase();
    if lower.contains(SPENDING_LIMIT) {
        return FaultReason::Billing;
    }
    if lower.contains(CONTEXT_LIMIT) {
        return FaultReason::ContextOverflow;
    }
    match reason_of_words(words) {
        Some(told @ (FaultReason::ContextOverflow | FaultReason::Billing | FaultReason::ModelNotFound)) => {
            told
        }
        _ => FaultReason::Format,
    }
}

fn by_status(words: &str, status: Option<u16>) -> FaultReason {
    match status {
        Some(400 | 422) => bad_request(words),
        Some(status @ (401..=404 | 408 | 413 | 429)) => match reason_of_words(words) {
            Some(FaultReason::Billing) => FaultReason::Billing,
            _ => reason_of_status(status),
        },
        Some(status) => match reason_of_words(words) {
            Some(told) if status < 500 => told,
            _ => reason_of_status(status),
        },
        None => reason_of_words(words).unwrap_or(FaultReason::Unknown),
    }
}
