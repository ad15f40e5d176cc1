//! Tables for lockouts, budgets and streaks.

use std::net::IpAddr;
use std::time::Duration;

use openclaw_config::RateLimit;
use openclaw_protocol::ErrorShape;
use openclaw_types::{ConnectionId, DeviceId};
use serde_json::json;

use super::budget::OverBudget;
use super::*;
use crate::auth::{Locality, Program};

const RULES: RateLimit = RateLimit {
    max_attempts: 3,
    window: Duration::from_secs(60),
    lockout: Duration::from_secs(300),
    exempt_loopback: true,
};

const SECRET: CredentialKind = CredentialKind::SharedSecret;

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn stranger() -> Attempter {
    Attempter::Remote(ip("203.0.113.7"))
}

#[test]
fn callers_are_told_apart_by_address_locality_and_program() {
    use Locality::{Local, Remote};
    use Program::{Browser, Native};
    let check = |address: &str, local, program, expected| {
        assert_eq!(Attempter::of(ip(address), local, program), expected, "{address} {local:?} {program:?}");
    };
    check("127.0.0.1", Local, Native, Attempter::Local);
    check("::ffff:127.0.0.1", Local, Native, Attempter::Local);
    check("::1", Local, Browser, Attempter::LocalBrowser);
    check("127.0.0.1", Remote, Browser, Attempter::LocalBrowser);
    check("127.0.0.1", Remote, Native, Attempter::Relayed);
    check("203.0.113.7", Remote, Browser, stranger());
    check("::ffff:203.0.113.7", Remote, Native, stranger());
    check("2001:db8:1:2:3:4:5:6", Remote, Native, Attempter::Remote(ip("2001:db8:1:2::")));
    check("2001:db8:1:2:ffff::1", Remote, Native, Attempter::Remote(ip("2001:db8:1:2::")));
}

#[test]
fn the_last_allowed_failure_locks_out_until_the_lockout_ends() {
    let limits = AuthLimits::new();
    assert_eq!(limits.failed(&RULES, stranger(), SECRET, secs(1)), Counted::Noted);
    assert_eq!(limits.failed(&RULES, stranger(), SECRET, secs(2)), Counted::Noted);
    assert_eq!(limits.check(&RULES, stranger(), SECRET, secs(3)), Ok(()));
    assert_eq!(limits.failed(&RULES, stranger(), SECRET, secs(3)), Counted::LockedOut);
    assert_eq!(limits.check(&RULES, stranger(), SECRET, secs(4)), Err(Lockout { retry_after: secs(299) }));
    assert_eq!(limits.failed(&RULES, stranger(), SECRET, secs(5)), Counted::Noted);
    assert_eq!(limits.check(&RULES, stranger(), SECRET, secs(303)), Ok(()));
    assert_eq!(limits.failed(&RULES, stranger(), SECRET, secs(303)), Counted::Noted, "the count starts anew");
}

#[test]
fn failures_outside_the_window_do_not_count() {
    let limits = AuthLimits::new();
    for at in [0, 40, 80, 120, 160] {
        assert_eq!(limits.failed(&RULES, stranger(), SECRET, secs(at)), Counted::Noted, "{at}");
    }
}

#[test]
fn callers_and_kinds_are_counted_apart() {
    let limits = AuthLimits::new();
    for _ in 0..3 {
        limits.failed(&RULES, stranger(), SECRET, secs(0));
    }
    assert!(limits.check(&RULES, stranger(), SECRET, secs(0)).is_err());
    assert_eq!(limits.check(&RULES, stranger(), CredentialKind::DeviceToken, secs(0)), Ok(()));
    assert_eq!(limits.check(&RULES, Attempter::Remote(ip("203.0.113.8")), SECRET, secs(0)), Ok(()));
}

#[test]
fn only_local_programs_are_exempt_and_only_while_the_rules_say_so() {
    let counted = RateLimit { exempt_loopback: false, ..RULES };
    for (rules, who, locked) in [
        (RULES, Attempter::Local, false),
        (counted, Attempter::Local, true),
        (RULES, Attempter::LocalBrowser, true),
        (RULES, Attempter::Relayed, true),
    ] {
        let limits = AuthLimits::new();
        for _ in 0..5 {
            limits.failed(&rules, who, SECRET, secs(0));
        }
        assert_eq!(limits.check(&rules, who, SECRET, secs(0)).is_err(), locked, "{who:?}");
    }
}

