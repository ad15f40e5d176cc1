//! Stopping a run, in each of its states: at once, with a transcript that is whole.

use std::time::Duration;

use openclaw_ports::stores::SessionStore;
use openclaw_providers::{Gate, Script};
use openclaw_types::{AbortCause, AgentId, EntryBody, LineRecord, Message, RunEnding, RunId};
use serde_json::json;

use super::stage::{Stage, hear};

#[tokio::test]
async fn a_stop_while_the_model_speaks_keeps_what_was_said() {
    let gate = Gate::new();
    let stage = Stage::new(Script::new().say("half an").hold(&gate).say("swer")).await;
    let (control, stream) = stage.start(stage.ask("hi"));
    gate.until_arrived(1).await;
    control.abort(AbortCause::Word);
    let told = hear(stream).await;
    assert_eq!(told.story()[2..], ["message", "words half an", "ended aborted stop"]);
    assert_eq!(told.replies(), ["half an"]);
    assert_eq!(stage.transcript().await, ["user: hi", "assistant: half an (aborted)"]);
    let branch = stage.branch().await;
    let LineRecord::Entry(last) = &branch.last().unwrap().line.record else { panic!("no entry") };
    let EntryBody::Message(message) = &last.body else { panic!("no message") };
    let Message::Assistant(message) = &**message else { panic!("no answer") };
    let mark = message.abort.clone().unwrap();
    assert_eq!((mark.origin.as_str(), mark.run.as_str()), ("stop-command", "run-1"));
    assert_eq!(message.idempotency_key.as_deref(), Some("run-1:assistant"), "it bears its run's name");
    let record = stage.sessions.run(&AgentId::main(), &RunId::new("run-1").unwrap()).await.unwrap().unwrap();
    assert_eq!(record.end.map(|(_, how)| how), Some(RunEnding::Aborted(AbortCause::Word)));
}

#[tokio::test]
async fn a_stop_before_the_first_word_leaves_a_mark() {
    let stage = Stage::new(Script::new().silent()).await;
    let (control, stream) = stage.start(stage.ask("hi"));
    stage.until_written(1).await;
    stage.world.clock.advance(Duration::from_secs(1)).await;
    control.abort(AbortCause::Request);
    let told = hear(stream).await;
    assert_eq!(told.outcome.end.how, RunEnding::Aborted(AbortCause::Request));
    assert_eq!(stage.transcript().await, ["user: hi", "assistant:  (aborted)"]);
}

#[tokio::test]
async fn a_stop_before_the_run_began_still_keeps_the_message() {
    let stage = Stage::new(Script::new().say("never")).await;
    let (control, stream) = stage.start(stage.ask("hi"));
    control.abort(AbortCause::Superseded);
    let told = hear(stream).await;
    assert_eq!(told.outcome.end.how, RunEnding::Aborted(AbortCause::Superseded));
    assert_eq!(stage.transcript().await, ["user: hi", "assistant:  (aborted)"]);
}

#[tokio::test]
async fn a_stop_while_tools_run_closes_every_call() {
    let stage = Stage::new(
        Script::new()
            .call_tool("side", json!({ "what": "a" }))
            .call_tool("held", json!({ "what": "b" }))
            .call_tool("change", json!({ "what": "c" })),
    )
    .await;
    let (control, stream) = stage.start(stage.ask("hi"));
    stage.gate.until_arrived(1).await;
    control.abort(AbortCause::Request);
    let told = hear(stream).await;
    stage.gate.open();
    assert_eq!(
        stage.transcript().await[2..],
        [
            "side: side did a",
            "held: The run was stopped while this call was under way. It may or may not have had its effect: look before you do it again.",
            "change: Not done: the run ended before this call began.",
        ]
    );
    assert_eq!(stage.done(), ["side a"], "the tool was dropped at once");
    assert_eq!(
        told.story()[3..],
        [
            "whole",
            "side begins",
            "side done",
            "held begins",
            "held shows",
            "held failed",
            "ended aborted rpc"
        ]
    );
}

#[tokio::test]
async fn the_first_cause_counts_and_stopping_twice_changes_nothing() {
    let stage = Stage::new(Script::new().silent()).await;
    let (control, stream) = stage.start(stage.ask("hi"));
    control.abort(AbortCause::Word);
    control.abort(AbortCause::Request);
    assert_eq!(hear(stream).await.outcome.end.how, RunEnding::Aborted(AbortCause::Word));
}

#[tokio::test]
async fn a_gateway_that_stops_leaves_its_runs_to_the_next_start() {
    let gate = Gate::new();
    let stage = Stage::new(Script::new().say("half").hold(&gate)).await;
    let (_control, stream) = stage.start(stage.ask("hi"));
    gate.until_arrived(1).await;
    stage.tasks.cancel();
    let told = hear(stream).await;
    assert_eq!(told.outcome.end.how, RunEnding::Aborted(AbortCause::Shutdown));
    let left: Vec<_> = stage.sessions.unfinished(&AgentId::main()).await.unwrap();
    assert_eq!(left.iter().map(|record| record.start.run.as_str()).collect::<Vec<_>>(), ["run-1"]);
    assert_eq!(stage.transcript().await, ["user: hi"]);
}

#[tokio::test]
async fn a_reader_that_does_not_read_does_not_hold_up_a_stop() {
    let stage = Stage::new(Script::new().endless()).await;
    let (control, stream) = stage.start(stage.ask("hi"));
    // More is said than fits on the way: the run waits for us.
    stage.until_written(1).await;
    stage.world.clock.advance(Duration::from_secs(1)).await;
    control.abort(AbortCause::Request);
    while !stage.sessions.unfinished(&AgentId::main()).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let told = hear(stream).await;
    assert_eq!(told.story().last().unwrap(), "ended aborted rpc");
}

#[tokio::test]
async fn a_run_goes_on_when_nobody_listens() {
    let stage = Stage::new(Script::new().say("x".repeat(5_000))).await;
    let (_control, stream) = stage.start(stage.ask("hi"));
    let outcome = stream.outcome().await;
    assert_eq!(outcome.end.how, RunEnding::Answered);
    assert_eq!(stage.transcript().await.len(), 2);
}
