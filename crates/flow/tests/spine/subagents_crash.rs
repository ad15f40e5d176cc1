//! A process that ends at any step while sub-agents work: each result is announced once, and what was stopped stays so.

use std::sync::Arc;

use openclaw_ports::stores::{Inbox, Subagent, SubagentOutcome, SubagentStore};
use openclaw_types::Message;
use serde_json::{Value, json};

use crate::crash::End;
use crate::crash_plan::{CrashPlan, Side};
use crate::subagents::config;
use crate::world::{MAIN, Machine, World, messages};

/// What a life is about.
#[derive(Clone, Copy)]
struct Story {
    /// What the owner says.
    text: &'static str,
    /// Whether the owner stops it when a sub-agent is held.
    stop: bool,
}

fn live(machine: &Arc<Machine>, settings: &Value, crash_plan: &Arc<CrashPlan>, story: Story) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let life = async {
            let world =
                World::open(machine.clone(), config(machine, settings.clone()), crash_plan.clone()).await;
            if !story.stop {
                world.gate.open();
            }
            world.flow.recover().await.unwrap();
            world.say("a", story.text).await;
            if story.stop {
                world.until(|| world.gate.arrived() > 0 || world.flow.busy() == 0).await;
                world.say("word", "stop").await;
                world.gate.open();
            }
            loop {
                world.quiet().await;
                let rows = machine.subagents.all().await.unwrap();
                if world.flow.busy() == 0 && rows.iter().all(|row| row.announced_at.is_some()) {
                    break;
                }
            }
        };
        tokio::select! {
            biased;
            () = crash_plan.ended() => End::Killed,
            () = life => End::Quiet,
        }
    })
}

fn block<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

/// How often a sub-agent's end is told in the session that asked for it.
async fn told(machine: &Machine, row: &Subagent) -> usize {
    let branch = machine.branch(row.requester.as_str()).await;
    let all = messages(&branch).filter(|message| matches!(message, Message::User(_)));
    all.map(|message| message.plain_text().matches(row.child.as_str()).count()).sum()
}

async fn expect_told_once(machine: &Machine, when: &str) {
    assert_eq!(machine.inbox.open_messages().await.unwrap().len(), 0, "{when}");
    for row in machine.subagents.all().await.unwrap() {
        assert!(row.ended_at.is_some() && row.announced_at.is_some(), "{when}: {row:?}");
        let times = told(machine, &row).await;
        assert_eq!(times, 1, "{when}: {row:?}\n{:#?}", machine.transcript(row.requester.as_str()).await);
    }
    let deeds = machine.deeds();
    assert!(deeds.len() <= 1, "{when}: {deeds:?}");
}

fn announces_once_after_a_crash_at_every_step(settings: &Value, text: &'static str) {
    let story = Story { text, stop: false };
    let whole = CrashPlan::never();
    let machine = Machine::new();
    assert_eq!(live(&machine, settings, &whole, story), End::Quiet);
    block(expect_told_once(&machine, "without a crash"));
    for step in 1..=whole.steps() {
        for side in [Side::Before, Side::After] {
            let machine = Machine::new();
            let first = live(&machine, settings, &CrashPlan::at(step, side), story);
            assert_eq!(live(&machine, settings, &CrashPlan::never(), story), End::Quiet);
            block(expect_told_once(&machine, &format!("after a crash {side:?} step {step} ({first:?})")));
        }
    }
}

#[test]
fn a_crash_at_any_step_loses_no_result_and_tells_none_twice() {
    announces_once_after_a_crash_at_every_step(&json!({}), "#a spawn:#one+do=x");
}

#[test]
fn a_crash_at_any_step_loses_no_result_of_sub_agents_below_sub_agents() {
    let settings = json!({ "agents": { "defaults": { "subagents": { "maxSpawnDepth": 2 } } } });
    announces_once_after_a_crash_at_every_step(&settings, "spawn:#outer+spawn=#inner");
}

#[test]
fn a_sub_agent_that_was_stopped_does_not_come_back_after_a_crash() {
    let story = Story { text: "spawn:#one+hold=x", stop: true };
    let whole = CrashPlan::never();
    assert_eq!(live(&Machine::new(), &json!({}), &whole, story), End::Quiet);
    for step in 1..=whole.steps() {
        for side in [Side::Before, Side::After] {
            let machine = Machine::new();
            live(&machine, &json!({}), &CrashPlan::at(step, side), story);
            let rows = block(machine.subagents.all()).unwrap();
            let stopped = rows.iter().any(|row| row.outcome == Some(SubagentOutcome::Killed));
            let end = live(&machine, &json!({}), &CrashPlan::never(), Story { text: "#a", stop: false });
            assert_eq!(end, End::Quiet);
            let when = format!("after a crash {side:?} step {step}");
            assert_eq!(block(machine.inbox.open_messages()).unwrap().len(), 0, "{when}");
            if stopped {
                assert_eq!(machine.deeds(), Vec::<String>::new(), "{when}");
                let lines = block(machine.transcript(MAIN));
                assert!(!lines.iter().any(|line| line.contains("[System Message]")), "{when}: {lines:#?}");
            }
        }
    }
}
