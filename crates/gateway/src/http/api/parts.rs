//! Reads what other programs send as content: texts, pictures, small files, calls, and tools of their own. Pure.
//!
//! What is only named by its address stays an address; `fetch` gets it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openclaw_config::sections::{Positive, ResponseFiles, ResponseImages, ResponsesEndpoint};
use openclaw_flow::{Picture, ToldCall};
use openclaw_types::ToolCallId;
use serde_json::{Value, json};

use super::caller::Refused;

/// The largest picture where nobody says.
const MOST_PICTURE_BYTES: usize = 10 * 1024 * 1024;
/// The largest file where nobody says.
const MOST_FILE_BYTES: usize = 5 * 1024 * 1024;
/// How much of a file is shown to the model where nobody says, in letters.
const MOST_FILE_LETTERS: usize = 200_000;

/// What holds for files, whichever way they come (`gateway.http.endpoints.responses.files`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileRules {
    /// The largest size.
    pub(super) most_bytes: usize,
    /// How much of one is shown to the model, in letters.
    most_letters: usize,
    /// The only types, where some are named.
    types: Option<Vec<String>>,
}

impl FileRules {
    /// The rules of a configuration.
    pub(super) fn of(settings: Option<&ResponseFiles>) -> Self {
        let size = |written: Option<Positive>| written.and_then(|most| usize::try_from(most.get()).ok());
        let source = settings.map(|files| &files.source);
        Self {
            most_bytes: source.and_then(|source| size(source.max_bytes)).unwrap_or(MOST_FILE_BYTES),
            most_letters: settings.and_then(|files| size(files.max_chars)).unwrap_or(MOST_FILE_LETTERS),
            types: source.and_then(|source| source.allowed_mimes.clone()),
        }
    }

    fn takes(&self, kind: &str) -> bool {
        self.types.as_ref().is_none_or(|types| types.iter().any(|one| one.trim().eq_ignore_ascii_case(kind)))
    }
}

/// What holds for pictures, whichever way they come (`gateway.http.endpoints.responses.images`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PictureRules {
    /// The largest size.
    pub(super) most_bytes: usize,
    /// The only types, where some are named.
    types: Option<Vec<String>>,
}

impl PictureRules {
    fn of(settings: Option<&ResponseImages>) -> Self {
        let source = settings.map(|images| &images.source);
        let most = source.and_then(|source| source.max_bytes);
        Self {
            most_bytes: most.and_then(|most| usize::try_from(most.get()).ok()).unwrap_or(MOST_PICTURE_BYTES),
            types: source.and_then(|source| source.allowed_mimes.clone()),
        }
    }

    fn takes(&self, kind: &str) -> bool {
        self.types.as_ref().is_none_or(|types| types.iter().any(|one| one.trim().eq_ignore_ascii_case(kind)))
    }
}

/// What holds for what is sent along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) files: FileRules,
    pub(super) pictures: PictureRules,
}

impl Rules {
    /// The rules of a configuration.
    pub(super) fn of(settings: &ResponsesEndpoint) -> Self {
        Self {
            files: FileRules::of(settings.files.as_ref()),
            pictures: PictureRules::of(settings.images.as_ref()),
        }
    }
}

/// How hard to think, as OpenAI's programs write it. What nobody knows counts as not said.
pub(super) fn effort(written: Option<String>) -> Option<String> {
    let word = written?;
    match word.trim().to_ascii_lowercase().as_str() {
        "none" => Some("off".to_owned()),
        _ => Some(word),
    }
}

/// One piece of the content of a message.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    /// Words, or a file as words.
    Text(String),
    /// A picture.
    Picture(Picture),
    /// A picture at an address.
    PictureAt(String),
    /// A file at an address.
    FileAt {
        /// The address.
        url: String,
        /// What the caller calls it.
        name: Option<String>,
    },
}

