//! Reads the body of a call: JSON, a form, or a form with files. Fields of forms are words; their types say what they mean.

use serde_json::{Map, Value};

use super::spec::Spec;

/// A file that came with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentFile {
    /// The field it came in.
    pub field: String,
    /// Its name.
    pub name: String,
    /// Its media type, as the caller said.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The fields and files of a call.
pub(super) fn read(
    spec: &Spec,
    method: &str,
    content_type: &str,
    body: &[u8],
) -> Result<(Map<String, Value>, Vec<SentFile>), String> {
    if body.is_empty() {
        return Ok((Map::new(), Vec::new()));
    }
    if content_type.starts_with("application/json") {
        let fields =
            serde_json::from_slice(body).map_err(|error| format!("the body is no object: {error}"))?;
        return Ok((fields, Vec::new()));
    }
    if let Some(boundary) = content_type.split("boundary=").nth(1) {
        return parts(spec, method, boundary.trim_matches('"'), body);
    }
    Err(format!("a body of the type {content_type}"))
}

fn parts(
    spec: &Spec,
    method: &str,
    boundary: &str,
    body: &[u8],
) -> Result<(Map<String, Value>, Vec<SentFile>), String> {
    let mut fields = Map::new();
    let mut files = Vec::new();
    for part in split(body, format!("--{boundary}").as_bytes()) {
        let Some(at) = find(part, b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&part[..at]).into_owned();
        let content = part[at + 4..].strip_suffix(b"\r\n").ok_or("a part without an end")?;
        let name = value(&head, "name").ok_or("a part without a name")?;
        match value(&head, "filename") {
            Some(file) => {
                let kind = head.lines().find_map(|line| {
                    let (key, value) = line.split_once(':')?;
                    key.eq_ignore_ascii_case("content-type").then(|| value.trim().to_owned())
                });
                files.push(SentFile {
                    field: name.clone(),
                    name: file,
                    media_type: kind.unwrap_or_default(),
                    bytes: content.to_vec(),
                });
                // The field itself names the part the file is in.
                if !spec.field_types(method, &name).contains(&"") {
                    fields.insert(name.clone(), Value::String(format!("attach://{name}")));
                }
            }
            None => {
                let text = std::str::from_utf8(content).map_err(|error| error.to_string())?;
                let meant = meaning(&spec.field_types(method, &name), text);
                fields.insert(name, meant);
            }
        }
    }
    Ok((fields, files))
}

/// What the words of a field mean, by the types it may have.
fn meaning(types: &[&str], text: &str) -> Value {
    for kind in types {
        let read = match *kind {
            "Integer" => text.parse::<i64>().ok().map(Value::from),
            "Boolean" => text.to_lowercase().parse::<bool>().ok().map(Value::from),
            "String" | "InputFile" => None,
            _ => serde_json::from_str(text).ok(),
        };
        if let Some(value) = read {
            return value;
        }
    }
    Value::String(text.to_owned())
}

/// A quoted value in the head of a part.
fn value(head: &str, name: &str) -> Option<String> {
    let line = head.lines().find(|line| line.to_lowercase().starts_with("content-disposition"))?;
    line.split(';').find_map(|piece| {
        let (key, value) = piece.trim().split_once('=')?;
        (key == name).then(|| value.trim_matches('"').to_owned())
    })
}

fn split<'a>(body: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut rest = body;
    let mut begun = false;
    while let Some(at) = find(rest, mark) {
        if begun {
            parts.push(&rest[..at]);
        }
        begun = true;
        rest = &rest[at + mark.len()..];
    }
    parts
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}
