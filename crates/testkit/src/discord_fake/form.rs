//! Bodies of requests: JSON, or a form with files beside it.

use openclaw_types::percent_decoded;
use serde_json::{Map, Value};

/// The JSON of a body, and its files.
pub(super) fn read(kind: &str, bytes: &[u8]) -> (Option<Value>, Vec<(String, Vec<u8>)>) {
    if let Some((_, boundary)) = kind.split_once("boundary=") {
        return parts(boundary.trim_matches('"'), bytes);
    }
    if bytes.is_empty() {
        return (None, Vec::new());
    }
    (serde_json::from_slice(bytes).ok(), Vec::new())
}

fn parts(boundary: &str, bytes: &[u8]) -> (Option<Value>, Vec<(String, Vec<u8>)>) {
    let mark = format!("--{boundary}");
    let (mut json, mut files) = (None, Vec::new());
    // Some forms have fields of their own beside the file.
    let mut fields = Map::new();
    for part in split(bytes, mark.as_bytes()) {
        let Some(at) = position(part, b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&part[..at]).into_owned();
        let body = part[at + 4..].strip_suffix(b"\r\n").unwrap_or(&part[at + 4..]);
        let field = |name: &str| {
            let (_, rest) = head.split_once(&format!("{name}=\""))?;
            rest.split('"').next().map(str::to_owned)
        };
        match (field("; name"), field("filename")) {
            (name, Some(file)) => {
                fields
                    .extend(name.filter(|name| name == "file").map(|name| (name, Value::from(file.clone()))));
                files.push((file, body.to_vec()));
            }
            (Some(name), None) if name == "payload_json" => json = serde_json::from_slice(body).ok(),
            (Some(name), None) => {
                fields.insert(name, Value::from(String::from_utf8_lossy(body).into_owned()));
            }
            _ => {}
        }
    }
    (json.or_else(|| (!fields.is_empty()).then_some(Value::Object(fields))), files)
}

fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some(at) = position(rest, mark) {
        found.push(&rest[..at]);
        rest = &rest[at + mark.len()..];
    }
    found
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// A part of a path as it was meant.
pub(super) fn unescaped(text: &str) -> String {
    String::from_utf8_lossy(&percent_decoded(text)).into_owned()
}
