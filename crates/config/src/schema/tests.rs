//! What is secret, what a form shows.
//!
//! That the schema itself equals the original's is proven in `tests/sections_schema.rs`.

use serde_json::{Value, json};

use super::generate::marked_schema;
use super::{GeneratedSchema, config_schema, is_sensitive_path, root_schema};
use crate::sections::SECRET_MARK;

#[test]
fn the_program_carries_what_the_section_types_make() {
    let made = GeneratedSchema::make();
    let in_step = made.whole == config_schema().schema && made.checked == root_schema();
    assert!(in_step, "run `cargo xtask schema`");
}

#[test]
fn every_path_that_the_original_hides_is_sensitive() {
    let list = include_str!("../../tests/fixtures/sensitive-paths-2026.2.26.txt");
    let missed: Vec<&str> =
        list.lines().filter(|path| !is_sensitive_path(&path.split('.').collect::<Vec<_>>())).collect();
    assert_eq!(missed, Vec::<&str>::new());
}

#[test]
fn every_text_that_the_sections_type_as_secret_is_sensitive() {
    let mut secrets = Vec::new();
    find_secrets(&marked_schema(), &mut Vec::new(), &mut secrets);
    let shown: Vec<&String> =
        secrets.iter().filter(|path| !is_sensitive_path(&path.split('.').collect::<Vec<_>>())).collect();
    assert_eq!(shown, Vec::<&String>::new());
    for known in ["gateway.auth.token", "models.providers.*.apiKey", "skills.entries.*.env.*", "env.*"] {
        assert!(secrets.iter().any(|path| path == known), "{known} was not found");
    }
}

#[test]
fn the_mark_of_secret_texts_never_leaves() {
    let shown = format!("{} {}", config_schema().schema, root_schema());
    assert!(!shown.contains(SECRET_MARK));
}

/// The dotted paths of all texts that are marked as secret.
fn find_secrets(node: &Value, path: &mut Vec<String>, secrets: &mut Vec<String>) {
    if node.get(SECRET_MARK).is_some() {
        secrets.push(path.join("."));
    }
    let properties = node.get("properties").and_then(Value::as_object).into_iter().flatten();
    let named = properties.map(|(key, child)| (key.as_str(), child));
    let others = node.get("additionalProperties").map(|child| ("*", child));
    let items = node.get("items").map(|child| ("[]", child));
    for (key, child) in named.chain(others).chain(items) {
        path.push(key.to_owned());
        find_secrets(child, path, secrets);
        path.pop();
    }
    let unions = ["anyOf", "oneOf", "allOf"].iter().filter_map(|word| node.get(*word)?.as_array());
    unions.flatten().for_each(|alternative| find_secrets(alternative, path, secrets));
}

#[test]
fn forms_hide_what_the_original_hides() {
    let hints = config_schema().ui_hints;
    let list = include_str!("../../tests/fixtures/sensitive-paths-2026.2.26.txt");
    let own =
        list.lines().filter(|path| !path.starts_with("channels.") && !path.starts_with("plugins.entries."));
    let shown: Vec<&str> = own.filter(|path| hints[*path]["sensitive"] != true).collect();
    assert_eq!(shown, Vec::<&str>::new());
}

