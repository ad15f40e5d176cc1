//! `/focus`: another session answers in a thread, for a while.

use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use openclaw_types::{Inbound, PeerId, ThreadId};
use serde_json::{Value, json};

use crate::world::{MAIN, World};

async fn world(bindings: Value) -> World {
    let account = json!({
        "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana"], "groupPolicy": "open", "requireMention": false,
        "threadBindings": bindings,
    });
    let world = World::with(json!({ "channels": { "fake": { "accounts": { "default": account } } } })).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn dm(world: &World, from: &str, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", from, event, text, world.machine.clock.now())
}

/// A message in a thread that is a room of its own.
fn in_thread(world: &World, from: &str, event: &str, text: &str) -> Inbound {
    let mut event = FakePlatform::in_room("default", "plans", dm(world, from, event, text));
    event.place.thread = Some(ThreadId::new("plans").unwrap());
    event.place.parent = Some(PeerId::new("kitchen").unwrap());
    event.place.thread_name = Some("Plans".to_owned());
    event.attention.mentions_us = true;
    event
}

/// What is heard in the thread after somebody wrote there.
async fn write(world: &World, from: &str, event: &str, text: &str) -> String {
    let platform = &world.machine.platform;
    let before = platform.words_to("plans").len();
    platform.receive(in_thread(world, from, event, text)).await.unwrap();
    world.quiet().await;
    platform.words_to("plans")[before..].join("\n")
}

#[tokio::test]
async fn a_session_answers_in_a_thread_until_its_time_is_over() {
    let world = world(json!({ "ttlHours": 2 })).await;
    assert_eq!(write(&world, "ana", "1", "/unfocus").await, NOT_BOUND);
    let said = write(&world, "ana", "2", "/focus main").await;
    assert_eq!(said, "🎯 agent:main:main answers in this thread, for 2 h. /unfocus ends it.");
    assert_eq!(write(&world, "ana", "3", "#a").await, "Heard #a.");
    assert!(world.machine.transcript(MAIN).await.iter().any(|line| line.ends_with("#a")));
    let listed = write(&world, "ana", "4", "/agents").await;
    assert!(listed.contains("(none)") && listed.contains("• Plans: agent:main:main, for"), "{listed}");
    let said = write(&world, "ana", "5", "/session ttl 3h").await;
    assert_eq!(said, "🎯 agent:main:main answers in this thread, for 3 h.");

    world.machine.clock.advance(Duration::from_secs(4 * 3_600)).await;
    assert_eq!(write(&world, "ana", "6", "#b").await, "Heard #b.");
    assert!(!world.machine.transcript(MAIN).await.iter().any(|line| line.ends_with("#b")), "it is over");
    assert_eq!(write(&world, "ana", "7", "/session ttl").await, NOT_BOUND);
}

const NOT_BOUND: &str = "⚠️ No other session answers in this thread. /focus binds one.";

#[tokio::test]
async fn a_thread_gets_its_own_session_back() {
    let world = world(json!({ "ttlHours": 0 })).await;
    let said = write(&world, "ana", "1", "/focus main").await;
    assert!(said.contains("until somebody ends it"), "{said}");
    assert_eq!(write(&world, "ana", "2", "/unfocus").await, "🎯 This thread has its own session again.");
    write(&world, "ana", "3", "#a").await;
    assert!(!world.machine.transcript(MAIN).await.iter().any(|line| line.ends_with("#a")));
}

#[tokio::test]
async fn sessions_are_bound_by_those_who_may_and_in_threads_alone() {
    let world = world(json!({})).await;
    let platform = &world.machine.platform;
    platform.receive(dm(&world, "ana", "1", "/focus main")).await.unwrap();
    world.until(|| !platform.words_to("ana").is_empty()).await;
    assert!(platform.words_to("ana")[0].contains("This is no thread"));
    let said = write(&world, "ana", "2", "/focus nothing").await;
    assert_eq!(said, "⚠️ There is no sub-agent and no session 'nothing'.");
    assert_eq!(write(&world, "bob", "3", "/focus main").await, "", "who may give no commands is not heard");

    let off = self::world(json!({ "enabled": false })).await;
    let said = write(&off, "ana", "1", "/focus main").await;
    assert_eq!(
        said,
        "⚠️ Threads are not bound to sessions here: channels.fake.threadBindings.enabled is false."
    );
}
