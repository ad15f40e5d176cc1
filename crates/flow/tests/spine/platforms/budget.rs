//! A budget that is used up: people are told in plain words where they are, and the conversation goes on when it is not.

use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use serde_json::json;

use crate::world::{MAIN, World, messages};

#[tokio::test]
async fn a_run_that_a_budget_stops_says_so_and_the_session_goes_on_the_day_after() {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    // Room for the worst of one call; whatever the first took is missing for the second.
    let world = World::with(json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "agents": { "defaults": { "model": "local/dear" } },
        "models": { "budgets": { "daily": 1.0 } },
    }))
    .await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    let dm = |event: &str, text: &str| {
        FakePlatform::direct("default", "ana", event, text, world.machine.clock.now())
    };
    world.machine.platform.receive(dm("1", "#a do:x")).await.unwrap();
    world.quiet().await;
    let told = world.machine.platform.words_to("ana").pop().unwrap();
    assert!(told.contains("The daily model budget of $1.00"), "{told}");
    assert!(told.contains("models.budgets.daily"), "{told}");
    crate::ledger::expect_whole(&messages(&world.machine.branch(MAIN).await).collect::<Vec<_>>(), "then");
    assert_eq!((world.open_letters().await, world.flow.busy()), (0, 0));
    world.machine.clock.advance(Duration::from_secs(24 * 3_600)).await;
    world.machine.platform.receive(dm("2", "#b")).await.unwrap();
    world.until(|| world.machine.platform.words_to("ana").last().is_some_and(|said| *said != told)).await;
    let told = world.machine.platform.words_to("ana").pop().unwrap();
    assert!(told.starts_with("Heard #") && told.ends_with("#b."), "{told}");
}
