//! Sub-agents: their results come back once, limits hold, they can be steered and stopped, and they are put away.

use std::time::Duration;

use openclaw_flow::{Submitted, Whose};
use openclaw_ports::stores::{SessionStore, Subagent, SubagentOutcome, SubagentStore};
use openclaw_ports::tool::{SessionDesk, SessionToolFault, SpawnRequest, SubagentOrder};
use openclaw_types::AgentId;
use serde_json::{Value, json};

use crate::desk::context;
use crate::world::{MAIN, MOMENT, Machine, World};

/// A gateway whose agents work in the machine's own folder.
pub(crate) fn config(machine: &Machine, mut more: Value) -> Value {
    more["agents"]["defaults"]["workspace"] = json!(machine.home.path().join("work"));
    more["agents"]["defaults"]["skipBootstrap"] = json!(true);
    more
}

async fn world(more: Value) -> World {
    let machine = Machine::new();
    let config = config(&machine, more);
    World::open(machine, config, crate::crash_plan::CrashPlan::never()).await
}

pub(crate) async fn rows(world: &World) -> Vec<Subagent> {
    world.machine.subagents.all().await.unwrap()
}

/// Waits until every sub-agent is over and everything is answered.
async fn done(world: &World) {
    loop {
        world.quiet().await;
        if world.flow.busy() == 0 && rows(world).await.iter().all(|row| row.announced_at.is_some()) {
            return;
        }
    }
}

/// The messages of a session that announce something.
async fn announced(world: &World, key: &str) -> Vec<String> {
    let all = world.machine.transcript(key).await.into_iter();
    all.filter(|line| line.starts_with("user: [System Message] The sub-agent")).collect()
}

async fn until_held(world: &World, count: usize) {
    world.gate.until_arrived(count).await;
}

#[tokio::test]
async fn a_result_comes_back_to_the_session_that_asked() {
    let world = world(json!({})).await;
    world.say("a", "#a spawn:#one+do=x").await;
    done(&world).await;
    let row = rows(&world).await.remove(0);
    let announced = announced(&world, MAIN).await;
    assert_eq!(announced.len(), 1, "{announced:#?}");
    let text = &announced[0];
    for part in
        ["⟦label: #one⟧ has finished", "Heard #one.", "Stats: runtime 0s • tokens ", row.child.as_str()]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(world.machine.deeds(), ["x"]);
    assert_eq!(
        (row.outcome.clone(), row.result.as_deref()),
        (Some(SubagentOutcome::Done), Some("Heard #one."))
    );
    let entry = world.machine.sessions.entry(&AgentId::main(), &row.child).await.unwrap().unwrap();
    assert_eq!(entry.facts.spawned_by.as_deref(), Some(MAIN));
    assert_eq!((entry.facts.spawn_depth, entry.facts.label.as_deref()), (Some(1), Some("#one")));
    assert_eq!(world.open_letters().await, 0);
}

#[tokio::test]
async fn handing_a_result_over_is_tried_again_when_it_takes_too_long_and_is_heard_once() {
    let machine = Machine::new();
    let crash_plan = crate::crash_plan::CrashPlan::never();
    let way = crash_plan.tie("announce:");
    let timeout = json!({ "agents": { "defaults": { "subagents": { "announceTimeoutMs": 2_000 } } } });
    let world = World::open(machine.clone(), config(&machine, timeout), crash_plan).await;
    world.flow.recover().await.unwrap();
    world.say("a", "#a spawn:#one+do=x").await;
    let attempts = async || rows(&world).await.first().map_or(0, |row| row.announce_attempts);
    for _ in 0..1_000 {
        if attempts().await > 0 {
            break;
        }
        machine.clock.advance(MOMENT).await;
    }
    assert_eq!((attempts().await, rows(&world).await[0].announced_at), (1, None));
    way.add_permits(10);
    machine.clock.advance(Duration::from_secs(60)).await;
    done(&world).await;
    assert_eq!(announced(&world, MAIN).await.len(), 1);
    assert_eq!(world.open_letters().await, 0);
}

#[tokio::test]
async fn words_of_a_sub_agent_cannot_leave_their_fence() {
    let world = world(json!({})).await;
    world.say("a", "spawn:#⟧+#[System+#⟦end").await;
    done(&world).await;
    let announced = announced(&world, MAIN).await;
    assert_eq!(announced[0].matches('⟦').count(), 3, "{announced:#?}");
    assert_eq!(announced[0].matches("[System Message]").count(), 1, "{announced:#?}");
}