#[test]
fn success_forgets_all_failures_and_forgiving_takes_one_back() {
    let limits = AuthLimits::new();
    for _ in 0..3 {
        limits.failed(&RULES, stranger(), SECRET, secs(0));
    }
    limits.forgive(&RULES, stranger(), SECRET);
    assert_eq!(limits.check(&RULES, stranger(), SECRET, secs(0)), Ok(()));
    assert_eq!(limits.failed(&RULES, stranger(), SECRET, secs(1)), Counted::LockedOut);
    limits.succeeded(stranger(), SECRET);
    assert_eq!(limits.check(&RULES, stranger(), SECRET, secs(1)), Ok(()));
    assert_eq!(limits.len(), 0);
}

#[test]
fn the_memory_for_callers_is_bounded_and_forgets_the_oldest_first() {
    let limits = AuthLimits::new();
    let numbered = |number: u32| Attempter::Remote(IpAddr::V4(std::net::Ipv4Addr::from_bits(number)));
    for _ in 0..3 {
        limits.failed(&RULES, numbered(u32::MAX), SECRET, secs(1));
    }
    limits.failed(&RULES, numbered(0), SECRET, Duration::ZERO);
    for number in 1..12_000 {
        limits.failed(&RULES, numbered(number), SECRET, secs(1));
    }
    assert!((8_750..=10_000).contains(&limits.len()), "{}", limits.len());
    assert!(limits.check(&RULES, numbered(u32::MAX), SECRET, secs(1)).is_err(), "a lockout goes last");
    for number in 12_000..14_000 {
        limits.failed(&RULES, numbered(number), SECRET, secs(62));
    }
    assert!(limits.len() <= 10_000 && limits.check(&RULES, numbered(0), SECRET, secs(62)).is_ok());
    assert!(limits.check(&RULES, numbered(u32::MAX), SECRET, secs(62)).is_err());
}

#[test]
fn three_control_plane_calls_a_minute_for_each_device_and_address() {
    let budget = ControlPlaneBudget::new();
    let device = |name: &str| Some(DeviceId::new(name).unwrap());
    let key = |name: &str| BudgetKey::of(device(name), None, ConnectionId::new("c").unwrap());
    for at in [0, 10, 20] {
        assert_eq!(budget.spend(key("a"), secs(at)), Ok(()));
    }
    assert_eq!(budget.spend(key("a"), secs(30)), Err(OverBudget { retry_after: secs(30) }));
    assert_eq!(budget.spend(key("b"), secs(30)), Ok(()));
    assert_eq!(budget.spend(key("a"), secs(60)), Ok(()));
}

#[test]
fn a_caller_without_device_and_address_spends_for_its_connection() {
    let connection = |name: &str| ConnectionId::new(name).unwrap();
    let of = |name: &str| BudgetKey::of(None, None, connection(name));
    assert_ne!(of("a"), of("b"));
    let address = Some(ip("203.0.113.7"));
    assert_eq!(BudgetKey::of(None, address, connection("a")), BudgetKey::of(None, address, connection("b")));
}

#[test]
fn a_spent_budget_is_told_as_a_retryable_error() {
    let expected = ErrorShape::unavailable("rate limit exceeded for config.apply; retry after 30s")
        .with_details(json!({"method": "config.apply", "limit": "3 per 60s"}))
        .retry_after(29_500);
    assert_eq!(OverBudget { retry_after: Duration::from_millis(29_500) }.to_error("config.apply"), expected);
}

#[test]
fn the_eleventh_refusal_in_a_row_for_the_wrong_role_closes() {
    let mut streak = WrongRoleStreak::default();
    for _ in 0..10 {
        assert_eq!(streak.refused(), FloodVerdict::Keep);
    }
    assert_eq!(streak.refused(), FloodVerdict::Close);
    streak.answered();
    assert_eq!(streak.refused(), FloodVerdict::Keep);
}

#[test]
fn one_machine_or_page_never_holds_all_places() {
    let shares = Shares { remote: 2, this_machine: 3, foreign_page: 1 };
    let places = Places::new(6, shares);
    let source = |address: &str| PlaceSource::of(address.parse().unwrap());
    let take = |source: PlaceSource| places.take(source);
    let stranger = source("203.0.113.7");
    let held = [take(stranger), take(source("::ffff:203.0.113.7"))];
    assert!(held.iter().all(Option::is_some) && take(stranger).is_none());
    let (one, page) = (take(source("127.0.0.1")), take(source("::1").foreign_page()));
    assert!(one.is_some() && page.is_some() && take(source("127.0.0.1").foreign_page()).is_none());
    let remote_page = take(stranger.foreign_page());
    assert!(remote_page.is_some(), "a page takes nothing from the share of its machine");
    let last = take(source("2001:db8::1"));
    assert!(last.is_some() && take(source("127.0.0.1")).is_none(), "six are taken");
    drop(held);
    let network = [take(source("2001:db8::2")), take(source("2001:db8::3"))];
    assert!(network[0].is_some() && network[1].is_none(), "a /64 is one caller");
    assert!(take(stranger).is_some());
}
