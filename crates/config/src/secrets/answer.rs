//! Understands what a secret program printed: an object with values, or, where that is allowed, one bare text.
//!
//! The request is `{"protocolVersion":1,"provider":…,"ids":[…]}`; the answer repeats the version and gives
//! `values` by id, and may give `errors` by id instead. Pure. No error quotes what was printed.

use std::collections::BTreeMap;

use openclaw_types::Secret;
use serde_json::{Map, Value, json};

use super::file::wipe;
use crate::error::SecretError;

/// The version both sides speak.
const PROTOCOL_VERSION: u64 = 1;
/// The most of a program's own message that is repeated.
const MAX_MESSAGE: usize = 200;

/// Whether a program may print one bare text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    /// An object and nothing else.
    JsonOnly,
    /// A bare text is fine when one secret was asked for.
    TextToo,
}

/// What a program is asked, as it stands on its input.
pub(super) fn request(provider: &str, ids: &[String]) -> String {
    json!({ "protocolVersion": PROTOCOL_VERSION, "provider": provider, "ids": ids }).to_string()
}

/// What it answered.
pub(super) fn read(
    provider: &str,
    ids: &[String],
    output: &[u8],
    speech: Speech,
) -> Result<BTreeMap<String, Secret<String>>, SecretError> {
    let text = std::str::from_utf8(output)
        .map_err(|_not_text| fail(provider, "printed something that is not text"))?;
    let text = text.trim();
    if text.is_empty() {
        return Err(fail(provider, "printed nothing"));
    }
    let bare = match (speech, ids) {
        (Speech::TextToo, [id]) => Some(id),
        _ => None,
    };
    // The parser's error may quote the output, and the output holds secrets.
    match (serde_json::from_str::<Value>(text), bare) {
        (Ok(Value::Object(mut fields)), _) => {
            let found = values(provider, ids, &fields);
            fields.iter_mut().for_each(|(_, value)| wipe(value));
            found
        }
        (Ok(Value::String(text)), Some(id)) => Ok(BTreeMap::from([(id.clone(), Secret::new(text))])),
        (Ok(_), _) => Err(fail(provider, "printed JSON that is not an object")),
        (Err(_quotes), Some(id)) => Ok(BTreeMap::from([(id.clone(), Secret::new(text.to_owned()))])),
        (Err(_quotes), None) => Err(fail(provider, "printed something that is not JSON")),
    }
}

fn values(
    provider: &str,
    ids: &[String],
    fields: &Map<String, Value>,
) -> Result<BTreeMap<String, Secret<String>>, SecretError> {
    if fields.get("protocolVersion").and_then(Value::as_u64) != Some(PROTOCOL_VERSION) {
        return Err(fail(provider, "must answer with \"protocolVersion\": 1"));
    }
    let Some(values) = fields.get("values").and_then(Value::as_object) else {
        return Err(fail(provider, "answered without \"values\""));
    };
    let errors = fields.get("errors").and_then(Value::as_object);
    ids.iter()
        .map(|id| {
            if let Some(error) = errors.and_then(|errors| errors.get(id)) {
                return Err(fail(provider, &format!("has no secret for {id}{}", reason(error))));
            }
            match values.get(id) {
                Some(Value::String(text)) => Ok((id.clone(), Secret::new(text.clone()))),
                Some(_) => Err(fail(provider, &format!("answered {id} with something that is not a text"))),
                None => Err(fail(provider, &format!("did not answer {id}"))),
            }
        })
        .collect()
}

fn reason(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let message: String =
        message.trim().chars().filter(|letter| !letter.is_control()).take(MAX_MESSAGE).collect();
    if message.is_empty() { String::new() } else { format!(" ({message})") }
}

fn fail(provider: &str, problem: &str) -> SecretError {
    SecretError::Unusable { provider: provider.to_owned(), problem: format!("its program {problem}") }
}
