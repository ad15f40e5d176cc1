//! The simulated clock itself: order, moments, chains of tasks, sleepers that gave up.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_ports::{Clock, Deadline, TimedOut};
use openclaw_types::UnixMillis;
use tokio::task::JoinSet;

use super::SimClock;

/// What happened, and at which second.
type Log = Arc<Mutex<Vec<(u64, &'static str)>>>;

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn note(log: &Log, clock: &SimClock, what: &'static str) {
    log.lock().unwrap().push((clock.elapsed().as_secs(), what));
}

#[tokio::test]
async fn sleepers_wake_in_the_order_they_are_due_each_at_its_moment() {
    let (clock, log, mut tasks) = (Arc::new(SimClock::new()), Log::default(), JoinSet::new());
    for (span, name) in [(3, "c"), (1, "a"), (2, "b"), (1, "a again")] {
        let (clock, log) = (Arc::clone(&clock), Arc::clone(&log));
        tasks.spawn(async move {
            clock.sleep(secs(span)).await;
            note(&log, &clock, name);
        });
    }
    clock.advance(secs(10)).await;
    assert_eq!(*log.lock().unwrap(), [(1, "a"), (1, "a again"), (2, "b"), (3, "c")]);
    assert_eq!(clock.elapsed(), secs(10));
}

#[tokio::test]
async fn what_a_woken_task_does_happens_before_the_next_one_wakes() {
    let (clock, log, mut tasks) = (Arc::new(SimClock::new()), Log::default(), JoinSet::new());
    for (span, name) in [(2, "ticker"), (5, "late")] {
        let (clock, log) = (Arc::clone(&clock), Arc::clone(&log));
        tasks.spawn(async move {
            loop {
                clock.sleep(secs(span)).await;
                note(&log, &clock, name);
            }
        });
    }
    clock.advance(secs(6)).await;
    assert_eq!(*log.lock().unwrap(), [(2, "ticker"), (4, "ticker"), (5, "late"), (6, "ticker")]);
}

#[tokio::test]
async fn nobody_wakes_early() {
    let clock = Arc::new(SimClock::new());
    let mut tasks = JoinSet::new();
    let sleeper = Arc::clone(&clock);
    tasks.spawn(async move { sleeper.sleep(secs(5)).await });
    clock.advance(secs(5) - Duration::from_nanos(1)).await;
    assert_eq!((clock.sleepers(), tasks.try_join_next().is_some()), (1, false));
    clock.advance(Duration::from_nanos(1)).await;
    assert!(tasks.try_join_next().is_some());
}

#[tokio::test]
async fn a_sleeper_that_gave_up_is_forgotten() {
    let clock = SimClock::new();
    let waited = Deadline::after(&clock, Duration::ZERO).bound(&clock, clock.sleep(secs(5))).await;
    assert_eq!((waited, clock.sleepers()), (Err(TimedOut), 0));
}

#[tokio::test]
async fn the_wall_clock_moves_along_and_can_be_set() {
    let clock = SimClock::starting_at(UnixMillis(1_000));
    clock.advance(secs(2)).await;
    assert_eq!(clock.now(), UnixMillis(3_000));
    clock.set_wall(UnixMillis(50));
    assert_eq!((clock.now(), clock.elapsed()), (UnixMillis(50), secs(2)));
}

#[tokio::test]
async fn a_test_can_wait_until_others_sleep() {
    let clock = Arc::new(SimClock::new());
    let mut tasks = JoinSet::new();
    for _ in 0..2 {
        let clock = Arc::clone(&clock);
        tasks.spawn(async move { clock.sleep(secs(1)).await });
    }
    clock.until_asleep(2).await;
    assert_eq!(clock.sleepers(), 2);
}
