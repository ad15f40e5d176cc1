//! Decides which pieces of a message the target gets, and in what form.
//!
//! Thinking and signatures are proofs for the very model that gave them; any other model would refuse them. Thoughts
//! from elsewhere are dropped, unless they are all that an answer has: then they become its words.

use openclaw_types::{Content, Image, ImageData, Thinking, ToolCall};
use serde_json::{Map, Value};

use super::{ImageRule, names};

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The same protocol and model that are asked now.
    Target,
    /// Anything else.
    Elsewhere,
}

/// Words and pictures of a user message or a tool result.
pub(super) fn for_people(content: &[Content], images: ImageRule) -> Vec<Content> {
    content
        .iter()
        .filter_map(|piece| match piece {
            Content::Text(text) => plain(&text.text),
            Content::Image(image) => Some(picture(image, images)),
            _ => None,
        })
        .collect()
}

/// The words of an answer that was cut off.
pub(super) fn words(content: &[Content]) -> Vec<Content> {
    content.iter().filter_map(Content::as_text).filter_map(plain).collect()
}

/// The pieces of a whole answer.
pub(super) fn of_answer(content: &[Content], origin: Origin) -> Vec<Content> {
    let kept: Vec<Content> = content.iter().filter_map(|piece| answer_piece(piece, origin)).collect();
    if !kept.is_empty() || origin == Origin::Target {
        return kept;
    }
    content
        .iter()
        .filter_map(|piece| match piece {
            Content::Thinking(thinking) => plain(&thinking.text),
            _ => None,
        })
        .collect()
}

fn answer_piece(piece: &Content, origin: Origin) -> Option<Content> {
    match piece {
        Content::Text(text) if origin == Origin::Target => {
            let worth_it = is_proof(text.signature.as_deref()) || !is_blank(&text.text);
            worth_it.then(|| Content::Text(text.clone()))
        }
        Content::Text(text) => plain(&text.text),
        Content::Thinking(thinking) if origin == Origin::Target => kept_thinking(thinking),
        Content::RedactedThinking(_) if origin == Origin::Target => Some(piece.clone()),
        Content::ToolCall(call) => tool_call(call, origin),
        Content::Image(image) => Some(picture(image, ImageRule::Describe)),
        Content::Thinking(_) | Content::RedactedThinking(_) | Content::Other(_) => None,
    }
}

fn kept_thinking(thinking: &Thinking) -> Option<Content> {
    let worth_it = is_proof(thinking.signature.as_deref()) || !is_blank(&thinking.text);
    worth_it.then(|| Content::Thinking(thinking.clone()))
}

/// A call that no vendor refuses when it comes back: with a plain name and an object of arguments.
fn tool_call(call: &ToolCall, origin: Origin) -> Option<Content> {
    let signature = match origin {
        Origin::Target => call.signature.clone(),
        Origin::Elsewhere => None,
    };
    let name = names::tool_name(&call.name)?;
    let arguments = as_object(&call.arguments);
    Some(Content::ToolCall(ToolCall { id: call.id.clone(), name, arguments, signature }))
}

fn as_object(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        Value::Null => Value::Object(Map::new()),
        Value::String(text) if is_blank(text) => Value::Object(Map::new()),
        other => Value::Object(Map::from_iter([("raw".to_owned(), other.clone())])),
    }
}

fn picture(image: &Image, rule: ImageRule) -> Content {
    let usable = match &image.data {
        ImageData::Inline(data) => !data.is_empty(),
        ImageData::Url(url) => !is_blank(url),
        ImageData::Omitted { .. } => false,
    };
    if usable && rule == ImageRule::Keep {
        return Content::Image(image.clone());
    }
    let kind = image.media_type.as_deref().unwrap_or("picture");
    Content::text(match &image.data {
        ImageData::Omitted { bytes: Some(bytes) } => format!("[{kind} of {bytes} bytes, left out]"),
        ImageData::Url(url) if usable => format!("[{kind} at {url}, not shown]"),
        _ => format!("[{kind}, not shown]"),
    })
}

fn plain(text: &str) -> Option<Content> {
    (!is_blank(text)).then(|| Content::text(text))
}

fn is_proof(signature: Option<&str>) -> bool {
    signature.is_some_and(|signature| !signature.is_empty())
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
