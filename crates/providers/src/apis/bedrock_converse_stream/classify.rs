//! Explains refusals of Bedrock, as an answer of its own or in the middle of a stream.
//!
//! The kind of exception decides first, then what it says, then the status.

use std::collections::BTreeMap;

use openclaw_ports::model::{FaultReason, ModelFault};

use super::wire::ErrorBody;
use crate::apis::shared::{clean, clean_bytes, http_fault, reason_of_status, reason_of_words};

/// Says that the model's name is wrong or needs an inference profile; comes as a failed validation.
const UNKNOWN_MODEL: &[&str] = &["model identifier", "on-demand throughput"];
/// Says that prompt and answer together do not fit; names the two fields in between.
const CONTEXT_LIMIT: &[&str] = &["exceed context limit", "too many input tokens", "input is too long"];
/// From here on a complaint about a signature repeats the request, the session token included.
const REPEATED_REQUEST: &str = "The Canonical String";

/// Explains an answer with another status than success.
pub(super) fn response(status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
    let error = serde_json::from_slice::<ErrorBody>(body).unwrap_or_default();
    let header = headers.get("x-amzn-errortype").map(String::as_str);
    let kind = header.or(error.kind.as_deref()).unwrap_or_default();
    let words = words(&error).unwrap_or_else(|| clean_bytes(body));
    let reason = reason(kind, &words).unwrap_or_else(|| reason_of_status(status));
    http_fault(reason, status, headers, presentable(&words))
}

/// Explains an exception in the stream.
pub(super) fn exception(kind: &str, payload: &[u8]) -> ModelFault {
    let body = serde_json::from_slice::<ErrorBody>(payload).unwrap_or_default();
    error(kind, &words(&body).unwrap_or_default())
}

/// Explains an error of the stream itself.
pub(super) fn error(kind: &str, words: &str) -> ModelFault {
    let reason = reason(kind, words).or_else(|| reason_of_words(words)).unwrap_or(FaultReason::Unknown);
    let shown = clean(presentable(words));
    let message = match (shown.is_empty(), clean(short(kind))) {
        (false, _) => shown,
        (true, kind) if !kind.is_empty() => format!("the server broke off the answer: {kind}"),
        (true, _) => "the server broke off the answer".to_owned(),
    };
    ModelFault::new(reason, message)
}

fn words(error: &ErrorBody) -> Option<String> {
    error.message.clone().or_else(|| error.original.clone())
}

/// Without the part that repeats what we sent.
fn presentable(words: &str) -> &str {
    words.split(REPEATED_REQUEST).next().unwrap_or_default()
}

/// The kind alone: it may stand in a namespace and have an address behind it.
fn short(kind: &str) -> &str {
    let kind = kind.rsplit('#').next().unwrap_or_default();
    kind.split(':').next().unwrap_or_default().trim()
}

fn reason(kind: &str, words: &str) -> Option<FaultReason> {
    let kind = short(kind).to_ascii_lowercase();
    Some(match kind.strip_suffix("exception").unwrap_or(&kind) {
        // A throttle complains about too many tokens too; that is no overflow.
        "throttling" | "toomanyrequests" | "servicequotaexceeded" => FaultReason::RateLimit,
        "accessdenied" if says(words, &["payment_instrument", "billing"]) => FaultReason::Billing,
        "accessdenied"
        | "unrecognizedclient"
        | "expiredtoken"
        | "invalidsignature"
        | "signaturedoesnotmatch"
        | "incompletesignature"
        | "missingauthenticationtoken"
        | "invalidclienttokenid"
        | "notauthorized"
        | "optinrequired" => FaultReason::Auth,
        "resourcenotfound" | "unknownoperation" => FaultReason::ModelNotFound,
        "validation" => validation(words),
        "modeltimeout" | "requesttimeout" => FaultReason::Timeout,
        "internalserver" | "serviceunavailable" | "modelnotready" | "modelerror" | "modelstreamerror"
        | "internalfailure" => FaultReason::Overloaded,
        "requestentitytoolarge" => FaultReason::ContextOverflow,
        _ => return None,
    })
}

fn validation(words: &str) -> FaultReason {
    if says(words, CONTEXT_LIMIT) || reason_of_words(words) == Some(FaultReason::ContextOverflow) {
        FaultReason::ContextOverflow
    } else if says(words, UNKNOWN_MODEL) {
        FaultReason::ModelNotFound
    } else {
        FaultReason::Format
    }
}

fn says(words: &str, phrases: &[&str]) -> bool {
    let words = words.to_lowercase();
    phrases.iter().any(|phrase| words.contains(phrase))
}
