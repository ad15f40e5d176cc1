//! Old keys of channels, bindings, messages and the gateway's token.
//!
//! The names of the platforms that once had sections at the root stand here because only old files have them there.

use serde_json::{Map, Value, json};

use super::{Migration, object_in};

/// Platforms whose sections were once at the root.
const ROOT_CHANNELS: [&str; 7] =
    ["whatsapp", "telegram", "discord", "slack", "signal", "imessage", "msteams"];

pub(super) fn migrate(migration: &mut Migration<'_>) {
    binding_matches(migration);
    send_policy_matches(migration);
    migration.move_value(&["messages", "queue", "byProvider"], &["messages", "queue", "byChannel"]);
    for name in ROOT_CHANNELS {
        migration.merge_object(&[name], &["channels", name]);
    }
    gateway_token(migration);
    group_mention(migration, "telegram");
    voice_switch(migration);
    migration.move_value(&["tools", "bash"], &["tools", "exec"]);
    migration.merge_object(&["memorySearch"], &["agents", "defaults", "memorySearch"]);
}

fn gateway_token(migration: &mut Migration<'_>) {
    if migration.get(&["gateway", "token"]).is_none() {
        return;
    }
    let had_token = migration.get(&["gateway", "auth", "token"]).is_some();
    migration.move_value(&["gateway", "token"], &["gateway", "auth", "token"]);
    if !had_token {
        migration.object(&["gateway", "auth"]).entry("mode").or_insert_with(|| json!("token"));
    }
}

/// `channels.<name>.requireMention` became the default of its groups.
fn group_mention(migration: &mut Migration<'_>, name: &str) {
    migration.move_value(
        &["channels", name, "requireMention"],
        &["channels", name, "groups", "*", "requireMention"],
    );
}

fn voice_switch(migration: &mut Migration<'_>) {
    let from = ["messages", "tts", "enabled"];
    let Some(enabled) = migration.get(&from).and_then(Value::as_bool) else { return };
    if migration.get(&["messages", "tts", "auto"]).is_some() {
        migration.take(&from);
        migration.dropped(&from, "messages.tts.auto is already set");
        return;
    }
    let tts = migration.object(&["messages", "tts"]);
    tts.shift_remove("enabled");
    tts.insert("auto".to_owned(), json!(if enabled { "always" } else { "off" }));
    migration.moved(&from, &["messages", "tts", "auto"]);
}

fn binding_matches(migration: &mut Migration<'_>) {
    let Some(bindings) = migration.root.get_mut("bindings").and_then(Value::as_array_mut) else { return };
    let mut renamed = Vec::new();
    for binding in bindings {
        if let Some(found) = binding.get_mut("match").and_then(Value::as_object_mut) {
            renamed.extend(rename(found, "provider", "channel").then_some("provider"));
            renamed.extend(rename(found, "accountID", "accountId").then_some("accountID"));
        }
    }
    renamed.sort_unstable();
    renamed.dedup();
    for key in renamed {
        let new = if key == "provider" { "channel" } else { "accountId" };
        note_rename(migration, "bindings", &format!("bindings[].match.{key}"), new);
    }
}

fn send_policy_matches(migration: &mut Migration<'_>) {
    if migration.get(&["session", "sendPolicy", "rules"]).is_none() {
        return;
    }
    let policy = migration.object(&["session", "sendPolicy"]);
    let Some(rules) = policy.get_mut("rules").and_then(Value::as_array_mut) else { return };
    let matches = rules.iter_mut().filter_map(|rule| rule.get_mut("match")?.as_object_mut());
    let mut any = false;
    for found in matches {
        any |= rename(found, "provider", "channel");
    }
    if any {
        note_rename(migration, "session", "session.sendPolicy.rules[].match.provider", "channel");
    }
}

/// Renames a key unless the new one is there. Says whether it did.
fn rename(map: &mut Map<String, Value>, old: &str, new: &str) -> bool {
    if map.contains_key(new) || map.get(old).and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
    {
        return false;
    }
    if let Some(value) = map.shift_remove(old) {
        map.insert(new.to_owned(), value);
    }
    true
}

fn note_rename(migration: &mut Migration<'_>, section: &str, old: &str, new: &str) {
    migration.changes.push(super::LegacyChange {
        from: super::steps(&[section]),
        to: None,
        message: format!("{old} is now called {new}; it was read under the old name"),
    });
}

/// Puts a group default into a channel's section, for the migration of `routing.groupChat`.
pub(super) fn set_group_mention(channels: &mut Map<String, Value>, name: &str, value: &Value) {
    let groups = object_in(object_in(channels, name), "groups");
    object_in(groups, "*").entry("requireMention").or_insert_with(|| value.clone());
}
