//! Decides what the failure of a response means: `error` events, failed and incomplete responses.

use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_types::StopReason;
use serde_json::Value;

use super::wire::Response;
use crate::apis::openai_dialect::{refused_by_filter, stream_fault};

/// Explains an `error` event, whose error may stand in a field of its own or directly in the event.
pub(super) fn error_event(data: &str) -> ModelFault {
    match serde_json::from_str::<Value>(data) {
        Ok(value) => stream_fault(&value),
        Err(_) => stream_fault(&Value::Null),
    }
}

/// Explains a response that failed.
pub(super) fn failed(response: &Response<'_>) -> ModelFault {
    match &response.error {
        Some(error) => stream_fault(error),
        None => match response.status.as_deref() {
            Some("cancelled") => {
                ModelFault::new(FaultReason::Unknown, "the server cancelled the answer before it was whole")
            }
            _ => stream_fault(&Value::Null),
        },
    }
}

/// Why an incomplete response ended.
///
/// # Errors
/// When the vendor did not want to answer.
pub(super) fn incomplete(response: &Response<'_>) -> Result<StopReason, ModelFault> {
    let reason = response.incomplete_details.as_ref().and_then(|details| details.reason.as_deref());
    if reason.is_some_and(refused_by_filter) {
        return Err(ModelFault::new(FaultReason::Refused, "the vendor's content filter stopped the answer"));
    }
    Ok(StopReason::Length)
}
