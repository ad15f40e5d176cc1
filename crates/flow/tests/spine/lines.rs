//! Lines that say they try by themselves, and do not come back: looked after as the settings say.

use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_ports::channel::Health;
use openclaw_testkit::FakePlatform;
use serde_json::json;

use crate::world::World;

async fn with_checks(minutes: u64) -> World {
    let account = json!({ "token": "good" });
    let world = World::with(json!({
        "gateway": { "channelHealthCheckMinutes": minutes },
        "channels": { "fake": { "accounts": { "default": account } } },
    }))
    .await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world.until(|| world.machine.platform.is_up("default")).await;
    world
}

/// The line says that it tries by itself, and then an hour passes.
async fn an_hour_down(world: &World) {
    world.machine.platform.tell("default", Health::Reconnecting { reason: "the socket is gone".to_owned() });
    for _ in 0..60 {
        world.machine.clock.advance(Duration::from_secs(60)).await;
    }
}

#[tokio::test]
async fn a_line_that_does_not_come_back_by_itself_is_made_again() {
    let world = with_checks(2).await;
    an_hour_down(&world).await;
    world.until(|| world.machine.platform.connects("default") > 1).await;
}

#[tokio::test]
async fn without_checks_a_line_is_left_to_its_adapter() {
    let world = with_checks(0).await;
    an_hour_down(&world).await;
    assert_eq!(world.machine.platform.connects("default"), 1);
    let status = &world.flow.channels().status()[0];
    assert_eq!((status.running, status.connected), (true, false));
    assert_eq!(status.last_error.as_deref(), Some("the socket is gone"));
}

#[tokio::test]
async fn what_comes_at_a_start_waits_until_what_came_before_goes_on() {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    let world = World::with(json!({ "channels": { "fake": { "accounts": { "default": account } } } })).await;
    world.flow.hold();
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    let event = FakePlatform::direct("default", "ana", "1", "#a", world.machine.clock.now());
    let taking = world.machine.platform.receive(event);
    tokio::pin!(taking);
    let early = tokio::select! {
        biased;
        taken = &mut taking => Some(taken),
        () = world.machine.clock.advance(Duration::from_secs(5)) => None,
    };
    assert_eq!(early, None, "it is not acknowledged yet");
    world.flow.recover().await.unwrap();
    taking.await.unwrap();
    world.until(|| !world.machine.platform.words_to("ana").is_empty()).await;
}
