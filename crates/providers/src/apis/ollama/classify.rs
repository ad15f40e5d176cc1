//! Explains refusals. The server says them in one sentence, without codes, so its known sentences are known here.

use std::collections::BTreeMap;

use openclaw_ports::model::{FaultReason, ModelFault};
use serde_json::Value;

use super::wire::ErrorBody;
use crate::apis::shared::{clean, clean_bytes, http_fault, reason_of_status, reason_of_words};

/// Explains an answer with a status that is no success.
pub(super) fn answer(status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
    let error = serde_json::from_slice::<ErrorBody>(body).ok().and_then(|body| body.error);
    let text = error.map_or_else(|| clean_bytes(body), |error| sentence(&error));
    http_fault(reason(&text, status), status, headers, &text)
}

/// Explains an error that came as a line of the answer.
pub(super) fn in_stream(error: &Value, status: Option<u16>) -> ModelFault {
    let text = sentence(error);
    let reason = reason(&text, status.unwrap_or(0));
    let message = if text.is_empty() { "the server ended the answer with an error".to_owned() } else { text };
    ModelFault { reason, message, status, retry_after: None }
}

fn sentence(error: &Value) -> String {
    let text = error.as_str().or_else(|| error.get("message").and_then(Value::as_str));
    text.map_or_else(|| clean(&error.to_string()), clean)
}

/// What the server's own sentences mean.
const SENTENCES: &[(FaultReason, &[&str])] = &[
    (
        FaultReason::ContextOverflow,
        &["exceeds the context", "exceeds the available context", "exceed context", "input length"],
    ),
    (FaultReason::ModelNotFound, &["not found, try pulling", "pull model"]),
    (
        FaultReason::Format,
        &[
            "does not support tools",
            "does not support thinking",
            "does not support chat",
            "invalid think value",
        ],
    ),
    (
        FaultReason::Overloaded,
        &[
            "server busy",
            "more system memory",
            "out of memory",
            "runner process",
            "runner has unexpectedly stopped",
            "failed to load",
        ],
    ),
];

fn reason(text: &str, status: u16) -> FaultReason {
    let lower = text.to_lowercase();
    let is_missing = lower.contains("model") && lower.contains("not found");
    if is_missing && (status == 0 || status == 404) {
        return FaultReason::ModelNotFound;
    }
    let own = SENTENCES.iter().find(|(_, known)| known.iter().any(|sentence| lower.contains(sentence)));
    if let Some((reason, _)) = own {
        return *reason;
    }
    match reason_of_status(status) {
        FaultReason::Format | FaultReason::Unknown | FaultReason::Overloaded => {
            reason_of_words(text).unwrap_or_else(|| reason_of_status(status))
        }
        known => known,
    }
}
