//! Which pictures of a conversation are sent with a request.

use std::sync::{Arc, Mutex};

use openclaw_agent::{RunInput, RunOrder};
use openclaw_ports::model::FaultReason;
use openclaw_providers::{Script, Scripts};
use openclaw_types::{Content, Image, ImageData, RunId};
use serde_json::json;

use super::stage::{Stage, said};

/// A stage whose model sees, and what notes how many pictures each of its requests held.
async fn stage(scripts: Scripts) -> (Stage, Arc<Mutex<Vec<usize>>>) {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let noting = Arc::clone(&noted);
    let scripts = scripts.when(
        move |asked| {
            noting.lock().unwrap().push(asked.pictures);
            false
        },
        Script::new(),
    );
    let file = json!({ "agents": { "defaults": { "model": "beta/one" } } });
    (Stage::with(file, scripts).await, noted)
}

/// Runs a turn whose message has so many pictures.
async fn turn(stage: &Stage, words: &str, pictures: usize) {
    let mut message = said(words);
    for _ in 0..pictures {
        let data = ImageData::Inline("iVBORw0KGgo=".to_owned());
        message.content.push(Content::Image(Image { media_type: Some("image/png".to_owned()), data }));
    }
    let order = stage.order(RunInput::Messages(vec![message]));
    stage.run(RunOrder { run: RunId::new(words).unwrap(), ..order }).await;
}

#[tokio::test]
async fn a_picture_is_sent_until_it_is_answered() {
    let (stage, noted) = stage(Scripts::new().otherwise_echo()).await;
    for (words, pictures) in [("one", 1), ("two", 2), ("three", 0), ("four", 0)] {
        turn(&stage, words, pictures).await;
    }
    assert_eq!(*noted.lock().unwrap(), [1, 2, 0, 0]);
}

#[tokio::test]
async fn a_picture_stays_while_tools_run_and_where_no_model_answered() {
    let look = Script::new().call_tool("look", json!({ "what": "a" }));
    let scripts = Scripts::new().then(look).then(Script::new().say("a wall"));
    let (stage, noted) = stage(scripts.otherwise(Script::new().fault(FaultReason::Format))).await;
    turn(&stage, "one", 1).await;
    turn(&stage, "two", 1).await;
    turn(&stage, "three", 0).await;
    assert_eq!(*noted.lock().unwrap(), [1, 1, 1, 1]);
}
