//! Sub-agents with a thread of their own.

use std::collections::HashSet;
use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_ports::stores::SubagentStore as _;
use openclaw_ports::tool::{SessionDesk as _, SessionToolFault, SpawnRequest, SubagentOrder, ToolContext};
use openclaw_testkit::FakePlatform;
use openclaw_types::{AccountId, ChannelId, ChatKind, PeerId, PiecePayload, Sender, ThreadId};
use serde_json::{Value, json};

use crate::desk::context;
use crate::world::World;

const ROOM: &str = "agent:main:fake:group:kitchen";

async fn world(bindings: Value) -> World {
    let account = json!({
        "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana"], "groupPolicy": "open",
        "requireMention": false, "threadBindings": bindings,
    });
    let world = World::with(json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "session": { "maintenance": { "mode": "enforce", "pruneAfter": "1h" } },
    }))
    .await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    // Who is heard has a line that is up.
    let hello = FakePlatform::direct("default", "ana", "0", "#hello", world.machine.clock.now());
    world.machine.platform.receive(hello).await.unwrap();
    world.quiet().await;
    world
}

/// A call of a tool in the kitchen.
fn in_kitchen(world: &World) -> ToolContext {
    let sender = Sender {
        channel: Some(ChannelId::new("fake").unwrap()),
        account: Some(AccountId::new("default").unwrap()),
        chat: ChatKind::Group,
        to: Some("kitchen".to_owned()),
        ..Sender::owner()
    };
    ToolContext { sender, ..context(world, ROOM) }
}

fn order(mode: Option<&str>) -> SpawnRequest {
    SpawnRequest {
        task: "#soup".to_owned(),
        label: Some("soup".to_owned()),
        thread: true,
        mode: mode.map(str::to_owned),
        ..SpawnRequest::default()
    }
}

/// What is heard in the sub-agent's thread.
fn in_thread(world: &World) -> Vec<String> {
    let sent = world.machine.platform.sent();
    let there = sent
        .iter()
        .filter(|piece| piece.target.thread.as_ref().is_some_and(|thread| thread.as_str() == "thread-soup"));
    there
        .filter_map(|piece| match &piece.payload {
            PiecePayload::Text { text } => Some(text.text().to_owned()),
            _ => None,
        })
        .collect()
}

/// Somebody writes in the thread.
async fn write(world: &World, event: &str, text: &str) {
    let event = FakePlatform::direct("default", "ana", event, text, world.machine.clock.now());
    let mut event = FakePlatform::in_room("default", "thread-soup", event);
    event.place.thread = Some(ThreadId::new("thread-soup").unwrap());
    event.place.parent = Some(PeerId::new("kitchen").unwrap());
    event.attention.mentions_us = true;
    world.machine.platform.receive(event).await.unwrap();
    world.quiet().await;
}

const BEGINS: &str = "🤖 A sub-agent works here: soup. What is written here goes to it; /unfocus ends that.";

#[tokio::test]
async fn a_sub_agent_with_a_thread_answers_there_and_stays_for_more() {
    let world = world(json!({ "spawnSubagentSessions": true })).await;
    let told = world.desk.spawn(&in_kitchen(&world), order(None)).await.unwrap();
    assert_eq!((&told["mode"], &told["threadId"]), (&json!("session"), &json!("thread-soup")));
    world.quiet().await;
    world.until(|| in_thread(&world).len() == 2).await;
    assert_eq!(in_thread(&world), [BEGINS, "Heard #soup."]);
    assert!(world.machine.platform.signs().contains(&"thread kitchen soup".to_owned()));

    let child = told["childSessionKey"].as_str().unwrap().to_owned();
    write(&world, "1", "#salt").await;
    let lines = world.machine.transcript(&child).await;
    assert!(lines.iter().any(|line| line.contains("#salt")), "{lines:?}");
    let heard = |line: &String| line.contains("The sub-agent");
    assert!(!world.machine.transcript(ROOM).await.iter().any(heard), "what it found is said in its thread");

    write(&world, "2", "/unfocus").await;
    write(&world, "3", "#pepper").await;
    assert!(!world.machine.transcript(&child).await.iter().any(|line| line.contains("#pepper")));
}

