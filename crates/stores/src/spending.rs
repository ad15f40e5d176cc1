//! The rules of the usage ledger that both stores share: when a limit stands in the way, what a call that was cut off
//! leaves behind, and which day a moment belongs to.
//!
//! Pure. `sqlite::usage` and `memory::usage` gather the numbers and call in here, so that they decide alike.

use openclaw_ports::stores::{Hold, HoldId, Limit, Spending, UsageRecord};
use openclaw_types::{Money, UnixMillis, Usage};
use sha2::{Digest as _, Sha256};

/// How a record of a call that nobody saw the end of says so.
const INTERRUPTED: &str = "interrupted";

const DAY: i64 = 24 * 60 * 60 * 1000;
const MINUTE: i64 = 60 * 1000;

/// Whether setting `most` aside would pass `limit`. What costs nothing passes, also a limit that is used up.
pub(crate) fn passes_limit(limit: &Limit, spending: Spending, most: Money) -> bool {
    most > Money::ZERO && spending.spent + spending.held + most > limit.cap
}

/// What becomes of a reservation whose process died: what was sent is paid for, what came back is not known.
pub(crate) fn interrupted(hold: Hold, now: UnixMillis) -> UsageRecord {
    UsageRecord {
        run: hold.run,
        agent: hold.agent,
        session: hold.session,
        model: hold.model,
        profile: None,
        // A clock that was set back must not leave records in the future.
        at: hold.at.min(now),
        duration_ms: 0,
        usage: Usage::default(),
        cost: Some(hold.least),
        outcome: INTERRUPTED.to_owned(),
    }
}

/// The id under which an imported call is recorded: made from its name alone, and below zero, where no reservation is.
pub(crate) fn imported_id(name: &str) -> HoldId {
    let digest: [u8; 32] = Sha256::digest(name.as_bytes()).into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    HoldId(i64::from_be_bytes([a, b, c, d, e, f, g, h]) | i64::MIN)
}

/// How far a time zone's clocks are ahead, in milliseconds; never more than a day.
pub(crate) fn ahead(offset_minutes: i32) -> i64 {
    (i64::from(offset_minutes) * MINUTE).clamp(-DAY, DAY)
}

/// The day of a moment in a time zone, counted from 1970-01-01.
pub(crate) fn day_of(at: UnixMillis, offset_minutes: i32) -> i64 {
    at.0.saturating_add(ahead(offset_minutes)).div_euclid(DAY)
}

/// A day as `2026-02-26`. Days that no calendar reaches are written as the first or the last one.
pub(crate) fn day_name(day: i64) -> String {
    let midnight = jiff::Timestamp::from_millisecond(day.saturating_mul(DAY));
    let nearest = if day < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    midnight.unwrap_or(nearest).strftime("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use openclaw_ports::stores::{BudgetScope, BudgetWindow, Limit, Spending};
    use openclaw_types::{Money, UnixMillis};

    use super::{day_name, day_of, passes_limit};

    fn check(cap: u64, (spent, held): (u64, u64), most: u64, passes: bool) {
        let limit = Limit {
            scope: BudgetScope::Total,
            window: BudgetWindow::Day,
            since: UnixMillis(0),
            until: UnixMillis(i64::MAX),
            cap: Money::from_nanos(cap),
        };
        let spending = Spending { spent: Money::from_nanos(spent), held: Money::from_nanos(held) };
        assert_eq!(
            passes_limit(&limit, spending, Money::from_nanos(most)),
            passes,
            "{most} more under {cap} with {spending:?}"
        );
    }

    #[test]
    fn a_limit_is_passed_by_what_is_spent_and_held_and_asked_for_together() {
        check(10, (0, 0), 10, false);
        check(10, (0, 0), 11, true);
        check(10, (4, 5), 1, false);
        check(10, (4, 5), 2, true);
        check(0, (0, 0), 1, true);
        check(0, (0, 0), 0, false);
        check(10, (20, 0), 0, false);
        check(10, (u64::MAX, u64::MAX), 1, true);
    }

    #[test]
    fn a_day_begins_at_midnight_of_its_time_zone() {
        let midnight = 1_767_225_600_000; // 2026-01-01T00:00:00Z
        let name = |at, offset| day_name(day_of(UnixMillis(at), offset));
        assert_eq!(name(midnight, 0), "2026-01-01");
        assert_eq!(name(midnight - 1, 0), "2025-12-31");
        assert_eq!(name(midnight - 1, 60), "2026-01-01");
        assert_eq!(name(midnight, -1), "2025-12-31");
        assert_eq!(name(midnight + 18 * 3_600_000 + 1_800_000, 330), "2026-01-02");
        assert_eq!(name(-1, 0), "1969-12-31");
    }

    #[test]
    fn days_that_no_calendar_reaches_have_a_name_too() {
        assert_eq!(day_name(day_of(UnixMillis(i64::MAX), i32::MAX)), "9999-12-30");
        assert_eq!(day_name(day_of(UnixMillis(i64::MIN), i32::MIN)), "-9999-01-02");
    }
}
