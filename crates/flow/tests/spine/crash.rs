//! A process that ends at any step: the next one goes on, and nobody notices but for the time it took.
//!
//! Each life has a runtime of its own, which is dropped at its end with everything that was under way in it.

use std::sync::Arc;

use openclaw_flow::Submitted;
use openclaw_ports::stores::{Inbox as _, InboxKey, InboxMessage, SessionStore as _};
use openclaw_types::{AgentId, Message};
use serde_json::{Value, json};

use crate::crash_plan::{CrashPlan, Side};
use crate::ledger::{Sent, expect_in_order, expect_whole};
use crate::world::{MAIN, Machine, World, messages, short};

/// How a life ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Killed,
    Quiet,
}

/// Lives until everything is dealt with or the crash_plan comes: goes on with what was left, sends what nobody has
/// acknowledged yet, and waits. Gives the submissions that were acknowledged.
pub(crate) fn live(
    machine: &Arc<Machine>,
    config: &Value,
    crash_plan: &Arc<CrashPlan>,
    submissions: &[Sent],
) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let life = async {
            let world = World::open(machine.clone(), config.clone(), crash_plan.clone()).await;
            world.gate.open();
            world.flow.recover().await.unwrap();
            for sent in submissions {
                world.say_in(&sent.key, &sent.run, &sent.text).await;
            }
            world.quiet().await;
        };
        tokio::select! {
            biased;
            () = crash_plan.ended() => End::Killed,
            () = life => End::Quiet,
        }
    })
}

fn submissions() -> Vec<Sent> {
    vec![
        Sent::new(MAIN, "a1", "#a1 do:a1 look:a1"),
        Sent::new(MAIN, "a2", "#a2 do:a2"),
        Sent::new("agent:main:other", "b1", "#b1 do:b1"),
        Sent::new("agent:main:third", "help", "/help"),
        Sent::new(MAIN, "a3", "#a3"),
    ]
}

fn survives_every_step(config: &Value) {
    let submissions = submissions();
    let whole = CrashPlan::never();
    let machine = Machine::new();
    assert_eq!(live(&machine, config, &whole, &submissions), End::Quiet);
    block(expect_in_order(&machine, &submissions, "without a crash"));
    for step in 1..=whole.steps() {
        for side in [Side::Before, Side::After] {
            let machine = Machine::new();
            let first = live(&machine, config, &CrashPlan::at(step, side), &submissions);
            let second = live(&machine, config, &CrashPlan::never(), &submissions);
            assert_eq!(second, End::Quiet);
            let when = format!("after a crash {side:?} step {step} ({first:?})");
            block(expect_in_order(&machine, &submissions, &when));
        }
    }
}

fn block<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

#[test]
fn a_crash_at_any_step_loses_nothing_while_messages_are_collected() {
    survives_every_step(&json!({}));
}

#[test]
fn a_crash_at_any_step_loses_nothing_while_messages_are_answered_one_by_one() {
    survives_every_step(&json!({ "messages": { "queue": { "mode": "followup" } } }));
}

#[test]
fn a_crash_at_any_step_loses_nothing_while_messages_are_steered() {
    survives_every_step(&json!({ "messages": { "queue": { "mode": "steer" } } }));
}

#[test]
fn a_crash_at_any_step_loses_no_answer_while_messages_interrupt_each_other() {
    let config = json!({ "messages": { "queue": { "mode": "interrupt" } } });
    let submissions = submissions();
    let whole = CrashPlan::never();
    assert_eq!(live(&Machine::new(), &config, &whole, &submissions), End::Quiet);
    for step in 1..=whole.steps() {
        for side in [Side::Before, Side::After] {
            let machine = Machine::new();
            live(&machine, &config, &CrashPlan::at(step, side), &submissions);
            assert_eq!(live(&machine, &config, &CrashPlan::never(), &submissions), End::Quiet);
            let when = format!("after a crash {side:?} step {step}");
            let branch = block(machine.branch(MAIN));
            expect_whole(&messages(&branch).collect::<Vec<_>>(), &when);
            assert_eq!(block(machine.inbox.open_messages()).unwrap(), [], "{when}");
            let told = block(machine.transcript(MAIN));
            let answers =
                |name: &str| told.iter().filter(|line| line.contains("Heard") && line.contains(name)).count();
            assert_eq!(answers("#a3"), 1, "the last one is answered {when}: {told:#?}");
            assert!(answers("#a1") <= 1 && answers("#a2") <= 1, "{when}: {told:#?}");
            assert!(
                machine
                    .deeds()
                    .iter()
                    .all(|deed| { machine.deeds().iter().filter(|other| *other == deed).count() == 1 }),
                "{when}: {:?}",
                machine.deeds()
            );
        }
    }
}

