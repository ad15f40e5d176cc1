//! Going on after a crash: what was open is closed, what only looks is done again, what is answered is not answered twice.

use openclaw_agent::RunInput;
use openclaw_providers::{Script, Scripts};
use openclaw_types::{
    AssistantMessage, Content, Message, RunEnding, ToolCall, ToolCallId, ToolOutcome, ToolResultMessage,
};
use serde_json::json;

use super::stage::{Stage, said};

fn asked(calls: &[(&str, &str)]) -> Message {
    let call = |(id, name): &(&str, &str)| {
        Content::ToolCall(ToolCall {
            id: ToolCallId::new(id).unwrap(),
            name: (*name).to_owned(),
            arguments: json!({ "what": *id }),
            signature: None,
        })
    };
    Message::Assistant(AssistantMessage {
        content: calls.iter().map(call).collect(),
        ..AssistantMessage::default()
    })
}

fn spoke(text: &str) -> Message {
    Message::Assistant(AssistantMessage { content: vec![Content::text(text)], ..AssistantMessage::default() })
}

fn result(id: &str, tool: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        call: ToolCallId::new(id).unwrap(),
        tool: tool.to_owned(),
        content: vec![Content::text("before the crash")],
        outcome: ToolOutcome::Done,
        details: None,
        at: None,
    })
}

#[tokio::test]
async fn calls_that_only_look_are_made_again_and_others_are_told() {
    let stage = Stage::new(Script::new().say("going on")).await;
    let calls = [("a", "change"), ("b", "change"), ("c", "look")];
    let before = vec![Message::User(said("hi")), asked(&calls), result("a", "change")];
    stage.wrote("run-1", before).await;
    let told = stage.run(stage.order(RunInput::Resume)).await;
    assert_eq!(
        stage.transcript().await[2..],
        [
            "change: before the crash",
            "change: The gateway was restarted while this call was under way. It may or may not have had its effect: look before you do it again.",
            "look: look did c",
            "assistant: going on"
        ]
    );
    assert_eq!((told.replies(), stage.done()), (vec!["going on".to_owned()], vec!["look c".to_owned()]));
}

#[tokio::test]
async fn an_answer_that_is_there_already_is_not_made_again() {
    let stage = Stage::new(Scripts::new()).await;
    let before =
        vec![Message::User(said("hi")), asked(&[("a", "look")]), result("a", "look"), spoke("the answer")];
    stage.wrote("run-1", before).await;
    let told = stage.run(stage.order(RunInput::Resume)).await;
    assert_eq!((told.replies(), told.outcome.end.how), (vec!["the answer".to_owned()], RunEnding::Answered));
    assert_eq!(stage.transcript().await.len(), 4);
}

#[tokio::test]
async fn a_question_that_has_no_answer_yet_gets_one() {
    let stage = Stage::new(Script::new().say("here")).await;
    stage.wrote("run-1", vec![Message::User(said("hi"))]).await;
    stage.run(stage.order(RunInput::Resume)).await;
    assert_eq!(stage.transcript().await, ["user: hi", "assistant: here"]);
}

#[tokio::test]
async fn the_same_message_given_again_goes_on_like_a_resumed_run() {
    let stage = Stage::new(Script::new().say("here")).await;
    stage.wrote("run-0", vec![Message::User(said("hi"))]).await;
    let told = stage.run(stage.ask("hi")).await;
    assert_eq!(stage.transcript().await, ["user: hi", "assistant: here"]);
    assert_eq!(told.story()[..2], ["started", "took hi"]);
}

#[tokio::test]
async fn a_message_that_another_run_answered_is_not_answered_twice() {
    let stage = Stage::new(Scripts::new()).await;
    stage.wrote("run-0", vec![Message::User(said("hi")), spoke("answered")]).await;
    let told = stage.run(stage.ask("hi")).await;
    assert_eq!(told.replies(), ["answered"]);
    assert_eq!(stage.transcript().await.len(), 2);
}

#[tokio::test]
async fn calls_left_open_are_closed_before_a_new_message() {
    let stage = Stage::new(Script::new().say("ok")).await;
    let before = vec![Message::User(said("hi")), asked(&[("a", "look"), ("b", "pick")])];
    stage.wrote("run-0", before).await;
    stage.run(stage.ask("again")).await;
    assert_eq!(
        stage.transcript().await[2..],
        [
            "look: The gateway was restarted while this call was under way. It may or may not have had its effect: look before you do it again.",
            "pick: The client gave no result for this call.",
            "user: again",
            "assistant: ok"
        ]
    );
}
