//! Which days are meant, in which zone.

use jiff::civil::date as day;

use super::*;

/// 2026-02-26T23:30:00Z.
const NOW: UnixMillis = UnixMillis(1_772_148_600_000);
const HOUR: i64 = 3_600_000;

fn at(text: &str) -> UnixMillis {
    UnixMillis(text.parse::<Timestamp>().unwrap().as_millisecond())
}

fn berlin() -> TimeZone {
    TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
}

fn check(asked: RequestedDates<'_>, zone: DayZone, expected: (Date, Date, &str, u64)) {
    let range = DayRange::of(asked, &zone.rules(), NOW);
    let (first, last, from, counted) = expected;
    assert_eq!(
        (range.first, range.last, range.from, range.counted()),
        (first, last, at(from), counted),
        "{asked:?} {zone:?}"
    );
}

#[test]
fn days_are_those_of_the_zone_that_is_asked_for() {
    let week = RequestedDates { days: Some(7.9), ..RequestedDates::default() };
    check(
        RequestedDates::default(),
        DayZone::Utc,
        (day(2026, 1, 28), day(2026, 2, 26), "2026-01-28T00:00:00Z", 31),
    );
    check(week, DayZone::Utc, (day(2026, 2, 20), day(2026, 2, 26), "2026-02-20T00:00:00Z", 8));
    check(week, DayZone::East(60), (day(2026, 2, 21), day(2026, 2, 27), "2026-02-20T23:00:00Z", 8));
    check(week, DayZone::East(-210), (day(2026, 2, 20), day(2026, 2, 26), "2026-02-20T03:30:00Z", 8));
    let negative = RequestedDates { days: Some(-3.0), ..RequestedDates::default() };
    check(negative, DayZone::Utc, (day(2026, 2, 26), day(2026, 2, 26), "2026-02-26T00:00:00Z", 2));
}

#[test]
fn dates_count_only_together_and_roll_over_at_the_end_of_a_month() {
    let dates = |start, end| RequestedDates { start: Some(start), end: Some(end), days: Some(1.0) };
    let february = (day(2026, 2, 1), day(2026, 3, 3), "2026-02-01T00:00:00Z", 32);
    check(dates("2026-02-01", "2026-02-31"), DayZone::Utc, february);
    check(dates("2026-01-32", " 2026-03-03 "), DayZone::Utc, february);
    let today = (day(2026, 2, 26), day(2026, 2, 26), "2026-02-26T00:00:00Z", 2);
    for wrong in ["", "2026-2-1", "26-02-01", "2026-02-01T00", "+026-02-01", "tomorrow"] {
        check(dates(wrong, "2026-02-03"), DayZone::Utc, today);
    }
    let backwards = DayRange::of(dates("2026-02-03", "2026-02-01"), &TimeZone::UTC, NOW);
    assert_eq!((backwards.counted(), backwards.stretches(&TimeZone::UTC)), (0, Vec::new()));
}

#[test]
fn any_number_of_days_stays_within_the_calendar() {
    for days in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0] {
        let asked = RequestedDates { days: Some(days), ..RequestedDates::default() };
        let range = DayRange::of(asked, &TimeZone::UTC, NOW);
        assert!(range.from < range.until, "{days}");
    }
    let ends = RequestedDates { start: Some("0000-00-00"), end: Some("9999-99-99"), days: None };
    assert!(DayRange::of(ends, &TimeZone::UTC, NOW).from < NOW);
    for now in [i64::MIN, i64::MAX] {
        DayRange::of(RequestedDates::default(), &TimeZone::UTC, UnixMillis(now)).stretches(&berlin());
    }
}

#[test]
fn offsets_are_those_of_places_on_earth() {
    let texts =
        ["UTC+2", "UTC-3:30", " UTC+14 ", "UTC+14:30", "UTC-13", "UTC+5:7", "utc+1", "+1", "UTC+", ""];
    let expected = [Some(120), Some(-210), Some(840), None, None, None, None, None, None, None];
    assert_eq!(texts.map(minutes_east), expected);
    assert_eq!(DayZone::asked(Some(DayMode::Specific), Some("UTC+99")), DayZone::Utc);
    assert_eq!(DayZone::asked(Some(DayMode::Utc), Some("UTC+1")), DayZone::Utc);
    assert_eq!(DayZone::asked(Some(DayMode::Gateway), Some("UTC+1")), DayZone::Gateway);
}

#[test]
fn a_day_on_which_clocks_change_is_as_long_as_it_is() {
    let asked = RequestedDates { start: Some("2026-03-28"), end: Some("2026-03-29"), days: None };
    let zone = berlin();
    let range = DayRange::of(asked, &zone, NOW);
    assert_eq!(range.until.0 - range.from.0, 47 * HOUR);
    let change = at("2026-03-29T01:00:00Z");
    let expected = [
        Stretch { from: range.from, until: change, minutes_east: 60 },
        Stretch { from: change, until: range.until, minutes_east: 120 },
    ];
    assert_eq!(range.stretches(&zone), expected);
    let mut names = DayLabeler::new(zone);
    let rows = [
        ("2026-03-28T22:59:59Z", "2026-03-28"),
        ("2026-03-28T23:00:00Z", "2026-03-29"),
        ("2026-03-29T21:59:59Z", "2026-03-29"),
        ("2026-03-29T22:00:00Z", "2026-03-30"),
        ("2026-03-28T23:30:00Z", "2026-03-29"),
    ];
    for (moment, day) in rows {
        assert_eq!(names.of(at(moment)), day, "{moment}");
    }
}