/// Reads content that is a text or a list of parts. Parts that nobody knows are left out.
pub(super) fn read(content: &Value, rules: &Rules) -> Result<Vec<Piece>, Refused> {
    let parts = match content {
        Value::String(text) => return Ok(vec![Piece::Text(text.clone())]),
        Value::Array(parts) => parts,
        _ => return Ok(Vec::new()),
    };
    let mut pieces = Vec::new();
    for part in parts {
        match part["type"].as_str().unwrap_or_default() {
            "text" | "input_text" | "output_text" => {
                pieces.extend(part["text"].as_str().map(|text| Piece::Text(text.to_owned())));
            }
            "image_url" if part["image_url"].is_string() => {
                pieces.push(picture(&part["image_url"], &rules.pictures)?);
            }
            "image_url" => pieces.push(picture(&part["image_url"]["url"], &rules.pictures)?),
            "input_image" => pieces.push(input_picture(part, &rules.pictures)?),
            "input_file" | "file" => pieces.push(file(part, &rules.files)?),
            _ => {}
        }
    }
    Ok(pieces)
}

/// The words of a piece of content that a system says: pictures have no place there.
pub(super) fn words(pieces: Vec<Piece>) -> String {
    let texts = pieces.into_iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// A call of one of the caller's tools, as it was made.
pub(super) fn call(id: &Value, name: &Value, arguments: &Value) -> Result<ToldCall, Refused> {
    let arguments = match arguments {
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_unread| json!({"input": text})),
        Value::Null => json!({}),
        other => other.clone(),
    };
    let name = name.as_str().map(str::trim).unwrap_or_default();
    if name.is_empty() {
        return Err(Refused::wrong("a call of a tool needs the tool's name"));
    }
    Ok(ToldCall { id: call_id(id)?, name: name.to_owned(), arguments })
}

/// The id that joins a call with its result.
pub(super) fn call_id(id: &Value) -> Result<ToolCallId, Refused> {
    ToolCallId::new(id.as_str().map(str::trim).unwrap_or_default())
        .map_err(|error| Refused::wrong(format!("tool_call_id: {error}")))
}

fn input_picture(part: &Value, rules: &PictureRules) -> Result<Piece, Refused> {
    let source = &part["source"];
    match source["type"].as_str() {
        Some("base64") => {
            let kind = source["media_type"].as_str().unwrap_or_default();
            checked(kind, source["data"].as_str().unwrap_or_default(), rules)
        }
        Some("url") => picture(&source["url"], rules),
        _ => picture(&part["image_url"], rules),
    }
}

fn picture(address: &Value, rules: &PictureRules) -> Result<Piece, Refused> {
    let address = address.as_str().map(str::trim).unwrap_or_default();
    match data_url(address) {
        Some((kind, data)) => checked(kind, data, rules),
        None if is_web(address) => Ok(Piece::PictureAt(address.to_owned())),
        None => Err(Refused::wrong(
            "image: give an http(s) address or the picture itself as a data URL (data:image/png;base64,…)",
        )),
    }
}

fn is_web(address: &str) -> bool {
    let scheme = address.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https"))
}

fn checked(kind: &str, data: &str, rules: &PictureRules) -> Result<Piece, Refused> {
    let bytes = decoded("image", data)?;
    kept_picture(kind, &bytes, rules).map(Piece::Picture)
}

/// A picture of a kind and size that models take.
pub(super) fn kept_picture(kind: &str, bytes: &[u8], rules: &PictureRules) -> Result<Picture, Refused> {
    if !matches!(kind, "image/png" | "image/jpeg" | "image/jpg" | "image/gif" | "image/webp") {
        return Err(Refused::wrong(format!(
            "image: {kind} is not one of image/png, image/jpeg, image/gif, image/webp"
        )));
    }
    if !rules.takes(kind) {
        return Err(Refused::wrong(format!(
            "image: {kind} is not in gateway.http.endpoints.responses.images.allowedMimes"
        )));
    }
    if bytes.len() > rules.most_bytes {
        return Err(Refused::wrong(format!("image: larger than {} bytes", rules.most_bytes)));
    }
    Ok(Picture { media_type: kind.to_owned(), data: STANDARD.encode(bytes) })
}

