//! The former `routing` section, whose parts went to agents, bindings, messages, tools and channels.

use serde_json::{Map, Value, json};

use super::chat::set_group_mention;
use super::{Migration, agent_entry, agent_list, fill_missing, object_in};

pub(super) fn migrate(migration: &mut Migration<'_>) {
    allow_list(migration);
    group_mention(migration);
    agents(migration);
    default_agent(migration);
    migration.move_value(&["routing", "bindings"], &["bindings"]);
    migration.move_value(&["routing", "agentToAgent"], &["tools", "agentToAgent"]);
    migration.move_value(&["routing", "queue"], &["messages", "queue"]);
    for key in ["historyLimit", "mentionPatterns"] {
        migration.move_value(&["routing", "groupChat", key], &["messages", "groupChat", key]);
    }
    transcription(migration, &["routing", "transcribeAudio"]);
    transcription(migration, &["audio", "transcription"]);
}

fn allow_list(migration: &mut Migration<'_>) {
    let from = ["routing", "allowFrom"];
    if migration.get(&["channels", "whatsapp"]).is_some_and(Value::is_object) {
        migration.move_value(&from, &["channels", "whatsapp", "allowFrom"]);
    } else if migration.take(&from).is_some() {
        migration.dropped(&from, "channels.whatsapp is not configured");
    }
}

fn group_mention(migration: &mut Migration<'_>) {
    let from = ["routing", "groupChat", "requireMention"];
    let Some(value) = migration.take(&from) else { return };
    let channels = migration.object(&["channels"]);
    if channels.get("whatsapp").is_some_and(Value::is_object) {
        set_group_mention(channels, "whatsapp", &value);
    }
    for name in ["telegram", "imessage"] {
        set_group_mention(channels, name, &value);
    }
    migration.changes.push(super::LegacyChange {
        from: super::steps(&from),
        to: None,
        message: "routing.groupChat.requireMention is now channels.<id>.groups[\"*\"].requireMention; \
                  it was read from the old place"
            .to_owned(),
    });
}

fn agents(migration: &mut Migration<'_>) {
    let from = ["routing", "agents"];
    if !migration.get(&from).is_some_and(Value::is_object) {
        return;
    }
    let Some(Value::Object(old)) = migration.take(&from) else { return };
    let Some(list) = agent_list(migration) else { return };
    for (id, entry) in old {
        if let Value::Object(entry) = entry
            && let Some(target) = agent_entry(list, id.trim())
        {
            one_agent(target, entry);
        }
    }
    migration.moved(&from, &["agents", "list"]);
}

fn one_agent(target: &mut Map<String, Value>, mut entry: Map<String, Value>) {
    if let Some(patterns) = entry.shift_remove("mentionPatterns") {
        object_in(target, "groupChat").entry("mentionPatterns").or_insert(patterns);
    }
    if let Some(Value::Object(sandbox)) = entry.get_mut("sandbox")
        && let Some(Value::Object(tools)) = sandbox.shift_remove("tools")
    {
        let own_tools = object_in(target, "tools");
        fill_missing(object_in(object_in(own_tools, "sandbox"), "tools"), tools);
    }
    fill_missing(target, entry);
}

fn default_agent(migration: &mut Migration<'_>) {
    let from = ["routing", "defaultAgentId"];
    let Some(Value::String(id)) = migration.take(&from) else { return };
    let Some(list) = agent_list(migration) else { return };
    if list.iter().any(|entry| entry.get("default") == Some(&Value::Bool(true))) {
        migration.dropped(&from, "an agent of agents.list is already the default");
        return;
    }
    if let Some(entry) = agent_entry(list, id.trim()) {
        entry.insert("default".to_owned(), Value::Bool(true));
    }
    migration.moved(&from, &["agents", "list"]);
}

/// A transcription command became a model of the audio tool.
fn transcription(migration: &mut Migration<'_>, from: &[&str]) {
    let Some(old) = migration.take(from) else { return };
    let Some(model) = command_model(&old) else {
        migration.dropped(from, "its command is empty or not a list of texts");
        return;
    };
    let audio = migration.object(&["tools", "media", "audio"]);
    if audio.get("models").and_then(Value::as_array).is_some_and(|models| !models.is_empty()) {
        migration.dropped(from, "tools.media.audio.models is already set");
        return;
    }
    audio.insert("enabled".to_owned(), Value::Bool(true));
    audio.insert("models".to_owned(), json!([model]));
    migration.moved(from, &["tools", "media", "audio", "models"]);
}

fn command_model(old: &Value) -> Option<Value> {
    let parts: Vec<&str> =
        old.get("command")?.as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
    let (program, arguments) = parts.split_first()?;
    let program = program.trim();
    // The program was once run by a shell; a name that needs one is not carried over.
    if program.is_empty()
        || program.starts_with('-')
        || program.contains([';', '&', '|', '`', '$', '<', '>', '"', '\'', '\n', '\r', '\0'])
    {
        return None;
    }
    let mut model = json!({ "command": program, "type": "cli" });
    if !arguments.is_empty() {
        model["args"] = json!(arguments);
    }
    if let Some(seconds) = old.get("timeoutSeconds").filter(|value| value.is_number()) {
        model["timeoutSeconds"] = seconds.clone();
    }
    Some(model)
}
