//! The time before a person's words, so that the model knows when they were written.
//!
//! The system prompt holds no clock, since that would spoil the vendors' caches; the words of people are never changed
//! again, so the time can stand there.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use openclaw_types::UnixMillis;

/// The words with the time before them, such as `[Sun 2026-11-15 19:26 UTC] hello`. Words that carry a time already,
/// and moments no calendar knows, stay as they are.
pub(crate) fn stamped(words: &str, at: UnixMillis, zone: &TimeZone) -> String {
    if words.trim().is_empty() || carries_time(words) {
        return words.to_owned();
    }
    match Timestamp::from_millisecond(at.0) {
        Ok(moment) => {
            let local = moment.to_zoned(zone.clone());
            format!("[{}] {words}", local.strftime("%a %Y-%m-%d %H:%M %Z"))
        }
        Err(_) => words.to_owned(),
    }
}

fn carries_time(words: &str) -> bool {
    let Some(inside) =
        words.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(inside, _)| inside)
    else {
        return false;
    };
    inside.split_whitespace().any(|word| {
        let digits = |part: &str, count| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
        let mut parts = word.split('-');
        matches!((parts.next(), parts.next(), parts.next(), parts.next()),
            (Some(year), Some(month), Some(day), None) if digits(year, 4) && digits(month, 2) && digits(day, 2))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: UnixMillis = UnixMillis(1_794_770_797_847);

    #[test]
    fn words_get_the_day_the_minute_and_the_zone() {
        for (words, expected) in [
            ("hello there", "[Sun 2026-11-15 19:26 UTC] hello there"),
            ("", ""),
            ("[Sun 2026-11-15 19:26 UTC] again", "[Sun 2026-11-15 19:26 UTC] again"),
            ("[link] text", "[Sun 2026-11-15 19:26 UTC] [link] text"),
            ("[unclosed", "[Sun 2026-11-15 19:26 UTC] [unclosed"),
        ] {
            assert_eq!(stamped(words, AT, &TimeZone::UTC), expected);
        }
    }

    #[test]
    fn the_zone_is_the_persons() {
        let zone = TimeZone::get("America/New_York").unwrap();
        assert_eq!(stamped("hi", AT, &zone), "[Sun 2026-11-15 14:26 EST] hi");
    }
}
