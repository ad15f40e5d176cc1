//! What people hear when there is no proper answer.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openclaw_agent::{FaultKind, RunInput, RunOrder};
use openclaw_ports::model::FaultReason;
use openclaw_ports::stores::{Flush, StoredEntry};
use openclaw_providers::{Gate, Rejection, Script, Scripts};
use openclaw_session::Writing;
use openclaw_types::{
    AbortCause, AgentId, Content, CustomMessage, EntryBody, Image, ImageData, LineRecord, Message, RunEnding,
    Visibility,
};
use serde_json::json;

use super::stage::{Stage, Told, hear, said, session};

fn fault(told: &Told) -> Option<FaultKind> {
    told.outcome.fault.as_ref().map(|fault| fault.kind)
}

#[tokio::test]
async fn an_empty_answer_is_asked_for_once_more() {
    let stage = Stage::new([Script::new().say(" "), Script::new().say("here")]).await;
    let told = stage.run(stage.ask("hi")).await;
    assert_eq!(told.replies(), ["here"]);
    assert_eq!(stage.transcript().await, ["user: hi", "assistant: here"]);
}

#[tokio::test]
async fn two_empty_answers_end_with_a_notice() {
    let stage = Stage::new([Script::new().say(" "), Script::new().say("\n")]).await;
    let told = stage.run(stage.ask("hi")).await;
    let notice = "The model gave an empty answer twice. Try again, or ask in other words.";
    assert_eq!(told.replies(), [format!("notice: {notice}")]);
    assert_eq!((told.outcome.end.how.clone(), fault(&told)), (RunEnding::Answered, Some(FaultKind::Model)));
    assert_eq!(stage.transcript().await, ["user: hi".to_owned(), format!("assistant: {notice} (error)")]);
}

#[tokio::test]
async fn a_tool_that_failed_before_two_empty_answers_is_named_unless_people_should_not_hear_of_it() {
    let plain = "notice: The model gave an empty answer twice. Try again, or ask in other words.";
    let named = "notice: The tool grumpy failed, and the model gave an empty answer twice. Try again, or ask in other words.";
    for (suppress, tools, expected) in [
        (false, vec!["grumpy"], named),
        (false, vec!["grumpy", "look"], plain),
        (true, vec!["grumpy"], plain),
    ] {
        let file = json!({
            "agents": { "defaults": { "model": "alpha/one" } },
            "messages": { "suppressToolErrors": suppress },
        });
        let mut scripts = Scripts::new();
        for tool in tools {
            scripts = scripts.then(Script::new().call_tool(tool, json!({ "what": "a" })));
        }
        let stage = Stage::with(file, scripts.otherwise(Script::new().say(" "))).await;
        let told = stage.run(stage.ask("hi")).await;
        assert_eq!(told.replies(), [expected]);
    }
}

#[tokio::test]
async fn what_a_vendor_does_not_accept_is_explained() {
    for (message, kind) in [
        ("messages: roles must alternate", FaultKind::RoleOrdering),
        ("image exceeds 5 MB maximum", FaultKind::ImageSize),
    ] {
        let script = Script::new().reject(Rejection::new(FaultReason::Format).saying(message));
        let stage = Stage::new(script).await;
        let told = stage.run(stage.ask("hi")).await;
        assert_eq!((told.outcome.end.how.clone(), fault(&told)), (RunEnding::Answered, Some(kind)));
        assert_eq!(told.replies().len(), 1);
    }
}

#[tokio::test]
async fn a_model_that_cannot_be_called_fails_the_run_and_leaves_the_session_whole() {
    let stage =
        Stage::new([Script::new().say("half an ans").fault(FaultReason::Auth), Script::new().say("fine")])
            .await;
    let told = stage.run(stage.ask("hi")).await;
    let RunEnding::Failed { message } = &told.outcome.end.how else { panic!("{:?}", told.outcome.end) };
    assert_eq!(told.story()[2..5], ["message", "words half an ans", "void"]);
    assert_eq!(fault(&told), Some(FaultKind::Model));
    assert!(message.contains("alpha/one"), "{message}");
    assert_eq!(stage.transcript().await, ["user: hi".to_owned(), format!("assistant: {message} (error)")]);
}

