//! The calls of sign-ins, as the transport takes them: small, with one deadline, never repeated.

use std::time::Duration;

use openclaw_ports::model::ServerReach;
use openclaw_types::Secret;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::transport::{CallMethod, JsonBody, JsonCall};

/// The time for one call. Longer than vendors need, shorter than people wait.
const DEADLINE: Duration = Duration::from_secs(30);

/// A call that reads.
pub(super) fn get(url: &str, reach: ServerReach) -> JsonCall {
    JsonCall {
        method: CallMethod::Get,
        url: url.to_owned(),
        headers: Default::default(),
        body: JsonBody::None,
        reach,
        deadline: DEADLINE,
    }
}

/// A call that sends a form.
pub(super) fn form(url: &str, reach: ServerReach, fields: Vec<(&str, Secret<String>)>) -> JsonCall {
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    JsonCall { method: CallMethod::Post, body: JsonBody::Form(fields), ..get(url, reach) }
}

/// A call that sends JSON.
pub(super) fn json(url: &str, reach: ServerReach, body: Value) -> JsonCall {
    JsonCall { method: CallMethod::Post, body: JsonBody::Json(body), ..get(url, reach) }
}

/// A value of a form that is no secret.
pub(super) fn open(value: impl Into<String>) -> Secret<String> {
    Secret::new(value.into())
}

/// The call with one more header.
pub(super) fn with_header(mut call: JsonCall, name: &str, value: &str) -> JsonCall {
    call.headers.insert(name.to_owned(), Secret::new(value.to_owned()));
    call
}

/// The call in the name of an account.
pub(super) fn as_account(call: JsonCall, token: &Secret<String>) -> JsonCall {
    let value = Zeroizing::new(format!("Bearer {}", token.reveal()));
    with_header(call, "authorization", &value)
}
