//! What becomes of pieces that were not taken.

use std::time::Duration;

use crate::{
    Failure, GivenUp, MediaRefusal, PieceForm, RetryRules, RetryVerdict, SendAttempts, after_failure,
};

const TRIED: SendAttempts =
    SendAttempts { attempts: 1, age: Duration::ZERO, form: PieceForm::Rich, moves: 0, answers: false };

fn rules() -> RetryRules {
    RetryRules { rounds: 2, ..RetryRules::default() }
}

fn again(millis: u64) -> RetryVerdict {
    RetryVerdict::Again { after: Duration::from_millis(millis) }
}

#[test]
fn each_failure_has_its_way() {
    let limited = |seconds: u64| Failure::RateLimited { after: Some(Duration::from_secs(seconds)) };
    let moved = Failure::Moved { to: "-100".to_owned() };
    let plain = SendAttempts { form: PieceForm::Plain, ..TRIED };
    let third = SendAttempts { attempts: 3, ..TRIED };
    let fifth = SendAttempts { attempts: 5, ..TRIED };
    let old = SendAttempts { age: Duration::from_secs(90_000), ..TRIED };
    let rows = [
        (Failure::Unreachable, TRIED, again(400)),
        (Failure::Conflict, SendAttempts { attempts: 2, ..TRIED }, again(800)),
        (Failure::Unreachable, third, again(5000)),
        (Failure::Unreachable, fifth, RetryVerdict::GiveUp(GivenUp::TooOften)),
        (Failure::RateLimited { after: None }, fifth, RetryVerdict::GiveUp(GivenUp::TooOften)),
        (limited(7), third, again(7350)),
        (limited(7), old, RetryVerdict::GiveUp(GivenUp::TooOld)),
        (Failure::Unauthorized, third, again(315_000)),
        (Failure::Markup, TRIED, RetryVerdict::Plain),
        (Failure::Markup, plain, RetryVerdict::GiveUp(GivenUp::Refused)),
        (moved.clone(), TRIED, RetryVerdict::Elsewhere { to: "-100".to_owned() }),
        (moved, SendAttempts { moves: 3, ..TRIED }, RetryVerdict::GiveUp(GivenUp::MovedTooOften)),
        (Failure::Refused, TRIED, RetryVerdict::GiveUp(GivenUp::Refused)),
        (Failure::Wrong, TRIED, RetryVerdict::GiveUp(GivenUp::Wrong)),
        (Failure::Refused, SendAttempts { answers: true, ..TRIED }, RetryVerdict::Alone),
        (Failure::Wrong, SendAttempts { answers: true, ..TRIED }, RetryVerdict::Alone),
        (Failure::Markup, SendAttempts { answers: true, ..TRIED }, RetryVerdict::Plain),
        (Failure::Markup, SendAttempts { answers: true, ..plain }, RetryVerdict::Alone),
        (Failure::Wrong, SendAttempts { answers: true, ..old }, RetryVerdict::GiveUp(GivenUp::TooOld)),
    ];
    for (failure, tried, expected) in rows {
        assert_eq!(after_failure(&failure, tried, &rules(), 0.5), expected, "{failure:?} {tried:?}");
    }
}

#[test]
fn pauses_grow_to_a_limit_and_chance_moves_them_a_little() {
    let rules = RetryRules { attempts: 9, rounds: u32::MAX, ..RetryRules::default() };
    let pause = |attempts: u32, random: f64| {
        after_failure(&Failure::Unreachable, SendAttempts { attempts, ..TRIED }, &rules, random)
    };
    assert_eq!(
        [1, 2, 3, 7, 8].map(|attempts| pause(attempts, 0.5)),
        [again(400), again(800), again(1600), again(25_600), again(30_000)]
    );
    assert_eq!(
        [9, 10, 11, 12, 4_000_000_000].map(|attempts| pause(attempts, 0.5)),
        [again(5000), again(25_000), again(125_000), again(600_000), again(600_000)]
    );
    assert_eq!([pause(1, 0.0), pause(1, 1.0), pause(1, f64::NAN)], [again(360), again(440), again(360)]);
    let long = Failure::RateLimited { after: Some(Duration::MAX) };
    assert_eq!(after_failure(&long, TRIED, &rules, 1.0), RetryVerdict::Again { after: Duration::MAX });
}

#[test]
fn every_reason_says_what_to_do() {
    let all = [GivenUp::TooOften, GivenUp::TooOld, GivenUp::Refused, GivenUp::Wrong, GivenUp::MovedTooOften];
    for reason in all {
        assert!(reason.text().contains(';'), "{reason:?}");
    }
    use MediaRefusal::{Absent, Empty, Foreign, Guarded, Outside, Scheme, TooLarge};
    for refusal in [Empty, Scheme, Foreign, Outside, Absent, Guarded, TooLarge] {
        assert!(refusal.text().contains(';'), "{refusal:?}");
    }
}
