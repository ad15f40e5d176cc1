//! Stopping: by a word, by a client, before a run began, in the middle of its words.

use openclaw_flow::{Submitted, WrongSession};
use openclaw_types::RunId;
use serde_json::json;

use crate::world::{BREAKS, MAIN, World, by_request, session_key};

fn run(text: &str) -> RunId {
    RunId::new(text).unwrap()
}

#[tokio::test]
async fn the_word_stops_the_run_and_takes_back_what_waits() {
    let world = World::new().await;
    world.keep_busy("a").await;
    world.say("b", "#b").await;
    assert_eq!(world.say("word", "stop").await, Submitted::Stopped(vec![run("a"), run("b")]));
    world.quiet().await;
    assert_eq!(world.told(), ["b stopped stop", "a aborted stop"]);
    assert_eq!((world.open_letters().await, world.machine.deeds().len()), (0, 0));
    world.gate.open();
    world.say("c", "#c").await;
    world.quiet().await;
    assert_eq!(world.told().last().map(String::as_str), Some("c answered"));
}

#[tokio::test]
async fn the_word_in_a_session_that_rests_stops_nothing() {
    let world = World::new().await;
    assert_eq!(world.say("word", "stop").await, Submitted::Stopped(Vec::new()));
    assert_eq!((world.flow.busy(), world.open_letters().await), (0, 0));
}

#[tokio::test]
async fn one_run_is_stopped_by_its_name_and_session() {
    let world = World::new().await;
    world.keep_busy("a").await;
    world.say("b", "#b").await;
    let other = session_key("agent:main:other");
    assert_eq!(world.flow.stop_run(&other, &run("a"), by_request()).await, Err(WrongSession));
    assert_eq!(world.flow.stop_run(&session_key(MAIN), &run("a"), by_request()).await, Ok(true));
    assert_eq!(world.flow.stop_run(&session_key(MAIN), &run("nobody"), by_request()).await, Ok(false));
    world.quiet().await;
    assert_eq!(world.told(), ["a aborted rpc", "b answered"]);
}

#[tokio::test]
async fn a_run_that_is_stopped_before_it_began_never_asks_the_model() {
    let world = World::with(json!({ "agents": { "defaults": { "maxConcurrent": 1 } } })).await;
    world.keep_busy("a").await;
    world.say_in("agent:main:other", "b", "#b do:b").await;
    let other = session_key("agent:main:other");
    assert_eq!(world.flow.stop_run(&other, &run("b"), by_request()).await, Ok(true));
    world.gate.open();
    world.quiet().await;
    assert_eq!(world.told(), ["b stopped rpc", "a answered"]);
    assert_eq!(world.machine.deeds(), ["a"]);
    assert_eq!(world.open_letters().await, 0);
}

#[tokio::test]
async fn a_letter_that_waits_in_its_session_can_be_stopped_by_its_name() {
    let world = World::new().await;
    world.keep_busy("a").await;
    world.say("b", "#b do:b").await;
    assert_eq!(world.flow.stop_run(&session_key(MAIN), &run("b"), by_request()).await, Ok(true));
    world.gate.open();
    world.quiet().await;
    assert_eq!(world.told(), ["b stopped rpc", "a answered"]);
    assert_eq!(world.open_letters().await, 0);
    assert_eq!(world.machine.deeds(), ["a"]);
}

#[tokio::test]
async fn what_was_said_before_a_stop_is_kept() {
    let world = World::new().await;
    world.say("a", "#a endless").await;
    world.until(|| world.flow.session_state(&session_key(MAIN)).run.is_some()).await;
    while world.transcript().await.is_empty() {
        world.machine.clock.advance(crate::world::MOMENT).await;
    }
    world.machine.clock.advance(crate::world::MOMENT).await;
    world.flow.stop(&session_key(MAIN), by_request()).await;
    world.quiet().await;
    assert_eq!(world.told(), ["a aborted rpc"]);
    let transcript = world.transcript().await;
    assert!(transcript[1].starts_with("assistant: It goes on"), "{transcript:?}");
}

#[tokio::test]
async fn a_run_that_we_fail_at_leaves_its_session_free_and_is_told_as_failed() {
    let world = World::new().await;
    world.say(BREAKS, "#a").await;
    world.quiet().await;
    assert!(world.told()[0].starts_with("breaks failed: "), "{:?}", world.told());
    world.say("b", "#b").await;
    world.quiet().await;
    assert_eq!(world.told().last().map(String::as_str), Some("b answered"));
    assert_eq!(world.open_letters().await, 0);
}