#[tokio::test]
async fn a_switch_of_models_is_told_and_what_was_streamed_is_void() {
    let file = json!({ "agents": { "defaults": { "model": { "primary": "alpha/one", "fallbacks": ["beta/one"] } } } });
    let scripts = [Script::new().say("half").fault(FaultReason::Overloaded), Script::new().say("whole")];
    let stage = Stage::with(file, scripts).await;
    let told = stage.run(stage.ask("hi")).await;
    assert_eq!(
        told.story()[2..],
        [
            "message",
            "words half",
            "void",
            "switched to beta/one",
            "message",
            "words whole",
            "whole",
            "ended answered"
        ]
    );
    assert_eq!(told.outcome.model, Some("beta/one".parse().unwrap()));
}

#[tokio::test]
async fn a_budget_is_explained_and_the_session_stays_whole() {
    let file = json!({
        "agents": { "defaults": { "model": "alpha/one" } },
        "models": { "budgets": { "daily": 0.000_001 } },
    });
    let stage = Stage::with(file, Scripts::new()).await;
    let told = stage.run(stage.ask("hi")).await;
    assert_eq!((told.outcome.end.how.clone(), fault(&told)), (RunEnding::Answered, Some(FaultKind::Budget)));
    assert!(told.replies()[0].starts_with("notice: The daily model budget"), "{:?}", told.replies());
    assert_eq!(stage.transcript().await.len(), 2);
}

#[tokio::test]
async fn the_time_of_a_run_is_bounded_by_the_configuration_or_the_order() {
    for (timeout, seconds) in [(None, 600), (Some(Duration::from_secs(5)), 5)] {
        let stage = Stage::new(Script::new().silent()).await;
        let (_control, stream) = stage.start(RunOrder { timeout, ..stage.ask("hi") });
        stage.until_written(1).await;
        stage.world.clock.advance(Duration::from_secs(seconds - 1)).await;
        assert_eq!(stage.transcript().await, ["user: hi"]);
        stage.world.clock.advance(Duration::from_secs(1)).await;
        let told = hear(stream).await;
        assert_eq!(told.outcome.end.how, RunEnding::Aborted(AbortCause::Timeout));
        assert_eq!(fault(&told), Some(FaultKind::Timeout));
        let notice = told.last_words();
        assert!(notice.starts_with("The time for this answer was over"), "{notice}");
        assert_eq!(told.replies(), [format!("notice: {notice}")]);
        assert_eq!(stage.transcript().await, ["user: hi".to_owned(), format!("assistant: {notice} (error)")]);
    }
}

#[tokio::test]
async fn a_run_without_a_limit_takes_its_time() {
    let stage = Stage::new(Script::new().pause(Duration::from_secs(5_000)).say("late")).await;
    let (_control, stream) = stage.start(RunOrder { timeout: Some(Duration::ZERO), ..stage.ask("hi") });
    stage.world.clock.until_asleep(1).await;
    stage.world.clock.advance(Duration::from_secs(5_000)).await;
    assert_eq!(hear(stream).await.replies(), ["late"]);
}

#[tokio::test]
async fn a_conversation_that_does_not_fit_is_summed_up_and_the_call_made_again() {
    let overflow = || Script::new().fault(FaultReason::ContextOverflow);
    let stage = Stage::new([
        Script::new().call_tool("look", json!({ "what": "a".repeat(30_000) })),
        Script::new().call_tool("look", json!({ "what": "b".repeat(30_000) })),
        Script::new().call_tool("look", json!({ "what": "c".repeat(30_000) })),
        overflow(),
        Script::new().say("A summary of what was said."),
        Script::new().say("fits"),
    ])
    .await;
    let told = stage.run(stage.ask("hi")).await;
    assert_eq!(told.replies(), ["fits"], "{:?}", told.story());
    assert_eq!(told.outcome.compactions, 1, "{:?}", told.story());
    assert!(told.story().contains(&"compacted Retry".to_owned()), "{:?}", told.story());
}

#[tokio::test]
async fn a_conversation_that_never_fits_ends_with_a_notice() {
    let scripts = Scripts::new().otherwise(Script::new().fault(FaultReason::ContextOverflow));
    let stage = Stage::new(scripts).await;
    let told = stage.run(stage.ask("hi")).await;
    assert_eq!(told.outcome.end.how, RunEnding::Answered);
    assert!(
        matches!(fault(&told), Some(FaultKind::ContextOverflow | FaultKind::Compaction)),
        "{:?}",
        told.outcome.fault
    );
    assert_eq!(stage.transcript().await.len(), 2);
}