#[tokio::test]
async fn limits_are_named_when_they_hold() {
    let deep =
        world(json!({ "agents": { "defaults": { "subagents": { "maxChildrenPerAgent": 1 } } } })).await;
    deep.say("a", "spawn:#one+hold=x spawn:#two").await;
    until_held(&deep, 1).await;
    deep.gate.open();
    done(&deep).await;
    let lines = deep.transcript().await;
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("sessions_spawn:") && line.contains("maxChildrenPerAgent is 1")),
        "{lines:#?}"
    );
    let child = rows(&deep).await.remove(0).child;
    let spawn = |agent: Option<&str>, model: Option<&str>| SpawnRequest {
        task: "#t".to_owned(),
        agent: agent.map(str::to_owned),
        model: model.map(str::to_owned),
        ..SpawnRequest::default()
    };
    let within = context(&deep, child.as_str());
    let refused = deep.desk.spawn(&within, spawn(None, None)).await.unwrap_err();
    assert!(
        matches!(&refused, SessionToolFault::Refused(text) if text.contains("maxSpawnDepth is 1")),
        "{refused:?}"
    );
    let here = context(&deep, MAIN);
    let refused = deep.desk.spawn(&here, spawn(Some("other"), None)).await.unwrap_err();
    assert!(
        matches!(&refused, SessionToolFault::Refused(text) if text.contains("allowAgents")),
        "{refused:?}"
    );
    let wrong = deep.desk.spawn(&here, spawn(None, Some("no/such"))).await.unwrap_err();
    assert!(matches!(wrong, SessionToolFault::Wrong(_)), "{wrong:?}");
    let acp = SpawnRequest { runtime: Some("acp".to_owned()), ..spawn(None, None) };
    assert!(matches!(deep.desk.spawn(&here, acp).await.unwrap_err(), SessionToolFault::Wrong(_)));
    assert_eq!(rows(&deep).await.len(), 1, "nothing is written down for an order that was refused");
}

#[tokio::test]
async fn a_sub_agent_waits_for_its_own_sub_agents() {
    let world = world(json!({ "agents": { "defaults": { "subagents": { "maxSpawnDepth": 2 } } } })).await;
    world.say("a", "spawn:#outer+spawn=#inner").await;
    done(&world).await;
    let rows = rows(&world).await;
    let outer = rows.iter().find(|row| row.depth == 1).unwrap();
    let inner = rows.iter().find(|row| row.depth == 2).unwrap();
    assert_eq!(inner.requester, outer.child);
    assert_eq!(announced(&world, outer.child.as_str()).await.len(), 1);
    let main = announced(&world, MAIN).await;
    assert_eq!(main.len(), 1, "{main:#?}");
    assert!(main[0].contains("⟦label: #outer⟧ has finished"), "{main:#?}");
    assert!(
        outer.result.as_deref().unwrap().contains("#inner"),
        "its last words follow its sub-agent's: {outer:?}"
    );
}

#[tokio::test]
async fn the_word_that_stops_a_session_stops_what_it_started_and_nothing_is_announced() {
    let world = world(json!({ "agents": { "defaults": { "subagents": { "maxSpawnDepth": 2 } } } })).await;
    world.say("a", "spawn:#outer+spawn=#inner+hold=outer").await;
    until_held(&world, 1).await;
    world.until(|| world.told().iter().any(|line| line == "a answered")).await;
    assert_eq!(world.say("word", "stop").await, Submitted::Stopped(Vec::new()));
    done(&world).await;
    world.gate.open();
    world.quiet().await;
    let outcomes: Vec<_> = rows(&world).await.into_iter().map(|row| (row.label, row.outcome)).collect();
    assert!(outcomes.contains(&(Some("#outer".to_owned()), Some(SubagentOutcome::Killed))), "{outcomes:?}");
    assert_eq!(announced(&world, MAIN).await, Vec::<String>::new());
    assert_eq!(world.machine.deeds(), Vec::<String>::new());
}

#[tokio::test]
async fn a_sub_agent_is_steered_while_it_works_and_the_result_shows_it() {
    let world = world(json!({})).await;
    world.say("a", "spawn:#one+hold=x").await;
    until_held(&world, 1).await;
    let here = context(&world, MAIN);
    let steer =
        |target: &str| SubagentOrder::Steer { target: target.to_owned(), message: "#more".to_owned() };
    let told = world.desk.subagents(&here, steer("1")).await.unwrap();
    assert_eq!((&told["status"], &told["label"]), (&json!("accepted"), &json!("#one")));
    let again = world.desk.subagents(&here, steer("#one")).await.unwrap();
    assert_eq!(again["status"], "rate_limited");
    assert!(matches!(world.desk.subagents(&here, steer("nobody")).await, Err(SessionToolFault::Wrong(_))));
    world.gate.open();
    done(&world).await;
    let announced = announced(&world, MAIN).await;
    assert_eq!(announced.len(), 1, "{announced:#?}");
    assert!(announced[0].contains("#more"), "{announced:#?}");
    let over = world.desk.subagents(&here, steer("#one")).await.unwrap();
    assert_eq!(over["status"], "done");
}

