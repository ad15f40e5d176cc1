//! Pieces that the services' requests and answers share. Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::tool::{NamedBy, WebRequest};
use openclaw_types::{Secret, percent_decoded};
use serde_json::Value;

use super::services::ServiceAccess;

/// How much of an answer is read.
const MOST_BYTES: usize = 2_000_000;
/// Replaced by the caller with what is configured.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A request for JSON by `GET`.
pub(super) fn get(url: String, access: &ServiceAccess) -> WebRequest {
    WebRequest {
        url,
        method: "GET",
        headers: BTreeMap::from([("accept".to_owned(), "application/json".to_owned())]),
        secret_headers: BTreeMap::new(),
        body: None,
        timeout: TIMEOUT,
        most_bytes: MOST_BYTES,
        redirects: 2,
        named_by: if access.configured { NamedBy::Owner } else { NamedBy::Us },
        hosts: None,
    }
}

/// A request with JSON by `POST`.
pub(super) fn post(url: String, access: &ServiceAccess, body: &Value) -> WebRequest {
    let mut request = get(url, access);
    request.method = "POST";
    request.headers.insert("content-type".to_owned(), "application/json".to_owned());
    request.body = Some(body.to_string().into_bytes());
    request
}

/// Adds the key as a bearer.
pub(super) fn with_bearer(mut request: WebRequest, access: &ServiceAccess) -> WebRequest {
    let bearer = Secret::new(format!("Bearer {}", access.key().reveal()));
    request.secret_headers.insert("authorization".to_owned(), bearer);
    request
}

/// Reads JSON.
pub(super) fn json(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| format!("the answer is no JSON ({error})"))
}

/// A text inside a value, by pointer; empty when there is none.
pub(super) fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

/// A list inside a value, by pointer.
pub(super) fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// An address with parameters.
pub(super) fn with_query(url: &str, fields: &[(&str, &str)]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={}", escaped(value)))
        .collect();
    format!("{url}?{}", fields.join("&"))
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A value of a query as it was meant.
pub(super) fn unescaped(text: &str) -> String {
    String::from_utf8_lossy(&percent_decoded(&text.replace('+', " "))).into_owned()
}

/// The host of an address.
pub(super) fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    (!host.is_empty()).then_some(host)
}

/// Text without the few marks that services put into titles: tags and entities.
pub(super) fn plain(html: &str) -> String {
    if !html.contains(['<', '&']) {
        return html.to_owned();
    }
    let mut out = String::with_capacity(html.len());
    let mut inside = false;
    for letter in html.chars() {
        match letter {
            '<' => inside = true,
            '>' if inside => inside = false,
            other if !inside => out.push(other),
            _ => {}
        }
    }
    let entities = [
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    entities.iter().fold(out, |text, (entity, letter)| text.replace(entity, letter))
}
