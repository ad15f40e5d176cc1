//! A process that ends at any step while messages of a platform flow: each is answered once there, in order.

use std::sync::Arc;

use openclaw_ports::Clock as _;
use openclaw_ports::stores::Inbox as _;
use openclaw_testkit::FakePlatform;
use serde_json::{Value, json};

use crate::crash::End;
use crate::crash_plan::{CrashPlan, Side};
use crate::world::{Machine, World};

type Events = [(&'static str, &'static str, &'static str)];

const ANSWERS: &Events =
    &[("ana", "1", "#a1 do:a1"), ("bob", "2", "#b1"), ("ana", "3", "#a2"), ("ana", "4", "/whoami")];
const OTHERS: &Events =
    &[("eve", "1", "fail"), ("cleo", "2", "#lmnopqrstuvw tell:cleo"), ("bob", "3", "#b1 look:b1 fail-later")];

fn file() -> Value {
    let account =
        json!({ "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana", "bob", "cleo", "eve"] });
    json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "session": { "dmScope": "per-peer" },
        "messages": { "queue": { "mode": "followup" } },
    })
}

/// Lives until everything is dealt with or the crash_plan comes. The platform brings again whatever was not acknowledged,
/// and some of what was.
fn live(machine: &Arc<Machine>, crash_plan: &Arc<CrashPlan>, events: &Events) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let end = runtime.block_on(async {
        let life = async {
            let world = World::open(machine.clone(), file(), crash_plan.clone()).await;
            world.gate.open();
            world.flow.open_channels().await.unwrap();
            world.flow.recover().await.unwrap();
            world.until(|| machine.platform.is_up("default")).await;
            for (from, event, text) in events.iter().copied() {
                let event = FakePlatform::direct("default", from, event, text, machine.clock.now());
                machine.platform.receive(event).await.unwrap();
            }
            world.quiet().await;
            let open = || machine.platform.sent().len();
            for _ in 0..20 {
                machine.clock.advance(std::time::Duration::from_millis(50)).await;
            }
            assert!(open() > 0);
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

fn expect_answers(machine: &Machine, when: &str) {
    let ana = machine.platform.words_to("ana");
    let answers: Vec<&String> = ana.iter().filter(|text| text.starts_with("Heard")).collect();
    assert_eq!(answers, ["Heard #a1.", "Heard #a2."], "{when}: {ana:?}");
    assert_eq!(machine.platform.words_to("bob"), ["Heard #b1."], "{when}");
    // A command that a crash cuts off is not carried out again; its sender is told that instead.
    let others = ana.iter().filter(|text| !text.starts_with("Heard") && *text != "One moment.").count();
    assert_eq!(others, 1, "{when}: {ana:?}");
}

fn expect_one_notice_and_nothing_repeated(machine: &Machine, when: &str) {
    let eve = machine.platform.words_to("eve");
    assert_eq!(eve.len(), 1, "{when}: {eve:?}");
    let mut cleo = machine.platform.words_to("cleo");
    cleo.sort();
    assert_eq!(cleo, ["Heard #lmnopqrstuvw.", "One moment."], "{when}: what a tool said is not said again");
    let bob = machine.platform.words_to("bob");
    assert_eq!((bob.len(), bob[0].as_str()), (2, "One moment."), "{when}: {bob:?}");
}

/// Ends a life at every step, and looks at what people were told after the next.
fn everywhere(events: &Events, expect: fn(&Machine, &str)) {
    let whole = CrashPlan::never();
    let machine = Machine::new();
    assert_eq!(live(&machine, &whole, events), End::Quiet);
    expect(&machine, "without a crash");
    for step in 1..=whole.steps() {
        for side in [Side::Before, Side::After] {
            let machine = Machine::new();
            let first = live(&machine, &CrashPlan::at(step, side), events);
            assert_eq!(live(&machine, &CrashPlan::never(), events), End::Quiet);
            let when = format!("after a crash {side:?} step {step} ({first:?})");
            expect(&machine, &when);
            let open = tokio::runtime::Builder::new_current_thread().build().unwrap();
            assert_eq!(open.block_on(machine.inbox.open_messages()).unwrap(), Vec::new(), "{when}");
        }
    }
}

#[test]
fn a_crash_at_any_step_loses_no_answer_and_gives_none_twice() {
    everywhere(ANSWERS, expect_answers);
}

#[test]
fn a_crash_at_any_step_tells_of_a_failure_once_and_repeats_nothing_that_a_tool_said() {
    everywhere(OTHERS, expect_one_notice_and_nothing_repeated);
}
