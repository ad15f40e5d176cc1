//! What the protocols that speak in content blocks ask of requests alike: kinds of pictures, schemas of tools, and
//! tools that a conversation mentions.
//!
//! Pure; each protocol puts the findings into its own wire shapes.

use std::collections::BTreeSet;

use openclaw_types::{Image, Message};
use serde_json::{Map, Value, json};

/// The kinds of pictures these protocols take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PictureKind {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// GIF.
    Gif,
    /// WebP.
    Webp,
}

impl PictureKind {
    /// The kind of a picture, by its media type or, without one, by how its Base64 text begins.
    pub(super) fn of(image: &Image, data: &str) -> Option<Self> {
        match image.media_type.as_deref() {
            Some("image/jpeg" | "image/jpg") => Some(Self::Jpeg),
            Some("image/png") => Some(Self::Png),
            Some("image/gif") => Some(Self::Gif),
            Some("image/webp") => Some(Self::Webp),
            Some(_) => None,
            None if data.starts_with("/9j/") => Some(Self::Jpeg),
            None if data.starts_with("iVBOR") => Some(Self::Png),
            None if data.starts_with("R0lGOD") => Some(Self::Gif),
            None if data.starts_with("UklGR") => Some(Self::Webp),
            None => None,
        }
    }

    /// The kind without `image/` before it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Jpeg => "jpeg",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }
}

/// A tool's schema as these servers take it: an object, without alternatives at the top.
pub(super) fn tool_schema(parameters: &Value) -> Value {
    let mut schema = match parameters {
        Value::Object(fields) => fields.clone(),
        _ => Map::new(),
    };
    for refused in ["$schema", "oneOf", "anyOf", "allOf"] {
        schema.shift_remove(refused);
    }
    schema.insert("type".to_owned(), json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    Value::Object(schema)
}

/// The tools that a conversation has called, in order of their names.
pub(super) fn tools_called(messages: &[Message]) -> BTreeSet<String> {
    let answers = messages.iter().filter_map(|message| match message {
        Message::Assistant(answer) => Some(answer),
        _ => None,
    });
    answers.flat_map(|answer| answer.tool_calls().map(|call| call.name.clone())).collect()
}

/// Which parts of a system prompt end a cached stretch. There are four places to mark in all, and two of them go to
/// the tools and the conversation: left are the most stable part and the end.
pub(super) fn is_cache_end(part: usize, parts: usize) -> bool {
    part == 0 || part + 1 == parts
}
