//! What there is to sign in with, by source.

use openclaw_ports::model::{CredentialKind, CredentialOrigin, Credentials};
use openclaw_ports::stores::{StoreError, StoredSecret};
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_types::AgentId;
use serde_json::{Value, json};

use crate::auth::testing::{World, key_profile, provider, secret, sign_in};

async fn listed(world: &World, name: &str) -> Vec<(String, CredentialKind, CredentialOrigin)> {
    let known = world.sign_ins().profiles(&AgentId::main(), &provider(name)).await.unwrap();
    known.into_iter().map(|facts| (facts.id.to_string(), facts.kind, facts.origin)).collect()
}

fn row(
    id: &str,
    kind: CredentialKind,
    origin: CredentialOrigin,
) -> (String, CredentialKind, CredentialOrigin) {
    (id.to_owned(), kind, origin)
}

fn entry(name: &str, more: Value) -> Value {
    let mut entry = json!({ "baseUrl": "http://127.0.0.1:9/v1", "models": [] });
    for (field, value) in more.as_object().unwrap() {
        entry[field] = value.clone();
    }
    json!({ "models": { "providers": { name: entry } } })
}

#[tokio::test]
async fn stored_ones_come_first_then_variables_then_the_configuration() {
    let world = World::new()
        .variable("OPENAI_API_KEY", "from-variable")
        .config(entry("openai", json!({ "apiKey": "from-config" })));
    let later = world.in_seconds(60);
    let world = world
        .with(key_profile("openai:work", StoredSecret::Text(secret("k"))))
        .await
        .with(sign_in("openai:home", "x", later))
        .await
        .with(key_profile("anthropic:work", StoredSecret::Text(secret("k"))))
        .await;
    assert_eq!(
        listed(&world, "openai").await,
        [
            row("openai:home", CredentialKind::Oauth, CredentialOrigin::Stored),
            row("openai:work", CredentialKind::ApiKey, CredentialOrigin::Stored),
            row(
                "env:OPENAI_API_KEY",
                CredentialKind::ApiKey,
                CredentialOrigin::Environment("OPENAI_API_KEY".to_owned())
            ),
            row("config:openai", CredentialKind::ApiKey, CredentialOrigin::Configuration),
        ]
    );
}

#[tokio::test]
async fn the_first_variable_that_is_set_counts_and_tokens_are_told_from_keys() {
    let world = World::new().variable("ANTHROPIC_OAUTH_TOKEN", " ").variable("ANTHROPIC_API_KEY", "k");
    let key = CredentialOrigin::Environment("ANTHROPIC_API_KEY".to_owned());
    assert_eq!(
        listed(&world, "anthropic").await,
        [row("env:ANTHROPIC_API_KEY", CredentialKind::ApiKey, key)]
    );
    let world = World::new().variable("ANTHROPIC_OAUTH_TOKEN", "t").variable("ANTHROPIC_API_KEY", "k");
    let token = CredentialOrigin::Environment("ANTHROPIC_OAUTH_TOKEN".to_owned());
    assert_eq!(
        listed(&world, "anthropic").await,
        [row("env:ANTHROPIC_OAUTH_TOKEN", CredentialKind::Token, token)]
    );
    let world = World::new().variable("GH_TOKEN", "t");
    let token = CredentialOrigin::Environment("GH_TOKEN".to_owned());
    assert_eq!(listed(&world, "github-copilot").await, [row("env:GH_TOKEN", CredentialKind::Token, token)]);
}

#[tokio::test]
async fn variables_of_the_configuration_count_too() {
    let world = World::new().config(json!({ "env": { "vars": { "OPENAI_API_KEY": "from-file" } } }));
    let origin = CredentialOrigin::Environment("OPENAI_API_KEY".to_owned());
    assert_eq!(listed(&world, "openai").await, [row("env:OPENAI_API_KEY", CredentialKind::ApiKey, origin)]);
}

#[tokio::test]
async fn a_configured_key_that_repeats_a_variable_or_stands_for_a_sign_in_is_none() {
    let variable = row(
        "env:OPENAI_API_KEY",
        CredentialKind::ApiKey,
        CredentialOrigin::Environment("OPENAI_API_KEY".to_owned()),
    );
    for written in ["${OPENAI_API_KEY}", "OPENAI_API_KEY", "same"] {
        let world = World::new()
            .variable("OPENAI_API_KEY", "same")
            .config(entry("openai", json!({ "apiKey": written })));
        assert_eq!(listed(&world, "openai").await, std::slice::from_ref(&variable), "{written}");
    }
    let world = World::new().config(entry("qwen-portal", json!({ "apiKey": "qwen-oauth" })));
    assert_eq!(listed(&world, "qwen-portal").await, []);
}

#[tokio::test]
async fn an_entry_under_another_name_of_its_vendor_counts() {
    let rows = [
        ("z.ai", "zai"),
        ("Z-AI", "zai"),
        ("qwen", "qwen-portal"),
        ("kimi-code", "kimi-coding"),
        ("doubao", "volcengine"),
        ("lm-studio", "lmstudio"),
        (" OpenAI ", "openai"),
        ("openai", "openai"),
    ];
    for (written, meant) in rows {
        let world = World::new().config(entry(written, json!({ "apiKey": "k" })));
        let expected =
            [row(&format!("config:{meant}"), CredentialKind::ApiKey, CredentialOrigin::Configuration)];
        assert_eq!(listed(&world, meant).await, expected, "{written}");
        assert_eq!(listed(&world, written).await, expected, "{written}");
        let sign_ins = world.sign_ins();
        let known = sign_ins.profiles(&AgentId::main(), &provider(meant)).await.unwrap();
        let access = sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap();
        assert_eq!(access.secret, Some(secret("k")), "{written}");
    }
    let world = World::new()
        .variable("AWS_ACCESS_KEY_ID", "i")
        .variable("AWS_SECRET_ACCESS_KEY", "s")
        .config(entry("bedrock", json!({ "auth": "aws-sdk" })));
    let origin = CredentialOrigin::Environment("AWS_ACCESS_KEY_ID".to_owned());
    assert_eq!(
        listed(&world, "amazon-bedrock").await,
        [row("env:AWS_ACCESS_KEY_ID", CredentialKind::Aws, origin)]
    );
}

