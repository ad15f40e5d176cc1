//! Cards: help, status, who somebody is, the context, usage, models, an exported page.

use openclaw_flow::{Author, Rank};
use openclaw_types::{ChannelId, PeerId};
use serde_json::{Value, json};

use crate::world::{World, owner};

fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

#[tokio::test]
async fn help_and_the_list_name_commands() {
    let world = World::new().await;
    holds(&world.answer("/help").await, &["/new", "/commands"]);
    let list = world.answer("/commands").await;
    holds(&list, &["/status", "/export-session", "/subagents", "/activation"]);
    assert!(!list.contains("/config"), "what is switched off is not listed:\n{list}");
    assert_eq!(world.transcript().await.len(), 2, "answers are kept in the session");
}

#[tokio::test]
async fn the_status_of_a_fresh_session_says_what_would_answer() {
    let world = World::new().await;
    let card = world.answer("/status").await;
    holds(
        &card,
        &[
            "OpenClaw 9.9.9",
            "Thursday 2026-01-01 00:00",
            "Model: alpha/one",
            "api_key (alpha:work)",
            "none yet",
            "empty, of 100k",
            "agent:main:main",
            "Runtime: direct",
            "think low",
            "collect (debounce 1s, cap 20)",
            "0 waiting",
            "resting",
        ],
    );
    assert!(!card.contains("planted-secret"));
}

#[tokio::test]
async fn the_time_is_told_as_the_person_reads_it() {
    let time = async |defaults: Value| {
        World::with(json!({ "agents": { "defaults": defaults } })).await.answer("/status").await
    };
    let berlin = json!({ "model": "alpha/one", "userTimezone": "Europe/Berlin", "timeFormat": "12" });
    holds(&time(berlin).await, &["Thursday 2026-01-01 1:00 AM CET"]);
    let utc = json!({ "model": "alpha/one", "userTimezone": "UTC", "timeFormat": "24" });
    holds(&time(utc).await, &["Thursday 2026-01-01 00:00 UTC"]);
}

#[tokio::test]
async fn the_status_after_an_answer_counts_tokens_and_money() {
    let world = World::new().await;
    world.say("hello there").await;
    world.answer("/model alpha/two").await;
    world.answer("/think high").await;
    let card = world.answer("/status").await;
    holds(
        &card,
        &["Model: alpha/two", "instead of alpha/one", "The last answer came from alpha/one", "think high"],
    );
    holds(&card, &[" in, ", " out", "this session: $", "of 100k (", "Summed up: 0×"]);
}

#[tokio::test]
async fn a_shortcut_inside_a_message_is_answered_and_the_rest_goes_to_the_model() {
    let world = World::new().await;
    assert_eq!(world.say("what now /status please").await, None, "only the run's end is told under its name");
    let said = world.transcript().await;
    assert!(
        said.iter().any(|line| line.starts_with("assistant: ") && line.contains("Model: alpha/one")),
        "{said:?}"
    );
    assert_eq!(world.transcript().await.last().unwrap(), "assistant: fine");
    assert!(world.transcript().await.iter().any(|line| line == "user: what now please"));
}

#[tokio::test]
async fn whoami_gives_the_id_that_lists_want() {
    let world = World::new().await;
    holds(&world.answer("/whoami").await, &["Channel: webchat", "Standing: owner"]);
    let from = Author {
        standing: Rank::Owner,
        channel: Some(ChannelId::new("telegram").unwrap()),
        peer: Some(PeerId::new("42").unwrap()),
        name: Some("Ana".to_owned()),
        ..Author::default()
    };
    let card = world.say_as("/id", from).await.unwrap();
    holds(&card, &["Channel: telegram", "Your id: 42", "(allowFrom): 42", "Name: Ana"]);
}

