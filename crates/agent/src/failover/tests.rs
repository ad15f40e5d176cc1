//! The arithmetic of pauses. The table of next steps is tested with the whole engine, in `tests/engine`.

use std::time::Duration;

use openclaw_config::CooldownRules;
use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_ports::stores::{HealthKey, HealthRecord};
use openclaw_testkit::Random;
use openclaw_types::{AgentId, AuthProfileId, ProviderId, UnixMillis};

use super::pause::{LONGEST_PAUSE, answered, failed, mend, resting_until, unpaid};
use super::*;

const START: UnixMillis = UnixMillis(1_767_225_600_000);

fn record() -> HealthRecord {
    let profile = AuthProfileId::new("alpha:1").unwrap();
    HealthRecord::new(HealthKey { agent: AgentId::main(), profile, model: None })
}

fn fault() -> ModelFault {
    ModelFault::new(FaultReason::RateLimit, "slow down")
}

fn rules() -> PauseRules {
    PauseRules::of(&CooldownRules::default(), &ProviderId::new("alpha").unwrap())
}

fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

/// How long each of some failures in a row pauses, when each comes at the end of the last pause.
fn pauses(fail: impl Fn(&mut HealthRecord, UnixMillis), count: usize) -> Vec<u64> {
    let (mut record, mut now, mut lengths) = (record(), START, Vec::new());
    for _ in 0..count {
        fail(&mut record, now);
        let until = resting_until(&record, now).unwrap();
        lengths.push(until.since(now).as_secs() / 60);
        now = until;
    }
    lengths
}

#[test]
fn pauses_climb_the_ladder_and_stay_at_its_top() {
    let lengths = pauses(|record, now| failed(record, &fault(), &rules(), now), 6);
    assert_eq!(lengths, [1, 5, 25, 60, 60, 60]);
}

#[test]
fn a_credential_without_money_is_off_for_hours_that_double_up_to_a_day() {
    let lengths = pauses(|record, now| unpaid(record, &fault(), &rules(), now), 5);
    assert_eq!(lengths, [300, 600, 1_200, 1_440, 1_440]);
}

#[test]
fn hours_without_money_can_be_configured_by_vendor() {
    let mut written = CooldownRules { billing_max: minutes(50), ..CooldownRules::default() };
    written.billing_backoff_by_provider.insert("Z.AI".to_owned(), minutes(20));
    let own = PauseRules::of(&written, &ProviderId::new("zai").unwrap());
    assert_eq!(pauses(|record, now| unpaid(record, &fault(), &own, now), 3), [20, 40, 50]);
    let other = PauseRules::of(&written, &ProviderId::new("alpha").unwrap());
    assert_eq!(pauses(|record, now| unpaid(record, &fault(), &other, now), 2), [300, 300]);
}

#[test]
fn failures_at_the_same_time_count_once() {
    let mut record = record();
    for second in 0..50 {
        failed(&mut record, &fault(), &rules(), START.plus(Duration::from_secs(second)));
    }
    assert_eq!((record.failures, record.paused_until), (1, Some(START.plus(minutes(1)))));
}

#[test]
fn a_longer_wish_of_the_server_is_honoured_up_to_a_day() {
    for (wish, expected) in [(30, 1), (600, 10), (7_200, 120), (1_000_000, 1_440)] {
        let mut record = record();
        let fault = ModelFault { retry_after: Some(Duration::from_secs(wish)), ..fault() };
        failed(&mut record, &fault, &rules(), START);
        assert_eq!(record.paused_until, Some(START.plus(minutes(expected))), "{wish} s");
    }
}

#[test]
fn failures_of_the_day_before_yesterday_are_forgotten() {
    let mut record = record();
    failed(&mut record, &fault(), &rules(), START);
    failed(&mut record, &fault(), &rules(), START.plus(minutes(2)));
    assert_eq!(record.failures, 2);
    failed(&mut record, &fault(), &rules(), START.plus(minutes(3 + 24 * 60)));
    assert_eq!(record.failures, 1);
}

#[test]
fn an_answer_makes_everything_well() {
    let mut record = record();
    failed(&mut record, &fault(), &rules(), START);
    unpaid(&mut record, &fault(), &rules(), START);
    let now = START.plus(minutes(1));
    answered(&mut record, now);
    let expected = HealthRecord {
        last_used: Some(now),
        last_good: Some(now),
        last_failure: Some(START),
        ..HealthRecord::new(record.key.clone())
    };
    assert_eq!(record, expected);
}

#[test]
fn whatever_the_clock_does_a_pause_ends_within_its_length() {
    let mut random = Random::new();
    for _ in 0..2_000 {
        let mut record = record();
        let then = UnixMillis(i64::try_from(random.below(4_000_000_000_000)).unwrap());
        for _ in 0..random.below(6) {
            failed(&mut record, &fault(), &rules(), then);
            unpaid(&mut record, &fault(), &rules(), then);
        }
        let now = UnixMillis(i64::try_from(random.below(4_000_000_000_000)).unwrap());
        mend(&mut record, rules().billing_longest, now);
        assert!(resting_until(&record, now) <= Some(now.plus(LONGEST_PAUSE)), "{record:?} at {now:?}");
        assert!(!mend(&mut record, rules().billing_longest, now), "mending twice changes nothing");
        let later = now.plus(LONGEST_PAUSE);
        mend(&mut record, rules().billing_longest, later);
        assert_eq!(resting_until(&record, later), None);
    }
}
