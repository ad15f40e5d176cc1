//! Explains refusals: Google's status words first, then well-known phrases, then the HTTP status.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::model::{FaultReason, ModelFault};

use super::wire::{ErrorBody, Status};
use crate::apis::shared::{LONGEST_WAIT, clean, clean_bytes, http_fault, reason_of_status, reason_of_words};

/// Explains an answer with a status that is no success.
pub(super) fn answer(status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
    let Some(error) = error_in(body) else {
        let text = clean_bytes(body);
        let reason =
            reason_of_words(&text).filter(|_| status == 400).unwrap_or_else(|| reason_of_status(status));
        return http_fault(reason, status, headers, &text);
    };
    let reason = reason(&error, status);
    let mut fault = http_fault(reason, status, headers, &error.message);
    if matches!(reason, FaultReason::RateLimit | FaultReason::Overloaded) {
        fault.retry_after = retry_delay(&error).or(fault.retry_after);
    }
    fault
}

/// Explains an error that came as an event of the stream.
pub(super) fn in_stream(error: &Status) -> ModelFault {
    let message = match clean(&error.message) {
        text if text.is_empty() => "the server ended the answer with an error".to_owned(),
        text => text,
    };
    ModelFault {
        reason: reason(error, error.code.unwrap_or(0)),
        message,
        status: error.code,
        retry_after: retry_delay(error),
    }
}

/// The error in a body: an object, or a list of one as streams without events have it.
fn error_in(body: &[u8]) -> Option<Status> {
    let bodies = serde_json::from_slice::<Vec<ErrorBody>>(body)
        .or_else(|_| serde_json::from_slice::<ErrorBody>(body).map(|body| vec![body]));
    bodies.ok()?.into_iter().find_map(|body| body.error)
}

fn reason(error: &Status, status: u16) -> FaultReason {
    let is_about_key = error.details.iter().filter_map(|detail| detail.reason.as_deref()).any(|reason| {
        matches!(
            reason,
            "API_KEY_INVALID" | "API_KEY_SERVICE_BLOCKED" | "ACCESS_TOKEN_EXPIRED" | "CONSUMER_INVALID"
        )
    });
    if is_about_key {
        return FaultReason::Auth;
    }
    let words = reason_of_words(&error.message);
    match error.status.as_str() {
        // The usual words for a limit per minute speak of billing too; only spent credits are meant as such.
        "RESOURCE_EXHAUSTED" if error.message.to_lowercase().contains("credits are depleted") => {
            FaultReason::Billing
        }
        "RESOURCE_EXHAUSTED" => FaultReason::RateLimit,
        "UNAUTHENTICATED" | "PERMISSION_DENIED" => FaultReason::Auth,
        "NOT_FOUND" => FaultReason::ModelNotFound,
        "DEADLINE_EXCEEDED" => FaultReason::Timeout,
        "UNAVAILABLE" | "INTERNAL" | "ABORTED" => {
            words.filter(|words| *words == FaultReason::ContextOverflow).unwrap_or(FaultReason::Overloaded)
        }
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => words.unwrap_or(FaultReason::Format),
        _ => match reason_of_status(status) {
            FaultReason::Format | FaultReason::Unknown => words.unwrap_or_else(|| reason_of_status(status)),
            known => known,
        },
    }
}

fn retry_delay(error: &Status) -> Option<Duration> {
    let text = error.details.iter().find_map(|detail| detail.retry_delay.as_deref())?;
    let wait = Duration::try_from_secs_f64(text.trim().strip_suffix('s')?.parse().ok()?).ok()?;
    Some(wait.min(LONGEST_WAIT))
}