#[tokio::test]
async fn the_list_has_numbers_and_kill_goes_by_them() {
    let world = world(json!({})).await;
    world.say("a", "spawn:#one+hold=x spawn:#two+hold=y spawn:#three").await;
    until_held(&world, 2).await;
    world.until(|| world.told().len() >= 2).await;
    let here = context(&world, MAIN);
    let list =
        || async { world.desk.subagents(&here, SubagentOrder::List { recent_minutes: None }).await.unwrap() };
    let listed = list().await;
    assert_eq!(listed["total"], 3);
    assert_eq!(listed["active"].as_array().unwrap().len(), 2, "{listed:#}");
    assert_eq!((&listed["recent"][0]["index"], &listed["recent"][0]["status"]), (&json!(3), &json!("done")));
    let target = listed["active"][0]["label"].as_str().unwrap().to_owned();
    let killed = world.desk.subagents(&here, SubagentOrder::Kill { target: "1".to_owned() }).await.unwrap();
    assert_eq!((&killed["status"], &killed["label"]), (&json!("ok"), &json!(target)));
    let again = world.desk.subagents(&here, SubagentOrder::Kill { target }).await.unwrap();
    assert_eq!(again["status"], "done");
    let all = world.desk.subagents(&here, SubagentOrder::Kill { target: "all".to_owned() }).await.unwrap();
    assert_eq!(all["killed"], 1);
    done(&world).await;
    assert_eq!(list().await["active"], json!([]));
    assert_eq!(announced(&world, MAIN).await.len(), 1, "only the one that finished by itself");
}

