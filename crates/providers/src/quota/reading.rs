//! What the readers of answers share. Vendors are not strict about types, so nothing here is.

use openclaw_ports::model::QuotaWindow;
use openclaw_types::UnixMillis;
use serde_json::Value;

/// Smaller numbers are seconds, larger ones milliseconds.
const FIRST_MILLIS: f64 = 1e12;

/// An allowance; what is used lies between nothing and all.
pub(super) fn window(
    label: impl Into<String>,
    used_percent: f64,
    reset_at: Option<UnixMillis>,
) -> QuotaWindow {
    QuotaWindow { label: label.into(), used_percent: percent(used_percent), reset_at }
}

/// A share between 0 and 100; what is no number counts as nothing.
pub(super) fn percent(number: f64) -> f64 {
    if number.is_finite() { number.clamp(0.0, 100.0) } else { 0.0 }
}

/// A number, also one written as text.
pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// A text that is not empty.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A moment: a number of seconds or milliseconds, or a date with time and zone.
#[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
pub(super) fn moment(value: &Value) -> Option<UnixMillis> {
    if let Some(written) = value.as_str()
        && let Ok(moment) = written.trim().parse::<jiff::Timestamp>()
    {
        return Some(UnixMillis(moment.as_millisecond()));
    }
    let number = number(value).filter(|number| *number > 0.0)?;
    let millis = if number < FIRST_MILLIS { number * 1000.0 } else { number };
    Some(UnixMillis(millis as i64))
}
