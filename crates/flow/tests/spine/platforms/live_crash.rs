//! A process that ends at any step while answers show as they are made: every word is seen once all the same.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_ports::channel::ChannelError;
use openclaw_testkit::{FakePlatform, Random, SendFailure};
use serde_json::{Value, json};

use crate::crash::End;
use crate::crash_plan::{CrashPlan, Side};
use crate::scripted_model::ESSAY;
use crate::world::{Machine, World};

/// How many pairs of crashes are tried.
const PAIRS: usize = 150;

fn file(account: &Value) -> Value {
    let mut account = account.clone();
    account["token"] = json!("good");
    account["dmPolicy"] = json!("allowlist");
    account["allowFrom"] = json!(["ana"]);
    json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "messages": { "queue": { "mode": "followup" } },
        "agents": { "defaults": {
            "blockStreamingChunk": { "minChars": 10, "maxChars": 60 },
            "blockStreamingCoalesce": { "minChars": 10, "maxChars": 30, "idleMs": 100 },
        } },
    })
}

fn live(machine: &Arc<Machine>, crash_plan: &Arc<CrashPlan>, account: &Value) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let end = runtime.block_on(async {
        let life = async {
            let world = World::open(machine.clone(), file(account), crash_plan.clone()).await;
            world.gate.open();
            world.flow.open_channels().await.unwrap();
            world.flow.recover().await.unwrap();
            world.until(|| machine.platform.is_up("default")).await;
            let event = FakePlatform::direct("default", "ana", "1", "essay do:x", machine.clock.now());
            machine.platform.receive(event).await.unwrap();
            while world.flow.busy() > 0 {
                machine.clock.advance(Duration::from_millis(100)).await;
            }
            for _ in 0..5 {
                machine.clock.advance(Duration::from_secs(1)).await;
            }
        };
        tokio::select! {
            biased;
            () = crash_plan.ended() => End::Killed,
            () = life => End::Quiet,
        }
    });
    machine.platform.hang_up();
    end
}

/// What people see, without the places where it is cut: those may be others after a crash.
fn submissions(screen: &[String]) -> String {
    screen.concat().split_whitespace().collect()
}

/// A platform that does as it is asked.
fn easy(_platform: &FakePlatform) {}

/// A platform that is slow to take the first messages and to do what it is asked.
fn slow(platform: &FakePlatform) {
    let limited = ChannelError::RateLimited { after: Duration::from_millis(700) };
    (0..3).for_each(|_| platform.fail(SendFailure::Before(limited.clone())));
    (0..3).for_each(|_| platform.fail_deed(limited.clone()));
}

/// A platform that does not let messages be changed.
fn unchanging(platform: &FakePlatform) {
    platform.refuse_edits(u32::MAX);
}

/// Ends a life at every step, and looks at what people see after the next.
fn everywhere(account: &Value, trouble: fn(&FakePlatform), expected: &str, seen: fn(&[String]) -> String) {
    let whole = CrashPlan::never();
    let machine = Machine::new();
    trouble(&machine.platform);
    assert_eq!(live(&machine, &whole, account), End::Quiet);
    assert_eq!(seen(&machine.platform.screen("ana")), expected, "without a crash");
    for step in 1..=whole.steps() {
        for side in [Side::Before, Side::After] {
            let machine = Machine::new();
            trouble(&machine.platform);
            live(&machine, &CrashPlan::at(step, side), account);
            assert_eq!(live(&machine, &CrashPlan::never(), account), End::Quiet);
            let screen = machine.platform.screen("ana");
            assert_eq!(seen(&screen), expected, "after a crash {side:?} step {step}");
        }
    }
}

/// Ends two lives at any steps, and looks at what people see after the third.
fn anywhere_twice(account: &Value, trouble: fn(&FakePlatform), expected: &str) {
    let whole = CrashPlan::never();
    let machine = Machine::new();
    trouble(&machine.platform);
    live(&machine, &whole, account);
    let mut random = Random::new();
    for _ in 0..PAIRS {
        let machine = Machine::new();
        trouble(&machine.platform);
        let mut steps = Vec::new();
        for _ in 0..2 {
            let step = 1 + random.below(whole.steps());
            live(&machine, &CrashPlan::at(step, Side::After), account);
            steps.push(step);
        }
        assert_eq!(live(&machine, &CrashPlan::never(), account), End::Quiet);
        let screen = machine.platform.screen("ana").join("|");
        assert_eq!(screen, expected, "after crashes at the steps {steps:?}");
        let keys: BTreeSet<_> = machine.platform.sent().into_iter().map(|piece| piece.key).collect();
        assert_eq!(keys.len(), 2, "the draft is gone on with after crashes at the steps {steps:?}: {keys:?}");
    }
}

fn blocks(trouble: fn(&FakePlatform)) {
    let expected = format!("One moment.{}", ESSAY.concat()).split_whitespace().collect::<String>();
    everywhere(&json!({ "blockStreaming": true }), trouble, &expected, submissions);
}

fn draft(trouble: fn(&FakePlatform)) {
    let expected = format!("One moment.|{}", ESSAY.join("\n\n"));
    everywhere(&json!({ "streaming": "partial" }), trouble, &expected, |screen| screen.join("|"));
}

#[test]
fn a_crash_at_any_step_repeats_no_block_and_loses_none() {
    blocks(easy);
}

#[test]
fn a_crash_at_any_step_repeats_no_block_of_those_that_wait() {
    blocks(slow);
}

#[test]
fn a_crash_at_any_step_leaves_one_message_of_a_draft() {
    draft(easy);
}

#[test]
fn a_crash_at_any_step_leaves_one_message_of_a_draft_that_is_long_on_its_way() {
    draft(slow);
}

#[test]
fn a_crash_at_any_step_leaves_no_draft_beside_the_answer_where_it_cannot_be_changed() {
    draft(unchanging);
}

#[test]
fn two_crashes_leave_one_message_of_a_draft_that_is_long_on_its_way() {
    let expected = format!("One moment.|{}", ESSAY.join("\n\n"));
    anywhere_twice(&json!({ "streaming": "partial" }), slow, &expected);
}
