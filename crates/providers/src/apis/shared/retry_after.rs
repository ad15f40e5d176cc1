//! How long a server wants to be left alone, from the headers of its refusal.
//!
//! A codec has no clock: moments in time are measured from the answer's own `date` header, and mean nothing without it.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

/// The longest wait that is taken for real, whoever asks for it.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The wait that the headers ask for. Names of headers are in lower case.
pub(crate) fn retry_after(headers: &BTreeMap<String, String>) -> Option<Duration> {
    let header = |name: &str| headers.get(name).map(|value| value.trim());
    let now = header("date").and_then(moment);
    header("retry-after-ms")
        .and_then(|text| text.parse::<f64>().ok())
        .and_then(|millis| seconds(millis / 1000.0))
        .or_else(|| header("retry-after").and_then(|text| wait(text, now)))
        .or_else(|| until_reset(headers, now))
        .map(|wait| wait.min(LONGEST_WAIT))
}

/// The wait until the limits reset: of the limits that are used up the slowest, else of all limits the quickest.
fn until_reset(headers: &BTreeMap<String, String>, now: Option<Timestamp>) -> Option<Duration> {
    let mut used_up = Vec::new();
    let mut others = Vec::new();
    for (name, value) in headers {
        let Some(remaining) = remaining_name(name) else { continue };
        let Some(wait) = wait(value.trim(), now) else { continue };
        match headers.get(&remaining).map(|count| count.trim()) {
            Some("0") => used_up.push(wait),
            _ => others.push(wait),
        }
    }
    used_up.into_iter().max().or_else(|| others.into_iter().min())
}

/// The header that counts what is left, for a header that says when a limit resets.
fn remaining_name(name: &str) -> Option<String> {
    if name.starts_with("x-ratelimit-reset") {
        return Some(name.replacen("reset", "remaining", 1));
    }
    let stem = name.strip_prefix("anthropic-ratelimit-")?.strip_suffix("-reset")?;
    Some(format!("anthropic-ratelimit-{stem}-remaining"))
}

/// A number of seconds, a span such as `6m0.5s`, or a moment.
fn wait(text: &str, now: Option<Timestamp>) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        // Some gateways give the moment of the reset in seconds or milliseconds since 1970.
        return match number {
            _ if number >= 1e12 => since(now?, Timestamp::from_millisecond(whole(number)?).ok()?),
            _ if number >= 1e9 => since(now?, Timestamp::from_second(whole(number)?).ok()?),
            _ => seconds(number),
        };
    }
    span(text).or_else(|| since(now?, moment(text)?))
}

fn whole(number: f64) -> Option<i64> {
    format!("{number:.0}").parse().ok()
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok()
}

fn since(now: Timestamp, then: Timestamp) -> Option<Duration> {
    Some(Duration::try_from(then.duration_since(now)).unwrap_or(Duration::ZERO))
}

fn moment(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok().or_else(|| text.parse().ok())
}

/// A span such as `1h2m3.5s` or `120ms`.
fn span(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (number, tail) = rest.split_at(digits);
        let unit_end = tail.find(|letter: char| letter.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let scale = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        total = total.checked_add(seconds(number.parse::<f64>().ok()? * scale)?)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}