#[tokio::test]
async fn a_sub_agent_that_stays_goes_with_its_session_and_what_is_said_in_its_thread_wakes_nobody() {
    let world = world(json!({ "spawnSubagentSessions": true })).await;
    world.flow.recover().await.unwrap();
    let told = world.desk.spawn(&in_kitchen(&world), order(None)).await.unwrap();
    let child = told["childSessionKey"].as_str().unwrap().to_owned();
    world.until(|| in_thread(&world).len() == 2).await;
    // Longer than a sub-agent with one task is kept.
    world.machine.clock.advance(Duration::from_secs(2 * 3_600)).await;
    assert_eq!(world.machine.subagents.all().await.unwrap().len(), 1);
    assert!(!world.machine.transcript(&child).await.is_empty());

    let done = world.flow.sessions().maintain(&HashSet::new()).await.unwrap();
    assert!(done.sessions.iter().any(|gone| gone.key.to_string() == child), "{done:?}");
    write(&world, "1", "#salt").await;
    assert_eq!(world.machine.transcript(&child).await, Vec::<String>::new());
    for _ in 0..100 {
        if world.machine.subagents.all().await.unwrap().is_empty() {
            break;
        }
        world.machine.clock.advance(Duration::from_secs(1)).await;
    }
    assert_eq!(world.machine.subagents.all().await.unwrap(), Vec::new());
}

#[tokio::test]
async fn a_thread_for_one_task_is_its_own_again_when_the_task_is_done_or_stopped() {
    let world = world(json!({ "spawnSubagentSessions": true })).await;
    let told = world.desk.spawn(&in_kitchen(&world), order(Some("run"))).await.unwrap();
    world.quiet().await;
    let child = told["childSessionKey"].as_str().unwrap().to_owned();
    write(&world, "1", "#salt").await;
    assert!(!world.machine.transcript(&child).await.iter().any(|line| line.contains("#salt")));

    let held = SpawnRequest { task: "#x hold:x".to_owned(), ..order(None) };
    let told = world.desk.spawn(&in_kitchen(&world), held).await.unwrap();
    world.until(|| world.gate.arrived() == 1).await;
    let stop = SubagentOrder::Kill { target: "all".to_owned() };
    world.desk.subagents(&in_kitchen(&world), stop).await.unwrap();
    world.quiet().await;
    let child = told["childSessionKey"].as_str().unwrap().to_owned();
    write(&world, "2", "#pepper").await;
    assert!(!world.machine.transcript(&child).await.iter().any(|line| line.contains("#pepper")));
}

#[tokio::test]
async fn a_thread_that_cannot_be_had_is_refused_before_anything_begins() {
    for (bindings, expected) in [
        (json!({}), "channels.fake.threadBindings.spawnSubagentSessions is not true"),
        (
            json!({ "enabled": false, "spawnSubagentSessions": true }),
            "channels.fake.threadBindings.enabled is false",
        ),
    ] {
        let world = world(bindings).await;
        let Err(SessionToolFault::Refused(why)) = world.desk.spawn(&in_kitchen(&world), order(None)).await
        else {
            panic!("it was not refused");
        };
        assert!(why.contains(expected), "{why}");
        assert_eq!(world.machine.subagents.all().await.unwrap(), Vec::new());
    }
    let world = world(json!({ "spawnSubagentSessions": true })).await;
    let direct = ToolContext {
        sender: Sender { chat: ChatKind::Direct, ..in_kitchen(&world).sender },
        ..in_kitchen(&world)
    };
    assert!(matches!(world.desk.spawn(&direct, order(None)).await, Err(SessionToolFault::Refused(_))));
    let nowhere = context(&world, ROOM);
    assert!(matches!(world.desk.spawn(&nowhere, order(None)).await, Err(SessionToolFault::Refused(_))));
    let alone = SpawnRequest { thread: false, ..order(Some("session")) };
    assert!(matches!(world.desk.spawn(&nowhere, alone).await, Err(SessionToolFault::Wrong(_))));
}
