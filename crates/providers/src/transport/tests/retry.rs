//! The table of what is repeated.

use std::time::Duration;

use openclaw_ports::model::{FaultReason, ModelFault};

use crate::transport::retry::{Standing, Verdict, decide};

fn fault(reason: FaultReason, status: Option<u16>, wait: Option<u64>) -> ModelFault {
    let message = String::new();
    ModelFault { reason, message, status, retry_after: wait.map(Duration::from_secs) }
}

fn first(chance: u32) -> Standing {
    Standing { repeated: 0, allowed: 2, left: Duration::from_secs(600), chance }
}

#[track_caller]
fn check(reason: FaultReason, status: Option<u16>, wait: Option<u64>, again: bool) {
    let verdict = decide(&fault(reason, status, wait), &first(7));
    assert_eq!(matches!(verdict, Verdict::Again(_)), again, "{reason:?} {status:?} {wait:?}: {verdict:?}");
}

#[test]
fn what_may_pass_is_repeated_and_nothing_else() {
    use FaultReason::*;
    check(Network, None, None, true);
    check(Truncated, None, None, false);
    check(Truncated, None, Some(1), false);
    check(Truncated, Some(502), None, true);
    check(Overloaded, None, None, true);
    for status in [500, 502, 503, 504, 520, 529] {
        check(Overloaded, Some(status), None, true);
    }
    check(Overloaded, Some(501), None, false);
    check(Timeout, Some(504), None, true);
    check(Timeout, Some(408), None, false);
    check(Timeout, None, None, false);
    check(Unknown, Some(500), None, true);
    check(Unknown, None, None, false);
    check(RateLimit, Some(429), None, false);
    check(RateLimit, Some(429), Some(0), true);
    check(RateLimit, Some(429), Some(5), true);
    check(RateLimit, Some(429), Some(6), false);
    check(Overloaded, Some(503), Some(2), true);
    check(Overloaded, Some(503), Some(60), false);
    for reason in [
        Auth,
        Billing,
        ContextOverflow,
        Format,
        ModelNotFound,
        Refused,
        Malformed,
        Empty,
        TooLarge,
        Cancelled,
    ] {
        check(reason, None, None, false);
        check(reason, Some(500), None, false);
        check(reason, Some(503), Some(1), false);
    }
}

#[test]
fn waits_grow_and_are_spread() {
    let broken = fault(FaultReason::Overloaded, Some(503), None);
    let wait = |repeated, chance| decide(&broken, &Standing { repeated, allowed: 9, ..first(chance) });
    let millis = |millis| Verdict::Again(Duration::from_millis(millis));
    assert_eq!([wait(0, 0), wait(1, 0), wait(2, 0)], [millis(250), millis(500), millis(1000)]);
    assert_eq!(
        [wait(0, u32::MAX), wait(1, u32::MAX), wait(8, u32::MAX)],
        [millis(500), millis(1000), millis(8000)]
    );
}

#[test]
fn a_server_that_asks_for_a_short_wait_gets_at_least_that() {
    let limited = fault(FaultReason::RateLimit, Some(429), Some(2));
    assert_eq!(decide(&limited, &first(0)), Verdict::Again(Duration::from_secs(2)));
    assert_eq!(decide(&limited, &first(u32::MAX)), Verdict::Again(Duration::from_millis(2500)));
}

#[test]
fn nothing_is_repeated_when_the_tries_or_the_time_are_used_up() {
    let broken = fault(FaultReason::Network, None, None);
    assert_eq!(decide(&broken, &Standing { repeated: 2, ..first(0) }), Verdict::GiveUp);
    assert_eq!(decide(&broken, &Standing { left: Duration::from_millis(250), ..first(0) }), Verdict::GiveUp);
}