#[tokio::test]
async fn the_context_is_measured_in_three_ways() {
    let world = World::new().await;
    holds(&world.answer("/context").await, &["/context list"]);
    holds(&world.answer("/context list").await, &["Workspace files", "System prompt"]);
    holds(&world.answer("/context detail").await, &["Workspace files", "AGENTS.md"]);
    let json: Value = serde_json::from_str(&world.answer("/context json").await).unwrap();
    assert_eq!(json["session"]["contextTokens"], json!(100_000));
    assert_eq!(json["report"]["source"], json!("estimate"));
}

#[tokio::test]
async fn usage_is_switched_and_cost_is_summed() {
    let world = World::new().await;
    for (text, said, kept) in [
        ("/usage", "tokens", Some("tokens")),
        ("/usage", "full", Some("full")),
        ("/usage", "not shown", None),
        ("/usage full", "full", Some("full")),
        ("/usage off", "not shown", None),
    ] {
        holds(&world.answer(text).await, &[said]);
        assert_eq!(world.facts().await.response_usage.as_deref(), kept, "{text}");
    }
    holds(&world.answer("/usage cost").await, &["This session: nothing yet"]);
    world.say("hello").await;
    holds(&world.answer("/usage cost").await, &["This session: $", "in 1 calls", "Last 30 days: $"]);
}

/// What the model answers to a message, as people get it.
async fn said(world: &World) -> String {
    let run = world.begin("hello").await;
    world.over(&run).await;
    let outcome = world.flow.outcome(&run).await.unwrap().outcome.unwrap();
    outcome.replies.iter().map(|reply| reply.text.as_str()).collect()
}

#[tokio::test]
async fn usage_stands_below_answers_where_people_want_it() {
    let world = World::new().await;
    assert_eq!(said(&world).await, "fine");
    world.say("/usage tokens").await;
    let tokens = said(&world).await;
    assert!(tokens.starts_with("fine\nUsage: ") && tokens.contains(" in / "), "{tokens}");
    assert!(tokens.contains(" out · est $") && !tokens.contains("session"), "{tokens}");
    world.say("/usage full").await;
    let full = said(&world).await;
    assert!(full.ends_with(" · session agent:main:main"), "{full}");
    world.say("/usage off").await;
    assert_eq!(said(&world).await, "fine");
    let transcript = world.transcript().await;
    assert!(!transcript.iter().any(|line| line.contains("Usage: ")), "models are not told: {transcript:#?}");
}

#[tokio::test]
async fn models_are_listed_by_provider_and_page() {
    let world = World::new().await;
    let all = world.answer("/models").await;
    holds(&all, &["alpha (2)"]);
    assert!(!all.contains("beta"), "nobody can sign in there:\n{all}");
    holds(&world.answer("/models alpha size=1").await, &["alpha/one", "page 1 of 2", "/models alpha 2"]);
    holds(&world.answer("/models alpha 2 size=1").await, &["alpha/two", "page 2 of 2"]);
    holds(&world.answer("/models beta").await, &["beta/one"]);
    holds(&world.answer("/models gamma").await, &["No models of \"gamma\"", "alpha (2)"]);
}

#[tokio::test]
async fn a_session_is_exported_into_the_workspace_and_nowhere_else() {
    let world = World::new().await;
    world.say("tell me <b>all</b>").await;
    let said = world.answer("/export-session talks/today").await;
    let page = world.home.path().join("workspace/talks/today.html");
    holds(&said, &[&page.display().to_string(), "2 messages", "system prompt of"]);
    let text = std::fs::read_to_string(&page).unwrap();
    holds(&text, &["tell me &lt;b&gt;all&lt;/b&gt;", "<pre>fine</pre>"]);
    holds(&world.answer("/export ../out.html").await, &["written to the workspace"]);
    assert!(!world.home.path().join("out.html").exists());
    holds(&world.answer("/export talks/today.html").await, &["is there already"]);
    holds(&world.answer("/export").await, &["openclaw-session-", "2026-01-01T"]);
}

#[tokio::test]
async fn commands_of_strangers_are_neither_done_nor_answered() {
    let world = World::new().await;
    let stranger = Author { standing: Rank::System, ..owner() };
    assert_eq!(world.say_as("/status", stranger).await, None);
}