/// Whatever a run was doing when it was cut off for the last time, it ends with an answer or a notice.
#[test]
fn a_run_that_is_cut_off_again_and_again_is_ended_with_a_notice() {
    let mut given_up = 0;
    for step in 1..40 {
        let machine = Machine::new();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let world = World::open(machine.clone(), json!({}), CrashPlan::never()).await;
            world.keep_busy("a").await;
        });
        drop(runtime);
        // That it began at all is not noted; each of these is.
        for _ in 0..4 {
            live(&machine, &json!({}), &CrashPlan::at(step, Side::Before), &[]);
        }
        assert_eq!(live(&machine, &json!({}), &CrashPlan::never(), &[]), End::Quiet);
        let branch = block(machine.branch(MAIN));
        let all: Vec<&Message> = messages(&branch).collect();
        expect_whole(&all, &format!("after four crashes at step {step}"));
        let told: Vec<String> = all.iter().map(|message| short(message)).collect();
        let notices = told.iter().filter(|line| line.contains("stopped several times")).count();
        let answers = told.iter().filter(|line| line.contains("Heard #a")).count();
        assert_eq!(notices + answers, 1, "after four crashes at step {step}: {told:#?}");
        given_up += notices;
    }
    assert!(given_up > 0, "no run was given up");
}

/// A submission whose run ends the process before its words are in the transcript would otherwise do so for ever.
#[test]
fn a_letter_whose_run_ends_the_process_each_time_it_begins_is_ended_with_a_notice() {
    let mut given_up = 0;
    for step in 1..40 {
        let machine = Machine::new();
        block(only_take(&machine, Sent::new(MAIN, "a", "#a")));
        for _ in 0..4 {
            live(&machine, &json!({}), &CrashPlan::at(step, Side::After), &[]);
        }
        assert_eq!(live(&machine, &json!({}), &CrashPlan::never(), &[]), End::Quiet);
        let when = format!("after four crashes at step {step}");
        let told = block(machine.transcript(MAIN));
        let questions = told.iter().filter(|line| *line == "user: #a").count();
        let notices = told.iter().filter(|line| line.contains("stopped several times")).count();
        let answers = told.iter().filter(|line| line.contains("Heard #a")).count();
        assert_eq!((questions, notices + answers), (1, 1), "{when}: {told:#?}");
        assert_eq!(block(machine.inbox.open_messages()).unwrap(), [], "{when}");
        given_up += notices;
    }
    assert!(given_up > 0, "no submission was given up");
}

/// A process that ends when it has taken a submission, and has done nothing about it.
async fn only_take(machine: &Arc<Machine>, sent: Sent) {
    let world = World::open(machine.clone(), json!({}), CrashPlan::never()).await;
    let submission = world.submission(&sent.key, &sent.run, &sent.text);
    let key = InboxKey {
        source: submission.surface.as_str().to_owned(),
        account: String::new(),
        event: submission.run.as_str().to_owned(),
    };
    let body = serde_json::to_value(&submission).unwrap();
    let message = InboxMessage { key, session: submission.key.clone(), at: submission.at, body };
    machine.inbox.accept(message).await.unwrap();
}

