//! The run's own explanations: told to whoever listens as a message, once the transcript has them.

use std::time::Duration;

use openclaw_agent::{FaultKind, RunOrder};
use openclaw_ports::model::FaultReason;
use openclaw_providers::{Gate, Rejection, Script, Scripts};
use openclaw_types::{AbortCause, AbortMark, EntryBody, LineRecord, Message, RunId};
use serde_json::{Value, json};

use super::stage::{Stage, Told, hear};

fn usual() -> Value {
    json!({ "agents": { "defaults": { "model": "alpha/one" } } })
}

/// What was told at the end, after the events of the answer that did not come about.
fn tail(told: &Told) -> Vec<String> {
    let story = told.story();
    story[story.len() - 4..].to_vec()
}

#[tokio::test]
async fn every_explanation_is_told_as_the_last_message() {
    let same = || Script::new().call_tool("look", json!({ "what": "same" }));
    let rejected = |words: &str| Script::new().reject(Rejection::new(FaultReason::Format).saying(words));
    let mut poor = usual();
    poor["models"] = json!({ "budgets": { "daily": 0.000_001 } });
    let mut strict = usual();
    strict["tools"] = json!({ "loopDetection": { "warningThreshold": 2, "criticalThreshold": 4 } });
    let rows = [
        (usual(), Scripts::new().otherwise(Script::new().say(" ")), FaultKind::Model),
        (usual(), Scripts::new().otherwise(Script::new().refuse()), FaultKind::Model),
        (usual(), Scripts::new().otherwise(rejected("roles must alternate")), FaultKind::RoleOrdering),
        (usual(), Scripts::new().otherwise(rejected("image exceeds 5 MB maximum")), FaultKind::ImageSize),
        (
            usual(),
            Scripts::new().otherwise(Script::new().fault(FaultReason::ContextOverflow)),
            FaultKind::Compaction,
        ),
        (poor, Scripts::new(), FaultKind::Budget),
        (strict, Scripts::new().otherwise(same()), FaultKind::Loop),
    ];
    for (file, scripts, kind) in rows {
        let stage = Stage::with(file, scripts).await;
        let told = stage.run(stage.ask("hi")).await;
        let fault = told.outcome.fault.clone().unwrap();
        assert_eq!((fault.kind, told.last_words()), (kind, fault.message.clone()));
        let words = format!("words {}", fault.message);
        assert_eq!(tail(&told), ["message", words.as_str(), "whole", "ended answered"]);
        assert_eq!(told.replies().last(), Some(&format!("notice: {}", fault.message)));
        let stored = stage.transcript().await;
        assert_eq!(stored.last(), Some(&format!("assistant: {} (error)", fault.message)));
    }
}

#[tokio::test]
async fn a_run_out_of_time_explains_itself_behind_results_of_tools_too() {
    let stage =
        Stage::new([Script::new().call_tool("look", json!({ "what": "a" })), Script::new().silent()]).await;
    let (_control, stream) =
        stage.start(RunOrder { timeout: Some(Duration::from_secs(5)), ..stage.ask("hi") });
    stage.until_written(3).await;
    stage.world.clock.advance(Duration::from_secs(5)).await;
    let told = hear(stream).await;
    let notice = told.last_words();
    assert!(notice.starts_with("The time for this answer was over"), "{notice}");
    assert_eq!(
        tail(&told),
        ["message", format!("words {notice}").as_str(), "whole", "ended aborted timeout"]
    );
    assert_eq!(stage.transcript().await[3..], [format!("assistant: {notice} (error)")]);
    let branch = stage.branch().await;
    let LineRecord::Entry(last) = &branch.last().unwrap().line.record else { panic!("no entry") };
    let EntryBody::Message(message) = &last.body else { panic!("no message") };
    let Message::Assistant(message) = &**message else { panic!("no answer") };
    let mark = AbortMark { origin: "timeout".to_owned(), run: RunId::new("run-1").unwrap() };
    assert_eq!(message.abort, Some(mark));
}

#[tokio::test]
async fn a_run_out_of_time_that_said_something_keeps_to_it() {
    let gate = Gate::new();
    let stage = Stage::new(Script::new().say("half an").hold(&gate).say("swer")).await;
    let (_control, stream) =
        stage.start(RunOrder { timeout: Some(Duration::from_secs(5)), ..stage.ask("hi") });
    gate.until_arrived(1).await;
    stage.world.clock.advance(Duration::from_secs(5)).await;
    let told = hear(stream).await;
    assert_eq!((told.last_words(), told.replies()), ("half an".to_owned(), vec!["half an".to_owned()]));
    assert_eq!(told.outcome.fault.map(|fault| fault.kind), Some(FaultKind::Timeout));
    assert_eq!(stage.transcript().await, ["user: hi", "assistant: half an (aborted)"]);
}

#[tokio::test]
async fn a_conversation_that_cannot_be_summed_up_is_shortened_before_the_run_gives_up() {
    let overflow = || Script::new().fault(FaultReason::ContextOverflow);
    let scripts =
        Scripts::new().then(Script::new().call_tool("long", json!({ "what": "a" }))).otherwise(overflow());
    let stage = Stage::new(scripts).await;
    let told = stage.run(stage.ask("hi")).await;
    let fault = told.outcome.fault.clone().unwrap();
    assert!(matches!(fault.kind, FaultKind::ContextOverflow | FaultKind::Compaction), "{fault:?}");
    assert_eq!(told.last_words(), fault.message);
    let result = stage.transcript().await.into_iter().find(|line| line.starts_with("long: ")).unwrap();
    assert!(result.len() < 4_096, "{} bytes are left", result.len());
}

#[tokio::test]
async fn a_stop_while_the_conversation_is_summed_up_tells_the_end_of_that_as_well() {
    let gate = Gate::new();
    let look = |what: &str| Script::new().call_tool("look", json!({ "what": what.repeat(30_000) }));
    let stage = Stage::new([
        look("a"),
        look("b"),
        look("c"),
        Script::new().fault(FaultReason::ContextOverflow),
        Script::new().hold(&gate).say("A summary."),
    ])
    .await;
    let (control, stream) = stage.start(stage.ask("hi"));
    gate.until_arrived(1).await;
    control.abort(AbortCause::Word);
    let story = hear(stream).await.story();
    assert_eq!(story[story.len() - 3..], ["compacting", "compacted GoOn", "ended aborted stop"]);
}
