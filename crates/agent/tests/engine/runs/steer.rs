//! Messages steered into a run, in each of its states.

use openclaw_providers::{Gate, Script};
use openclaw_types::AbortCause;
use serde_json::json;

use super::stage::{Stage, hear, said, settle};

#[tokio::test]
async fn a_message_that_comes_while_the_model_speaks_is_answered_after_it() {
    let gate = Gate::new();
    let stage =
        Stage::new([Script::new().say("one ").hold(&gate).say("more"), Script::new().say("two")]).await;
    let (control, stream) = stage.start(stage.ask("first"));
    gate.until_arrived(1).await;
    assert!(control.is_streaming());
    control.steer(said("second")).unwrap();
    gate.open();
    let told = hear(stream).await;
    assert_eq!(told.replies(), ["one more", "two"]);
    assert_eq!(
        stage.transcript().await,
        ["user: first", "assistant: one more", "user: second", "assistant: two"]
    );
    assert!(told.story().contains(&"took second".to_owned()));
    assert!(!control.is_streaming());
}

#[tokio::test]
async fn a_message_that_comes_while_tools_run_waits_for_all_of_them() {
    let stage = Stage::new([
        Script::new().call_tool("held", json!({ "what": "a" })).call_tool("change", json!({ "what": "b" })),
        Script::new().say("ok"),
    ])
    .await;
    let (control, stream) = stage.start(stage.ask("first"));
    stage.gate.until_arrived(1).await;
    control.steer(said("second")).unwrap();
    control.steer(said("third")).unwrap();
    stage.gate.open();
    hear(stream).await;
    assert_eq!(
        stage.transcript().await,
        [
            "user: first",
            "assistant: [held change]",
            "held: held did a",
            "change: change did b",
            "user: second",
            "user: third",
            "assistant: ok"
        ]
    );
}

#[tokio::test]
async fn a_message_that_comes_before_the_run_began_is_part_of_the_first_call() {
    let stage = Stage::new(Script::new().say("both")).await;
    let (control, stream) = stage.start(stage.ask("first"));
    control.steer(said("second")).unwrap();
    hear(stream).await;
    assert_eq!(stage.transcript().await, ["user: first", "user: second", "assistant: both"]);
}

#[tokio::test]
async fn a_message_that_comes_too_late_is_given_back() {
    let stage = Stage::new(Script::new().say("done")).await;
    let (control, stream) = stage.start(stage.ask("first"));
    hear(stream).await;
    assert_eq!(control.steer(said("second")), Err(said("second")));
    assert_eq!(stage.transcript().await, ["user: first", "assistant: done"]);
}

#[tokio::test]
async fn messages_that_wait_when_the_run_is_stopped_are_handed_back() {
    let stage = Stage::new(Script::new().call_tool("held", json!({ "what": "a" }))).await;
    let (control, stream) = stage.start(stage.ask("first"));
    stage.gate.until_arrived(1).await;
    control.steer(said("second")).unwrap();
    control.abort(AbortCause::Word);
    let told = hear(stream).await;
    assert_eq!(told.outcome.left_over, [said("second")]);
    assert_eq!(control.steer(said("third")), Err(said("third")));
    settle(&stage).await;
}

#[tokio::test]
async fn a_message_that_waits_when_the_model_fails_is_handed_back() {
    let gate = Gate::new();
    let stage = Stage::new(Script::new().hold(&gate).fault(openclaw_ports::model::FaultReason::Auth)).await;
    let (control, stream) = stage.start(stage.ask("first"));
    gate.until_arrived(1).await;
    control.steer(said("second")).unwrap();
    gate.open();
    assert_eq!(hear(stream).await.outcome.left_over, [said("second")]);
}
