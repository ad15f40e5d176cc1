//! Errors as OpenAI and the servers compatible with it say them.
//! Document: <https://platform.openai.com/docs/guides/error-codes>.

use openclaw_ports::model::FaultReason;
use openclaw_providers::Rejection;
use serde_json::json;

use super::{Rejected, is_internal, words};

/// The vendor's error for a rejection.
pub(super) fn rejected(rejection: &Rejection, model: &str) -> Rejected {
    let no_model = format!("The model `{model}` does not exist or you do not have access to it.");
    let (status, kind, code, usual) = match rejection.reason {
        _ if is_internal(rejection) => {
            (500, "server_error", None, "The server had an error while processing your request.")
        }
        FaultReason::RateLimit => {
            (429, "requests", Some("rate_limit_exceeded"), "Rate limit reached for requests")
        }
        FaultReason::Auth => {
            (401, "invalid_request_error", Some("invalid_api_key"), "Incorrect API key provided.")
        }
        FaultReason::Billing => (
            429,
            "insufficient_quota",
            Some("insufficient_quota"),
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        FaultReason::Overloaded => {
            (503, "service_unavailable", None, "The engine is currently overloaded, please try again later")
        }
        FaultReason::ContextOverflow => (
            400,
            "invalid_request_error",
            Some("context_length_exceeded"),
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        ),
        FaultReason::ModelNotFound => {
            (404, "invalid_request_error", Some("model_not_found"), no_model.as_str())
        }
        FaultReason::Timeout => (504, "timeout", None, "The request timed out"),
        FaultReason::Unknown => (418, "unheard_of", None, "Something unheard of happened"),
        _ => (400, "invalid_request_error", Some("invalid_value"), "This request is not valid"),
    };
    let error = json!({"message": words(rejection, usual), "type": kind, "param": null, "code": code});
    let headers = vec![("x-request-id", "req_scripted".to_owned())];
    Rejected { status, headers, body: json!({"error": error}) }
}
