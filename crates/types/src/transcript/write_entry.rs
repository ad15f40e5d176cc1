//! Writes the record of a transcript line in today's spelling.
//!
//! Fields stand in the order the original writes them, so that lines of both programs look alike.

use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::entry::{
    BranchSummary, Compaction, CustomEntry, EntryBody, Label, OtherEntry, SessionHeader, SummaryAuthor,
};
use super::line::{LineEntry, LineRecord};
use super::stamp;
use super::write_message::{Contents, WrittenMessage};
use crate::{CustomMessage, Visibility};

/// A record as it is written.
pub(super) struct WrittenRecord<'a>(pub(super) &'a LineRecord);

impl Serialize for WrittenRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            LineRecord::Header(of) => header(serializer, of),
            LineRecord::Entry(of) => entry(serializer, of),
            LineRecord::Foreign(value) => value.serialize(serializer),
        }
    }
}

/// Writes any record.
pub(super) fn record(record: &LineRecord) -> Value {
    value(&WrittenRecord(record))
}

/// The JSON of something that is written by name and value alone, which cannot fail.
pub(super) fn value(written: &impl Serialize) -> Value {
    serde_json::to_value(written).unwrap_or_default()
}

fn header<S: Serializer>(serializer: S, of: &SessionHeader) -> Result<S::Ok, S::Error> {
    let mut line = serializer.serialize_map(None)?;
    put(&mut line, "type", Some("session"))?;
    put(&mut line, "version", of.version)?;
    put(&mut line, "id", of.id.as_ref().map(|id| id.as_str()))?;
    put(&mut line, "timestamp", of.at.map(stamp::iso))?;
    put(&mut line, "cwd", of.cwd.as_deref())?;
    put(&mut line, "parentSession", of.parent_session.as_deref())?;
    line.end()
}

fn entry<S: Serializer>(serializer: S, of: &LineEntry) -> Result<S::Ok, S::Error> {
    if let EntryBody::Other(other) = &of.body {
        return other_entry(of, other).map_err(Error::custom)?.serialize(serializer);
    }
    let mut line = serializer.serialize_map(None)?;
    put(&mut line, "type", Some(kind(&of.body)))?;
    match &of.body {
        EntryBody::Custom(_) | EntryBody::CustomMessage(_) => {
            body(&mut line, &of.body)?;
            base(&mut line, of)?;
        }
        _ => {
            base(&mut line, of)?;
            body(&mut line, &of.body)?;
        }
    }
    line.end()
}

/// What is not known here may name any field, and then says it itself.
fn other_entry(of: &LineEntry, other: &OtherEntry) -> serde_json::Result<Map<String, Value>> {
    let mut line = serde_json::value::Serializer.serialize_map(None)?;
    put(&mut line, "type", Some(other.kind.as_str()))?;
    base(&mut line, of)?;
    let mut line = match line.end()? {
        Value::Object(line) => line,
        _ => Map::new(),
    };
    line.extend(other.fields.clone());
    Ok(line)
}

fn base<M: SerializeMap>(line: &mut M, of: &LineEntry) -> Result<(), M::Error> {
    put(line, "id", of.id.as_ref().map(|id| id.as_str()))?;
    line.serialize_entry("parentId", &of.parent)?;
    put(line, "timestamp", of.at.map(stamp::iso))
}

fn body<M: SerializeMap>(line: &mut M, of: &EntryBody) -> Result<(), M::Error> {
    match of {
        EntryBody::Message(message) => put(line, "message", Some(WrittenMessage(message))),
        EntryBody::Compaction(of) => compaction(line, of),
        EntryBody::BranchSummary(of) => branch_summary(line, of),
        EntryBody::ModelChange(model) => {
            put(line, "provider", Some(model.provider().as_str()))?;
            put(line, "modelId", Some(model.model()))
        }
        EntryBody::ThinkingLevelChange(level) => put(line, "thinkingLevel", Some(level.as_str())),
        EntryBody::Custom(CustomEntry { kind, data }) => {
            put(line, "customType", Some(kind.as_str()))?;
            put(line, "data", data.as_ref())
        }
        EntryBody::CustomMessage(message) => custom_message(line, message),
        EntryBody::Label(Label { target, label }) => {
            put(line, "targetId", Some(target.as_str()))?;
            put(line, "label", label.as_deref())
        }
        EntryBody::SessionName(name) => put(line, "name", name.as_deref()),
        EntryBody::Other(_) => Ok(()),
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

fn compaction<M: SerializeMap>(line: &mut M, of: &Compaction) -> Result<(), M::Error> {
    put(line, "summary", Some(of.summary.as_str()))?;
    put(line, "firstKeptEntryId", of.first_kept.as_ref().map(|id| id.as_str()))?;
    put(line, "tokensBefore", of.tokens_before)?;
    put(line, "tokensAfter", of.tokens_after)?;
    put(line, "details", of.details.as_ref())?;
    author(line, of.author)
}

fn branch_summary<M: SerializeMap>(line: &mut M, of: &BranchSummary) -> Result<(), M::Error> {
    put(line, "fromId", of.from.as_ref().map(|id| id.as_str()))?;
    put(line, "summary", Some(of.summary.as_str()))?;
    put(line, "details", of.details.as_ref())?;
    author(line, of.author)
}

fn author<M: SerializeMap>(line: &mut M, author: SummaryAuthor) -> Result<(), M::Error> {
    put(line, "fromHook", (author == SummaryAuthor::Extension).then_some(true))
}

/// Writes what an extension said into an event or a message.
pub(super) fn custom_message<M: SerializeMap>(line: &mut M, of: &CustomMessage) -> Result<(), M::Error> {
    put(line, "customType", Some(of.kind.as_str()))?;
    put(line, "content", Some(Contents(&of.content)))?;
    put(line, "display", Some(of.for_people == Visibility::Shown))?;
    put(line, "details", of.details.as_ref())
}

/// Adds a field that is there.
pub(super) fn put<M: SerializeMap>(
    line: &mut M,
    name: &str,
    value: Option<impl Serialize>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => line.serialize_entry(name, &value),
        None => Ok(()),
    }
}
