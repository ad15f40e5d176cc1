//! A piece as the API takes it. Pure.

use openclaw_types::{Button, Outgoing, PiecePayload, Poll, RichText};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::super::destination::is_id;
use super::super::format::format;

/// Nobody is woken.
const SILENT: u64 = 1 << 12;
/// Links show no preview.
const NO_PREVIEWS: u64 = 1 << 2;
/// The message is made of boxes and words in them.
const BOXES: u64 = 1 << 15;
/// A box, and words in one.
const BOX: u64 = 17;
const WORDS: u64 = 10;
/// Only who asked sees it.
pub(in super::super) const EPHEMERAL: u64 = 1 << 6;

/// The most rows of buttons, and buttons in a row.
pub(super) const MOST_IN_ROW: usize = 5;
pub(super) const LONGEST_LABEL: usize = 80;
/// The longest name of a post.
const LONGEST_TITLE: usize = 100;
/// The most bytes a button carries.
pub(super) const LONGEST_DATA: usize = 100;
/// The limits of a question.
const LONGEST_QUESTION: usize = 300;
const LONGEST_ANSWER: usize = 55;
const MOST_ANSWERS: usize = 10;
const LONGEST_HOURS: u64 = 768;

/// The words of a piece.
pub(super) fn words(payload: &PiecePayload) -> Option<&RichText> {
    match payload {
        PiecePayload::Text { text } => Some(text),
        PiecePayload::Media { caption, .. } | PiecePayload::Album { caption, .. } => {
            Some(caption).filter(|caption| !caption.is_empty())
        }
        PiecePayload::Panel(panel) => Some(&panel.text),
        PiecePayload::Poll(_) => None,
    }
}

/// Everything of a piece apart from its files, or what is wrong with it.
pub(super) fn body(piece: &Outgoing) -> Result<Map<String, Value>, String> {
    let mut body = Map::new();
    if let Some(text) = words(&piece.payload) {
        let content = format(text);
        if content.trim().is_empty() {
            return Err("there is nothing to say".to_owned());
        }
        body.insert("content".to_owned(), json!(content));
    }
    if let PiecePayload::Poll(poll) = &piece.payload {
        body.insert("poll".to_owned(), question(poll)?);
    }
    if let PiecePayload::Panel(panel) = &piece.payload {
        body.insert("components".to_owned(), super::panel::rows(panel, Some(&form_name(&piece.key)))?);
    }
    let mut flags = if piece.silent { SILENT } else { 0 };
    flags |= if piece.link_preview { 0 } else { NO_PREVIEWS };
    if flags != 0 {
        body.insert("flags".to_owned(), json!(flags));
    }
    if !piece.buttons.is_empty() {
        body.insert("components".to_owned(), rows(&piece.buttons)?);
    }
    // Nothing a model writes wakes everybody.
    body.insert("allowed_mentions".to_owned(), json!({ "parse": ["users", "roles"], "replied_user": true }));
    Ok(body)
}

/// The same with its words and buttons in a box of a colour. Only words with buttons have one; a file or a question stands
/// beside it otherwise.
pub(super) fn boxed(mut body: Map<String, Value>, colour: Option<u32>) -> Map<String, Value> {
    let plain = !body.contains_key("attachments") && !body.contains_key("poll");
    let (Some(colour), true, Some(Value::Array(rows))) = (colour, plain, body.get("components").cloned())
    else {
        return body;
    };
    let Some(words) = body.remove("content") else { return body };
    let inside: Vec<Value> =
        std::iter::once(json!({ "type": WORDS, "content": words })).chain(rows).collect();
    let whole = json!([{ "type": BOX, "accent_color": colour, "components": inside }]);
    body.insert("components".to_owned(), whole);
    let flags = body.get("flags").and_then(Value::as_u64).unwrap_or(0);
    // Links show no preview in such messages anyway, and the platform refuses to be told so.
    body.insert("flags".to_owned(), json!((flags & !NO_PREVIEWS) | BOXES));
    body
}

