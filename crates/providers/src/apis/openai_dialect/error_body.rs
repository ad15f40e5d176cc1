//! What a server says when it refuses, in all the shapes that compatible servers use.
//!
//! `{"error":{…}}`, `{"error":"…"}`, `[{"error":{…}}]`, `{"detail":…}`, bare `{"message":…}`, or plain text. Only the
//! parts that tell something are kept; what they mean is decided in `classify`.

use std::time::Duration;

use serde_json::Value;

/// The telling parts of an error.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ErrorBody {
    /// The words for people.
    pub(super) message: String,
    /// The codes, types and statuses, in lower case, most special first.
    pub(super) codes: Vec<String>,
    /// The HTTP status, where the error repeats one.
    pub(super) status: Option<u16>,
    /// How long to wait, where the error says so.
    pub(super) wait: Option<Duration>,
}

impl ErrorBody {
    /// Reads the body of an answer.
    pub(super) fn of_bytes(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Self::of_value(&value),
            Err(_) => Self { message: plain_text(body), ..Self::default() },
        }
    }

    /// Reads an error that stands inside JSON.
    pub(super) fn of_value(value: &Value) -> Self {
        match value {
            Value::Array(list) => list.first().map(Self::of_value).unwrap_or_default(),
            Value::String(text) => Self { message: text.clone(), ..Self::default() },
            Value::Object(object) => match object.get("error").or_else(|| object.get("detail")) {
                Some(inner @ (Value::Object(_) | Value::Array(_))) => Self::of_object(inner),
                Some(Value::String(text)) => {
                    let mut body = Self::of_object(value);
                    // Both may stand there: a short code in `error`, the explanation in `message`.
                    if body.message.is_empty() {
                        body.message.clone_from(text);
                    } else {
                        body.codes.push(text.to_lowercase());
                    }
                    body
                }
                _ => Self::of_object(value),
            },
            _ => Self::default(),
        }
    }

    fn of_object(value: &Value) -> Self {
        if let Value::Array(list) = value {
            return list.first().map(Self::of_object).unwrap_or_default();
        }
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut message = ["message", "msg"]
            .map(text)
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default()
            .to_owned();
        if let Some(raw) = value.pointer("/metadata/raw").and_then(Value::as_str) {
            message = format!("{message} {raw}");
        }
        let codes = ["/innererror/code", "/code", "/type", "/status"]
            .into_iter()
            .filter_map(|path| value.pointer(path).and_then(Value::as_str))
            .map(str::to_lowercase)
            .collect();
        let status = ["code", "status", "status_code"]
            .into_iter()
            .filter_map(|name| value.get(name))
            .filter_map(|number| number.as_u64().or_else(|| number.as_str()?.parse().ok()))
            .find_map(|number| u16::try_from(number).ok().filter(|status| (400..600).contains(status)));
        let wait = ["resets_in_seconds", "retry_after"]
            .into_iter()
            .filter_map(|name| value.get(name).and_then(Value::as_f64))
            .find_map(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let wait = wait.or_else(|| wait_in_words(&message));
        Self { message, codes, status, wait }
    }
}

/// The words of a body that is no JSON; pages for browsers say nothing useful.
fn plain_text(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(4096)]);
    if text.trim_start().starts_with('<') { String::new() } else { text.into_owned() }
}

/// Reads `Please try again in 1m2.5s.` and `try again in 20 seconds`.
fn wait_in_words(message: &str) -> Option<Duration> {
    let lower = message.to_lowercase();
    let (_, mut rest) = lower.split_once("try again in ")?;
    let mut total = None;
    loop {
        let digits =
            rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else { return total };
        let tail = rest[digits..].trim_start();
        let letters = tail.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(tail.len());
        let seconds = match &tail[..letters] {
            "ms" => number / 1000.0,
            "s" | "second" | "seconds" => number,
            "m" | "minute" | "minutes" => number * 60.0,
            "h" | "hour" | "hours" => number * 3600.0,
            _ => return total,
        };
        let span = Duration::try_from_secs_f64(seconds).ok()?;
        total = Some(total.unwrap_or(Duration::ZERO).checked_add(span)?);
        rest = &tail[letters..];
    }
}
