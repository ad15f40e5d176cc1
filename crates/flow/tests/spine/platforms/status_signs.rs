//! The sign on a message shows how its answer goes.

use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use serde_json::{Value, json};

use crate::crash_plan::CrashPlan;
use crate::world::{Machine, World};

fn file(removed: bool) -> Value {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "groupPolicy": "open" });
    json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "messages": {
            "ackReactionScope": "all", "removeAckAfterReply": removed,
            // Simulated time runs while files are read, so whether thinking lasts long enough to be shown is chance.
            "statusReactions": { "enabled": true, "emojis": { "thinking": "" }, "timing": { "debounceMs": 300 } },
        },
    })
}

async fn world(removed: bool) -> World {
    let world = World::with(file(removed)).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

async fn ask(world: &World, event: &str, text: &str) {
    let event = FakePlatform::direct("default", "ana", event, text, world.machine.clock.now());
    world.machine.platform.receive(event).await.unwrap();
}

/// What was put on messages and taken off, without the sign that we write.
fn signs(machine: &Machine) -> Vec<String> {
    let mut signs = machine.platform.signs();
    signs.retain(|sign| !sign.starts_with("typing"));
    signs.iter().map(|sign| sign.replace(" ana", "")).collect()
}

#[tokio::test]
async fn people_see_what_the_run_does_and_that_it_is_done() {
    let world = world(true).await;
    ask(&world, "1", "#a hold:x").await;
    world.until(|| signs(&world.machine).iter().any(|sign| sign == "react m-1 🥱")).await;
    assert_eq!(
        signs(&world.machine),
        ["react m-1 👀", "react m-1 🔥", "unreact m-1 👀", "react m-1 🥱", "unreact m-1 🔥"]
    );
    world.gate.open();
    world.quiet().await;
    world.until(|| signs(&world.machine).iter().any(|sign| sign == "react m-1 👍")).await;
    let before = signs(&world.machine).len();
    world.machine.clock.advance(Duration::from_millis(1_400)).await;
    assert_eq!(signs(&world.machine).len(), before, "success is shown for a while");
    world.machine.clock.advance(Duration::from_millis(200)).await;
    assert_eq!(signs(&world.machine)[5..], ["react m-1 👍", "unreact m-1 🥱", "unreact m-1 👍"]);
}

#[tokio::test]
async fn the_last_sign_stays_where_it_is_not_taken_back() {
    for (text, last) in [("#a", "👍"), ("fail", "😱")] {
        let world = world(false).await;
        ask(&world, "1", text).await;
        world.quiet().await;
        world.machine.clock.advance(Duration::from_secs(10)).await;
        assert_eq!(
            signs(&world.machine),
            ["react m-1 👀".to_owned(), format!("react m-1 {last}"), "unreact m-1 👀".to_owned()],
            "{text}"
        );
    }
}

#[tokio::test]
async fn who_stops_a_run_sees_the_first_sign_again() {
    let world = world(false).await;
    ask(&world, "1", "#a hold:x").await;
    world.until(|| signs(&world.machine).iter().any(|sign| sign == "react m-1 🔥")).await;
    ask(&world, "2", "stop").await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(1)).await;
    assert_eq!(signs(&world.machine)[3..], ["react m-1 👀", "unreact m-1 🔥"]);
}

#[tokio::test]
async fn what_a_crash_left_on_a_message_is_taken_off() {
    let machine = Machine::new();
    {
        let world = World::open(machine.clone(), file(true), CrashPlan::never()).await;
        world.flow.open_channels().await.unwrap();
        ask(&world, "1", "#a hold:x").await;
        world.until(|| signs(&machine).iter().any(|sign| sign == "react m-1 🔥")).await;
        world.tasks.cancel();
        machine.clock.advance(Duration::from_secs(1)).await;
        machine.platform.hang_up();
    }
    let before = signs(&machine).len();
    let world = World::open(machine.clone(), file(true), CrashPlan::never()).await;
    world.gate.open();
    world.flow.open_channels().await.unwrap();
    world.flow.recover().await.unwrap();
    world.quiet().await;
    machine.clock.advance(Duration::from_secs(3)).await;
    let after = signs(&machine).split_off(before);
    assert!(after.contains(&"unreact m-1 🔥".to_owned()), "{after:?}");
    assert_eq!(after.last().unwrap(), "unreact m-1 👍");
}
