//! The blocks before a message: where it was said, what it answers, where its words come from, what was said before.
//!
//! Everything in them was written by people outside. It stands in fenced JSON, so that no text can leave its place.

use openclaw_types::{ChatKind, MessageId, ThreadId};
use serde_json::{Map, Value, json};

use super::envelope::Telling;
use super::fence::{self, fenced};
use super::label::sender_label;

/// The longest text that is told along with a message, in bytes.
const LONGEST_QUOTE: usize = 8 * 1024;

/// The blocks, each with its mark; none where there is nothing to tell.
pub(super) fn blocks(telling: &Telling<'_>) -> Vec<String> {
    let inbound = telling.inbound;
    let clean = |text: &str| json!((telling.clean)(shortened(text)));
    let mut blocks = Vec::new();
    let info = info(telling);
    if !info.is_empty() {
        blocks.push(fenced(fence::INFO, &Value::Object(info)));
    }
    if let Some(starter) = telling.starter.filter(|starter| !starter.trim().is_empty()) {
        blocks.push(fenced(fence::STARTER, &json!({ "body": clean(starter) })));
    }
    if let Some(reply) = inbound.reply.as_ref().filter(|reply| !reply.text.trim().is_empty()) {
        let mut block = Map::new();
        put(&mut block, "sender_label", reply.from.as_ref().map(|person| json!(sender_label(person))));
        put(&mut block, "is_quote", reply.part.then_some(Value::Bool(true)));
        put(&mut block, "body", Some(clean(&reply.text)));
        blocks.push(fenced(fence::REPLIED, &Value::Object(block)));
    }
    if let Some(forwarded) = &inbound.forwarded {
        let mut block = Map::new();
        put(&mut block, "from", Some(clean(&forwarded.from)));
        put(&mut block, "date_ms", forwarded.at.map(|at| json!(at.0)));
        blocks.push(fenced(fence::FORWARDED, &Value::Object(block)));
    }
    if !telling.history.is_empty() {
        let lines = telling.history.iter().map(
            |heard| json!({ "sender": heard.sender, "timestamp_ms": heard.at.0, "body": clean(&heard.body) }),
        );
        blocks.push(fenced(fence::HISTORY, &lines.collect()));
    }
    blocks
}

/// Where a message was said. In a direct chat its head says all there is to say.
fn info(telling: &Telling<'_>) -> Map<String, Value> {
    let inbound = telling.inbound;
    let place = &inbound.place;
    let text = |text: Option<&String>| {
        let text = text.map(|text| (telling.clean)(shortened(text)))?;
        (!text.trim().is_empty()).then(|| json!(text))
    };
    let mut info = Map::new();
    if place.kind != ChatKind::Direct {
        let reply = inbound.reply.as_ref().and_then(|reply| reply.message.as_ref());
        put(&mut info, "message_id", inbound.message.as_ref().map(|id| json!(id.as_str())));
        put(&mut info, "reply_to_id", reply.map(MessageId::as_str).map(|id| json!(id)));
        put(&mut info, "sender_id", Some(json!(inbound.from.id.as_str())));
        put(&mut info, "sender_username", text(inbound.from.handle.as_ref()));
        put(&mut info, "group_subject", text(place.name.as_ref()));
        put(&mut info, "group_topic", text(place.subject.as_ref()));
        put(&mut info, "group_space", text(place.space_name.as_ref()));
        put(&mut info, "thread_id", place.thread.as_ref().map(ThreadId::as_str).map(|id| json!(id)));
        put(&mut info, "thread_label", text(place.thread_name.as_ref()));
        put(&mut info, "is_group_chat", Some(Value::Bool(true)));
        put(&mut info, "was_mentioned", telling.was_mentioned.then_some(Value::Bool(true)));
    }
    for (name, value) in &inbound.facts {
        put(&mut info, name, text(Some(value)));
    }
    info
}

fn put(block: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        block.insert(name.to_owned(), value);
    }
}

pub(super) fn shortened(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST_QUOTE)).unwrap_or(text)
}
