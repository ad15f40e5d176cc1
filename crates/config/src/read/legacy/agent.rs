//! The former `agent` and `identity` sections, whose parts went to `agents` and `tools`.

use serde_json::{Map, Value, json};

use super::{Migration, agent_entry, agent_list, fill_missing, object_in};

/// Old keys that name models, in either the old or the present section.
const MODEL_KEYS: [&str; 4] = ["allowedModels", "modelAliases", "modelFallbacks", "imageModelFallbacks"];

/// Turns the old model keys into `models`, `model` and `imageModel`.
pub(super) fn models(migration: &mut Migration<'_>) {
    let place: &[&str] = if migration.get(&["agent"]).is_some_and(Value::is_object) {
        &["agent"]
    } else {
        &["agents", "defaults"]
    };
    let old_keys =
        |map: &Map<String, Value>| MODEL_KEYS.into_iter().filter(|key| map.contains_key(*key)).count();
    let Some(section) = migration.get(place).and_then(Value::as_object) else { return };
    let in_old_section = place.len() == 1;
    if old_keys(section) == 0 && !in_old_section {
        return;
    }
    let found: Vec<&str> = MODEL_KEYS.into_iter().filter(|key| section.contains_key(*key)).collect();
    convert_models(migration.object(place));
    for key in found {
        let from: Vec<&str> = place.iter().copied().chain([key]).collect();
        let message = format!("{} is now part of agents.defaults.models and .model", from.join("."));
        migration.changes.push(super::LegacyChange { from: super::steps(&from), to: None, message });
    }
}

fn convert_models(section: &mut Map<String, Value>) {
    let allowed = texts(section.shift_remove("allowedModels"));
    let aliases = section.shift_remove("modelAliases");
    let fallbacks = texts(section.shift_remove("modelFallbacks"));
    let image_fallbacks = texts(section.shift_remove("imageModelFallbacks"));
    let named = |key: &str| section.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut known: Vec<String> = [named("model"), named("imageModel")].into_iter().flatten().collect();
    known.extend(allowed.iter().chain(&fallbacks).chain(&image_fallbacks).cloned());
    let aliases: Vec<(String, String)> = match aliases {
        Some(Value::Object(map)) => map
            .into_iter()
            .filter_map(|(alias, target)| Some((alias, target.as_str()?.trim().to_owned())))
            .collect(),
        _ => Vec::new(),
    };
    known.extend(aliases.iter().map(|(_, target)| target.clone()));
    choice(section, "model", fallbacks);
    choice(section, "imageModel", image_fallbacks);
    let known: Vec<String> = known.into_iter().filter(|name| !name.trim().is_empty()).collect();
    if known.is_empty() {
        return;
    }
    let models = object_in(section, "models");
    for name in known {
        models.entry(name.trim()).or_insert_with(|| json!({}));
    }
    for (alias, target) in aliases {
        if let Some(Value::Object(entry)) = models.get_mut(&target) {
            entry.entry("alias").or_insert(Value::String(alias));
        }
    }
}

/// Makes `key` an object of a first choice and fallbacks.
fn choice(section: &mut Map<String, Value>, key: &str, fallbacks: Vec<String>) {
    match section.get_mut(key) {
        Some(Value::String(primary)) => {
            let primary = std::mem::take(primary);
            section.insert(key.to_owned(), json!({ "primary": primary, "fallbacks": fallbacks }));
        }
        Some(Value::Object(existing)) if !fallbacks.is_empty() => {
            existing.entry("fallbacks").or_insert(json!(fallbacks));
        }
        None if !fallbacks.is_empty() => {
            section.insert(key.to_owned(), json!({ "fallbacks": fallbacks }));
        }
        _ => {}
    }
}

fn texts(value: Option<Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => {
            items.into_iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

/// Moves `agent` to `agents.defaults` and `tools`, and `identity` to the default agent.
pub(super) fn migrate(migration: &mut Migration<'_>) {
    if migration.get(&["agent"]).is_some_and(Value::is_object) {
        for key in ["allow", "deny"] {
            migration.move_value(&["agent", "tools", key], &["tools", key]);
        }
        migration.move_value(&["agent", "elevated"], &["tools", "elevated"]);
        migration.move_value(&["agent", "bash"], &["tools", "exec"]);
        migration.merge_object(&["agent", "sandbox", "tools"], &["tools", "sandbox", "tools"]);
        migration.merge_object(&["agent", "subagents", "tools"], &["tools", "subagents", "tools"]);
        if migration.take(&["agent", "tools"]).is_some() {
            migration.dropped(&["agent", "tools"], "only its lists have a new place");
        }
        migration.merge_object(&["agent"], &["agents", "defaults"]);
    }
    identity(migration);
}

fn identity(migration: &mut Migration<'_>) {
    if !migration.get(&["identity"]).is_some_and(Value::is_object) {
        return;
    }
    let Some(Value::Object(identity)) = migration.take(&["identity"]) else { return };
    let Some(list) = agent_list(migration) else { return };
    let id = default_agent(list);
    if let Some(entry) = agent_entry(list, &id) {
        fill_missing(object_in(entry, "identity"), identity);
    }
    migration.moved(&["identity"], &["agents", "list"]);
}

/// The id of the default agent: the one marked so, else the first, else `main`.
fn default_agent(list: &[Value]) -> String {
    let id = |entry: &Value| {
        entry.get("id").and_then(Value::as_str).map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned)
    };
    list.iter()
        .find(|entry| entry.get("default") == Some(&Value::Bool(true)) && id(entry).is_some())
        .and_then(id)
        .or_else(|| list.iter().find_map(id))
        .unwrap_or_else(|| "main".to_owned())
}