#[tokio::test]
async fn a_picture_that_a_vendor_finds_too_large_is_made_smaller_and_the_call_made_again() {
    let reject =
        || Script::new().reject(Rejection::new(FaultReason::Format).saying("image exceeds 5 MB maximum"));
    for (scripts, answer) in
        [(vec![reject(), Script::new().say("a wall")], "a wall"), (vec![reject(), reject()], "notice: ")]
    {
        let scripts = scripts.into_iter().fold(Scripts::new(), Scripts::then);
        let stage = Stage::new(scripts).await;
        let mut message = said("what is it?");
        message.content.push(picture(2_000, 1_000));
        let told = stage.run(stage.order(RunInput::Messages(vec![message]))).await;
        assert!(told.replies()[0].starts_with(answer), "{:?}", told.replies());
        // Stored at once as large as the configuration allows, and then smaller.
        assert_eq!(sizes(&stage.branch().await), [(800, 400)]);
    }
}

#[tokio::test]
async fn pictures_of_people_are_stored_as_large_as_the_configuration_allows() {
    for (file, size) in [
        (json!({ "agents": { "defaults": { "model": "alpha/one" } } }), (1_200, 600)),
        (
            json!({ "agents": { "defaults": { "model": "alpha/one", "imageMaxDimensionPx": 500 } } }),
            (500, 250),
        ),
    ] {
        let stage = Stage::with(file, Script::new().say("a wall")).await;
        let mut message = said("what is it?");
        message.content.push(picture(2_000, 1_000));
        stage.run(stage.order(RunInput::Messages(vec![message]))).await;
        assert_eq!(sizes(&stage.branch().await), [size]);
    }
}

fn picture(width: u32, height: u32) -> Content {
    let mut bytes = Vec::new();
    let wall = image::RgbImage::from_pixel(width, height, image::Rgb([200, 30, 30]));
    wall.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    let data = ImageData::Inline(STANDARD.encode(bytes));
    Content::Image(Image { media_type: Some("image/png".to_owned()), data })
}

/// The sizes of all pictures of a branch.
fn sizes(branch: &[StoredEntry]) -> Vec<(u32, u32)> {
    let content = branch.iter().filter_map(|stored| match &stored.line.record {
        LineRecord::Entry(entry) => match &entry.body {
            EntryBody::Message(message) => match &**message {
                Message::User(message) => Some(&message.content),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let size = |piece: &Content| match piece {
        Content::Image(Image { data: ImageData::Inline(data), .. }) => {
            let picture = image::load_from_memory(&STANDARD.decode(data).unwrap()).unwrap();
            Some((picture.width(), picture.height()))
        }
        _ => None,
    };
    content.flatten().filter_map(size).collect()
}

#[tokio::test]
async fn a_note_that_comes_in_before_a_conversation_is_made_smaller_stays_in_it() {
    let gate = Gate::new();
    let rejection = Rejection::new(FaultReason::Format).saying("image exceeds 5 MB maximum");
    let scripts = [Script::new().hold(&gate).reject(rejection), Script::new().say("a wall")];
    let stage = Stage::new(scripts).await;
    let mut message = said("what is it?");
    message.content.push(picture(2_000, 1_000));
    let (_control, stream) = stage.start(stage.order(RunInput::Messages(vec![message])));
    gate.until_arrived(1).await;
    let note = CustomMessage {
        kind: "from outside".to_owned(),
        content: vec![Content::text("by the way")],
        for_people: Visibility::Hidden,
        details: None,
        at: None,
    };
    let writing = Writing {
        agent: AgentId::main(),
        session: session(),
        run: None,
        begins: None,
        flush: Flush::Now,
        bodies: vec![EntryBody::CustomMessage(note)],
    };
    stage.agent.parts().journal.append(writing).await.unwrap();
    gate.open();
    hear(stream).await;
    assert_eq!(sizes(&stage.branch().await), [(800, 400)]);
    let transcript = stage.transcript().await;
    assert_eq!(transcript[1..], ["note from outside", "assistant: a wall"], "{transcript:?}");
}