/// What was stopped before a crash and what was not: a stop that was acknowledged holds.
#[test]
fn a_run_that_was_stopped_does_not_come_back_after_a_crash() {
    let whole = CrashPlan::never();
    assert!(stop_a(&Machine::new(), &whole));
    let mut stopped_before_the_end = 0;
    for step in 1..=whole.steps() + 1 {
        let machine = Machine::new();
        let acknowledged = stop_a(&machine, &CrashPlan::at(step, Side::After));
        assert_eq!(live(&machine, &json!({}), &CrashPlan::never(), &[]), End::Quiet);
        let when = format!("after a crash at step {step}");
        let branch = block(machine.branch(MAIN));
        expect_whole(&messages(&branch).collect::<Vec<_>>(), &when);
        assert_eq!(block(machine.inbox.open_messages()).unwrap(), [], "{when}");
        assert_eq!(block(machine.sessions.unfinished(&AgentId::main())).unwrap(), [], "{when}");
        let told = block(machine.transcript(MAIN));
        if acknowledged {
            stopped_before_the_end += 1;
            assert!(!told.iter().any(|line| line.contains("Heard")), "{when}: {told:#?}");
            assert_eq!(machine.deeds(), Vec::<String>::new(), "{when}");
        }
    }
    assert!(stopped_before_the_end > 0, "no stop was acknowledged");
}

/// A life that is busy with the submission `a` while `b` waits, is stopped, and ends as soon as that is acknowledged; false
/// when it ended before.
fn stop_a(machine: &Arc<Machine>, crash_plan: &Arc<CrashPlan>) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let life = async {
            let world = World::open(machine.clone(), json!({}), crash_plan.clone()).await;
            world.keep_busy("a").await;
            world.say("b", "#b do:b").await;
            let stopped = world.say("word", "stop").await;
            assert!(matches!(stopped, Submitted::Stopped(runs) if runs.len() == 2));
        };
        tokio::select! {
            biased;
            () = crash_plan.ended() => false,
            () = life => true,
        }
    })
}

/// Submissions that were to be answered together are answered one after the other when a crash comes before their run and
/// another one right after it began.
#[test]
fn two_crashes_around_the_beginning_of_a_common_run_lose_none_of_its_letters() {
    let submissions = [Sent::new(MAIN, "b", "#b look:b"), Sent::new(MAIN, "c", "#c")];
    for first in (10..40).step_by(2) {
        for second in (5..40).step_by(2) {
            let machine = busy_with_a();
            block(async {
                let world = World::open(machine.clone(), json!({}), CrashPlan::never()).await;
                for sent in &submissions {
                    world.say_in(&sent.key, &sent.run, &sent.text).await;
                }
            });
            live(&machine, &json!({}), &CrashPlan::at(first, Side::After), &[]);
            live(&machine, &json!({}), &CrashPlan::at(second, Side::After), &[]);
            assert_eq!(live(&machine, &json!({}), &CrashPlan::never(), &[]), End::Quiet);
            let told = block(machine.transcript(MAIN)).join(" ");
            let answers = |name: &str| told.matches("Heard").count() > 0 && told.contains(name);
            assert!(answers("#b") && answers("#c"), "after crashes at {first} and {second}: {told}");
        }
    }
}

/// A machine on which a process ended while it was busy with the submission `a`.
fn busy_with_a() -> Arc<Machine> {
    let machine = Machine::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let world = World::open(machine.clone(), json!({}), CrashPlan::never()).await;
        world.keep_busy("a").await;
    });
    machine
}

/// Which run deals with a submission is noted in one file and its words are written into another: after a loss of power the
/// second may be there without the first.
#[test]
fn a_run_that_is_under_way_is_gone_on_with_although_its_note_is_lost() {
    let machine = busy_with_a();
    block(async {
        let open = machine.inbox.open_messages().await.unwrap();
        machine.inbox.release(open.iter().map(|row| row.id).collect()).await.unwrap();
    });
    assert_eq!(live(&machine, &json!({}), &CrashPlan::never(), &[]), End::Quiet);
    let transcript = block(machine.transcript(MAIN));
    assert_eq!(transcript.last().map(String::as_str), Some("assistant: Heard #a."), "{transcript:#?}");
}

