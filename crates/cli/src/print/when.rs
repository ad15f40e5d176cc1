//! Moments and spans as people read them.
//!
//! Pure: whoever prints asks the clock and hands the moments in. Calendars and zones are known here and nowhere else.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A span in its two largest units: `3d 4h`, `5m`, `12s`.
pub(crate) fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    let parts =
        [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let mut shown: Vec<String> = Vec::new();
    for (count, unit) in parts {
        if count > 0 && shown.len() < 2 {
            shown.push(format!("{count}{unit}"));
        } else if !shown.is_empty() {
            break;
        }
    }
    if shown.is_empty() { format!("{}ms", span.as_millis()) } else { shown.join(" ") }
}

/// How long ago a moment was, both in milliseconds since 1970.
pub(crate) fn ago(now: i64, then: i64) -> String {
    let millis = u64::try_from(now.saturating_sub(then)).unwrap_or(0);
    if millis < 1000 { "just now".to_owned() } else { format!("{} ago", span(Duration::from_millis(millis))) }
}

/// An ISO 8601 text in UTC with milliseconds; other texts are given back as they are.
pub(crate) fn iso_utc(text: &str) -> String {
    let Ok(moment) = text.parse::<Timestamp>() else { return text.to_owned() };
    moment.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// A moment for a file name, in UTC: `20260101T010203004Z`.
pub(crate) fn file_stamp(millis: i64) -> String {
    match Timestamp::from_millisecond(millis) {
        Ok(moment) => moment.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%S%3fZ").to_string(),
        Err(_) => millis.to_string(),
    }
}

/// A moment to the minute, in the zone of this machine.
pub(crate) fn local_minute(millis: i64) -> String {
    let moment = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
    moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// A moment as the notes of a trash want it: `2026-01-01T01:02:03` in the zone of this machine.
pub(crate) fn trash_stamp(millis: i64) -> String {
    let moment = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
    moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

/// An ISO 8601 text in the zone of this machine, with its offset.
pub(crate) fn iso_local(text: &str) -> String {
    let Ok(moment) = text.parse::<Timestamp>() else { return text.to_owned() };
    moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%dT%H:%M:%S.%3f%:z").to_string()
}
