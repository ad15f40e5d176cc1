//! How one log event is written: as a JSON line for the file, as a short line for people.
//!
//! The JSON form is the one that existing clients parse: the subsystem as a JSON text under `0`, the message under `1`
//! (the web page looks nowhere else), details under `2`, `_meta` with the level, and `time`. Control characters never reach a terminal or start a line of their own.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use openclaw_types::UnixMillis;
use serde_json::{Map, Value, json};
use tracing::Level;

/// One event, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LogEvent {
    pub(super) at: UnixMillis,
    pub(super) level: Level,
    pub(super) subsystem: String,
    pub(super) message: String,
    pub(super) fields: Map<String, Value>,
}

/// Where a program runs, as every line of the file repeats it.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    pub(super) hostname: String,
    pub(super) version: String,
}

impl LogEvent {
    /// The event as one line of JSON, without the line end.
    pub(super) fn as_json(&self, machine: &Machine) -> String {
        let name = json!({ "subsystem": self.subsystem }).to_string();
        let date = utc(self.at);
        let mut line = Map::new();
        line.insert("0".to_owned(), Value::from(name.clone()));
        line.insert("1".to_owned(), Value::from(self.message.clone()));
        if !self.fields.is_empty() {
            line.insert("2".to_owned(), Value::Object(self.fields.clone()));
        }
        line.insert(
            "_meta".to_owned(),
            json!({
                "runtime": "rust",
                "runtimeVersion": machine.version,
                "hostname": machine.hostname,
                "name": name,
                "parentNames": ["openclaw"],
                "date": date,
                "logLevelId": level_number(self.level),
                "logLevelName": self.level.as_str(),
            }),
        );
        line.insert("time".to_owned(), Value::from(date));
        Value::Object(line).to_string()
    }

    /// The event as one line for a person, without the line end.
    pub(super) fn as_text(&self, paint: Paint) -> String {
        let mut text = String::new();
        let clock = local_time(self.at);
        let level = match self.level {
            Level::ERROR => "error ",
            Level::WARN => "warn  ",
            Level::INFO => "",
            Level::DEBUG => "debug ",
            Level::TRACE => "trace ",
        };
        let (dim, tint, mark, plain) = paint.codes(self.level);
        push(
            &mut text,
            format_args!("{dim}{clock}{plain} {tint}{level}{plain}{mark}[{}]{plain} ", self.subsystem),
        );
        text.push_str(&visible(&self.message));
        for (key, value) in &self.fields {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            push(&mut text, format_args!(" {dim}{key}={plain}{}", visible(&value)));
        }
        text
    }
}

/// Whether a line carries terminal colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    Colours,
    Plain,
}

impl Paint {
    fn codes(self, level: Level) -> (&'static str, &'static str, &'static str, &'static str) {
        match (self, level) {
            (Self::Plain, _) => ("", "", "", ""),
            (Self::Colours, Level::ERROR) => ("\x1b[2m", "\x1b[31;1m", "\x1b[36m", "\x1b[0m"),
            (Self::Colours, Level::WARN) => ("\x1b[2m", "\x1b[33m", "\x1b[36m", "\x1b[0m"),
            (Self::Colours, _) => ("\x1b[2m", "\x1b[2m", "\x1b[36m", "\x1b[0m"),
        }
    }
}

/// Escapes what could move the cursor or forge a line.
fn visible(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' => " ⏎ ".to_owned(),
            '\t' => " ".to_owned(),
            other if other.is_control() => format!("\\u{{{:x}}}", u32::from(other)),
            other => other.to_string(),
        })
        .collect()
}

/// The numbers that readers of the file know.
fn level_number(level: Level) -> u8 {
    match level {
        Level::TRACE => 1,
        Level::DEBUG => 2,
        Level::INFO => 3,
        Level::WARN => 4,
        Level::ERROR => 5,
    }
}

fn utc(at: UnixMillis) -> String {
    Timestamp::from_millisecond(at.0).map(|moment| format!("{moment:.3}")).unwrap_or_default()
}

fn local_time(at: UnixMillis) -> String {
    Timestamp::from_millisecond(at.0)
        .map(|moment| moment.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string())
        .unwrap_or_default()
}

/// The local day of a moment, as it stands in the name of the log file.
pub(super) fn local_day(at: UnixMillis) -> String {
    Timestamp::from_millisecond(at.0)
        .map(|moment| moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d").to_string())
        .unwrap_or_default()
}

fn push(text: &mut String, parts: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    if text.write_fmt(parts).is_err() {
        text.push('?');
    }
}