/// Whatever let a run begin before an older submission: nothing comes between its words and its answer.
#[test]
fn a_run_that_is_under_way_goes_on_before_an_older_letter_is_answered() {
    let machine = Machine::new();
    block(only_take(&machine, Sent::new(MAIN, "a", "#a")));
    // To tell people what became of a command takes a while, in which the older submission comes to its queue.
    block(only_take(&machine, Sent::new("agent:main:third", "help", "/help")));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let world = World::open(machine.clone(), json!({}), CrashPlan::never()).await;
        world.keep_busy("b").await;
    });
    drop(runtime);
    assert_eq!(live(&machine, &json!({}), &CrashPlan::slow(), &[]), End::Quiet);
    let transcript = block(machine.transcript(MAIN));
    let told: Vec<&String> = transcript.iter().filter(|line| line.contains('#')).collect();
    assert_eq!(
        told,
        ["user: #b hold:b", "assistant: Heard #b.", "user: #a", "assistant: Heard #a."],
        "{transcript:#?}"
    );
}

/// What is put into a session while a run is under way stands between its calls and their results.
#[test]
fn a_call_is_closed_after_a_crash_although_a_command_was_answered_in_the_meantime() {
    let machine = Machine::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let world = World::open(machine.clone(), json!({}), CrashPlan::never()).await;
        world.keep_busy("a").await;
        world.say("help", "/help").await;
        world.until(|| !world.told().is_empty()).await;
    });
    drop(runtime);
    assert_eq!(live(&machine, &json!({}), &CrashPlan::never(), &[]), End::Quiet);
    let transcript = block(machine.transcript(MAIN));
    assert!(
        transcript.iter().any(|line| line.starts_with("held: The gateway was restarted")),
        "{transcript:#?}"
    );
    assert_eq!(transcript.last().map(String::as_str), Some("assistant: Heard #a."));
}

#[test]
fn what_waited_in_a_queue_is_answered_by_the_next_process_in_order() {
    let machine = Machine::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let world = World::open(machine.clone(), json!({}), CrashPlan::never()).await;
        world.keep_busy("a").await;
        for run in ["b", "c"] {
            assert_eq!(world.say(run, &format!("#{run}")).await, Submitted::Started);
        }
    });
    drop(runtime);
    assert_eq!(live(&machine, &json!({}), &CrashPlan::never(), &[]), End::Quiet);
    let transcript = block(machine.transcript(MAIN));
    let answers: Vec<&String> =
        transcript.iter().filter(|line| line.starts_with("assistant: Heard")).collect();
    assert_eq!(answers, ["assistant: Heard #a.", "assistant: Heard #b #c."]);
    assert!(transcript[2].starts_with("held: The gateway was restarted"), "{transcript:#?}");
    assert_eq!(
        machine.deeds(),
        Vec::<String>::new(),
        "a call that may have had its effect is not made again"
    );
}

#[test]
fn a_run_that_gives_way_before_it_is_gone_on_with_is_ended_and_dealt_with() {
    let machine = Machine::new();
    let life = |begin: bool| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let config = json!({
            "messages": { "queue": { "mode": "interrupt" } },
            "agents": { "defaults": { "maxConcurrent": 1 } },
        });
        let machine = machine.clone();
        runtime.block_on(async move {
            let world = World::open(machine, config, CrashPlan::never()).await;
            if begin {
                world.keep_busy("a").await;
                return;
            }
            // Somebody else has the only place, so that what is resumed has to wait for it.
            world.say_in("agent:main:other", "b", "#b hold:x").await;
            world.until(|| world.gate.arrived() == 1).await;
            world.flow.recover().await.unwrap();
            world.say("c", "#c").await;
            world.gate.open();
            world.quiet().await;
            let main = AgentId::main();
            assert_eq!(world.machine.sessions.unfinished(&main).await.unwrap(), []);
            assert_eq!(world.open_letters().await, 0);
            assert!(world.transcript().await.last().unwrap().contains("#c."));
        });
    };
    life(true);
    life(false);
}
