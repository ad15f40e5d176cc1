//! `/dock-<channel>`: answers go to another identity of the same person, until they say otherwise.

use openclaw_ports::Clock as _;
use openclaw_ports::stores::SessionStore as _;
use openclaw_testkit::FakePlatform;
use openclaw_types::{AgentId, Inbound, InboundKind, NativeCommand};
use serde_json::json;

use crate::crash_plan::CrashPlan;
use crate::world::{World, session_key};

const ANA: &str = "agent:main:direct:ana";

fn file() -> serde_json::Value {
    json!({
        "channels": { "fake": { "accounts": { "default": {
            "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "groupPolicy": "open", "replyToMode": "all",
        } } } },
        "session": { "dmScope": "per-peer", "identityLinks": { "ana": ["fake:ana", "fake:phone"] } },
        "commands": { "useAccessGroups": false },
    })
}

async fn world() -> World {
    let world = World::with(file()).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn dm(world: &World, from: &str, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", from, event, text, world.machine.clock.now())
}

async fn send(world: &World, from: &str, event: &str, text: &str) {
    world.machine.platform.receive(dm(world, from, event, text)).await.unwrap();
    world.quiet().await;
}

#[tokio::test]
async fn answers_go_to_the_dock_until_it_is_left() {
    let world = world().await;
    let platform = &world.machine.platform;
    send(&world, "phone", "1", "/dock-fake").await;
    assert_eq!(
        platform.words_to("phone"),
        ["⚓ From now on I answer you on Fake, whatever you write over. /dock-off ends it."]
    );
    send(&world, "phone", "2", "#a").await;
    assert_eq!(platform.words_to("ana"), ["Heard #a."]);
    let sent = platform.sent();
    let piece = sent.iter().find(|piece| piece.target.to == "ana").unwrap();
    assert_eq!(piece.reply, None, "the message is in another conversation");
    let entry = world.machine.sessions.entry(&AgentId::main(), &session_key(ANA)).await.unwrap().unwrap();
    assert_eq!(entry.facts.last_to.as_deref(), Some("ana"), "announcements go there as well");

    send(&world, "phone", "3", "/new #b").await;
    assert_eq!(platform.words_to("phone").len(), 2, "what a command leads to is answered where it was given");
    send(&world, "phone", "4", "#c").await;
    assert_eq!(platform.words_to("ana"), ["Heard #a.", "Heard #c."], "a new conversation keeps the dock");

    send(&world, "phone", "5", "/dock_off").await;
    send(&world, "phone", "6", "#d").await;
    assert_eq!(platform.words_to("phone").last().unwrap(), "Heard #d.");
}

#[tokio::test]
async fn the_web_chat_of_a_person_can_be_answered_on_a_platform() {
    let world = world().await;
    world.say_in(ANA, "r1", "/dock-fake").await;
    world.quiet().await;
    world.say_in(ANA, "r2", "#a").await;
    world.until(|| world.machine.platform.words_to("ana") == ["Heard #a."]).await;
    world.hear("r2 answered").await;
}

#[tokio::test]
async fn without_an_identity_there_the_words_are_for_the_model() {
    let world = world().await;
    send(&world, "eve", "1", "/dock-fake").await;
    send(&world, "ana", "2", "/dock-pigeon").await;
    world.say("r1", "/dock-fake").await;
    world.quiet().await;
    assert!(world.transcript().await[0].ends_with("/dock-fake"));
    for (peer, word) in [("eve", "/dock-fake"), ("ana", "/dock-pigeon")] {
        let told = world.machine.transcript(&format!("agent:main:direct:{peer}")).await;
        assert!(told[0].starts_with("user: ") && told[0].ends_with(word), "{told:?}");
    }
}

#[tokio::test]
async fn a_room_is_answered_in_the_room() {
    let world = world().await;
    let platform = &world.machine.platform;
    let mut event = FakePlatform::in_room("default", "kitchen", dm(&world, "phone", "1", ""));
    event.kind =
        InboundKind::Command(NativeCommand { name: "dock_fake".to_owned(), arguments: String::new() });
    platform.receive(event).await.unwrap();
    world.until(|| !platform.words_to("kitchen").is_empty()).await;
    assert!(platform.words_to("kitchen")[0].contains("This is a room"));
}

#[tokio::test]
async fn the_menu_and_the_list_name_docks_where_somebody_has_an_identity() {
    let world = world().await;
    let names = |world: &World| -> Vec<String> {
        world.flow.commands().iter().map(|command| command.name.to_string()).collect()
    };
    assert!(names(&world).contains(&"dock-fake".to_owned()));
    let mut file = file();
    file["session"]["identityLinks"] = json!({ "ana": ["ana", "pigeon:7"] });
    let other = World::open(world.machine.clone(), file, CrashPlan::never()).await;
    assert!(!names(&other).contains(&"dock-fake".to_owned()));
}
