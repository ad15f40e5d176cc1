//! Chance: whatever is steered, stopped and broken, the transcript is whole and no message is lost.

use std::collections::HashSet;

use openclaw_agent::RunOrder;
use openclaw_ports::model::FaultReason;
use openclaw_providers::{Script, Scripts};
use openclaw_testkit::Random;
use openclaw_types::{AbortCause, EntryBody, LineRecord, Message, RunId, ToolCallId};
use serde_json::json;

use super::stage::{Stage, hear, said};

const TOOLS: [&str; 9] = ["look", "side", "change", "held", "peek", "long", "grumpy", "nothing", "panics"];

#[tokio::test]
async fn whatever_happens_the_transcript_is_whole_and_no_message_is_lost() {
    let mut random = Random::new();
    for round in 0..150 {
        one_story(&mut random, round).await;
    }
}

async fn one_story(random: &mut Random, round: u64) {
    let scripts = Scripts::new().otherwise(Script::new().say("the end"));
    for _ in 0..random.below(5) {
        scripts.push(script(random));
    }
    let stage = Stage::new(scripts).await;
    let mut given: Vec<String> = Vec::new();
    let mut handed_back: HashSet<String> = HashSet::new();
    for number in 0..=random.below(2) {
        let first = format!("{round}-{number}-first");
        given.push(first.clone());
        let order = RunOrder { run: RunId::new(format!("run-{number}")).unwrap(), ..stage.ask(&first) };
        let (control, stream) = stage.start(order);
        let meddling = async {
            for step in 0..random.below(8) {
                for _ in 0..random.below(40) {
                    tokio::task::yield_now().await;
                }
                match random.below(6) {
                    0..=2 => {
                        let words = format!("{round}-{number}-{step}");
                        match control.steer(said(&words)) {
                            Ok(()) => given.push(words),
                            Err(back) => assert_eq!(back, said(&words)),
                        }
                    }
                    3 => control.abort(AbortCause::Word),
                    _ => stage.gate.open(),
                }
            }
            stage.gate.open();
        };
        let (told, ()) = tokio::join!(hear(stream), meddling);
        handed_back
            .extend(told.outcome.left_over.iter().filter_map(|message| message.idempotency_key.clone()));
        assert_eq!(told.story().iter().filter(|word| word.starts_with("ended")).count(), 1);
    }
    check(&stage, &given, &handed_back).await;
}

fn script(random: &mut Random) -> Script {
    let mut script = Script::new();
    for call in 0..random.below(4) {
        let tool = TOOLS[usize::try_from(random.below(9)).unwrap()];
        script = script.say("x").call_tool(tool, json!({ "what": call.to_string() }));
    }
    match random.below(8) {
        0 => script.fault(FaultReason::Auth),
        1 => script.say(" "),
        2 => Script::new().say("Done, I've saved the file."),
        3 => script.in_pieces_of(1).say("words words words"),
        _ => script.say("words"),
    }
}

/// Every call has one result right behind its message, in order; every message is stored once or handed back.
async fn check(stage: &Stage, given: &[String], handed_back: &HashSet<String>) {
    let mut open: Vec<ToolCallId> = Vec::new();
    let mut stored: Vec<String> = Vec::new();
    for entry in stage.branch().await {
        let LineRecord::Entry(entry) = &entry.line.record else { panic!("not an entry") };
        let EntryBody::Message(message) = &entry.body else { continue };
        match &**message {
            Message::ToolResult(result) => {
                assert_eq!(Some(&result.call), open.first(), "a result out of order");
                open.remove(0);
            }
            Message::Assistant(answer) => {
                assert!(open.is_empty(), "calls without results: {open:?}");
                open = answer.tool_calls().map(|call| call.id.clone()).collect();
            }
            Message::User(message) => {
                assert!(open.is_empty(), "calls without results: {open:?}");
                stored.push(message.idempotency_key.clone().unwrap());
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
    let unique: HashSet<&String> = stored.iter().collect();
    assert_eq!(unique.len(), stored.len(), "a message is stored twice");
    for message in given {
        assert!(unique.contains(message) != handed_back.contains(message), "{message} is lost or doubled");
    }
}
