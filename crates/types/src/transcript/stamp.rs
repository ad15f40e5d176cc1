//! Times in transcript files: ISO 8601 texts on entries, milliseconds on messages, and either in older files.

use serde_json::Value;

use super::tape::Node;
use crate::UnixMillis;

/// Reads a time in either form.
pub(super) fn read(value: Node<'_>) -> Option<UnixMillis> {
    match value.text() {
        Some(text) => text.parse::<jiff::Timestamp>().ok().map(|moment| UnixMillis(moment.as_millisecond())),
        None => value.number()?.as_i64().map(UnixMillis),
    }
}

/// Writes a time the way entries have it. A time outside the calendar is written as a number instead.
pub(super) fn iso(at: UnixMillis) -> Value {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(moment) => Value::String(format!("{moment:.3}")),
        Err(_) => millis(at),
    }
}

/// Writes a time the way messages have it.
pub(super) fn millis(at: UnixMillis) -> Value {
    Value::from(at.0)
}
