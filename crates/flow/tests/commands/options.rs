//! Settings that stand alone: what is said, and what the session keeps.

use openclaw_flow::{Author, Rank};
use serde_json::json;

use crate::world::{World, owner};

/// Writes each text and expects the words in the answer.
async fn table(world: &World, rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        let said = world.answer(text).await;
        assert!(said.contains(expected), "{text}: {said}");
    }
}

#[tokio::test]
async fn levels_are_shown_set_and_refused() {
    let world = World::new().await;
    table(
        &world,
        &[
            ("/think", "Thinking: low. Levels: off, minimal, low, medium, high."),
            ("/think high", "Thinking: high."),
            ("/think xhigh", "alpha/one has no level xhigh"),
            ("/think perhaps", "\"perhaps\" is no level of thinking"),
            ("/verbose", "Tools at work: off"),
            ("/verbose full", "what comes of it"),
            ("/v", "Tools at work: full"),
            ("/reasoning stream", "as they come"),
            ("/reasoning", "Thoughts: stream"),
        ],
    )
    .await;
    let facts = world.facts().await;
    assert_eq!(
        [facts.thinking_level.as_deref(), facts.verbose_level.as_deref(), facts.reasoning_level.as_deref()],
        [Some("high"), Some("full"), Some("stream")]
    );
    table(&world, &[("/model alpha/two", "Model: alpha/two"), ("/think xhigh", "Thinking: xhigh.")]).await;
    assert_eq!(world.facts().await.thinking_level.as_deref(), Some("xhigh"));
    table(&world, &[("/think off /verbose off", "Thinking is off.\n🔎 Tools at work are not shown.")]).await;
    let facts = world.facts().await;
    assert_eq!([facts.thinking_level.as_deref(), facts.verbose_level.as_deref()], [Some("off"), Some("off")]);
}

#[tokio::test]
async fn a_setting_inside_a_message_is_not_kept() {
    let world = World::new().await;
    world.say("/think high what is this").await;
    assert_eq!(world.facts().await.thinking_level, None);
}

#[tokio::test]
async fn elevated_is_open_to_those_who_are_listed() {
    let closed = World::new().await;
    table(
        &closed,
        &[
            ("/elevated full", "Closed gate: tools.elevated.allowFrom.webchat"),
            ("/elevated", "Add yourself to tools.elevated.allowFrom.webchat"),
            ("/elevated off", "Elevated commands are off"),
        ],
    )
    .await;
    assert_eq!(closed.facts().await.elevated_level.as_deref(), Some("off"));

    let shut = World::with(
        json!({ "tools": { "elevated": { "enabled": false, "allowFrom": { "webchat": ["*"] } } } }),
    );
    table(&shut.await, &[("/elevated on", "Set tools.elevated.enabled to true")]).await;

    let open = World::with(json!({ "tools": { "elevated": { "allowFrom": { "webchat": ["*"] } } } })).await;
    table(
        &open,
        &[
            ("/elevated", "Elevated commands: off"),
            ("/elevated maybe", "is no level"),
            ("/elevated full", "nobody is asked"),
        ],
    )
    .await;
    assert_eq!(open.facts().await.elevated_level.as_deref(), Some("full"));
    assert_eq!(open.notes(), ["Elevated commands were set to full."]);
    // Whoever is not the owner has no place in the list of those who come in through the gateway.
    let guest = Author { standing: Rank::Guest, ..Author::default() };
    assert_ne!(
        open.say_as("/elevated ask", guest).await.as_deref(),
        Some("🔓 Elevated commands are on; the rules for approval hold.")
    );
    let boxed = json!({
        "tools": { "elevated": { "allowFrom": { "webchat": ["*"] } } },
        "agents": { "defaults": { "sandbox": { "mode": "all" }, "elevatedDefault": "full" } },
    });
    table(&World::with(boxed).await, &[("/elevated", "Elevated commands: full")]).await;
}

#[tokio::test]
async fn where_commands_run_is_kept() {
    let world = World::with(json!({ "tools": { "exec": { "security": "allowlist" } } })).await;
    table(
        &world,
        &[
            ("/exec", "host=default security=allowlist ask=default node=default"),
            ("/exec host=gateway ask=always", "host=gateway security=allowlist ask=always node=default"),
            ("/exec host=moon", "\"moon\" is not a value for host"),
        ],
    )
    .await;
    let facts = world.facts().await;
    assert_eq!(
        [facts.exec_host.as_deref(), facts.exec_security.as_deref(), facts.exec_ask.as_deref()],
        [Some("gateway"), None, Some("always")]
    );
}

