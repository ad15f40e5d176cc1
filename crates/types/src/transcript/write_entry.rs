//! Writes the record of a transcript line in today's spelling.
//!
//! Fields stand in the order the original writes them, so that lines of both programs look alike.

use serde_json::{Map, Value, json};

use super::entry::{
    BranchSummary, Compaction, CustomEntry, EntryBody, Label, OtherEntry, SessionHeader, SummaryAuthor,
};
use super::line::{LineEntry, LineRecord};
use super::{stamp, write_message};
use crate::{CustomMessage, Visibility};

/// Writes any record.
pub(super) fn record(record: &LineRecord) -> Value {
    match record {
        LineRecord::Header(of) => header(of),
        LineRecord::Entry(of) => entry(of),
        LineRecord::Foreign(value) => value.clone(),
    }
}

fn header(of: &SessionHeader) -> Value {
    let mut line = Map::new();
    line.insert("type".into(), "session".into());
    put(&mut line, "version", of.version);
    put(&mut line, "id", of.id.as_ref().map(|id| id.as_str()));
    put(&mut line, "timestamp", of.at.map(stamp::iso));
    put(&mut line, "cwd", of.cwd.as_deref());
    put(&mut line, "parentSession", of.parent_session.as_deref());
    Value::Object(line)
}

fn entry(of: &LineEntry) -> Value {
    let mut line = Map::new();
    line.insert("type".into(), kind(&of.body).into());
    match &of.body {
        EntryBody::Custom(_) | EntryBody::CustomMessage(_) => {
            body(&mut line, &of.body);
            base(&mut line, of);
        }
        _ => {
            base(&mut line, of);
            body(&mut line, &of.body);
        }
    }
    Value::Object(line)
}

fn base(line: &mut Map<String, Value>, of: &LineEntry) {
    put(line, "id", of.id.as_ref().map(|id| id.as_str()));
    line.insert("parentId".into(), json!(of.parent));
    put(line, "timestamp", of.at.map(stamp::iso));
}

fn body(line: &mut Map<String, Value>, of: &EntryBody) {
    match of {
        EntryBody::Message(message) => put(line, "message", Some(write_message::write_message(message))),
        EntryBody::Compaction(of) => compaction(line, of),
        EntryBody::BranchSummary(of) => branch_summary(line, of),
        EntryBody::ModelChange(model) => {
            put(line, "provider", Some(model.provider().as_str()));
            put(line, "modelId", Some(model.model()));
        }
        EntryBody::ThinkingLevelChange(level) => put(line, "thinkingLevel", Some(level.as_str())),
        EntryBody::Custom(CustomEntry { kind, data }) => {
            put(line, "customType", Some(kind.as_str()));
            put(line, "data", data.clone());
        }
        EntryBody::CustomMessage(message) => custom_message(line, message),
        EntryBody::Label(Label { target, label }) => {
            put(line, "targetId", Some(target.as_str()));
            put(line, "label", label.as_deref());
        }
        EntryBody::SessionName(name) => put(line, "name", name.as_deref()),
        EntryBody::Other(OtherEntry { fields, .. }) => line.extend(fields.clone()),
    }
}

fn kind(body: &EntryBody) -> &str {
    match body {
        EntryBody::Message(_) => "message",
        EntryBody::Compaction(_) => "compaction",
        EntryBody::BranchSummary(_) => "branch_summary",
        EntryBody::ModelChange(_) => "model_change",
        EntryBody::ThinkingLevelChange(_) => "thinking_level_change",
        EntryBody::Custom(_) => "custom",
        EntryBody::CustomMessage(_) => "custom_message",
        EntryBody::Label(_) => "label",
        EntryBody::SessionName(_) => "session_info",
        EntryBody::Other(other) => &other.kind,
    }
}

fn compaction(line: &mut Map<String, Value>, of: &Compaction) {
    put(line, "summary", Some(of.summary.as_str()));
    put(line, "firstKeptEntryId", of.first_kept.as_ref().map(|id| id.as_str()));
    put(line, "tokensBefore", of.tokens_before);
    put(line, "tokensAfter", of.tokens_after);
    put(line, "details", of.details.clone());
    author(line, of.author);
}

fn branch_summary(line: &mut Map<String, Value>, of: &BranchSummary) {
    put(line, "fromId", of.from.as_ref().map(|id| id.as_str()));
    put(line, "summary", Some(of.summary.as_str()));
    put(line, "details", of.details.clone());
    author(line, of.author);
}

fn author(line: &mut Map<String, Value>, author: SummaryAuthor) {
    put(line, "fromHook", (author == SummaryAuthor::Extension).then_some(true));
}

/// Writes what an extension said into an event or a message.
pub(super) fn custom_message(line: &mut Map<String, Value>, of: &CustomMessage) {
    put(line, "customType", Some(of.kind.as_str()));
    put(line, "content", Some(write_message::contents(&of.content)));
    put(line, "display", Some(of.for_people == Visibility::Shown));
    put(line, "details", of.details.clone());
}

/// Adds a field that is there.
pub(super) fn put(line: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        line.insert(name.to_owned(), value.into());
    }
}
