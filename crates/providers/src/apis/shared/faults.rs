//! Faults as all protocols report them: the server's words made fit for people and logs, reasons from statuses and
//! well-known phrases, and the ways in which a stream can break.
//!
//! A vendor's own error codes are known to its `classify.rs`; it asks here for what is left.

use std::collections::BTreeMap;

use openclaw_ports::model::{FaultReason, ModelFault};

use super::retry_after;

/// The most text, thinking and arguments together that one answer may have.
pub(crate) const MAX_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// The longest text from a server that goes into a fault, in characters.
const MAX_WORDS: usize = 300;

/// What stands for a token in faults.
pub(super) const HIDDEN: &str = "[hidden]";

/// How the tokens of vendors begin. What begins so is masked in faults.
const TOKEN_STARTS: &[&str] = &[
    "sk-",
    "sk_",
    "pk-",
    "AIza",
    "ya29.",
    "xai-",
    "gsk_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "github_pat_",
    "tid=",
    "hf_",
    "nvapi-",
    "csk-",
    "AKIA",
    "ASIA",
    "eyJ",
];

/// A fault for an answer with a status that is no success. `message` is cleaned here.
pub(crate) fn http_fault(
    reason: FaultReason,
    status: u16,
    headers: &BTreeMap<String, String>,
    message: &str,
) -> ModelFault {
    let message = match clean(message) {
        text if text.is_empty() => format!("the server answered with status {status} and no explanation"),
        text => text,
    };
    let retry_after = match reason {
        FaultReason::RateLimit | FaultReason::Overloaded | FaultReason::Billing => retry_after(headers),
        _ => None,
    };
    ModelFault { reason, message, status: Some(status), retry_after }
}

/// A server's words for people: one line, no control characters, no tokens, not too long.
pub(crate) fn clean(text: &str) -> String {
    let letters = text.chars().take(16 * MAX_WORDS);
    let line: String = letters.map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let words: Vec<String> = line.split_whitespace().map(without_tokens).collect();
    let joined = words.join(" ");
    if joined.chars().count() <= MAX_WORDS {
        return joined;
    }
    let mut cut: String = joined.chars().take(MAX_WORDS - 1).collect();
    cut.push('…');
    cut
}

/// The same for a body that may be anything.
pub(crate) fn clean_bytes(body: &[u8]) -> String {
    clean(&String::from_utf8_lossy(&body[..body.len().min(4 * MAX_WORDS)]))
}

fn without_tokens(word: &str) -> String {
    let in_token = |letter: char| letter.is_ascii_alphanumeric() || "-_.*=+/".contains(letter);
    let mut shown = String::new();
    let mut rest = word;
    while let Some(at) = TOKEN_STARTS.iter().filter_map(|start| token_at(rest, start)).min() {
        let (before, token) = rest.split_at(at);
        shown.push_str(before);
        shown.push_str(HIDDEN);
        rest = token.trim_start_matches(in_token);
    }
    shown.push_str(rest);
    shown
}

/// Where a token begins in a word: not in the middle of a longer name, and long enough to be one.
fn token_at(word: &str, start: &str) -> Option<usize> {
    let free = |at: usize| {
        let before = word[..at].chars().next_back();
        before.is_none_or(|before| !before.is_ascii_alphanumeric() && before != '-')
    };
    let long_enough = |at: usize| word.len() - at >= start.len() + 6;
    word.match_indices(start).map(|(at, _)| at).find(|at| free(*at) && long_enough(*at))
}

/// The reason behind a status that nothing more is known about.
pub(crate) fn reason_of_status(status: u16) -> FaultReason {
    match status {
        401 | 403 => FaultReason::Auth,
        402 => FaultReason::Billing,
        404 => FaultReason::ModelNotFound,
        408 | 504 => FaultReason::Timeout,
        413 => FaultReason::ContextOverflow,
        429 => FaultReason::RateLimit,
        400 | 405..=499 => FaultReason::Format,
        500..=599 => FaultReason::Overloaded,
        _ => FaultReason::Unknown,
    }
}

/// Phrases that tell a reason whatever the status says, most telling first.
const PHRASES: &[(FaultReason, &[&str])] = &[
    (
        FaultReason::ContextOverflow,
        &[
            "context_length_exceeded",
            "context length",
            "context window",
            "context size",
            "maximum context",
            "prompt is too long",
            "input is too long",
            "too many tokens",
            "exceeds the maximum number of tokens",
            "exceeds the available context",
            "input token count",
            "reduce the length of the messages",
            "request_too_large",
        ],
    ),
    (
        FaultReason::Billing,
        &[
            "insufficient_quota",
            "insufficient quota",
            "insufficient credit",
            "insufficient balance",
            "credit balance",
            "billing",
            "payment required",
            "out of credits",
            "no credits",
        ],
    ),
    (
        FaultReason::RateLimit,
        &["rate_limit", "rate limit", "too many requests", "resource_exhausted", "throttl"],
    ),
    (FaultReason::Overloaded, &["overloaded", "over capacity", "high demand", "temporarily unavailable"]),
    (
        FaultReason::Auth,
        &["invalid api key", "invalid_api_key", "api key not valid", "incorrect api key", "unauthorized"],
    ),
    (FaultReason::ModelNotFound, &["model_not_found", "model not found", "no such model", "unknown model"]),
];

/// The reason that a server's words tell, where they tell one.
pub(crate) fn reason_of_words(text: &str) -> Option<FaultReason> {
    let text = text.to_lowercase();
    PHRASES
        .iter()
        .find(|(_, phrases)| phrases.iter().any(|phrase| text.contains(phrase)))
        .map(|(reason, _)| *reason)
}

/// The body ended before the answer did.
pub(crate) fn cut_off() -> ModelFault {
    ModelFault::new(FaultReason::Truncated, "the connection ended in the middle of the answer")
}

/// Whether the last bytes of a body are the beginning of a JSON value: the line broke in the middle of it.
pub(crate) fn is_half(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_err_and(|error| error.is_eof())
}

/// A frame was not what the protocol says. `what` names the frame, not its content.
pub(crate) fn malformed(what: &str) -> ModelFault {
    ModelFault::new(
        FaultReason::Malformed,
        format!("the server sent something that could not be read: {what}"),
    )
}

/// The answer had nothing in it.
pub(crate) fn empty() -> ModelFault {
    ModelFault::new(FaultReason::Empty, "the model gave an empty answer")
}

/// The answer or one of its frames was larger than we take.
pub(crate) fn too_large() -> ModelFault {
    ModelFault::new(FaultReason::TooLarge, "the answer is larger than the gateway accepts")
}
