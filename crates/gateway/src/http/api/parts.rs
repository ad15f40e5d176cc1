//! Reads what other programs send as content: texts, pictures, small files, and tools of their own. Pure.
//!
//! Addresses are not fetched: a picture or file has to be inside the request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openclaw_flow::Picture;
use serde_json::{Value, json};

use super::caller::Refused;

/// The largest picture.
const MOST_PICTURE_BYTES: usize = 10 * 1024 * 1024;
/// The largest file.
const MOST_FILE_BYTES: usize = 5 * 1024 * 1024;
/// How much of a file is shown to the model, in letters.
const MOST_FILE_LETTERS: usize = 200_000;

/// The content of one message.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Pieces {
    pub(super) text: String,
    pub(super) pictures: Vec<Picture>,
}

/// Reads content that is a text or a list of parts. Parts that nobody knows are left out.
pub(super) fn read(content: &Value) -> Result<Pieces, Refused> {
    let parts = match content {
        Value::String(text) => return Ok(Pieces { text: text.clone(), pictures: Vec::new() }),
        Value::Array(parts) => parts,
        _ => return Ok(Pieces::default()),
    };
    let mut texts = Vec::new();
    let mut pictures = Vec::new();
    for part in parts {
        match part["type"].as_str().unwrap_or_default() {
            "text" | "input_text" | "output_text" => texts.extend(part["text"].as_str().map(str::to_owned)),
            "image_url" => pictures.push(picture(&part["image_url"]["url"])?),
            "input_image" => pictures.push(input_picture(part)?),
            "input_file" | "file" => texts.push(file(part)?),
            _ => {}
        }
    }
    Ok(Pieces { text: texts.join("\n"), pictures })
}

fn input_picture(part: &Value) -> Result<Picture, Refused> {
    let source = &part["source"];
    match source["type"].as_str() {
        Some("base64") => {
            let kind = source["media_type"].as_str().unwrap_or_default();
            checked(kind, source["data"].as_str().unwrap_or_default())
        }
        Some("url") => picture(&source["url"]),
        _ => picture(&part["image_url"]),
    }
}

fn picture(address: &Value) -> Result<Picture, Refused> {
    let address = address.as_str().unwrap_or_default();
    match data_url(address) {
        Some((kind, data)) => checked(kind, data),
        None => Err(Refused::wrong(
            "image: addresses are not fetched; send the picture itself as a data URL (data:image/png;base64,…)",
        )),
    }
}

fn checked(kind: &str, data: &str) -> Result<Picture, Refused> {
    if !matches!(kind, "image/png" | "image/jpeg" | "image/jpg" | "image/gif" | "image/webp") {
        return Err(Refused::wrong(format!(
            "image: {kind} is not one of image/png, image/jpeg, image/gif, image/webp"
        )));
    }
    let bytes = decoded("image", data)?;
    if bytes.len() > MOST_PICTURE_BYTES {
        return Err(Refused::wrong(format!("image: larger than {MOST_PICTURE_BYTES} bytes")));
    }
    Ok(Picture { media_type: kind.to_owned(), data: STANDARD.encode(bytes) })
}

fn file(part: &Value) -> Result<String, Refused> {
    let source = if part["source"].is_object() { &part["source"] } else { part };
    let inline = source["file_data"].as_str().or_else(|| source["file"]["file_data"].as_str());
    let (kind, data) = match (source["type"].as_str(), inline.and_then(data_url)) {
        (_, Some((kind, data))) => (kind, data),
        (Some("base64"), None) => {
            (source["media_type"].as_str().unwrap_or_default(), source["data"].as_str().unwrap_or_default())
        }
        _ => {
            return Err(Refused::wrong(
                "file: addresses and ids are not fetched; send the file itself as base64",
            ));
        }
    };
    let readable = kind.starts_with("text/") || kind == "application/json";
    if !readable {
        return Err(Refused::wrong(format!(
            "file: {kind} cannot be read; send text, Markdown, HTML, CSV or JSON"
        )));
    }
    let bytes = decoded("file", data)?;
    if bytes.len() > MOST_FILE_BYTES {
        return Err(Refused::wrong(format!("file: larger than {MOST_FILE_BYTES} bytes")));
    }
    let text: String = String::from_utf8_lossy(&bytes).chars().take(MOST_FILE_LETTERS).collect();
    let name = source["filename"].as_str().or_else(|| source["file"]["filename"].as_str()).unwrap_or("file");
    let name: String =
        name.chars().filter(|letter| !letter.is_control() && *letter != '"').take(120).collect();
    Ok(format!("<file name=\"{name}\">\n{}\n</file>", text.replace("</file>", "<\\/file>")))
}

fn data_url(address: &str) -> Option<(&str, &str)> {
    let (head, data) = address.strip_prefix("data:")?.split_once(";base64,")?;
    Some((head.split(';').next().unwrap_or(head), data))
}

fn decoded(what: &str, data: &str) -> Result<Vec<u8>, Refused> {
    STANDARD.decode(data.trim()).map_err(|_broken| Refused::wrong(format!("{what}: the data is no base64")))
}

/// The caller's own tools, in the shape letters keep: both ways of writing them are known.
pub(super) fn tools(written: Option<&Vec<Value>>) -> Result<Vec<Value>, Refused> {
    let mut tools = Vec::new();
    for tool in written.into_iter().flatten() {
        if tool["type"].as_str() != Some("function") {
            return Err(Refused::wrong("tools: only tools of type \"function\" can be given"));
        }
        let function = if tool["function"].is_object() { &tool["function"] } else { tool };
        let name = function["name"].as_str().map(str::trim).unwrap_or_default();
        if name.is_empty() {
            return Err(Refused::wrong("tools: a tool needs a name"));
        }
        tools.push(json!({
            "name": name,
            "description": function["description"].as_str().unwrap_or_default(),
            "parameters": function["parameters"],
        }));
    }
    Ok(tools)
}

/// Whether a tool must be called, as a word.
pub(super) fn tool_choice(written: Option<&Value>, tools: &[Value]) -> Result<Option<String>, Refused> {
    let choice = match written {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(word)) if matches!(word.as_str(), "auto" | "none" | "required") => word.clone(),
        Some(choice) => {
            let named = choice["function"]["name"].as_str().or_else(|| choice["name"].as_str());
            let known = named.filter(|named| tools.iter().any(|tool| tool["name"].as_str() == Some(*named)));
            match known {
                Some(name) => name.to_owned(),
                None => return Err(Refused::wrong("tool_choice: names no tool of the request")),
            }
        }
    };
    if choice == "required" && tools.is_empty() {
        return Err(Refused::wrong("tool_choice: \"required\" needs tools"));
    }
    Ok(Some(choice))
}
