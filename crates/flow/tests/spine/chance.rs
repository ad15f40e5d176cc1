//! Chance: submissions in some sessions, in some mode, with a few crashes at some steps.

use openclaw_testkit::Random;
use serde_json::json;

use crate::crash::{End, live};
use crate::crash_plan::{CrashPlan, Side};
use crate::ledger::{Sent, expect_in_order};
use crate::world::Machine;

const ROUNDS: u64 = 150;

/// One process too few for a run to be given up.
const CRASHES: u64 = 3;

#[test]
fn no_letter_is_lost_or_answered_twice_by_chance() {
    let mut random = Random::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut killed = 0;
    for round in 0..ROUNDS {
        let submissions = submissions(&mut random);
        let mode = ["collect", "followup", "steer"][index(random.below(3))];
        let config = json!({ "messages": { "queue": { "mode": mode } } });
        let machine = Machine::new();
        let mut story = format!("in round {round} ({mode})");
        for _ in 0..random.below(CRASHES + 1) {
            let side = if random.below(2) == 0 { Side::Before } else { Side::After };
            let step = 1 + random.below(90);
            let end = live(&machine, &config, &CrashPlan::at(step, side), &submissions);
            killed += u64::from(end == End::Killed);
            story.push_str(&format!(" {side:?} {step} {end:?}"));
        }
        assert_eq!(live(&machine, &config, &CrashPlan::never(), &submissions), End::Quiet);
        runtime.block_on(expect_in_order(&machine, &submissions, &story));
    }
    assert!(killed > ROUNDS / 4, "too little happened: {killed}");
}

fn submissions(random: &mut Random) -> Vec<Sent> {
    (0..1 + random.below(6))
        .map(|number| {
            let key = format!("agent:main:s{}", random.below(3));
            let run = format!("r{number}");
            match random.below(8) {
                0 => Sent::new("agent:main:commands", &run, "/help"),
                1 | 2 => Sent::new(&key, &run, &format!("#{run}")),
                3 | 4 => Sent::new(&key, &run, &format!("#{run} look:{run}")),
                _ => Sent::new(&key, &run, &format!("#{run} do:{run} look:{run} do:{run}-again")),
            }
        })
        .collect()
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap()
}
