//! Shapes stored entries for `chat.history`: nothing secret, nothing huge, nothing meant for the model alone.
//!
//! Pure. Limits are those the original's clients were written for.

use std::sync::Arc;

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{EntryBody, LineRecord, Message, UnixMillis, write_message};
use serde_json::{Map, Value, json};

use super::strip::{is_quiet, strip_directive_tags, strip_facts, strip_inbound_envelope};

/// How many messages are shown when nobody says how many.
pub(crate) const DEFAULT_LIMIT: usize = 200;
/// How many messages are shown at most.
pub(crate) const MAX_LIMIT: usize = 1_000;
/// The longest text, in letters.
const TEXT_LETTERS: usize = 12_000;
/// Stands where a text was cut.
const CUT_MARK: &str = "\n...(truncated)...";
/// The largest message, in bytes of JSON.
const MESSAGE_BYTES: usize = 128 * 1024;
/// The most that all messages take together, in bytes of JSON.
const TOTAL_BYTES: usize = 6 * 1024 * 1024;
/// Stands in the place of a message that is too large.
const PLACEHOLDER: &str = "[This message is too large to be shown here.]";
/// What of a message is not for people.
const HIDDEN_FIELDS: [&str; 3] = ["details", "usage", "cost"];

/// Whether an entry is one of those that are shown.
pub(crate) fn counts(stored: &StoredEntry) -> bool {
    match &stored.line.record {
        LineRecord::Entry(entry) => matches!(entry.body, EntryBody::Message(_) | EntryBody::Compaction(_)),
        LineRecord::Header(_) | LineRecord::Foreign(_) => false,
    }
}

/// The newest messages of a branch, oldest first, as many as fit.
pub(crate) fn shaped<B>(branch: B, limit: usize) -> Vec<Value>
where
    B: IntoIterator<Item = StoredEntry, IntoIter: DoubleEndedIterator>,
{
    let mut shown = Vec::new();
    let mut total = 2;
    for message in branch.into_iter().rev().filter(counts).take(limit).filter_map(message) {
        let (message, bytes) = bounded(message);
        total += bytes + 1;
        if total > TOTAL_BYTES && !shown.is_empty() {
            break;
        }
        shown.push(message);
    }
    shown.reverse();
    shown
}

fn message(stored: StoredEntry) -> Option<Map<String, Value>> {
    let mut line = Arc::unwrap_or_clone(stored.line);
    let whole = match line.residue.is_same() {
        true => None,
        false => Some(line.to_value()),
    };
    let LineRecord::Entry(entry) = &mut line.record else { return None };
    let id = entry.id.as_ref().map(|id| id.as_str());
    match &mut entry.body {
        EntryBody::Message(message) => {
            let mut message = written(whole, message)?;
            clean(&mut message);
            if let Some(id) = id {
                note(&mut message, "id", json!(id));
            }
            Some(message)
        }
        EntryBody::Compaction(_) => Some(compaction(id, entry.at)),
        _ => None,
    }
}

/// The message as its line has it. What people are not shown of it is left out before it is written, where that is most.
fn written(whole: Option<Value>, message: &mut Arc<Message>) -> Option<Map<String, Value>> {
    let message = match whole {
        Some(mut line) => line.get_mut("message")?.take(),
        None => {
            if matches!(**message, Message::Assistant(_))
                && let Message::Assistant(answer) = Arc::make_mut(message)
            {
                answer.usage = None;
            }
            write_message(message)
        }
    };
    match message {
        Value::Object(message) => Some(message),
        _ => None,
    }
}

fn compaction(id: Option<&str>, at: Option<UnixMillis>) -> Map<String, Value> {
    let mut message = Map::new();
    message.insert("role".into(), json!("system"));
    message.insert("content".into(), json!([{ "type": "text", "text": "Compaction" }]));
    if let Some(at) = at {
        message.insert("timestamp".into(), json!(at));
    }
    note(&mut message, "kind", json!("compaction"));
    if let Some(id) = id {
        note(&mut message, "id", json!(id));
    }
    message
}

