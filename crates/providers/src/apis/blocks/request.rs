//! Rules for requests made of content blocks: kinds of pictures, schemas of tools, tools that a conversation
//! mentions, places to mark for the cache.
//!
//! Pure; each protocol's encoder puts the findings into its own wire shapes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use openclaw_types::{Image, Message};
use serde_json::{Map, Value, json};

use crate::apis::shared::media_type;

/// The kinds of pictures these protocols take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureKind {
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
    /// The kind of a picture; nothing when these protocols do not take it.
    pub(crate) fn of(image: &Image) -> Option<Self> {
        match media_type(image) {
            "image/jpeg" | "image/jpg" => Some(Self::Jpeg),
            "image/png" => Some(Self::Png),
            "image/gif" => Some(Self::Gif),
            "image/webp" => Some(Self::Webp),
            _ => None,
        }
    }

    /// The kind without `image/` before it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Jpeg => "jpeg",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }
}

/// A tool's schema as these servers take it: an object, without alternatives at the top.
pub(crate) fn tool_schema(parameters: &Value) -> Value {
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
pub(crate) fn tools_called(messages: &[Cow<'_, Message>]) -> BTreeSet<String> {
    let answers = messages.iter().filter_map(|message| match &**message {
        Message::Assistant(answer) => Some(answer),
        _ => None,
    });
    answers.flat_map(|answer| answer.tool_calls().map(|call| call.name.clone())).collect()
}

/// Which parts of a system prompt end a cached stretch. There are four places to mark in all, and two of them go to
/// the tools and the conversation: left are the most stable part and the end.
pub(crate) fn is_cache_end(part: usize, parts: usize) -> bool {
    part == 0 || part + 1 == parts
}