fn file(part: &Value, rules: &FileRules) -> Result<Piece, Refused> {
    let source = if part["source"].is_object() { &part["source"] } else { part };
    let inline = source["file_data"].as_str().or_else(|| source["file"]["file_data"].as_str());
    let name = source["filename"].as_str().or_else(|| source["file"]["filename"].as_str());
    let address = source["url"].as_str().or_else(|| source["file_url"].as_str()).map(str::trim);
    let (kind, data) = match (source["type"].as_str(), inline.and_then(data_url), address) {
        (_, Some((kind, data)), _) => (kind, data),
        (Some("base64"), None, _) => {
            (source["media_type"].as_str().unwrap_or_default(), source["data"].as_str().unwrap_or_default())
        }
        (_, None, Some(url)) if is_web(url) => {
            return Ok(Piece::FileAt { url: url.to_owned(), name: name.map(str::to_owned) });
        }
        _ => {
            return Err(Refused::wrong(
                "file: give an http(s) address or the file itself as base64; ids of files are not known here",
            ));
        }
    };
    let named = Named { kind, name: name.unwrap_or("file") };
    kept_file(rules, &named, &decoded("file", data)?).map(Piece::Text)
}

/// What a file is said to be.
pub(super) struct Named<'a> {
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
}

/// A file as words for the model.
pub(super) fn kept_file(rules: &FileRules, named: &Named<'_>, bytes: &[u8]) -> Result<String, Refused> {
    let Named { kind, name } = *named;
    // Whatever it is said to be: its bytes would be noise to a model.
    if kind == "application/pdf" || bytes.starts_with(b"%PDF-") {
        return Err(Refused::wrong(
            "file: PDF files are not read here; send their text, or their pages as pictures",
        ));
    }
    if !rules.takes(kind) {
        return Err(Refused::wrong(format!(
            "file: {kind} is not in gateway.http.endpoints.responses.files.allowedMimes"
        )));
    }
    let readable = kind.starts_with("text/") || kind == "application/json";
    if !readable {
        return Err(Refused::wrong(format!(
            "file: {kind} cannot be read; send text, Markdown, HTML, CSV or JSON"
        )));
    }
    if bytes.len() > rules.most_bytes {
        return Err(Refused::wrong(format!("file: larger than {} bytes", rules.most_bytes)));
    }
    let text: String = String::from_utf8_lossy(bytes).chars().take(rules.most_letters).collect();
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

/// The caller's own tools, in the shape submissions keep: both ways of writing them are known.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(images: Value) -> Rules {
        Rules::of(&serde_json::from_value(json!({ "images": images })).unwrap())
    }

    #[test]
    fn pictures_inside_a_request_keep_to_the_same_rules_as_fetched_ones() {
        let part = json!([{ "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAAAAAA" } }]);
        let said = |images: Value| read(&part, &rules(images)).map(|pieces| pieces.len());
        assert_eq!(said(json!({})), Ok(1));
        let small = said(json!({ "maxBytes": 5 })).unwrap_err();
        assert_eq!(small, Refused::wrong("image: larger than 5 bytes"));
        let kinds = said(json!({ "allowedMimes": ["image/jpeg"] })).unwrap_err();
        let rule = "image: image/png is not in gateway.http.endpoints.responses.images.allowedMimes";
        assert_eq!(kinds, Refused::wrong(rule));
    }

    #[test]
    fn no_effort_at_all_is_a_level_too() {
        assert_eq!(effort(Some("None".to_owned())).as_deref(), Some("off"));
        assert_eq!(effort(Some("High".to_owned())).as_deref(), Some("High"));
        assert_eq!(effort(None), None);
    }
}
