//! Messages of several people in one session: told as they came, answered where they came from, with their own rights.

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use openclaw_types::{Inbound, MediaKind, MediaRef};
use serde_json::{Value, json};

use crate::world::{World, session_key};

async fn world(queue: Value, rooms: Value) -> World {
    let account = json!({
        "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "groupPolicy": "open", "rooms": rooms,
    });
    let file = json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "messages": { "queue": queue },
    });
    let world = World::with(file).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn dm(world: &World, from: &str, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", from, event, text, world.machine.clock.now())
}

fn in_kitchen(world: &World, from: &str, event: &str, text: &str) -> Inbound {
    let mut event = FakePlatform::in_room("default", "kitchen", dm(world, from, event, text));
    event.attention.mentions_us = true;
    event
}

/// Receives the first, which keeps the session busy, then the others, and waits for all answers.
async fn while_busy(world: &World, first: Inbound, others: Vec<Inbound>) {
    world.machine.platform.receive(first).await.unwrap();
    world.until(|| world.gate.arrived() == 1).await;
    for event in others {
        world.machine.platform.receive(event).await.unwrap();
    }
    world.machine.clock.advance(crate::world::MOMENT).await;
    world.gate.open();
    world.quiet().await;
}

#[tokio::test]
async fn messages_that_are_answered_together_are_told_with_who_wrote_them_and_their_files() {
    let world = world(json!({}), json!({})).await;
    world.machine.platform.file("notes", b"%PDF-1.7 and so on");
    let mut with_file = in_kitchen(&world, "bob", "2", "#b");
    with_file.media = vec![MediaRef {
        kind: MediaKind::Document,
        handle: "notes".to_owned(),
        name: None,
        media_type: None,
        bytes: None,
    }];
    let others = vec![with_file, in_kitchen(&world, "eve", "3", "#c")];
    world.machine.platform.receive(in_kitchen(&world, "ana", "1", "#a hold:x")).await.unwrap();
    world.until(|| world.gate.arrived() == 1).await;
    for event in others {
        world.machine.platform.receive(event).await.unwrap();
    }
    let kitchen = session_key("agent:main:fake:group:kitchen");
    world.until(|| world.flow.session_state(&kitchen).waiting == 2).await;
    world.gate.open();
    world.quiet().await;
    assert_eq!(world.machine.platform.words_to("kitchen").last().unwrap(), "Heard #b #c.");
    let told = world.machine.transcript(kitchen.as_str()).await;
    let together = told.iter().find(|line| line.contains("2 messages came in")).unwrap();
    for part in ["bob: #b", "notes (application/pdf)]", "eve: #c", "2026-01-01 00:00 UTC]"] {
        assert!(together.contains(part), "{part} in {together}");
    }
}

#[tokio::test]
async fn nobody_is_answered_with_the_tools_of_whoever_wrote_before() {
    let rooms = json!({ "kitchen": { "toolsBySender": { "eve": { "deny": ["change"] } } } });
    for mode in ["collect", "steer", "steer-backlog", "followup"] {
        let world = world(json!({ "mode": mode }), rooms.clone()).await;
        let others =
            vec![in_kitchen(&world, "bob", "2", "#b do:bob"), in_kitchen(&world, "eve", "3", "#c do:eve")];
        while_busy(&world, in_kitchen(&world, "ana", "1", "#a hold:x"), others).await;
        let deeds = world.machine.deeds();
        assert!(deeds.contains(&"bob".to_owned()) && !deeds.contains(&"eve".to_owned()), "{mode}: {deeds:?}");
        assert_eq!(world.machine.platform.words_to("kitchen").last().unwrap(), "Heard #c.", "{mode}");
    }
}

#[tokio::test]
async fn a_message_is_not_steered_into_the_answer_for_somebody_else() {
    for mode in ["steer", "steer-backlog"] {
        let world = world(json!({ "mode": mode }), json!({})).await;
        let others = vec![dm(&world, "bob", "2", "#b")];
        while_busy(&world, dm(&world, "ana", "1", "#a hold:x"), others).await;
        assert_eq!(world.machine.platform.words_to("ana"), ["One moment.", "Heard #a."], "{mode}");
        assert_eq!(world.machine.platform.words_to("bob"), ["Heard #b."], "{mode}");
    }
}