#[test]
fn sensitivity_follows_the_name_of_the_key_also_in_unknown_sections() {
    let check = |path: &[&str], expected: bool| assert_eq!(is_sensitive_path(path), expected, "{path:?}");
    check(&["channels", "somewhere", "accounts", "home", "botToken"], true);
    check(&["channels", "somewhere", "webhookSecret"], true);
    check(&["channels", "somewhere", "serviceAccount", "private_key_id"], true);
    check(&["plugins", "entries", "any", "config", "smtpPassword"], true);
    check(&["env", "vars", "SOME_API_KEY"], true);
    check(&["env", "ANY_NAME"], true);
    check(&["env", "shellEnv", "timeoutMs"], false);
    check(&["models", "providers", "mine", "headers", "X-Api-Key"], true);
    check(&["models", "providers", "mine", "headers", "Authorization"], true);
    check(&["models", "providers", "mine", "headers", "X-Anything"], true);
    check(&["models", "providers", "mine", "headers"], false);
    check(&["plugins", "entries", "any", "config", "servers", "0", "env", "ANY"], true);
    check(&["plugins", "entries", "any", "config", "env", "[]"], true);
    check(&["secrets", "providers", "env", "source"], false);
    check(&["secrets", "providers", "env", "env", "ANY"], true);
    check(&["browser", "profiles", "mine", "cdpUrl"], true);
    check(&["browser", "profiles", "mine", "cdpPort"], false);
    check(&["channels", "somewhere", "proxy"], true);
    check(&["cron", "webhook"], true);
    check(&["env"], false);
    check(&["skills", "entries", "providers", "env", "ANY"], true);
    check(&["plugins", "entries", "any", "config", "providers", "env", "ANY"], true);
    check(&["channels", "somewhere", "tokens", "0"], false);
    check(&["agents", "defaults", "contextTokens"], false);
    check(&["models", "providers", "mine", "models", "0", "maxTokens"], false);
    check(&["channels", "somewhere", "tokenFile"], false);
    check(&["session", "mainKey"], false);
    check(&["hooks", "mappings", "0", "sessionKey"], true);
    check(&["secrets"], false);
    check(&["gateway", "auth", "mode"], false);
    check(&[], false);
}

#[test]
fn secrets_stay_secret_in_lists() {
    assert!(is_sensitive_path(&["channels", "somewhere", "apiKeys", "3"]));
    assert!(is_sensitive_path(&["channels", "somewhere", "token", "[]"]));
}

#[test]
fn hints_have_a_label_for_every_path() {
    let hints = config_schema().ui_hints;
    assert_eq!(
        [
            &hints["gateway"],
            &hints["gateway.auth.token"],
            &hints["gateway.controlUi.allowedOrigins"],
            &hints["agents.list[].heartbeat.every"],
            &hints["models.providers.*.apiKey"],
            &hints["gateway.reload.debounceMs"],
        ],
        [
            &json!({ "label": "Gateway", "tags": ["advanced"], "group": "Gateway", "order": 40 }),
            &json!({ "label": "Token", "tags": ["auth"], "sensitive": true }),
            &json!({
                "label": "Allowed origins",
                "tags": ["access"],
                "placeholder": "https://control.example.com"
            }),
            &json!({ "label": "Every", "tags": ["automation"], "advanced": true }),
            &json!({ "label": "API key", "tags": ["models"], "advanced": true, "sensitive": true }),
            &json!({ "label": "Debounce (ms)", "tags": ["performance", "reliability"] }),
        ]
    );
}

#[test]
fn the_schema_is_a_closed_draft_07_document() {
    let built = config_schema();
    assert_eq!(built.version, "2026.2.26");
    assert_eq!(built.schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(built.schema["additionalProperties"], false);
    assert_eq!(
        built.schema["properties"]["gateway"]["properties"]["bind"]["enum"],
        json!(["auto", "lan", "loopback", "custom", "tailnet"])
    );
}

#[test]
fn every_key_of_the_schema_is_explained() {
    let mut silent = Vec::new();
    find_silent(&config_schema().schema, "", &mut silent);
    assert_eq!(silent, Vec::<String>::new());
}

fn find_silent(node: &Value, path: &str, silent: &mut Vec<String>) {
    for (key, child) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let place = format!("{path}.{key}");
        if child.get("description").is_none() && child.get("const").is_none() && key != "$schema" {
            silent.push(place.clone());
        }
        find_silent(child, &place, silent);
    }
    for word in ["items", "additionalProperties"] {
        if let Some(child) = node.get(word) {
            find_silent(child, &format!("{path}.*"), silent);
        }
    }
}
