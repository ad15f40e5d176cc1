//! Reads and writes `sessions.json`.
//!
//! Today's form is an object of entries by session key. An older one has a version and entries of another shape. What
//! an entry holds beyond our type, or in a shape that does not fit it, is kept under one name and written back.

use openclaw_types::{KeyContext, SessionEntry, SessionId, SessionKey, UnixMillis};
use serde_json::{Map, Value, json};

/// Where an entry keeps what does not fit: the key as it was written, and fields of another shape.
const KEPT: &str = "openclaw:import";

/// An entry of the file that could be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Indexed {
    pub(super) key: SessionKey,
    pub(super) entry: SessionEntry,
}

/// A list that was read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Index {
    pub(super) entries: Vec<Indexed>,
    /// Keys whose entries name no session or are no entries at all.
    pub(super) unreadable: Vec<String>,
}

/// Reads the list. Nothing when it is no list at all.
pub(super) fn read(file: &Value, context: &KeyContext) -> Option<Index> {
    let file = file.as_object()?;
    let mut index = Index::default();
    let older = file.get("agents").and_then(Value::as_object).filter(|_| file.contains_key("version"));
    for (written, value) in older.unwrap_or(file) {
        let fields = match older {
            Some(_) => value.as_object().map(modern),
            None => value.as_object().cloned(),
        };
        let key = SessionKey::resolve(written, context).ok();
        match (key, fields.and_then(entry)) {
            (Some(key), Some(mut entry)) => {
                if key.as_str() != written {
                    keep(&mut entry, "key", json!(written));
                }
                index.entries.push(Indexed { key, entry });
            }
            _ => index.unreadable.push(written.clone()),
        }
    }
    Some(index)
}

/// Writes an entry as the original has it, with the key it had.
pub(super) fn write(key: &SessionKey, entry: &SessionEntry) -> (String, Value) {
    let mut entry = entry.clone();
    let kept = entry.other.remove(KEPT);
    let kept = kept.as_ref().and_then(Value::as_object);
    let written = kept.and_then(|kept| kept.get("key")?.as_str()).unwrap_or(key.as_str()).to_owned();
    let mut value = json!(entry);
    let Some((kept, fields)) = kept.zip(value.as_object_mut()) else { return (written, value) };
    for (name, field) in kept.get("fields").and_then(Value::as_object).into_iter().flatten() {
        fields.entry(name.clone()).or_insert_with(|| field.clone());
    }
    // A time that was written in another way, or not at all, unless it changed since.
    if let Some(Value::Array(time)) = kept.get("time")
        && entry.updated_at == moment(time.first())
    {
        match time.first() {
            Some(time) => fields.insert("updatedAt".into(), time.clone()),
            None => fields.remove("updatedAt"),
        };
    }
    (written, value)
}

/// Reads an entry. Fields that do not fit our type are kept beside it.
fn entry(mut fields: Map<String, Value>) -> Option<SessionEntry> {
    let named = fields.get("sessionId").and_then(Value::as_str).and_then(|id| SessionId::new(id).ok())?;
    let mut kept = Map::new();
    let time: Vec<Value> = fields.get("updatedAt").cloned().into_iter().collect();
    let updated_at = moment(time.first());
    fields.insert("updatedAt".into(), json!(updated_at));
    let whole = serde_json::from_value::<SessionEntry>(Value::Object(fields.clone())).ok();
    let same = |entry: &SessionEntry| json!(entry).as_object() == Some(&fields);
    let mut entry = match whole.filter(same) {
        Some(entry) => entry,
        None => field_by_field(SessionEntry::new(named, updated_at), &fields, &mut kept),
    };
    if time != [json!(updated_at)] {
        keep(&mut entry, "time", Value::Array(time));
    }
    if !kept.is_empty() {
        keep(&mut entry, "fields", Value::Object(kept));
    }
    Some(entry)
}

/// A time as the file has it, in whole milliseconds; the beginning of time where there is none.
fn moment(written: Option<&Value>) -> UnixMillis {
    let number = written.and_then(|written| written.as_i64().or_else(|| floored(written.as_f64()?)));
    UnixMillis(number.unwrap_or(0))
}

#[expect(clippy::cast_possible_truncation, reason = "the range is checked right before")]
fn floored(number: f64) -> Option<i64> {
    (0.0..9e15).contains(&number).then(|| number.floor() as i64)
}

fn field_by_field(
    bare: SessionEntry,
    fields: &Map<String, Value>,
    kept: &mut Map<String, Value>,
) -> SessionEntry {
    let Value::Object(mut fitting) = json!(bare) else { return bare };
    let mut entry = bare;
    for (name, value) in fields {
        let before = fitting.insert(name.clone(), value.clone());
        let read = serde_json::from_value::<SessionEntry>(Value::Object(fitting.clone())).ok();
        match read.filter(|read| json!(read).as_object() == Some(&fitting)) {
            Some(read) => entry = read,
            None => {
                kept.insert(name.clone(), value.clone());
                match before {
                    Some(before) => fitting.insert(name.clone(), before),
                    None => fitting.remove(name),
                };
            }
        }
    }
    entry
}

fn keep(entry: &mut SessionEntry, name: &str, value: Value) {
    let kept = entry.other.entry(KEPT).or_insert_with(|| json!({}));
    if let Some(kept) = kept.as_object_mut() {
        kept.insert(name.to_owned(), value);
    }
}

/// Brings an entry of the older list into today's shape. What has no place in it stays under its old name.
fn modern(older: &Map<String, Value>) -> Map<String, Value> {
    let mut entry = older.clone();
    if let Some(id) = entry.remove("activeSessionId") {
        entry.insert("sessionId".into(), id);
    }
    if let Some(Value::Object(model)) = entry.get("model").cloned() {
        entry.remove("model");
        for (from, to) in [("provider", "modelProvider"), ("model", "model")] {
            if let Some(value) = model.get(from) {
                entry.insert(to.to_owned(), value.clone());
            }
        }
    }
    if let Some(Value::Object(counts)) = entry.remove("tokenCounts") {
        entry.extend(counts);
    }
    entry
}
