//! How rests end: by time, by an early try, by an answer, after a restart, and whatever the clock does.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::model::{CredentialOrigin, FaultReason};
use openclaw_providers::{Script, Scripts};
use openclaw_types::{AgentId, UnixMillis};

use crate::world::{Setup, World, ask, key};

const LIMITED: [&str; 3] = ["alpha/one alpha:1", "beta/one beta:1", "done"];
const ON_FALLBACK: [&str; 2] = ["beta/one beta:1", "done"];
const BACK: [&str; 2] = ["alpha/one alpha:1", "done"];

fn limited() -> Script {
    Script::new().fault(FaultReason::RateLimit)
}

/// `alpha/one` with a fallback at `beta`; what is not scripted answers.
async fn world(scripts: impl Into<Scripts>) -> World {
    let scripts = scripts.into().otherwise(Script::new().say("hi"));
    Setup::new().fallbacks(&["beta/one"]).scripts(scripts).build().await
}

async fn pass(world: &World, seconds: u64) {
    world.clock.advance(Duration::from_secs(seconds)).await;
}

#[tokio::test]
async fn the_first_model_is_used_again_when_its_rest_is_over() {
    let world = world(limited()).await;
    assert_eq!(world.call(ask()).await.story(), LIMITED);
    pass(&world, 61).await;
    assert_eq!(world.call(ask()).await.story(), BACK);
}

#[tokio::test]
async fn near_the_end_of_its_rest_the_first_model_is_tried_at_most_twice_a_minute() {
    let world = world(limited()).await;
    assert_eq!(world.call(ask()).await.story(), LIMITED);
    // A rest of one minute is near its end all the time.
    assert_eq!(world.call(ask()).await.story(), ON_FALLBACK);
    pass(&world, 30).await;
    assert_eq!(world.call(ask()).await.story(), BACK);
    assert_eq!(world.call(ask()).await.story(), BACK);
}

#[tokio::test]
async fn far_from_the_end_of_its_rest_the_first_model_is_left_alone() {
    let config = serde_json::json!({ "agents": { "defaults": {
        "model": { "primary": "alpha/first", "fallbacks": ["beta/one"] },
    } } });
    let scripts = Scripts::new()
        .once_when(|asked| asked.model == "first", limited())
        .once_when(|asked| asked.model == "first", limited());
    let setup = Setup::new().config(config).scripts(scripts.otherwise(Script::new().say("hi")));
    let world = setup.build().await;
    let stories = [["alpha/first alpha:1", "beta/one beta:1", "done"]; 2];
    for story in stories {
        assert_eq!(world.call(ask()).await.story(), story);
        pass(&world, 60).await;
    }
    // The second rest is five minutes, of which one has passed: two more until it is near its end.
    assert_eq!(world.call(ask()).await.story(), ON_FALLBACK);
    pass(&world, 119).await;
    assert_eq!(world.call(ask()).await.story(), ON_FALLBACK);
    pass(&world, 1).await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/first alpha:1", "done"]);
}

#[tokio::test]
async fn a_server_that_says_how_long_it_wants_to_rest_is_not_tried_before() {
    let wait = Duration::from_secs(600);
    let world = world(Script::new().status_after(429, wait)).await;
    assert_eq!(world.call(ask()).await.story(), LIMITED);
    pass(&world, 599).await;
    assert_eq!(world.call(ask()).await.story(), ON_FALLBACK);
    pass(&world, 2).await;
    assert_eq!(world.call(ask()).await.story(), BACK);
}

#[tokio::test]
async fn rests_grow_with_every_failure_in_a_row() {
    let scripts = Scripts::new().when(|asked| asked.last_user == "hello" && asked.model == "one", limited());
    let world = Setup::new().scripts(scripts).build().await;
    for minutes in [1, 5, 25, 60, 60] {
        world.call(ask()).await;
        let record = &world.models.status().health;
        let paused = record.iter().find_map(|record| record.paused_until).unwrap();
        assert_eq!(paused.since(world.clock.now()), Duration::from_secs(minutes * 60));
        pass(&world, minutes * 60).await;
    }
}