#[tokio::test]
async fn whoever_may_not_approve_commands_only_makes_their_rules_stricter() {
    let file =
        json!({ "tools": { "exec": { "host": "gateway", "security": "allowlist", "ask": "on-miss" } } });
    let world = World::with(file).await;
    let nobody = Author { may_approve: false, ..owner() };
    for (text, expected) in [
        ("/exec security=full ask=off", "security would be looser"),
        ("/exec ask=off", "ask would be looser"),
        ("/exec security=deny ask=off", "ask would be looser"),
        ("/exec", "host=gateway security=allowlist ask=on-miss"),
        ("/exec security=deny ask=always", "security=deny ask=always"),
        ("/exec security=allowlist", "security would be looser"),
        ("/exec", "security=deny ask=always"),
    ] {
        let said = world.say_as(text, nobody.clone()).await.unwrap_or_default();
        assert!(said.contains(expected), "{text}: {said}");
    }
    // Inside of a message it does not hold either, and the agent knows.
    world.say_as("/exec security=full ask=off run it", nobody).await;
    let told = world.transcript().await.join("\n");
    assert!(told.contains("security would be looser") && told.contains("run it"), "{told}");
    table(&world, &[("/exec security=full ask=off", "security=full ask=off")]).await;
}

#[tokio::test]
async fn the_queue_is_kept_and_taken_back() {
    let world = World::new().await;
    table(
        &world,
        &[
            ("/queue", "collect, debounce 1s, cap 20, drop summarize. Modes: steer, followup, collect"),
            ("/queue steer debounce:500ms cap:5 drop:old", "steer, debounce 500ms, cap 5, drop old."),
            ("/queue backwards", "\"backwards\" is not a value for mode"),
        ],
    )
    .await;
    let facts = world.facts().await;
    assert_eq!(
        (facts.queue_mode.as_deref(), facts.queue_debounce_ms, facts.queue_cap, facts.queue_drop.as_deref()),
        (Some("steer"), Some(500), Some(5), Some("old"))
    );
    table(&world, &[("/queue reset", "The configuration decides again. Messages while I am busy: collect")])
        .await;
    let facts = world.facts().await;
    assert_eq!(
        (facts.queue_mode, facts.queue_debounce_ms, facts.queue_cap, facts.queue_drop),
        (None, None, None, None)
    );
}

#[tokio::test]
async fn a_model_is_chosen_by_name_number_and_sign_in_and_taken_back() {
    let world = World::new().await;
    table(
        &world,
        &[
            ("/model", "Model: alpha/one (default)"),
            ("/model list", "1. alpha/one\n2. alpha/two"),
            ("/model 2", "Model: alpha/two."),
        ],
    )
    .await;
    let facts = world.facts().await;
    assert_eq!(
        (facts.provider_override.as_deref(), facts.model_override.as_deref()),
        (Some("alpha"), Some("two"))
    );
    assert_eq!(world.notes(), ["The model of this session is now alpha/two."]);
    table(
        &world,
        &[
            ("/model 9", "There is no model 9"),
            ("/model", "Model: alpha/two (default: alpha/one)"),
            ("/model status", "• alpha:work: api_key (alpha:work)"),
            ("/model alpha/two@alpha:home", "There is no sign-in alpha:home"),
            ("/model alpha/two@alpha:work", "Model: alpha/two. Sign-in: alpha:work."),
        ],
    )
    .await;
    let facts = world.facts().await;
    assert_eq!(
        (facts.auth_profile_override.as_deref(), facts.auth_profile_override_source.as_deref()),
        (Some("alpha:work"), Some("user"))
    );
    table(&world, &[("/model alpha/one", "Model reset to default (alpha/one)")]).await;
    let facts = world.facts().await;
    assert_eq!(
        (facts.provider_override, facts.model_override, facts.auth_profile_override),
        (None, None, None)
    );
    table(&world, &[("/model gamma/x", "knows the provider gamma")]).await;
}

#[tokio::test]
async fn a_list_of_models_keeps_others_out() {
    let world = World::with(json!({ "agents": { "defaults": {
        "model": "alpha/one", "models": { "alpha/one": {}, "alpha/two": { "alias": "big" } }
    } } }))
    .await;
    table(
        &world,
        &[
            ("/model beta/one", "Model \"beta/one\" is not allowed. Use /model to list available models."),
            ("/model list", "2. alpha/two (big)"),
            ("/model big", "Model: alpha/two."),
            ("/model default", "Model reset to default (alpha/one)"),
            ("/big", "Model: alpha/two."),
        ],
    )
    .await;
    assert_eq!(world.facts().await.model_override.as_deref(), Some("two"));
}
