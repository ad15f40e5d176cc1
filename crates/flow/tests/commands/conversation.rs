//! The conversation itself: begun anew, summed up, allowed to be sent.

use openclaw_flow::FlowError;
use openclaw_providers::{Gate, Script, Scripts};
use serde_json::json;

use crate::world::{World, owner};

#[tokio::test]
async fn a_new_conversation_greets_or_takes_the_first_words() {
    let world = World::new().await;
    world.say("remember me").await;
    world.answer("/think high").await;
    let before = world.entry().await.session_id;

    assert_eq!(world.say("/new").await, None, "the model answers, not the command");
    let greeted = world.entry().await;
    assert_ne!(greeted.session_id, before);
    assert_eq!(greeted.facts.thinking_level.as_deref(), Some("high"), "what a person chose stays");
    let transcript = world.transcript().await;
    assert_eq!(transcript.len(), 2, "{transcript:?}");
    assert!(transcript[0].starts_with("user: A new conversation begins now"), "{transcript:?}");
    assert_eq!(transcript[1], "assistant: fine");

    world.say("/reset let us talk about boats").await;
    assert_ne!(world.entry().await.session_id, greeted.session_id);
    assert_eq!(world.transcript().await, ["user: let us talk about boats", "assistant: fine"]);
}

#[tokio::test]
async fn the_first_words_behind_new_may_name_a_model() {
    for (text, model, asked) in [
        ("/new alpha/two hello", Some("two"), "hello"),
        ("/new alpha two hello", Some("two"), "hello"),
        ("/new big hello", Some("two"), "hello"),
        ("/new beta hello", Some("one"), "hello"),
        ("/new two hello", Some("two"), "hello"),
        ("/new alpha/one hello", None, "hello"),
        ("/new boats are nice", None, "boats are nice"),
        ("/reset alpha/two hello", None, "alpha/two hello"),
    ] {
        let world = World::with(json!({ "agents": { "defaults": {
            "model": "alpha/one",
            "models": { "alpha/one": {}, "alpha/two": { "alias": "big" }, "beta/one": {} }
        } } }))
        .await;
        world.say(text).await;
        assert_eq!(world.facts().await.model_override.as_deref(), model, "{text}");
        assert_eq!(world.transcript().await[0], format!("user: {asked}"), "{text}");
    }
}

#[tokio::test]
async fn beginning_anew_stops_what_is_under_way() {
    let gate = Gate::new();
    let scripts =
        Scripts::new().then(Script::new().hold(&gate).say("late")).otherwise(Script::new().say("fine"));
    let world = World::talking(json!({}), scripts).await;
    let busy = world.begin("think long").await;
    gate.until_arrived(1).await;
    world.say("/new").await;
    world.over(&busy).await;
    let transcript = world.transcript().await;
    assert_eq!(transcript.len(), 2, "{transcript:?}");
    assert_eq!(world.facts().await.total_tokens_fresh, Some(true), "the counters are those of the greeting");
}

#[tokio::test]
async fn summing_up_says_what_came_of_it() {
    let long = "boats ".repeat(400);
    let scripts = Scripts::new().otherwise(Script::new().say("They like boats."));
    let world = World::talking(json!({}), scripts).await;
    assert_eq!(world.answer("/compact").await, "🧹 There is nothing to sum up yet.");
    for _ in 0..4 {
        world.say(&long).await;
    }
    let said = world.answer("/compact keep the boats").await;
    assert!(
        said.starts_with("🧹 Summed up: ") && said.contains("Context: ") && said.contains("of 100k"),
        "{said}"
    );
    assert_eq!(world.facts().await.compaction_count, Some(1));
}

#[tokio::test]
async fn summing_up_stops_the_run_and_leaves_waiting_messages_alone() {
    let gate = Gate::new();
    let scripts =
        Scripts::new().then(Script::new().hold(&gate).say("late")).otherwise(Script::new().say("fine"));
    let world = World::talking(json!({}), scripts).await;
    let busy = world.begin("think long").await;
    gate.until_arrived(1).await;
    let waiting = world.begin("and then this").await;
    assert!(world.answer("/compact").await.contains("Messages are waiting"));
    gate.open();
    world.over(&busy).await;
    world.over(&waiting).await;
    assert_eq!(world.transcript().await.last().unwrap(), "assistant: fine");
}

#[tokio::test]
async fn where_nothing_is_sent_a_command_still_changes_that() {
    let world = World::new().await;
    assert!(world.answer("/send").await.contains("inherit"));
    world.answer("/send on").await;
    assert_eq!(world.facts().await.send_policy.as_deref(), Some("allow"));
    world.answer("/send inherit").await;
    assert_eq!(world.facts().await.send_policy, None);
    assert!(world.answer("/send off").await.contains("/send on"));
    assert_eq!(world.facts().await.send_policy.as_deref(), Some("deny"));
    let refused = world.flow.submit(world.submission("hello", owner())).await;
    assert!(matches!(refused, Err(FlowError::Blocked)), "{refused:?}");
    world.answer("/send on").await;
    assert_eq!(world.facts().await.send_policy.as_deref(), Some("allow"));
}