#[tokio::test]
async fn a_person_with_one_model_and_one_key_is_answered_right_after_a_failure() {
    let reasons = [
        FaultReason::RateLimit,
        FaultReason::Auth,
        FaultReason::Billing,
        FaultReason::Overloaded,
        FaultReason::Network,
        FaultReason::Unknown,
    ];
    for reason in reasons {
        let failed = ["alpha/one alpha:1".to_owned(), format!("failed {}", reason.as_str())];
        let scripts = [Script::new().fault(reason), Script::new().fault(reason)];
        let world =
            Setup::new().scripts(Scripts::from(scripts).otherwise(Script::new().say("hi"))).build().await;
        assert_eq!(world.call(ask()).await.story(), failed);
        let again = world.call(ask()).await;
        assert_eq!(again.story(), failed);
        assert_eq!(again.failed().tried.len(), 1, "{}", again.failed().message);
        assert_eq!(world.call(ask()).await.story(), BACK, "{reason:?}");
    }
}

#[tokio::test]
async fn a_server_that_asked_for_an_hour_is_asked_where_nothing_else_can_answer() {
    let scripts = Scripts::from(Script::new().status_after(429, Duration::from_secs(3600)));
    let world = Setup::new().scripts(scripts.otherwise(Script::new().say("hi"))).build().await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "failed rate_limit"]);
    assert_eq!(world.call(ask()).await.story(), BACK);
}

#[tokio::test]
async fn models_that_rest_are_asked_once_no_other_model_answered() {
    let faults = [FaultReason::Billing, FaultReason::Overloaded, FaultReason::Overloaded];
    let world = world(Scripts::from(faults.map(|reason| Script::new().fault(reason)))).await;
    assert_eq!(
        world.call(ask()).await.story(),
        ["alpha/one alpha:1", "beta/one beta:1", "failed overloaded"]
    );
    // Both rest: the one that recovers by itself is asked first, then the one without money.
    let answered = world.call(ask()).await;
    assert_eq!(answered.story(), ["beta/one beta:1", "alpha/one alpha:1", "done"]);
    assert_eq!(answered.done().tried.len(), 1);
}

#[tokio::test]
async fn an_agents_conversation_never_reaches_a_vendor_that_was_not_chosen_for_it() {
    let config = serde_json::json!({ "agents": {
        "defaults": { "model": "beta/one" },
        "list": [{ "id": "main", "model": "alpha/one" }],
    } });
    let scripts = [Script::new().fault(FaultReason::Auth), Script::new().fault(FaultReason::Overloaded)];
    let setup =
        Setup::new().config(config).scripts(Scripts::from(scripts).otherwise(Script::new().say("hi")));
    let world = setup.build().await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "failed auth"]);
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "failed overloaded"]);
    assert_eq!(world.call(ask()).await.story(), BACK);
}

#[tokio::test]
async fn a_server_that_asks_for_no_key_never_rests() {
    let refused = || Script::new().fault(FaultReason::Network);
    let keys =
        vec![openclaw_ports::model::ProfileFacts { origin: CredentialOrigin::NotNeeded, ..key("alpha:1") }];
    let setup = Setup { keys, ..Setup::new() };
    let world = setup.scripts([refused(), refused(), Script::new().say("hi")]).build().await;
    for end in ["failed network", "failed network", "done"] {
        assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", end]);
    }
}

#[tokio::test]
async fn what_was_learned_survives_a_restart() {
    let first = world(Script::new().fault(FaultReason::Billing)).await;
    assert_eq!(first.call(ask()).await.story(), LIMITED);
    first.settle().await;
    let again = Setup {
        health: Arc::clone(&first.health),
        clock: Arc::clone(&first.clock),
        ..Setup::new().fallbacks(&["beta/one"]).scripts(Scripts::new().otherwise(Script::new().say("hi")))
    };
    let second = again.build().await;
    assert_eq!(second.call(ask()).await.story(), ON_FALLBACK);
    pass(&second, 5 * 3600).await;
    assert_eq!(second.call(ask()).await.story(), BACK);
}