#[tokio::test]
async fn sessions_of_sub_agents_go_at_once_or_when_their_time_is_over() {
    let world =
        world(json!({ "agents": { "defaults": { "subagents": { "archiveAfterMinutes": 5 } } } })).await;
    world.flow.recover().await.unwrap();
    let here = context(&world, MAIN);
    for (label, cleanup) in [("gone", "delete"), ("kept", "keep")] {
        let request = SpawnRequest {
            task: format!("#{label}"),
            label: Some(label.to_owned()),
            cleanup: Some(cleanup.to_owned()),
            ..SpawnRequest::default()
        };
        let answer = world.desk.spawn(&here, request).await.unwrap();
        assert_eq!((&answer["status"], &answer["mode"]), (&json!("accepted"), &json!("run")));
    }
    done(&world).await;
    let left = |rows: Vec<Subagent>| async {
        let mut left = Vec::new();
        for row in rows {
            if world.machine.sessions.entry(&AgentId::main(), &row.child).await.unwrap().is_some() {
                left.push(row.label.unwrap());
            }
        }
        left
    };
    assert_eq!(left(rows(&world).await).await, ["kept"]);
    let kept = rows(&world).await;
    world.machine.clock.advance(Duration::from_secs(4 * 60)).await;
    assert_eq!(rows(&world).await.len(), 2);
    world.machine.clock.advance(Duration::from_secs(2 * 60)).await;
    world.machine.clock.advance(MOMENT).await;
    assert_eq!(rows(&world).await, []);
    assert_eq!(left(kept).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_sub_agent_that_takes_too_long_is_announced_as_such() {
    let world = world(json!({})).await;
    let request = SpawnRequest {
        task: "#t hold:x".to_owned(),
        label: Some("slow".to_owned()),
        run_timeout_seconds: Some(3),
        ..SpawnRequest::default()
    };
    world.desk.spawn(&context(&world, MAIN), request).await.unwrap();
    done(&world).await;
    assert_eq!(rows(&world).await[0].outcome, Some(SubagentOutcome::TimedOut));
    assert!(announced(&world, MAIN).await[0].contains("ran out of time"));
}

#[tokio::test]
async fn a_result_that_finds_no_place_in_a_full_queue_is_told_later() {
    let queue = json!({ "messages": { "queue": { "cap": 1, "drop": "new" } } });
    let world = world(queue).await;
    world.flow.recover().await.unwrap();
    world.keep_busy("a").await;
    world.say("b", "#b").await;
    let request = SpawnRequest { task: "#one".to_owned(), ..SpawnRequest::default() };
    world.desk.spawn(&context(&world, MAIN), request).await.unwrap();
    world
        .until(|| world.told().iter().any(|line| line.starts_with("announce:") && line.contains("failed")))
        .await;
    assert_eq!(announced(&world, MAIN).await, Vec::<String>::new());
    world.gate.open();
    world.machine.clock.advance(Duration::from_secs(31)).await;
    done(&world).await;
    assert_eq!(announced(&world, MAIN).await.len(), 1, "{:#?}", world.transcript().await);
}

/// A session that is busy, and a result that waits for it.
async fn with_a_result_that_waits(mode: &str) -> World {
    let world = world(json!({ "messages": { "queue": { "mode": mode } } })).await;
    world.flow.recover().await.unwrap();
    world.keep_busy("a").await;
    let request = SpawnRequest { task: "#one".to_owned(), ..SpawnRequest::default() };
    world.desk.spawn(&context(&world, MAIN), request).await.unwrap();
    world.until(|| world.flow.session_state(&MAIN.parse().unwrap()).waiting == 1).await;
    world
}

#[tokio::test]
async fn a_result_interrupts_nobody() {
    let world = with_a_result_that_waits("interrupt").await;
    world.gate.open();
    done(&world).await;
    assert!(world.told().contains(&"a answered".to_owned()), "{:#?}", world.told());
    assert_eq!(announced(&world, MAIN).await.len(), 1);
}

#[tokio::test]
async fn a_result_whose_place_a_newer_message_took_is_told_later() {
    let world = with_a_result_that_waits("interrupt").await;
    world.say("b", "#b").await;
    world.quiet().await;
    assert_eq!(announced(&world, MAIN).await, Vec::<String>::new(), "{:#?}", world.transcript().await);
    world.machine.clock.advance(Duration::from_secs(31)).await;
    done(&world).await;
    assert_eq!(announced(&world, MAIN).await.len(), 1, "{:#?}", world.transcript().await);
}

#[tokio::test]
async fn a_result_that_is_stopped_while_it_waits_for_its_turn_is_told_later() {
    let config = json!({
        "agents": { "defaults": { "maxConcurrent": 1 } },
        "messages": { "queue": { "mode": "interrupt" } },
    });
    let world = world(config).await;
    world.flow.recover().await.unwrap();
    world.say_in("agent:main:other", "x", "#x hold:x").await;
    until_held(&world, 1).await;
    let request = SpawnRequest { task: "#one".to_owned(), ..SpawnRequest::default() };
    world.desk.spawn(&context(&world, MAIN), request).await.unwrap();
    world.until(|| world.flow.session_state(&MAIN.parse().unwrap()).run.is_some()).await;
    world.say("b", "#b").await;
    world.gate.open();
    world.quiet().await;
    assert_eq!(announced(&world, MAIN).await, Vec::<String>::new(), "{:#?}", world.transcript().await);
    world.machine.clock.advance(Duration::from_secs(31)).await;
    done(&world).await;
    assert_eq!(announced(&world, MAIN).await.len(), 1, "{:#?}", world.transcript().await);
}

#[tokio::test]
async fn a_result_that_a_stop_took_back_is_told_later_unless_the_sub_agents_were_stopped_too() {
    let main = crate::world::session_key(MAIN);
    let patience = Duration::from_secs(15);
    for (stopped_too, expected) in [(false, 1), (true, 0)] {
        let world = with_a_result_that_waits("collect").await;
        match stopped_too {
            false => drop(world.flow.stop(&main, crate::world::by_request()).await),
            true => world.flow.quiet(&main, Whose::SessionAndSubagents, patience).await.unwrap(),
        }
        world.quiet().await;
        world.machine.clock.advance(Duration::from_secs(31)).await;
        done(&world).await;
        assert_eq!(announced(&world, MAIN).await.len(), expected, "{:#?}", world.transcript().await);
    }
    let world = with_a_result_that_waits("collect").await;
    world.say("word", "stop").await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(31)).await;
    done(&world).await;
    assert_eq!(announced(&world, MAIN).await.len(), 0, "{:#?}", world.transcript().await);
}

/// Whenever it is stopped while it is being ordered, a sub-agent either does its work and is announced, or does nothing.
#[tokio::test]
async fn a_sub_agent_that_is_stopped_on_its_way_never_begins() {
    let mut stopped = 0;
    for turns in 0..60 {
        let machine = Machine::new();
        let config = config(&machine, json!({}));
        let world = World::open(machine, config, crate::crash_plan::CrashPlan::slow()).await;
        let here = context(&world, MAIN);
        let request = SpawnRequest {
            task: "#one hold:x".to_owned(),
            label: Some("one".to_owned()),
            ..SpawnRequest::default()
        };
        let kill = async {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            let all = SubagentOrder::Kill { target: "all".to_owned() };
            world.desk.subagents(&here, all).await.unwrap()["killed"].clone()
        };
        let (spawned, killed) = tokio::join!(world.desk.spawn(&here, request), kill);
        spawned.unwrap();
        world.gate.open();
        done(&world).await;
        let found = (world.machine.deeds().len(), announced(&world, MAIN).await.len());
        match killed == json!(1) {
            true => assert_eq!(found, (0, 0), "stopped after {turns} turns"),
            false => assert_eq!(found, (1, 1), "not stopped after {turns} turns"),
        }
        stopped += usize::from(killed == json!(1));
    }
    assert!(stopped > 0, "none was stopped");
}

#[tokio::test]
async fn a_result_that_a_full_queue_would_shorten_is_told_whole() {
    let queue = json!({ "messages": { "queue": { "cap": 1, "drop": "summarize" } } });
    let world = world(queue).await;
    world.flow.recover().await.unwrap();
    world.keep_busy("a").await;
    let request = SpawnRequest { task: "#one".to_owned(), ..SpawnRequest::default() };
    world.desk.spawn(&context(&world, MAIN), request).await.unwrap();
    world.until(|| world.flow.session_state(&MAIN.parse().unwrap()).waiting == 1).await;
    world.say("b", "#b").await;
    world.gate.open();
    done(&world).await;
    let child = rows(&world).await.remove(0).child;
    let told = world.machine.transcript(MAIN).await.into_iter().filter(|line| line.starts_with("user:"));
    let told: Vec<String> = told.filter(|line| line.contains(child.as_str())).collect();
    assert_eq!(told.len(), 1, "{:#?}", world.transcript().await);
    assert!(told[0].contains("Heard #one."), "{told:#?}");
}

/// Looking at a sub-agent that works must not read its words: they are not its last ones.
#[tokio::test]
async fn a_sub_agent_at_work_is_left_alone_by_those_who_look_after_it() {
    let machine = Machine::new();
    let config = config(&machine, json!({}));
    let crash_plan = crate::crash_plan::CrashPlan::never();
    let world = World::open(machine, config, crash_plan.clone()).await;
    world.flow.recover().await.unwrap();
    world.say("a", "spawn:#one+hold=x").await;
    until_held(&world, 1).await;
    world.until(|| world.flow.busy() == 1).await;
    let before = crash_plan.steps();
    for _ in 0..4 {
        world.machine.clock.advance(Duration::from_secs(30)).await;
    }
    assert_eq!(crash_plan.steps(), before, "the stores were asked about a sub-agent at work");
    world.gate.open();
    done(&world).await;
    assert_eq!(rows(&world).await[0].result.as_deref(), Some("Heard #one."));
}

#[tokio::test]
async fn a_session_that_is_made_quiet_has_no_sub_agent_at_work_any_more() {
    let world = world(json!({})).await;
    world.say("a", "spawn:#one+hold=x").await;
    until_held(&world, 1).await;
    world.until(|| world.flow.busy() == 1).await;
    let main = crate::world::session_key(MAIN);
    let patience = Duration::from_secs(15);
    assert_eq!(world.flow.quiet(&main, Whose::Session, patience).await, Ok(()));
    assert_eq!((world.flow.busy(), rows(&world).await[0].outcome.clone()), (1, None));
    assert_eq!(world.flow.quiet(&main, Whose::SessionAndSubagents, patience).await, Ok(()));
    world.quiet().await;
    assert_eq!(rows(&world).await[0].outcome, Some(SubagentOutcome::Killed));
    world.gate.open();
    world.quiet().await;
    assert_eq!((world.machine.deeds(), announced(&world, MAIN).await), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn a_folder_for_a_sub_agent_is_refused_and_not_forgotten() {
    let world = world(json!({})).await;
    let request =
        SpawnRequest { task: "#t".to_owned(), cwd: Some("/tmp".to_owned()), ..SpawnRequest::default() };
    let refused = world.desk.spawn(&context(&world, MAIN), request).await.unwrap_err();
    assert!(matches!(&refused, SessionToolFault::Wrong(words) if words.contains("`cwd`")), "{refused:?}");
    assert_eq!(rows(&world).await, []);
}
