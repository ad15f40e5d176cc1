//! Reads durations and sizes as people write them: `30m`, `2h30m`, `1.5h`, `10mb`.
//!
//! A number without a unit takes the unit that the setting names. Case and surrounding space do not matter.

use std::time::Duration;

/// The unit of a duration written without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DurationUnit {
    /// Thousandths of a second.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
    /// Days of 24 hours.
    Days,
}

/// Says that a text is not a duration or a size. It does not repeat the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// Not a duration.
    #[error("is not a duration; write a number with ms, s, m, h or d, such as 30m or 2h30m")]
    Duration,
    /// Not a size.
    #[error("is not a size; write a number with b, kb, mb, gb or tb, such as 10mb")]
    Size,
}

impl DurationUnit {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "ms" => Self::Milliseconds,
            "s" => Self::Seconds,
            "m" => Self::Minutes,
            "h" => Self::Hours,
            "d" => Self::Days,
            _ => return None,
        })
    }

    fn milliseconds(self) -> f64 {
        match self {
            Self::Milliseconds => 1.0,
            Self::Seconds => 1e3,
            Self::Minutes => 60e3,
            Self::Hours => 3_600e3,
            Self::Days => 86_400e3,
        }
    }
}

/// Reads a duration, rounded to whole milliseconds.
///
/// # Errors
/// When the text is empty, has an unknown unit, a negative number, or is longer than can be counted.
pub fn parse_duration(text: &str, default_unit: DurationUnit) -> Result<Duration, MeasureError> {
    let text = text.trim().to_lowercase();
    let terms = terms(&text).ok_or(MeasureError::Duration)?;
    let mut total = 0.0;
    for (value, unit) in &terms {
        let unit = match *unit {
            "" if terms.len() == 1 => default_unit,
            unit => DurationUnit::parse(unit).ok_or(MeasureError::Duration)?,
        };
        total += value * unit.milliseconds();
    }
    whole(total).map(Duration::from_millis).ok_or(MeasureError::Duration)
}

/// Reads a size in bytes; a number without a unit counts bytes, and `k`, `m`, `g`, `t` are powers of 1024.
///
/// # Errors
/// When the text is empty, has an unknown unit, a negative number, or is larger than can be counted.
pub fn parse_byte_size(text: &str) -> Result<u64, MeasureError> {
    let text = text.trim().to_lowercase();
    let terms = terms(&text).ok_or(MeasureError::Size)?;
    let [(value, unit)] = terms.as_slice() else { return Err(MeasureError::Size) };
    let factor: f64 = match *unit {
        "" | "b" => 1.0,
        "k" | "kb" => 1024.0,
        "m" | "mb" => 1024.0 * 1024.0,
        "g" | "gb" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tb" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(MeasureError::Size),
    };
    whole(value * factor).ok_or(MeasureError::Size)
}

/// Cuts `2h30m` into numbers and the letters after each; nothing when the text has any other form.
fn terms(text: &str) -> Option<Vec<(f64, &str)>> {
    let mut terms = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let digits =
            rest.find(|letter: char| !(letter.is_ascii_digit() || letter == '.')).unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let letters = after.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let well_formed = number.starts_with(|first: char| first.is_ascii_digit()) && !number.ends_with('.');
        let value = number.parse().ok().filter(|_| well_formed)?;
        terms.push((value, unit));
        rest = after;
    }
    (!terms.is_empty()).then_some(terms)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the guard admits only numbers that fit and that a float holds exactly"
)]
fn whole(value: f64) -> Option<u64> {
    let rounded = value.round();
    (0.0..=9_007_199_254_740_991.0).contains(&rounded).then_some(rounded as u64)
}