fn clean(message: &mut Map<String, Value>) {
    for field in HIDDEN_FIELDS {
        message.remove(field);
    }
    let from_person = message.get("role").and_then(Value::as_str) == Some("user");
    for field in ["content", "text"] {
        match message.get_mut(field) {
            Some(Value::String(text)) => *text = words(text, from_person),
            Some(Value::Array(pieces)) => {
                pieces
                    .iter_mut()
                    .filter_map(Value::as_object_mut)
                    .for_each(|piece| clean_piece(piece, from_person));
            }
            _ => {}
        }
    }
}

fn clean_piece(piece: &mut Map<String, Value>, from_person: bool) {
    piece.remove("thinkingSignature");
    if let Some(Value::String(text)) = piece.get_mut("text") {
        *text = words(text, from_person);
    }
    for field in ["partialJson", "arguments", "thinking"] {
        if let Some(Value::String(text)) = piece.get_mut(field) {
            cut(text);
        }
    }
    let is_image = piece.get("type").and_then(Value::as_str) == Some("image");
    if is_image && let Some(Value::String(data)) = piece.get("data") {
        let bytes = data.len();
        piece.remove("data");
        piece.insert("omitted".into(), json!(true));
        piece.insert("bytes".into(), json!(bytes));
    }
}

fn words(text: &str, from_person: bool) -> String {
    let inside = match from_person {
        true => strip_inbound_envelope(text),
        false => strip_facts(text),
    };
    let mut words = strip_directive_tags(&inside).into_owned();
    if !from_person && is_quiet(&words) {
        return String::new();
    }
    cut(&mut words);
    words
}

fn cut(text: &mut String) {
    if text.len() > TEXT_LETTERS
        && let Some((end, _)) = text.char_indices().nth(TEXT_LETTERS)
    {
        text.truncate(end);
        text.push_str(CUT_MARK);
    }
}

/// The message, or a short one in its place when it is too large; and how many bytes it takes.
fn bounded(message: Map<String, Value>) -> (Value, usize) {
    let message = Value::Object(message);
    let bytes = bytes_of(&message);
    if bytes <= MESSAGE_BYTES {
        return (message, bytes);
    }
    let mut placeholder = Map::new();
    placeholder.insert("role".into(), message.get("role").cloned().unwrap_or_else(|| json!("assistant")));
    if let Some(at) = message.get("timestamp") {
        placeholder.insert("timestamp".into(), at.clone());
    }
    placeholder.insert("content".into(), json!([{ "type": "text", "text": PLACEHOLDER }]));
    note(&mut placeholder, "truncated", json!(true));
    note(&mut placeholder, "reason", json!("oversized"));
    if let Some(id) = message.pointer("/__openclaw/id") {
        note(&mut placeholder, "id", id.clone());
    }
    let placeholder = Value::Object(placeholder);
    let bytes = bytes_of(&placeholder);
    (placeholder, bytes)
}

/// How many bytes of JSON a value takes.
pub(super) fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Null => 4,
        Value::Bool(flag) => {
            if *flag {
                4
            } else {
                5
            }
        }
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => bytes_of_text(text),
        // Brackets, and a comma between two.
        Value::Array(list) => list.iter().map(|one| bytes_of(one) + 1).sum::<usize>().max(1) + 1,
        Value::Object(fields) => {
            let each = fields.iter().map(|(name, value)| bytes_of_text(name) + bytes_of(value) + 2);
            each.sum::<usize>().max(1) + 1
        }
    }
}

/// A text as JSON has it: in quotes, what must be escaped escaped.
fn bytes_of_text(text: &str) -> usize {
    let each = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    });
    each.sum::<usize>() + 2
}

/// Adds a remark of ours to a message.
fn note(message: &mut Map<String, Value>, name: &str, value: Value) {
    let remarks = message.entry("__openclaw").or_insert_with(|| json!({}));
    match remarks {
        Value::Object(remarks) => {
            remarks.insert(name.to_owned(), value);
        }
        other => *other = json!({ name: value }),
    }
}
