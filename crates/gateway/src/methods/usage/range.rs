//! Which days a client means: dates, a number of days, or the last thirty, in the time zone it asks for.
//!
//! Pure. A day is a calendar day of the zone, so that a day on which clocks change is as long as it is. As in the
//! original, a zone that cannot be read means UTC, and dates beyond the end of a month roll over into the next.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use jiff::{Span, ToSpan as _};
use openclaw_protocol::methods::usage::DayMode;
use openclaw_types::UnixMillis;

/// How many days count when nobody says.
const USUAL_DAYS: i64 = 30;
/// More days than anybody can mean; keeps arithmetic on dates within the calendar.
const MOST_DAYS: i64 = 366 * 100;
const MINUTE: i32 = 60;

/// Whose midnight ends a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum DayZone {
    /// Greenwich's.
    Utc,
    /// That of a zone this many minutes east.
    East(i32),
    /// That of this machine.
    Gateway,
}

impl DayZone {
    /// What a client asks for.
    pub(super) fn asked(mode: Option<DayMode>, offset: Option<&str>) -> Self {
        match mode {
            Some(DayMode::Gateway) => Self::Gateway,
            Some(DayMode::Specific) => offset.and_then(minutes_east).map_or(Self::Utc, Self::East),
            Some(DayMode::Utc) | None => Self::Utc,
        }
    }

    /// The zone's rules.
    pub(super) fn rules(self) -> TimeZone {
        match self {
            Self::Utc => TimeZone::UTC,
            Self::East(minutes) => {
                Offset::from_seconds(minutes * MINUTE).map_or(TimeZone::UTC, TimeZone::fixed)
            }
            Self::Gateway => TimeZone::system(),
        }
    }
}

/// Reads `UTC+2`, `UTC-3:30` and the like; nothing when no place on earth has such a zone.
fn minutes_east(text: &str) -> Option<i32> {
    let signed = text.trim().strip_prefix("UTC")?;
    let (sign, rest) = match signed.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, signed.strip_prefix('-')?),
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "00"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if hours.len() > 2 || minutes.len() != 2 || !digits(hours) || !digits(minutes) {
        return None;
    }
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let east = sign * (hours * 60 + minutes);
    (hours <= 14 && minutes < 60 && (-720..=840).contains(&east)).then_some(east)
}

/// The dates a client names, as far as it does.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestedDates<'a> {
    /// The first day.
    pub(super) start: Option<&'a str>,
    /// The last day.
    pub(super) end: Option<&'a str>,
    /// How many days up to today.
    pub(super) days: Option<f64>,
}

/// Days in a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DayRange {
    /// The first.
    pub(super) first: Date,
    /// The last.
    pub(super) last: Date,
    /// When the first begins.
    pub(super) from: UnixMillis,
    /// When the last is over.
    pub(super) until: UnixMillis,
}

impl DayRange {
    /// The days a client means. Only both dates together count.
    pub(super) fn of(asked: RequestedDates<'_>, zone: &TimeZone, now: UnixMillis) -> Self {
        if let (Some(first), Some(last)) = (asked.start.and_then(date), asked.end.and_then(date)) {
            return Self::between(first, last, zone);
        }
        let today = zone.to_datetime(moment(now)).date();
        let days = asked.days.filter(|days| days.is_finite()).map_or(USUAL_DAYS, whole);
        let first = today.saturating_sub((days.clamp(1, MOST_DAYS) - 1).days());
        Self::between(first, today, zone)
    }

    fn between(first: Date, last: Date, zone: &TimeZone) -> Self {
        Self { first, last, from: midnight(first, zone), until: midnight(last.saturating_add(1.day()), zone) }
    }

    /// How many days clients are told: one more than there are, as the original counts.
    pub(super) fn counted(&self) -> u64 {
        let days = self.first.until(self.last).map_or(0, |span| span.get_days());
        u64::try_from(days.saturating_add(2)).unwrap_or(0)
    }

    /// The stretches in which the zone's clocks do not change, with how far east they show, in minutes.
    pub(super) fn stretches(&self, zone: &TimeZone) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let mut from = self.from;
        let changes =
            zone.following(moment(from)).map(|change| UnixMillis(change.timestamp().as_millisecond()));
        for until in changes.take_while(|change| *change < self.until).chain([self.until]) {
            if from < until {
                let minutes_east = zone.to_offset(moment(from)).seconds() / MINUTE;
                stretches.push(Stretch { from, until, minutes_east });
            }
            from = until;
        }
        stretches
    }
}

/// A stretch of time in which a zone's clocks do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    /// When it begins.
    pub(super) from: UnixMillis,
    /// When it is over.
    pub(super) until: UnixMillis,
    /// How far east the clocks show.
    pub(super) minutes_east: i32,
}

/// Names the days of moments. Moments mostly follow one another, so the borders of a day are found once for all of its
/// moments.
#[derive(Debug, Clone)]
pub(super) struct DayLabeler {
    zone: TimeZone,
    /// The day of the last moment.
    within: Range<UnixMillis>,
    name: String,
}

impl DayLabeler {
    /// Names days of a zone.
    pub(super) fn new(zone: TimeZone) -> Self {
        Self { zone, within: UnixMillis(0)..UnixMillis(0), name: String::new() }
    }

    /// The day of a moment, as clients write it.
    pub(super) fn of(&mut self, at: UnixMillis) -> &str {
        if !self.within.contains(&at) {
            let day = self.zone.to_datetime(moment(at)).date();
            self.within = midnight(day, &self.zone)..midnight(day.saturating_add(1.day()), &self.zone);
            self.name = day.to_string();
        }
        &self.name
    }
}

fn date(text: &str) -> Option<Date> {
    let mut parts = text.trim().splitn(3, '-').map(|part| {
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then_some(part)
    });
    let mut part =
        |length: usize| -> Option<i64> { parts.next()?.filter(|part| part.len() == length)?.parse().ok() };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let january = Date::new(i16::try_from(year).ok()?, 1, 1).ok()?;
    january.checked_add(Span::new().months(month - 1)).ok()?.checked_add((day - 1).days()).ok()
}

#[expect(clippy::cast_possible_truncation, reason = "float casts saturate, and the caller bounds the number")]
fn whole(number: f64) -> i64 {
    number.floor() as i64
}

fn midnight(date: Date, zone: &TimeZone) -> UnixMillis {
    let far = if date.year() < 1970 { i64::MIN } else { i64::MAX };
    let start = date.to_zoned(zone.clone()).map_or(far, |start| start.timestamp().as_millisecond());
    UnixMillis(start)
}

fn moment(at: UnixMillis) -> Timestamp {
    let nearest = if at.0 < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(at.0).unwrap_or(nearest)
}

#[cfg(test)]
mod tests;
