//! Decides which pieces of a message the target gets, and in what form.
//!
//! Thinking and signatures are proofs for the very model that gave them; any other model would refuse them. Thoughts
//! from elsewhere are dropped, unless they are all that an answer has: then they become its words.

use std::borrow::Cow;

use openclaw_types::{Content, Image, ImageData, ToolCall};
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
pub(super) fn for_people(content: &[Content], images: ImageRule) -> Cow<'_, [Content]> {
    formed(content, |piece| match piece {
        Content::Text(_) => words_of(piece),
        Content::Image(image) => Some(picture(piece, image, images)),
        _ => None,
    })
}

/// The words of an answer that was cut off.
pub(super) fn words(content: &[Content]) -> Cow<'_, [Content]> {
    formed(content, words_of)
}

/// The pieces of a whole answer.
pub(super) fn of_answer(content: &[Content], origin: Origin) -> Cow<'_, [Content]> {
    let kept = formed(content, |piece| answer_piece(piece, origin));
    if !kept.is_empty() || origin == Origin::Target {
        return kept;
    }
    formed(content, |piece| match piece {
        Content::Thinking(thinking) => plain(&thinking.text).map(Cow::Owned),
        _ => None,
    })
}

/// The pieces in the form they travel in; the very same ones where each of them can travel as it is.
fn formed<'a>(
    content: &'a [Content],
    form: impl Fn(&'a Content) -> Option<Cow<'a, Content>>,
) -> Cow<'a, [Content]> {
    let is_same = |piece: &&'a Content| matches!(form(piece), Some(Cow::Borrowed(_)));
    let same = content.iter().take_while(is_same).count();
    let (same, others) = content.split_at(same);
    if others.is_empty() {
        return Cow::Borrowed(content);
    }
    let others = others.iter().filter_map(form).map(Cow::into_owned);
    Cow::Owned(same.iter().cloned().chain(others).collect())
}

fn answer_piece(piece: &Content, origin: Origin) -> Option<Cow<'_, Content>> {
    let own = |proof: Option<&str>, words: &str| {
        let worth_it = is_proof(proof) || !is_blank(words);
        worth_it.then_some(Cow::Borrowed(piece))
    };
    match piece {
        Content::Text(text) if origin == Origin::Target => own(text.signature.as_deref(), &text.text),
        Content::Text(_) => words_of(piece),
        Content::Thinking(thinking) if origin == Origin::Target => {
            own(thinking.signature.as_deref(), &thinking.text)
        }
        Content::RedactedThinking(_) if origin == Origin::Target => Some(Cow::Borrowed(piece)),
        Content::ToolCall(call) => tool_call(piece, call, origin),
        Content::Image(image) => Some(picture(piece, image, ImageRule::Describe)),
        Content::Thinking(_) | Content::RedactedThinking(_) | Content::Other(_) => None,
    }
}

/// A call that no vendor refuses when it comes back: with a plain name and an object of arguments.
fn tool_call<'a>(piece: &'a Content, call: &ToolCall, origin: Origin) -> Option<Cow<'a, Content>> {
    let signature = call.signature.as_ref().filter(|_| origin == Origin::Target);
    let name = names::tool_name(&call.name)?;
    let is_same =
        name == call.name && call.arguments.is_object() && signature.is_some() == call.signature.is_some();
    if is_same {
        return Some(Cow::Borrowed(piece));
    }
    Some(Cow::Owned(Content::ToolCall(ToolCall {
        id: call.id.clone(),
        name: name.into_owned(),
        arguments: as_object(&call.arguments),
        signature: signature.cloned(),
    })))
}

fn as_object(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        Value::Null => Value::Object(Map::new()),
        Value::String(text) if is_blank(text) => Value::Object(Map::new()),
        other => Value::Object(Map::from_iter([("raw".to_owned(), other.clone())])),
    }
}

fn picture<'a>(piece: &'a Content, image: &Image, rule: ImageRule) -> Cow<'a, Content> {
    let usable = match &image.data {
        ImageData::Inline(data) => !data.is_empty(),
        ImageData::Url(url) => !is_blank(url),
        ImageData::Omitted { .. } => false,
    };
    if usable && rule == ImageRule::Keep {
        return Cow::Borrowed(piece);
    }
    let kind = image.media_type.as_deref().unwrap_or("picture");
    Cow::Owned(Content::text(match &image.data {
        ImageData::Omitted { bytes: Some(bytes) } => format!("[{kind} of {bytes} bytes, left out]"),
        ImageData::Url(url) if usable => format!("[{kind} at {url}, not shown]"),
        _ => format!("[{kind}, not shown]"),
    }))
}

/// Words without a proof; nothing when there are none.
fn words_of(piece: &Content) -> Option<Cow<'_, Content>> {
    let Content::Text(text) = piece else { return None };
    match &text.signature {
        None => (!is_blank(&text.text)).then_some(Cow::Borrowed(piece)),
        Some(_proof) => plain(&text.text).map(Cow::Owned),
    }
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
