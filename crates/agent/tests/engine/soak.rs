//! Two thousand calls with every kind of trouble: each ends, nothing stays stuck, the books agree.

use std::time::Duration;

use futures_util::StreamExt;
use openclaw_agent::{CallEvent, CallStream, PinStrength};
use openclaw_ports::Clock;
use openclaw_ports::model::FaultReason;
use openclaw_ports::stores::{BudgetScope, Spending, UsageQuery};
use openclaw_providers::{Rejection, Script, Scripts};
use openclaw_testkit::Random;
use openclaw_types::{Money, UnixMillis};

use crate::world::{Setup, World, ask, ask_run, key, pinned, sign_in};

const CALLS: usize = 2_000;
const AT_ONCE: usize = 4;

const FAULTS: [FaultReason; 15] = [
    FaultReason::RateLimit,
    FaultReason::Auth,
    FaultReason::Billing,
    FaultReason::Overloaded,
    FaultReason::ContextOverflow,
    FaultReason::Format,
    FaultReason::ModelNotFound,
    FaultReason::Refused,
    FaultReason::Timeout,
    FaultReason::Network,
    FaultReason::Truncated,
    FaultReason::Malformed,
    FaultReason::Empty,
    FaultReason::TooLarge,
    FaultReason::Unknown,
];

/// How a call of the soak went for its caller.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    answered: usize,
    failed: usize,
    left: usize,
}

#[tokio::test]
async fn two_thousand_failing_calls_all_end_and_no_credential_stays_stuck() {
    let mut random = Random::new();
    let keys = vec![sign_in("alpha:1"), key("alpha:2"), key("alpha:3"), key("beta:1"), key("beta:2")];
    let setup = Setup { keys, ..Setup::new().fallbacks(&["alpha/two", "beta/one"]) };
    let world = setup.scripts(Scripts::new().otherwise(Script::new().say("fine"))).build().await;
    let mut tally = Tally::default();
    for _ in 0..CALLS / AT_ONCE {
        while world.scripts.left() < 16 * AT_ONCE {
            world.scripts.push(script(&mut random));
        }
        let calls: Vec<_> = (0..AT_ONCE).map(|_| listen(&world, &mut random)).collect();
        for outcome in futures_util::future::join_all(calls).await {
            tally.answered += usize::from(outcome == Outcome::Answered);
            tally.failed += usize::from(outcome == Outcome::Failed);
            tally.left += usize::from(outcome == Outcome::Left);
        }
        world.clock.advance(Duration::from_secs(random.below(600))).await;
    }
    assert_eq!(tally.answered + tally.failed + tally.left, CALLS);
    assert!(tally.answered > CALLS / 4 && tally.failed > 0 && tally.left > 0, "{tally:?}");
    while world.scripts.left() > 0 {
        world.call(ask()).await;
        world.clock.advance(Duration::from_secs(3600)).await;
    }
    check_books(&world).await;
    check_everything_is_usable(&world).await;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Answered,
    Failed,
    Left,
}

fn script(random: &mut Random) -> Script {
    let start = match random.below(2) {
        0 => Script::new(),
        _ => Script::new().say("some words before anything happens"),
    };
    match random.below(10) {
        0..4 => start.say("an answer"),
        4 => start.cut(),
        5 => start.malformed(),
        6 => {
            let wait = Duration::from_secs(random.below(100_000));
            start.reject(Rejection::new(FaultReason::RateLimit).retry_after(wait))
        }
        _ => {
            let place = usize::try_from(random.below(FAULTS.len() as u64)).unwrap();
            start.fault(FAULTS[place])
        }
    }
}

/// Calls, and now and then leaves in the middle.
fn listen(world: &World, random: &mut Random) -> impl Future<Output = Outcome> + use<> {
    let call = match random.below(4) {
        0 => ask_run("alpha/two"),
        1 => pinned("alpha:2", PinStrength::Preferred),
        2 => pinned("alpha:3", PinStrength::Locked),
        _ => ask(),
    };
    let patience = match random.below(8) {
        0 => usize::try_from(random.below(4)).unwrap(),
        _ => usize::MAX,
    };
    hear_some(world.models.call(call), patience)
}

async fn hear_some(mut stream: CallStream, patience: usize) -> Outcome {
    for _ in 0..patience {
        match stream.next().await.expect("a stream ends with a last event") {
            CallEvent::Done(_) => return ended(stream, Outcome::Answered).await,
            CallEvent::Failed(_) => return ended(stream, Outcome::Failed).await,
            _ => {}
        }
    }
    Outcome::Left
}

async fn ended(mut stream: CallStream, outcome: Outcome) -> Outcome {
    assert_eq!(stream.next().await, None);
    outcome
}

async fn check_books(world: &World) {
    world.settle().await;
    let records = world.ledger.records(UsageQuery::default(), usize::MAX).await.unwrap();
    let cost: Money = records.iter().map(|record| record.cost.unwrap()).sum();
    let spending =
        world.ledger.spent(&BudgetScope::Total, UnixMillis(0)..UnixMillis(i64::MAX)).await.unwrap();
    assert_eq!(spending, Spending { spent: cost, held: Money::ZERO });
    assert!(cost > Money::ZERO);
}

/// After the longest rest there is, every credential is as good as new.
async fn check_everything_is_usable(world: &World) {
    world.clock.advance(Duration::from_secs(24 * 3600)).await;
    let now = world.clock.now();
    for record in world.models.status().health {
        assert!(record.paused_until.max(record.disabled_until) <= Some(now), "{record:?}");
    }
    for profile in ["alpha:1", "alpha:2", "alpha:3"] {
        let heard = world.call(pinned(profile, PinStrength::Preferred)).await;
        assert_eq!(heard.story(), [format!("alpha/one {profile}"), "done".to_owned()]);
    }
}
