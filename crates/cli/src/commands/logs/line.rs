//! Takes one line of the log apart and writes it for people. Pure.
//!
//! The format is a JSON object: positional texts under `"0"`, `"1"`, …, details under `_meta`, and `time`. A first text
//! that only repeats the subsystem is not shown.

use serde_json::{Map, Value, json};

use crate::print;

/// How a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    /// Short times and colours instead of full times.
    pub(super) pretty: bool,
    /// Times in the zone of this machine.
    pub(super) local_time: bool,
}

/// A line taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogLine {
    time: Option<String>,
    level: Option<String>,
    subsystem: Option<String>,
    module: Option<String>,
    /// All texts, as programs expect them.
    message: String,
    /// The texts without the one that repeats the subsystem.
    words: String,
}

impl LogLine {
    /// Takes a line apart; `None` when it is no JSON object.
    pub(super) fn parse(raw: &str) -> Option<Self> {
        let Value::Object(object) = serde_json::from_str(raw).ok()? else { return None };
        let meta = &object.get("_meta").cloned().unwrap_or(Value::Null);
        let name = meta["name"].as_str().unwrap_or_default();
        let named: Value = serde_json::from_str(name).unwrap_or(Value::Null);
        let texts = texts(&object);
        let shown = texts.iter().filter(|text| text.as_str() != name || !named.is_object());
        let time = object.get("time").and_then(Value::as_str).or_else(|| meta["date"].as_str());
        Some(Self {
            time: time.map(str::to_owned),
            level: meta["logLevelName"].as_str().map(str::to_lowercase),
            subsystem: named["subsystem"].as_str().map(str::to_owned),
            module: named["module"].as_str().map(str::to_owned),
            words: shown.cloned().collect::<Vec<_>>().join(" "),
            message: texts.join(" "),
        })
    }

    /// The line for programs.
    pub(super) fn as_json(&self, raw: &str) -> Value {
        let mut out = json!({ "type": "log" });
        let parts = [
            ("time", &self.time),
            ("level", &self.level),
            ("subsystem", &self.subsystem),
            ("module", &self.module),
        ];
        for (key, value) in parts {
            if let Some(value) = value {
                out[key] = json!(value);
            }
        }
        out["message"] = json!(self.message);
        out["raw"] = json!(raw);
        out
    }

    /// The line for people.
    pub(super) fn render(&self, look: Look) -> String {
        let time = self.time.as_deref().map(|time| self.time_text(time, look)).unwrap_or_default();
        let level = self.level.as_deref().unwrap_or_default();
        let place = self.subsystem.as_deref().or(self.module.as_deref()).unwrap_or_default();
        let parts = if look.pretty {
            let (level_text, words) = match level {
                "error" | "fatal" => (print::bad(level), print::bad(&self.words)),
                "warn" => (print::warn(level), print::warn(&self.words)),
                "debug" | "trace" => (print::muted(level), print::muted(&self.words)),
                other => (other.to_owned(), self.words.clone()),
            };
            [print::muted(&time), level_text, print::accent(place), words]
        } else {
            [time, level.to_owned(), place.to_owned(), self.words.clone()]
        };
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    fn time_text(&self, time: &str, look: Look) -> String {
        let whole = if look.local_time { print::iso_local(time) } else { print::iso_utc(time) };
        match whole.get(11..19) {
            Some(short) if look.pretty => short.to_owned(),
            _ => whole,
        }
    }
}

fn texts(object: &Map<String, Value>) -> Vec<String> {
    let mut numbered: Vec<(u32, String)> = object
        .iter()
        .filter_map(|(key, value)| {
            let position = key.parse::<u32>().ok()?;
            match value {
                Value::Null => None,
                Value::String(text) => Some((position, text.clone())),
                other => Some((position, other.to_string())),
            }
        })
        .collect();
    numbered.sort_by_key(|(position, _)| *position);
    numbered.into_iter().map(|(_, text)| text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"0":"{\"subsystem\":\"gateway\"}","1":"listening","2":{"port":1},"_meta":{"name":"{\"subsystem\":\"gateway\"}","date":"2026-01-01T00:00:00.000Z","logLevelId":3,"logLevelName":"INFO"},"time":"2026-01-01T01:02:03.004+01:00"}"#;

    #[test]
    fn a_line_is_shown_plainly_with_full_time_and_without_the_repeated_name() {
        let line = LogLine::parse(LINE).unwrap();
        let look = Look { pretty: false, local_time: false };
        assert_eq!(line.render(look), "2026-01-01T00:02:03.004Z info gateway listening {\"port\":1}");
        let look = Look { pretty: true, local_time: false };
        assert_eq!(
            print::without_colours(&line.render(look)),
            "00:02:03 info gateway listening {\"port\":1}"
        );
    }

    #[test]
    fn programs_get_every_part_and_the_line_itself() {
        let line = LogLine::parse(LINE).unwrap();
        assert_eq!(
            line.as_json(LINE),
            json!({
                "type": "log", "time": "2026-01-01T01:02:03.004+01:00", "level": "info", "subsystem": "gateway",
                "message": "{\"subsystem\":\"gateway\"} listening {\"port\":1}", "raw": LINE,
            })
        );
    }

    #[test]
    fn a_line_that_is_no_object_is_not_understood() {
        assert_eq!(LogLine::parse("plain text"), None);
        assert_eq!(LogLine::parse("[1]"), None);
    }
}