/// A boxed message with other words in its box, as an edit takes it; nothing for one without a box. The platform takes no
/// plain words for such a message.
pub(in super::super) fn reworded(message: &Value, words: &str) -> Option<Value> {
    let is_boxed = message["flags"].as_u64().unwrap_or(0) & BOXES != 0;
    let mut components = message.get("components").filter(|_| is_boxed)?.clone();
    let inside = components.get_mut(0)?.get_mut("components")?.as_array_mut()?;
    let shown = inside.iter_mut().find(|component| component["type"] == WORDS)?;
    shown["content"] = json!(words);
    Some(
        json!({ "components": components, "flags": BOXES, "allowed_mentions": { "parse": ["users", "roles"] } }),
    )
}

/// The message a piece answers, where that can be one of the platform. One that is gone is no reason to fail, and a
/// thread's first message is in the room above and cannot be answered from within.
pub(super) fn reference(piece: &Outgoing, room: &str) -> Option<Value> {
    let message = piece.reply.as_ref()?.message.as_str();
    (message != room && is_id(message)).then(|| json!({ "message_id": message, "fail_if_not_exists": false }))
}

/// What a post of a forum is called: its first words.
pub(super) fn title(payload: &PiecePayload) -> String {
    let words = match payload {
        PiecePayload::Text { text } => text.text(),
        PiecePayload::Media { file, caption, .. } if caption.is_empty() => &file.name,
        PiecePayload::Media { caption, .. } | PiecePayload::Album { caption, .. } => caption.text(),
        PiecePayload::Poll(poll) => &poll.question,
        PiecePayload::Panel(panel) => panel.text.text(),
    };
    let line = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("Post");
    line.chars().take(LONGEST_TITLE).collect()
}

/// What tells a piece from others, for some minutes: the same piece again gives the message that is there already.
pub(super) fn nonce(key: &str) -> String {
    hex::encode(Sha256::digest(key.as_bytes())).chars().take(24).collect()
}

/// What the form of a piece is called.
pub(super) fn form_name(key: &str) -> String {
    format!("form-{}", nonce(key))
}

/// Rows of buttons.
fn rows(buttons: &[Vec<Button>]) -> Result<Value, String> {
    if buttons.len() > MOST_IN_ROW || buttons.iter().any(|row| row.len() > MOST_IN_ROW || row.is_empty()) {
        return Err("Discord takes one to five buttons in a row, and up to five rows".to_owned());
    }
    let button = |button: &Button| {
        let label: String = button.text.chars().take(LONGEST_LABEL).collect();
        json!({ "type": 2, "style": 2, "label": label, "custom_id": button.data })
    };
    let row =
        |row: &Vec<Button>| json!({ "type": 1, "components": row.iter().map(button).collect::<Vec<_>>() });
    Ok(Value::Array(buttons.iter().map(row).collect()))
}

fn question(poll: &Poll) -> Result<Value, String> {
    let long = |text: &str, most: usize| text.chars().count() > most || text.trim().is_empty();
    if poll.options.is_empty() || poll.options.len() > MOST_ANSWERS {
        return Err(format!("a poll on Discord has 1 to {MOST_ANSWERS} answers"));
    }
    if long(&poll.question, LONGEST_QUESTION)
        || poll.options.iter().any(|option| long(option, LONGEST_ANSWER))
    {
        return Err(format!(
            "a poll on Discord has a question of up to {LONGEST_QUESTION} characters and answers of up to {LONGEST_ANSWER}"
        ));
    }
    let hours = poll.seconds.map_or(24, |seconds| seconds.div_ceil(3600)).clamp(1, LONGEST_HOURS);
    let answers: Vec<Value> =
        poll.options.iter().map(|option| json!({ "poll_media": { "text": option } })).collect();
    Ok(json!({
        "question": { "text": poll.question },
        "answers": answers,
        "duration": hours,
        "allow_multiselect": poll.most > 1,
        "layout_type": 1,
    }))
}