#[tokio::test]
async fn an_address_written_under_another_name_wins_over_the_accounts_own() {
    for written in ["qwen", "qwen-portal"] {
        let world = World::new().config(entry(written, json!({ "apiKey": "qwen-oauth" })));
        let later = world.in_seconds(3000);
        let mut profile = sign_in("qwen:default", "old", later);
        profile.extra.insert("resourceUrl".to_owned(), "eu.qwen.ai".into());
        let world = world.with(profile).await;
        let sign_ins = world.sign_ins();
        let known = sign_ins.profiles(&AgentId::main(), &provider("qwen-portal")).await.unwrap();
        let access = sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap();
        assert_eq!(access.base_url, None, "{written}");
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_read_takes_only_its_own_sign_ins_away() {
    let home = tempfile::tempdir().unwrap();
    let clock = std::sync::Arc::new(openclaw_ports::SystemClock::new());
    let location = StateLocation::within(home.path());
    let database = std::sync::Arc::new(StateDatabase::open(location, clock).await.unwrap());
    let world = World::new()
        .stored_in(database.clone())
        .variable("OPENAI_API_KEY", "k")
        .config(entry("mine", json!({ "apiKey": "k" })))
        .with(key_profile("openai:work", StoredSecret::Text(secret("k"))))
        .await;
    database.close().await.unwrap();
    let origin = CredentialOrigin::Environment("OPENAI_API_KEY".to_owned());
    assert_eq!(listed(&world, "openai").await, [row("env:OPENAI_API_KEY", CredentialKind::ApiKey, origin)]);
    let written = row("config:mine", CredentialKind::ApiKey, CredentialOrigin::Configuration);
    assert_eq!(listed(&world, "mine").await, [written]);
    // Where there is nothing else the fault says why.
    let fault = world.sign_ins().profiles(&AgentId::main(), &provider("anthropic")).await.unwrap_err();
    assert!(matches!(fault, StoreError::Closed), "{fault}");
}

#[tokio::test]
async fn servers_that_ask_for_nothing_are_ready_at_once() {
    let nothing = |name: &str| row(name, CredentialKind::Nothing, CredentialOrigin::NotNeeded);
    assert_eq!(listed(&World::new(), "ollama").await, [nothing("none:ollama")]);
    let world = World::new().variable("OLLAMA_API_KEY", "k");
    let origin = CredentialOrigin::Environment("OLLAMA_API_KEY".to_owned());
    assert_eq!(listed(&world, "ollama").await, [row("env:OLLAMA_API_KEY", CredentialKind::ApiKey, origin)]);
    assert_eq!(listed(&World::new(), "openai").await, []);
    assert_eq!(listed(&World::new(), "unheard-of").await, []);
}

#[tokio::test]
async fn aws_and_google_are_found_where_their_tools_keep_them() {
    let world = World::new()
        .variable("AWS_BEARER_TOKEN_BEDROCK", "b")
        .variable("AWS_ACCESS_KEY_ID", "i")
        .variable("AWS_SECRET_ACCESS_KEY", "s")
        .variable("AWS_PROFILE", "work")
        .variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x");
    let environment = |name: &str| CredentialOrigin::Environment(name.to_owned());
    let vendor = |name: &str| CredentialOrigin::Vendor(name.to_owned());
    assert_eq!(
        listed(&world, "amazon-bedrock").await,
        [
            row(
                "env:AWS_BEARER_TOKEN_BEDROCK",
                CredentialKind::Token,
                environment("AWS_BEARER_TOKEN_BEDROCK")
            ),
            row("env:AWS_ACCESS_KEY_ID", CredentialKind::Aws, environment("AWS_ACCESS_KEY_ID")),
            row("aws-profile:work", CredentialKind::Aws, vendor("AWS profile work")),
            row("aws-container:role", CredentialKind::Aws, vendor("AWS container role")),
        ]
    );
    assert_eq!(listed(&World::new(), "amazon-bedrock").await, []);
    assert_eq!(listed(&World::new(), "google-vertex").await, []);
    let world = World::new();
    std::fs::create_dir_all(world.home.path().join(".config/gcloud")).unwrap();
    std::fs::write(world.home.path().join(".config/gcloud/application_default_credentials.json"), "{}")
        .unwrap();
    assert_eq!(
        listed(&world, "google-vertex").await,
        [row("gcloud:adc", CredentialKind::Oauth, vendor("Google application credentials"))]
    );
    let world = World::new()
        .variable("AWS_ACCESS_KEY_ID", "i")
        .variable("AWS_SECRET_ACCESS_KEY", "s")
        .config(entry("my-bedrock", json!({ "auth": "aws-sdk" })));
    assert_eq!(
        listed(&world, "my-bedrock").await,
        [row("env:AWS_ACCESS_KEY_ID", CredentialKind::Aws, environment("AWS_ACCESS_KEY_ID"))]
    );
}
