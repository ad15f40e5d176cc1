//! Answers that are cut off in the middle of a word for silence.

use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use serde_json::{Value, json};

use crate::world::World;

/// What is heard of an answer that runs out of time after its first words.
async fn heard(first: &str, how_shown: Value) -> Vec<String> {
    let mut account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    account.as_object_mut().unwrap().extend(how_shown.as_object().unwrap().clone());
    let world = World::with(json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "agents": { "defaults": { "timeoutSeconds": 8 } },
    }))
    .await;
    world.flow.open_channels().await.unwrap();
    let words = format!("slow={first},more");
    let event = FakePlatform::direct("default", "ana", "1", &words, world.machine.clock.now());
    world.machine.platform.receive(event).await.unwrap();
    world.until(|| world.flow.busy() == 1).await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(1)).await;
    world.machine.platform.words_to("ana")
}

#[tokio::test]
async fn the_beginning_of_a_word_for_silence_is_not_sent_when_the_time_is_over() {
    for shown in [json!({}), json!({ "blockStreaming": true }), json!({ "streaming": "partial" })] {
        for first in ["NO", "HEARTB"] {
            assert_eq!(heard(first, shown.clone()).await, Vec::<String>::new(), "{first} {shown}");
        }
        assert_eq!(heard("No", shown.clone()).await, ["No"], "a short answer is one, {shown}");
    }
}
