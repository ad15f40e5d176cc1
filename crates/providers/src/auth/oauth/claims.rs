//! Reads what a JSON web token says about its account. Nothing is verified: the token came from the vendor itself,
//! over its own connection, and only the vendor relies on what it says.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openclaw_types::{Secret, UnixMillis};
use serde_json::Value;

/// Larger tokens are not looked into.
const MAX_BYTES: usize = 64 * 1024;

/// A text among the claims of a token, by the names that lead to it.
pub(crate) fn claim(token: &Secret<String>, path: &[&str]) -> Option<String> {
    let claims = claims(token)?;
    let value = path.iter().try_fold(&claims, |value, name| value.get(name))?;
    value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The account's address, where a token names one.
pub(crate) fn email_of(token: &Secret<String>) -> Option<String> {
    claim(token, &["email"]).or_else(|| claim(token, &["https://api.openai.com/profile", "email"]))
}

/// When a token runs out, where it says so.
pub(crate) fn expiry_of(token: &Secret<String>) -> Option<UnixMillis> {
    let seconds = claims(token)?.get("exp")?.as_i64()?;
    seconds.checked_mul(1000).map(UnixMillis)
}

fn claims(token: &Secret<String>) -> Option<Value> {
    let text = token.reveal();
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut parts = text.split('.');
    let (_header, payload, _signature, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next())
    else {
        return None;
    };
    let bytes = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}
