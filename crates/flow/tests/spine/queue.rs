//! What becomes of messages that come while an answer is made, in every mode.

use std::time::Duration;

use openclaw_flow::{Submission, SubmissionOptions};
use serde_json::json;

use crate::world::{MAIN, World};

/// Keeps the session busy with `a`, says the others, lets go, and gives what was told.
async fn while_busy(world: &World, others: &[&str]) -> Vec<String> {
    world.keep_busy("a").await;
    for run in others {
        world.say(run, &format!("#{run}")).await;
    }
    world.gate.open();
    world.quiet().await;
    assert_eq!(world.open_letters().await, 0);
    world.told()
}

/// The answers in the transcript, in order.
async fn answers(world: &World) -> Vec<String> {
    let heard = |line: &String| line.strip_prefix("assistant: Heard ").map(str::to_owned);
    world.transcript().await.iter().filter_map(heard).collect()
}

#[tokio::test]
async fn messages_that_come_while_a_run_is_busy_are_answered_together() {
    let world = World::new().await;
    assert_eq!(while_busy(&world, &["b", "c"]).await, ["a answered", "b answered", "c joined"]);
    assert_eq!(answers(&world).await, ["#a.", "#b #c."]);
}

#[tokio::test]
async fn waiting_messages_are_answered_when_it_has_been_quiet() {
    let world = World::queue(json!({ "debounceMs": 10_000 })).await;
    world.keep_busy("a").await;
    world.say("b", "#b").await;
    world.gate.open();
    world.hear("a answered").await;
    world.machine.clock.advance(Duration::from_secs(5)).await;
    world.say("c", "#c").await;
    world.machine.clock.advance(Duration::from_secs(9)).await;
    assert_eq!(world.told(), ["a answered"], "a new message begins the wait anew");
    world.quiet().await;
    assert_eq!(world.told(), ["a answered", "b answered", "c joined"]);
}

#[tokio::test]
async fn followups_are_answered_one_by_one() {
    let world = World::queue(json!({ "mode": "followup" })).await;
    assert_eq!(while_busy(&world, &["b", "c"]).await, ["a answered", "b answered", "c answered"]);
    assert_eq!(answers(&world).await, ["#a.", "#b.", "#c."]);
}

#[tokio::test]
async fn a_message_is_steered_into_the_run_under_way() {
    let world = World::queue(json!({ "mode": "steer" })).await;
    assert_eq!(while_busy(&world, &["b"]).await, ["b joined", "a answered"]);
    assert_eq!(answers(&world).await, ["#a #b."]);
}

#[tokio::test]
async fn a_steered_message_with_backlog_is_answered_again() {
    let world = World::queue(json!({ "mode": "steer-backlog" })).await;
    assert_eq!(while_busy(&world, &["b"]).await, ["a answered", "b answered"]);
    assert_eq!(answers(&world).await, ["#a #b.", "#b."]);
}

#[tokio::test]
async fn an_interruption_takes_the_place_of_the_run_and_of_what_waits() {
    let world = World::queue(json!({ "mode": "interrupt" })).await;
    world.keep_busy("a").await;
    world.say("b", "#b hold:b").await;
    world.say("c", "#c").await;
    world.quiet().await;
    let told = world.told();
    let (superseded, answered) = told.split_at(2);
    assert!(superseded.iter().all(|line| line.ends_with(" superseded")), "{told:?}");
    assert_eq!(answered, ["c answered"]);
    assert_eq!(
        world.machine.deeds(),
        Vec::<String>::new(),
        "what the interrupted run waited for was not done"
    );
    assert_eq!((answers(&world).await.len(), world.open_letters().await), (1, 0));
}

#[tokio::test]
async fn a_full_queue_tells_those_whom_it_drops() {
    for (rule, dropped, answered) in
        [("new", "d", ["b answered", "c joined"]), ("old", "b", ["c answered", "d joined"])]
    {
        let world = World::queue(json!({ "cap": 2, "drop": rule })).await;
        let told = while_busy(&world, &["b", "c", "d"]).await;
        assert!(told[0].starts_with(&format!("{dropped} failed: ")), "{told:?}");
        assert_eq!(told[1..], ["a answered", answered[0], answered[1]], "{rule}");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_mentioned_when_that_is_wished() {
    let world = World::queue(json!({ "cap": 2, "drop": "summarize" })).await;
    let told = while_busy(&world, &["b", "c", "d"]).await;
    assert_eq!(told, ["a answered", "c answered", "d joined", "b joined"]);
    assert_eq!(answers(&world).await, ["#a.", "#b #c #d."]);
}

#[tokio::test]
async fn letters_that_stand_alone_never_merge() {
    for mode in ["collect", "steer", "steer-backlog"] {
        let world = World::queue(json!({ "mode": mode })).await;
        world.keep_busy("a").await;
        for run in ["b", "c", "d"] {
            let submission = world.submission(MAIN, run, &format!("#{run}"));
            let options = SubmissionOptions { alone: true, ..submission.options.clone() };
            world.submit(Submission { options, ..submission }).await.unwrap();
        }
        world.gate.open();
        world.quiet().await;
        assert_eq!(world.told(), ["a answered", "b answered", "c answered", "d answered"], "{mode}");
        assert_eq!(answers(&world).await, ["#a.", "#b.", "#c.", "#d."], "{mode}");
    }
}
