//! Commands on platforms: from the menu and as text, where they may be given and where not.

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use openclaw_types::{Inbound, InboundKind, NativeCommand};
use serde_json::{Value, json};

use crate::world::World;

async fn world(commands: Value) -> World {
    let account =
        json!({ "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana"], "groupPolicy": "open" });
    let file = json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "commands": commands,
    });
    let world = World::with(file).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn dm(world: &World, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", "ana", event, text, world.machine.clock.now())
}

fn from_menu(mut event: Inbound, name: &str) -> Inbound {
    event.kind = InboundKind::Command(NativeCommand { name: name.to_owned(), arguments: String::new() });
    event
}

#[tokio::test]
async fn where_written_commands_are_off_a_slash_is_talk_and_the_menu_still_works() {
    let world = world(json!({ "text": false })).await;
    let platform = &world.machine.platform;
    platform.receive(dm(&world, "1", "/whoami #a")).await.unwrap();
    world.quiet().await;
    assert_eq!(platform.words_to("ana"), ["Heard #a."]);
    platform.receive(from_menu(dm(&world, "2", ""), "whoami")).await.unwrap();
    world.until(|| platform.words_to("ana").len() == 2).await;
    assert!(platform.words_to("ana")[1].contains("ana"));
}

#[tokio::test]
async fn who_may_not_give_a_command_of_the_menu_is_told_so() {
    let world = world(json!({})).await;
    let platform = &world.machine.platform;
    let event = FakePlatform::direct("default", "bob", "1", "", world.machine.clock.now());
    let event = from_menu(FakePlatform::in_room("default", "kitchen", event), "status");
    platform.receive(event.clone()).await.unwrap();
    platform.receive(event).await.unwrap();
    world.until(|| !platform.words_to("kitchen").is_empty()).await;
    world.quiet().await;
    let told = platform.words_to("kitchen");
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("may not use this command"), "{told:?}");
}

#[tokio::test]
async fn sending_that_was_switched_off_on_a_platform_is_switched_on_there() {
    let world = world(json!({})).await;
    let platform = &world.machine.platform;
    for (event, text) in [("1", "/send off"), ("2", "#a"), ("3", "/send on"), ("4", "#b")] {
        platform.receive(dm(&world, event, text)).await.unwrap();
        world.quiet().await;
    }
    let told = platform.words_to("ana");
    assert_eq!((told.len(), told.last().map(String::as_str)), (3, Some("Heard #b.")), "{told:?}");
}
