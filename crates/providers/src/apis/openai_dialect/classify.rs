//! Decides what an error of this family of servers means.
//!
//! Codes tell most, then well-known phrases, then the status. The words of the server are shortened and masked by
//! `apis::shared` before they leave.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::model::{FaultReason, ModelFault};
use serde_json::Value;

use super::error_body::ErrorBody;
use crate::apis::shared::{LONGEST_WAIT, clean, http_fault, reason_of_status, reason_of_words};

/// Explains an answer with a status that is no success.
pub(in crate::apis) fn classify(status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
    let error = ErrorBody::of_bytes(body);
    let reason = match reason_of(&error) {
        Some(reason) => reason,
        // Two vendors answer a conversation that is too long with this status and no word at all.
        None if status == 400 && body.trim_ascii().is_empty() => FaultReason::ContextOverflow,
        None => reason_of_status(status),
    };
    let mut fault = http_fault(reason, status, headers, &error.message);
    if fault.retry_after.is_none() {
        fault.retry_after = wait(&error, reason);
    }
    fault
}

/// Explains an error that stands inside a stream.
pub(in crate::apis) fn stream_fault(value: &Value) -> ModelFault {
    let error = ErrorBody::of_value(value);
    let reason = reason_of(&error)
        .or_else(|| error.status.map(reason_of_status))
        .or_else(|| error.codes.iter().any(|code| blames_the_request(code)).then_some(FaultReason::Format))
        .unwrap_or(FaultReason::Unknown);
    let message = match clean(&error.message) {
        text if text.is_empty() => match error.codes.first() {
            Some(code) => clean(&format!("the server ended the answer with the error {code}")),
            None => "the server ended the answer with an error and no explanation".to_owned(),
        },
        text => text,
    };
    ModelFault { reason, message, status: error.status, retry_after: wait(&error, reason) }
}

fn wait(error: &ErrorBody, reason: FaultReason) -> Option<Duration> {
    match reason {
        FaultReason::RateLimit | FaultReason::Overloaded => error.wait.map(|wait| wait.min(LONGEST_WAIT)),
        _ => None,
    }
}

fn reason_of(error: &ErrorBody) -> Option<FaultReason> {
    let by_code = error.codes.iter().find_map(|code| {
        CODES.iter().find(|(_, codes)| codes.contains(&code.as_str())).map(|(reason, _)| *reason)
    });
    by_code.or_else(|| reason_of_phrase(&error.message)).or_else(|| reason_of_words(&error.message))
}

fn reason_of_phrase(message: &str) -> Option<FaultReason> {
    let message = message.to_lowercase();
    if message.contains("model") && NO_SUCH_MODEL.iter().any(|phrase| message.contains(phrase)) {
        return Some(FaultReason::ModelNotFound);
    }
    OVERFLOW.iter().any(|phrase| message.contains(phrase)).then_some(FaultReason::ContextOverflow)
}

fn blames_the_request(code: &str) -> bool {
    ["invalid_", "unsupported_", "image_", "bad_request", "missing_", "unknown_parameter"]
        .iter()
        .any(|start| code.starts_with(start))
}

/// Phrases about models that are not there.
const NO_SUCH_MODEL: &[&str] =
    &["does not exist", "is not supported", "not a valid model", "is not available"];

/// Phrases of compatible servers about conversations that are too long, beyond those that all protocols know.
const OVERFLOW: &[&str] = &[
    "maximum prompt length",
    "prompt token count",
    "exceeded model token limit",
    "token limit exceeded",
    "longer than the model's context",
];

/// The codes and types there are, by what they mean.
const CODES: &[(FaultReason, &[&str])] = &[
    (
        FaultReason::ContextOverflow,
        &[
            "context_length_exceeded",
            "context_window_exceeded",
            "exceed_context_size_error",
            "model_max_prompt_tokens_exceeded",
            "request_too_large",
            "string_above_max_length",
            "1261",
        ],
    ),
    (
        FaultReason::Billing,
        &[
            "insufficient_quota",
            "insufficient_balance",
            "insufficient_credits",
            "billing_hard_limit_reached",
            "billing_not_active",
            "exceeded_current_quota_error",
            "payment_required",
            "quota_exceeded",
            "usage_not_included",
            "1113",
        ],
    ),
    (
        FaultReason::RateLimit,
        &[
            "rate_limit_exceeded",
            "rate_limit_error",
            "rate_limit_reached_error",
            "rate_limited",
            "resource_exhausted",
            "too_many_requests",
            "usage_limit_reached",
            "1302",
            "1303",
        ],
    ),
    (
        FaultReason::Auth,
        &[
            "account_deactivated",
            "authentication_error",
            "expired_token",
            "incorrect_api_key_error",
            "invalid_api_key",
            "invalid_authentication_error",
            "invalid_token",
            "permission_denied",
            "permission_denied_error",
            "permission_error",
            "token_expired",
            "unauthenticated",
            "unauthorized",
            "unsupported_country_region_territory",
        ],
    ),
    (
        FaultReason::ModelNotFound,
        &[
            "deploymentnotfound",
            "model_not_available",
            "model_not_available_for_integrator",
            "model_not_found",
            "model_not_supported",
            "not_found_error",
            "resource_not_found_error",
            "unknown_model",
            "unsupported_model",
        ],
    ),
    (
        FaultReason::Refused,
        &[
            "bio_policy",
            "content_filter",
            "content_policy_violation",
            "image_content_policy_violation",
            "invalid_prompt",
            "responsibleaipolicyviolation",
        ],
    ),
    (
        FaultReason::Timeout,
        &["deadline_exceeded", "gateway_timeout", "request_timeout", "timeout", "vector_store_timeout"],
    ),
    (
        FaultReason::Overloaded,
        &[
            "engine_overloaded",
            "engine_overloaded_error",
            "internal_error",
            "internal_server_error",
            "overloaded_error",
            "server_error",
            "server_is_overloaded",
            "server_overloaded",
            "service_unavailable",
            "slow_down",
            "unavailable",
        ],
    ),
];