#[tokio::test]
async fn what_a_server_asked_for_is_kept_over_a_restart() {
    let wait = Duration::from_secs(600);
    let first = world(Script::new().status_after(429, wait)).await;
    assert_eq!(first.call(ask()).await.story(), LIMITED);
    first.settle().await;
    let again = Setup {
        health: Arc::clone(&first.health),
        clock: Arc::clone(&first.clock),
        ..Setup::new().fallbacks(&["beta/one"]).scripts(Scripts::new().otherwise(Script::new().say("hi")))
    };
    let second = again.build().await;
    pass(&second, 599).await;
    assert_eq!(second.call(ask()).await.story(), ON_FALLBACK);
    pass(&second, 2).await;
    assert_eq!(second.call(ask()).await.story(), BACK);
}

#[tokio::test]
async fn a_rest_that_is_forgotten_by_another_process_ends_in_this_one_too() {
    let scripts = [FaultReason::Billing, FaultReason::Billing].map(|reason| Script::new().fault(reason));
    let world = world(Scripts::from(scripts)).await;
    // The second script would have been for beta: alone, it shows that nothing of before is counted on.
    let first = world.call(ask()).await;
    assert_eq!(first.story(), ["alpha/one alpha:1", "beta/one beta:1", "failed billing"]);
    assert!(first.failed().message.contains("beta/one with beta:1"));
    let alpha = key("alpha:1").id;
    world.health.forget(&AgentId::main(), Some(&alpha)).await.unwrap();
    assert_eq!(world.call(ask()).await.story(), BACK);
    world.settle().await;
    let stored = world.health.load().await.unwrap();
    let failures: Vec<_> =
        stored.iter().map(|record| (record.key.profile.as_str(), record.billing_failures)).collect();
    assert_eq!(failures, [("alpha:1", 0), ("beta:1", 1)]);
}

#[tokio::test]
async fn a_failure_after_a_rest_was_forgotten_elsewhere_counts_as_the_first() {
    let world = world([limited(), Script::new().say("hi"), limited()]).await;
    assert_eq!(world.call(ask()).await.story(), LIMITED);
    world.health.forget(&AgentId::main(), None).await.unwrap();
    assert_eq!(world.call(ask()).await.story(), LIMITED);
    world.settle().await;
    let stored = world.health.load().await.unwrap();
    let failed = stored.iter().find(|record| record.key.model.is_some()).unwrap();
    assert_eq!(failed.failures, 1);
}

#[tokio::test]
async fn a_clock_that_is_set_back_by_years_locks_nothing_out() {
    let world = world(limited()).await;
    world.clock.set_wall(UnixMillis(4_000_000_000_000));
    assert_eq!(world.call(ask()).await.story(), LIMITED);
    world.clock.set_wall(UnixMillis(1_767_225_600_000));
    // The rest starts over, it does not end: the server did not get its minute.
    assert_eq!(world.call(ask()).await.story(), ON_FALLBACK);
    pass(&world, 61).await;
    assert_eq!(world.call(ask()).await.story(), BACK);
}

#[tokio::test]
async fn forgetting_what_was_learned_brings_a_credential_back_at_once() {
    let world = world(Script::new().fault(FaultReason::Billing)).await;
    assert_eq!(world.call(ask()).await.story(), LIMITED);
    assert_eq!(world.call(ask()).await.story(), ON_FALLBACK);
    world.models.clear_health(&AgentId::main(), None).await.unwrap();
    assert_eq!(world.call(ask()).await.story(), BACK);
    world.settle().await;
    assert_eq!(world.health.load().await.unwrap().iter().filter(|record| record.failures > 0).count(), 0);
}
