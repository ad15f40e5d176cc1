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
    control.steer(said("second")).unwrap();
    gate.open();
    let told = hear(stream).await;
    assert_eq!(told.replies(), ["one more", "two"]);
    assert_eq!(
        stage.transcript().await,
        ["user: first", "assistant: one more", "user: second", "assistant: two"]
    );
    assert!(told.story().contains(&"took second".to_owned()));
    assert!(control.steer(said("third")).is_err(), "an answer that is made takes nothing more");
}

const SKIPPED: &str = "Not done: a new message came in, and the calls that had not begun were skipped so that you can \
                       read it first. Make this call again if it is still wanted.";

#[tokio::test]
async fn a_message_that_comes_while_a_tool_runs_skips_those_that_have_not_begun() {
    let stage = Stage::new([
        Script::new()
            .call_tool("held", json!({ "what": "a" }))
            .call_tool("change", json!({ "what": "b" }))
            .call_tool("side", json!({ "what": "c" })),
        Script::new().say("ok"),
    ])
    .await;
    let (control, stream) = stage.start(stage.ask("first"));
    stage.gate.until_arrived(1).await;
    control.steer(said("second")).unwrap();
    control.steer(said("third")).unwrap();
    stage.gate.open();
    let told = hear(stream).await;
    assert_eq!(stage.done(), ["held a"]);
    assert_eq!(
        stage.transcript().await,
        [
            "user: first",
            "assistant: [held change side]",
            "held: held did a",
            &format!("change: {SKIPPED}"),
            &format!("side: {SKIPPED}"),
            "user: second",
            "user: third",
            "assistant: ok"
        ]
    );
    let story = told.story();
    let tools: Vec<&str> = story
        .iter()
        .map(String::as_str)
        .filter(|word| word.ends_with("begins") || word.ends_with("done") || word.ends_with("failed"))
        .collect();
    assert_eq!(
        tools,
        ["held begins", "held done", "change begins", "side begins", "change failed", "side failed"]
    );
}

#[tokio::test]
async fn tools_that_run_beside_each_other_finish_and_the_others_are_skipped() {
    let mut script = Script::new();
    for number in 0..10 {
        script = script.call_tool("peek", json!({ "what": number.to_string() }));
    }
    let stage = Stage::new([script, Script::new().say("ok")]).await;
    let (control, stream) = stage.start(stage.ask("first"));
    stage.gate.until_arrived(8).await;
    control.steer(said("second")).unwrap();
    stage.gate.open();
    hear(stream).await;
    let transcript = stage.transcript().await;
    let expected: Vec<String> = (0..8)
        .map(|number| format!("peek: peek did {number}"))
        .chain([format!("peek: {SKIPPED}"), format!("peek: {SKIPPED}"), "user: second".to_owned()])
        .collect();
    assert_eq!(transcript[2..13], expected);
    assert_eq!(stage.done().len(), 8);
}

#[tokio::test]
async fn a_message_that_waits_before_the_tools_lets_the_first_of_them_run() {
    let gate = Gate::new();
    let stage = Stage::new([
        Script::new()
            .say("well")
            .hold(&gate)
            .call_tool("look", json!({ "what": "a" }))
            .call_tool("change", json!({ "what": "b" })),
        Script::new().say("ok"),
    ])
    .await;
    let (control, stream) = stage.start(stage.ask("first"));
    gate.until_arrived(1).await;
    control.steer(said("second")).unwrap();
    gate.open();
    hear(stream).await;
    assert_eq!(stage.done(), ["look a"]);
    assert_eq!(stage.transcript().await[4], "user: second");
}

#[tokio::test]
async fn a_client_s_tools_are_skipped_with_the_others_so_that_the_message_is_answered() {
    let stage = Stage::new([
        Script::new().call_tool("held", json!({ "what": "a" })).call_tool("pick", json!({})),
        Script::new().say("ok"),
    ])
    .await;
    let client_tools = vec![openclaw_ports::model::ToolSpec {
        name: "pick".to_owned(),
        description: "pick".into(),
        parameters: json!({ "type": "object" }).into(),
    }];
    let order = openclaw_agent::RunOrder { client_tools, ..stage.ask("first") };
    let (control, stream) = stage.start(order);
    stage.gate.until_arrived(1).await;
    control.steer(said("second")).unwrap();
    stage.gate.open();
    let told = hear(stream).await;
    assert_eq!((told.replies(), told.outcome.client_calls), (vec!["ok".to_owned()], Vec::new()));
    assert_eq!(
        stage.transcript().await[2..],
        ["held: held did a", &format!("pick: {SKIPPED}"), "user: second", "assistant: ok"]
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
