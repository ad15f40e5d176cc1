//! Reads how long a token is good: `365d`, `12h`, `30m`, or a number of days. Pure.

use std::time::Duration;

use crate::exit::misuse;

/// Reads it.
pub(super) fn read(written: &str) -> anyhow::Result<Duration> {
    let text = written.trim().to_ascii_lowercase();
    let digits = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit.trim() {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3_600.0,
        "" | "d" => 86_400.0,
        "w" => 604_800.0,
        _ => return Err(unclear(written)),
    };
    let count: f64 = number.parse().map_err(|_not_a_number| unclear(written))?;
    let span = Duration::try_from_secs_f64(count * seconds).map_err(|_too_long| unclear(written))?;
    if span.is_zero() { Err(unclear(written)) } else { Ok(span) }
}

fn unclear(written: &str) -> anyhow::Error {
    misuse(format!("{written} is no length of time; write it as 365d, 12h or 30m"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_unit_is_days() {
        let rows =
            [("365d", 31_536_000), ("12h", 43_200), ("30 m", 1_800), ("2", 172_800), (" 1.5H ", 5_400)];
        for (text, seconds) in rows {
            assert_eq!(read(text).unwrap(), Duration::from_secs(seconds), "{text}");
        }
        for wrong in ["", "soon", "-1d", "0", "5 years", "1e400d"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
