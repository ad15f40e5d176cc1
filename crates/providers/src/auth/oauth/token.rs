//! Understands what a token endpoint answers: tokens, or one of the ways to say no (RFC 6749, RFC 8628).
//!
//! Servers differ in status and wording; GitHub says no with status 200. Errors keep the code alone, never the text
//! around it, since some servers repeat what they were sent.

use std::time::Duration;

use openclaw_types::{Secret, UnixMillis};
use serde::Deserialize;
use serde_json::Value;

use crate::transport::JsonAnswer;

/// How long a token is taken to be good when the server does not say.
const UNSAID_LIFETIME: Duration = Duration::from_secs(3600);
/// The longest code of an error that is repeated.
const MAX_CODE: usize = 48;

/// Tokens.
#[derive(Debug)]
pub(crate) struct Granted {
    pub(crate) access: Secret<String>,
    pub(crate) refresh: Option<Secret<String>>,
    pub(crate) id_token: Option<Secret<String>>,
    pub(crate) lifetime: Option<Duration>,
    /// Where the account is served, as Qwen says.
    pub(crate) resource_url: Option<String>,
}

impl Granted {
    /// When the access token runs out.
    pub(crate) fn expires(&self, now: UnixMillis) -> UnixMillis {
        now.plus(self.lifetime.unwrap_or(UNSAID_LIFETIME))
    }
}

/// No tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Denied {
    /// The person has not decided yet.
    Pending,
    /// The same, and we ask too often.
    SlowDown,
    /// The person said no.
    ByPerson,
    /// The code for the person ran out.
    CodeExpired,
    /// The code or the renewal token is not good any more.
    InvalidGrant,
    /// Too many calls.
    RateLimit,
    /// The server is in trouble.
    Overloaded,
    /// Something else, with the server's code for it.
    Other(String),
    /// The answer was none that the protocol knows.
    Malformed,
}

#[derive(Deserialize)]
struct Wire {
    access_token: Option<Secret<String>>,
    refresh_token: Option<Secret<String>>,
    id_token: Option<Secret<String>>,
    expires_in: Option<Value>,
    resource_url: Option<String>,
    error: Option<Value>,
}

/// Reads the answer of a token endpoint.
pub(crate) fn read_grant(answer: &JsonAnswer) -> Result<Granted, Denied> {
    // The parser's error may quote the tokens.
    let wire = serde_json::from_slice::<Wire>(&answer.body).map_err(|_quotes| by_status(answer.status));
    let wire = wire?;
    if let Some(error) = &wire.error {
        return Err(by_code(error, answer.status));
    }
    if !answer.is_success() {
        return Err(by_status(answer.status));
    }
    let Some(access) = filled(wire.access_token) else { return Err(Denied::Malformed) };
    Ok(Granted {
        access,
        refresh: filled(wire.refresh_token),
        id_token: filled(wire.id_token),
        lifetime: wire.expires_in.as_ref().and_then(lifetime),
        resource_url: wire.resource_url.filter(|url| !url.trim().is_empty()),
    })
}

fn by_code(error: &Value, status: u16) -> Denied {
    // Most say a code; OpenAI wraps it into an object.
    let code = error.as_str().or_else(|| error.get("code").and_then(Value::as_str)).unwrap_or_default();
    match code {
        "authorization_pending" => Denied::Pending,
        "slow_down" => Denied::SlowDown,
        "access_denied" => Denied::ByPerson,
        "expired_token" => Denied::CodeExpired,
        "invalid_grant"
        | "refresh_token_expired"
        | "refresh_token_reused"
        | "refresh_token_invalidated"
        | "invalid_refresh_token" => Denied::InvalidGrant,
        "temporarily_unavailable" | "server_error" => Denied::Overloaded,
        _ if status == 401 => Denied::InvalidGrant,
        _ if status == 429 => Denied::RateLimit,
        _ if status >= 500 => Denied::Overloaded,
        other => Denied::Other(code_only(other)),
    }
}

fn by_status(status: u16) -> Denied {
    match status {
        400 | 401 => Denied::InvalidGrant,
        403 => Denied::Other("403".to_owned()),
        429 => Denied::RateLimit,
        500.. => Denied::Overloaded,
        200..300 => Denied::Malformed,
        other => Denied::Other(other.to_string()),
    }
}

/// A code is a word; anything else is not repeated.
fn code_only(code: &str) -> String {
    let word = !code.is_empty()
        && code.len() <= MAX_CODE
        && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if word { code.to_owned() } else { "an error without a code".to_owned() }
}

fn filled(token: Option<Secret<String>>) -> Option<Secret<String>> {
    token.filter(|token| !token.reveal().trim().is_empty())
}

fn lifetime(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    Duration::try_from_secs_f64(seconds).ok().filter(|span| !span.is_zero())
}
