//! A room has a model of its own, until a person chooses another for its session.

use openclaw_ports::Clock as _;
use openclaw_ports::stores::SessionStore as _;
use openclaw_testkit::FakePlatform;
use openclaw_types::AgentId;
use serde_json::json;

use crate::world::{World, session_key};

const ROOM: &str = "agent:main:fake:group:kitchen";

async fn say(world: &World, event: &str, text: &str) {
    let event = FakePlatform::direct("default", "ana", event, text, world.ground.clock.now());
    let mut event = FakePlatform::in_room("default", "kitchen", event);
    event.attention.mentions_us = true;
    world.ground.platform.receive(event).await.unwrap();
    world.quiet().await;
}

/// The model of the last answer in a session.
async fn answered_by(world: &World, key: &str) -> Option<String> {
    let entry = world.ground.sessions.entry(&AgentId::main(), &session_key(key)).await.unwrap();
    entry.and_then(|entry| entry.facts.model)
}

#[tokio::test]
async fn the_model_of_a_room_answers_there_unless_a_person_chose_another() {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "groupPolicy": "open" });
    let world = World::with(json!({
        "commands": { "ownerAllowFrom": ["fake:ana"] },
        "channels": {
            "modelByChannel": { "fake": { "kitchen": "local/dear" } },
            "fake": { "accounts": { "default": account } },
        },
    }))
    .await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    say(&world, "1", "#a").await;
    assert_eq!(answered_by(&world, ROOM).await.as_deref(), Some("dear"));
    say(&world, "2", "/model local/tiny").await;
    say(&world, "3", "#b").await;
    assert_eq!(answered_by(&world, ROOM).await.as_deref(), Some("tiny"));
    say(&world, "4", "/model default").await;
    let told = world.ground.platform.words_to("kitchen");
    assert_eq!(told.last().unwrap(), "🧠 Model reset to default (local/dear).");
    say(&world, "5", "#c").await;
    assert_eq!(answered_by(&world, ROOM).await.as_deref(), Some("dear"));
    let direct = FakePlatform::direct("default", "ana", "6", "#d", world.ground.clock.now());
    world.ground.platform.receive(direct).await.unwrap();
    world.quiet().await;
    assert_eq!(
        answered_by(&world, crate::world::MAIN).await.as_deref(),
        Some("tiny"),
        "a talk with one person has no room"
    );
}
