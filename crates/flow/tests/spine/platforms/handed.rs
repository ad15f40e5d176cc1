//! What sub-agents, other sessions and commands bring into a session: people hear of it where they are, from the session
//! itself, and under the rules of their room.

use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_ports::stores::SessionStore as _;
use openclaw_ports::tool::{SendRequest, SessionDesk as _};
use openclaw_testkit::FakePlatform;
use openclaw_types::{AgentId, Inbound, ThreadId};
use serde_json::{Value, json};

use crate::crash_plan::CrashPlan;
use crate::desk::context;
use crate::subagents::rows;
use crate::world::{MAIN, Machine, World, session_key};

const KITCHEN: &str = "agent:main:fake:group:kitchen";

fn file(account: Value) -> Value {
    let mut all = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "groupPolicy": "open" });
    all.as_object_mut().unwrap().extend(account.as_object().unwrap().clone());
    json!({
        "channels": { "fake": { "accounts": { "default": all } } },
        "tools": { "sessions": { "visibility": "agent" } },
    })
}

async fn world(account: Value) -> World {
    opened(Machine::new(), account).await
}

async fn opened(machine: std::sync::Arc<Machine>, account: Value) -> World {
    let world = World::open(machine, file(account), CrashPlan::never()).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn dm(world: &World, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", "ana", event, text, world.machine.clock.now())
}

fn in_kitchen(world: &World, event: &str, text: &str) -> Inbound {
    let mut event = FakePlatform::in_room("default", "kitchen", dm(world, event, text));
    event.attention.mentions_us = true;
    event
}

/// Waits until so many sub-agents were announced and everything is answered.
async fn announced(world: &World, count: usize) {
    loop {
        world.quiet().await;
        let rows = rows(world).await;
        if rows.len() == count && rows.iter().all(|row| row.announced_at.is_some()) && world.flow.busy() == 0
        {
            return;
        }
    }
}

#[tokio::test]
async fn a_sub_agent_s_own_words_are_not_said_to_the_person() {
    for account in [json!({}), json!({ "blockStreaming": true }), json!({ "streaming": "partial" })] {
        let world = world(account.clone()).await;
        world.machine.platform.receive(dm(&world, "1", "#a spawn:#one+essay")).await.unwrap();
        announced(&world, 1).await;
        let said = world.machine.platform.words_to("ana");
        assert_eq!(said.len(), 3, "{account}: {said:#?}");
        assert_eq!(said[..2], ["One moment.", "Heard #a."], "{account}");
        assert!(said[2].starts_with("Heard #one"), "the session tells what came of it, {account}: {said:#?}");
        let child = rows(&world).await.remove(0).child;
        let entry = world.machine.sessions.entry(&AgentId::main(), &child).await.unwrap().unwrap();
        assert_eq!((&entry.facts.last_channel, &entry.facts.last_to), (&None, &None), "{account}");
    }
}

#[tokio::test]
async fn what_came_of_a_sub_agent_or_a_command_is_told_in_the_thread_it_was_asked_in() {
    let world = world(json!({})).await;
    let mut event = in_kitchen(&world, "1", "#a spawn:#one");
    event.place.thread = Some(ThreadId::new("soup").unwrap());
    world.machine.platform.receive(event).await.unwrap();
    announced(&world, 1).await;
    world.flow.command_ended(&session_key("agent:main:fake:group:kitchen:topic:soup"), "Exec done #exit");
    world
        .until(|| world.machine.platform.words_to("kitchen").iter().any(|said| said.contains("#exit")))
        .await;
    let sent = world.machine.platform.sent();
    let threads: Vec<_> =
        sent.iter().map(|piece| piece.target.thread.as_ref().map(ThreadId::as_str)).collect();
    assert_eq!(threads, [Some("soup"); 4], "{:#?}", world.machine.platform.words_to("kitchen"));
}

#[tokio::test]
async fn the_people_of_a_session_hear_what_came_of_a_talk_with_another_one() {
    let world = world(json!({})).await;
    world.machine.platform.receive(in_kitchen(&world, "1", "#a")).await.unwrap();
    world.quiet().await;
    let request = SendRequest {
        session: Some(KITCHEN.to_owned()),
        label: None,
        agent: None,
        message: "#bye".to_owned(),
        timeout_seconds: Some(0),
    };
    world.desk.send(&context(&world, MAIN), request).await.unwrap();
    world.until(|| world.machine.platform.words_to("kitchen").len() > 1).await;
    world.quiet().await;
    let said = world.machine.platform.words_to("kitchen");
    assert_eq!(said.len(), 2, "only the end of the talk is told: {said:#?}");
}

#[tokio::test]
async fn the_rules_of_a_room_hold_after_a_start_for_what_no_person_wrote() {
    let machine = Machine::new();
    let rooms = json!({ "rooms": { "kitchen": { "tools": { "deny": ["change"] } } } });
    {
        let world = opened(machine.clone(), rooms.clone()).await;
        world.machine.platform.receive(in_kitchen(&world, "1", "#a")).await.unwrap();
        world.quiet().await;
        world.tasks.cancel();
        machine.clock.advance(Duration::from_secs(1)).await;
        machine.platform.hang_up();
    }
    let world = opened(machine, rooms).await;
    world.flow.recover().await.unwrap();
    world.flow.command_ended(&session_key(KITCHEN), "Exec done #exit do:it spawn:#one+do=more");
    world
        .until(|| world.machine.platform.words_to("kitchen").iter().any(|said| said.contains("#exit")))
        .await;
    announced(&world, 1).await;
    assert_eq!(world.machine.deeds(), Vec::<String>::new());
}

#[tokio::test]
async fn the_end_of_a_command_wakes_a_busy_session_as_soon_as_it_rests() {
    let world = World::new().await;
    world.keep_busy("a").await;
    world.flow.command_ended(&session_key(MAIN), "Exec done #exit");
    world.flow.note(&session_key(MAIN), "Something else changed.");
    world.gate.open();
    world.until(|| world.told().len() == 2 && world.flow.busy() == 0).await;
    let told = world.transcript().await;
    assert_eq!(told.last().unwrap(), "assistant: Heard #exit.", "{told:#?}");
    assert!(
        told[told.len() - 2].contains("System: [Thu 2026-01-01 00:00 UTC] Something else changed."),
        "{told:#?}"
    );
    assert_eq!(world.flow.notes(&session_key(MAIN)), Vec::<String>::new());
}

#[tokio::test]
async fn the_end_of_a_command_does_not_wake_a_sub_agent_that_is_over() {
    let world = World::new().await;
    world.say("a", "#a spawn:#one+hold=x").await;
    world.until(|| world.gate.arrived() == 1).await;
    let child = rows(&world).await.remove(0).child;
    world.flow.command_ended(&child, "Exec done #exit");
    world.gate.open();
    announced(&world, 1).await;
    let told = world.machine.transcript(child.as_str()).await;
    assert_eq!(told.last().unwrap(), "assistant: Heard #one.", "{told:#?}");
}

#[tokio::test]
async fn the_end_of_a_command_is_told_with_the_next_message_where_one_waits() {
    let world = World::new().await;
    world.keep_busy("a").await;
    world.flow.command_ended(&session_key(MAIN), "Exec done #exit");
    world.say("b", "#b").await;
    world.gate.open();
    world.quiet().await;
    assert_eq!(world.told(), ["a answered", "b answered"]);
    assert_eq!(world.transcript().await.last().unwrap(), "assistant: Heard #exit #b.");
}

#[tokio::test]
async fn a_thread_begins_with_the_conversation_it_hangs_below_where_that_is_wished() {
    for (inherits, expected) in [(true, 4), (false, 2)] {
        let world = world(json!({ "threadsInherit": inherits })).await;
        world.machine.platform.receive(in_kitchen(&world, "1", "#a")).await.unwrap();
        world.quiet().await;
        for event in ["2", "3"] {
            let mut event = in_kitchen(&world, event, "#b");
            event.place.session_thread = Some(ThreadId::new("soup").unwrap());
            world.machine.platform.receive(event).await.unwrap();
            world.quiet().await;
        }
        let thread = world.machine.transcript(&format!("{KITCHEN}:thread:soup")).await;
        assert_eq!(thread.len(), expected + 2, "{inherits}: {thread:#?}");
        assert_eq!(world.machine.transcript(KITCHEN).await.len(), 2, "the conversation above stays as it is");
    }
}

#[tokio::test]
async fn a_session_of_a_room_is_known_by_what_the_room_is_called() {
    let world = world(json!({})).await;
    let mut event = in_kitchen(&world, "1", "#a");
    event.place.name = Some("The kitchen".to_owned());
    world.machine.platform.receive(event).await.unwrap();
    world.quiet().await;
    let entry = world.machine.sessions.entry(&AgentId::main(), &session_key(KITCHEN)).await.unwrap().unwrap();
    let facts = &entry.facts;
    assert_eq!((facts.group_id.as_deref(), facts.subject.as_deref()), (Some("kitchen"), Some("The kitchen")));
    assert_eq!(facts.display_name.as_deref(), Some("fake:g-the-kitchen"));
    assert_eq!(facts.origin.as_ref().unwrap()["label"], "The kitchen");
}
