//! The content of `exec-approvals.json`: version 1 of the original's format, with whatever else people keep in it.
//!
//! Pure. Older forms (an agent called `default`, entries that are plain text, entries without id) become today's on
//! reading. A word that is not understood stays in the file and counts as the strictest there is.

use openclaw_config::sections::{ExecAsk, ExecSecurity};
use openclaw_types::{AgentId, UnixMillis};
use serde_json::{Map, Value, json};

use crate::policy::{AllowEntry, FileRules};
use crate::policy::{ask_word, security_word};

/// The content of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Document(pub(super) Map<String, Value>);

/// A use of an entry.
pub(crate) struct EntryUse {
    pub(crate) pattern: String,
    pub(crate) command: String,
    pub(crate) resolved: Option<String>,
    pub(crate) at: UnixMillis,
}

impl Document {
    pub(super) fn empty() -> Self {
        Self(normalised(Map::new()))
    }

    /// Reads a value; nothing when it is no version-1 file.
    pub(super) fn read(value: Value) -> Option<Self> {
        let Value::Object(fields) = value else { return None };
        let is_place = |place: &Value| place.is_object() || place.is_null();
        let agents = fields.get("agents").and_then(Value::as_object);
        let understood = fields.get("version").and_then(Value::as_u64) == Some(1)
            && ["defaults", "agents"].iter().filter_map(|key| fields.get(*key)).all(is_place)
            && agents.is_none_or(|agents| agents.values().all(is_place));
        understood.then(|| Self(normalised(fields)))
    }

    /// The file without the secret of the socket.
    pub(super) fn shown(&self) -> Value {
        let mut fields = self.0.clone();
        if let Some(Value::Object(socket)) = fields.get_mut("socket") {
            socket.remove("token");
        }
        Value::Object(fields)
    }

    /// Takes the socket of the file before where this one does not name its own.
    pub(super) fn keep_socket_of(&mut self, before: &Self) {
        let Some(Value::Object(old)) = before.0.get("socket") else { return };
        let slot = self.0.entry("socket").or_insert_with(|| json!({}));
        if let Value::Object(new) = slot {
            for (key, value) in old {
                new.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }

    pub(super) fn rules(&self, agent: &AgentId) -> FileRules {
        let defaults = self.0.get("defaults");
        let own = self.agent(AgentId::sanitized(agent.as_str()).as_str());
        let any = self.agent("*");
        let said = |key: &str| {
            let places = [own, any, defaults].into_iter().flatten();
            places.filter_map(|place| place.get(key)).find_map(said)
        };
        let security = |key| said(key).map(|word| security_word(&word).unwrap_or(ExecSecurity::Deny));
        FileRules {
            security: security("security"),
            ask: said("ask").map(|word| ask_word(&word).unwrap_or(ExecAsk::Always)),
            ask_fallback: security("askFallback").unwrap_or(ExecSecurity::Deny),
            allow: [any, own].into_iter().flatten().flat_map(entries).collect(),
        }
    }

    /// Notes the use of an entry, for the agent or for all.
    pub(super) fn note_use(&mut self, agent: &AgentId, usage: &EntryUse) {
        let Some(Value::Object(agents)) = self.0.get_mut("agents") else { return };
        let agent = AgentId::sanitized(agent.as_str());
        for key in [agent.as_str(), "*"] {
            let list = agents.get_mut(key).and_then(|place| place.get_mut("allowlist"));
            let Some(Value::Array(list)) = list else { continue };
            for entry in list.iter_mut().filter_map(Value::as_object_mut) {
                if entry.get("pattern").and_then(Value::as_str) == Some(usage.pattern.as_str()) {
                    entry.insert("lastUsedAt".into(), json!(usage.at.0));
                    entry.insert("lastUsedCommand".into(), json!(usage.command));
                    if let Some(path) = &usage.resolved {
                        entry.insert("lastResolvedPath".into(), json!(path));
                    }
                }
            }
        }
    }

    fn agent(&self, key: &str) -> Option<&Value> {
        self.0.get("agents")?.get(key)
    }
}

/// What a value says, as the words are written; nothing for one that is empty. A value that is no text is no word either,
/// and not nothing.
fn said(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim().to_lowercase()).filter(|word| !word.is_empty()),
        other => Some(other.to_string()),
    }
}

fn entries(place: &Value) -> Vec<AllowEntry> {
    let list = place.get("allowlist").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let patterns = list.iter().filter_map(|entry| entry.get("pattern")?.as_str());
    patterns.map(|pattern| AllowEntry { pattern: pattern.to_owned() }).collect()
}

fn normalised(mut fields: Map<String, Value>) -> Map<String, Value> {
    fields.insert("version".into(), json!(1));
    for key in ["socket", "defaults", "agents"] {
        if !fields.get(key).is_some_and(Value::is_object) {
            fields.insert(key.into(), json!({}));
        }
    }
    if let Some(Value::Object(agents)) = fields.get_mut("agents") {
        merge_legacy_default(agents);
        merge_spellings(agents);
        for agent in agents.values_mut().filter_map(Value::as_object_mut) {
            normalise_list(agent);
        }
    }
    fields
}

/// The agent of old files is called `default`; what today's agent says comes first.
fn merge_legacy_default(agents: &mut Map<String, Value>) {
    let Some(legacy) = agents.remove("default") else { return };
    merge_into(agents, AgentId::main().as_str(), legacy);
}

/// Agents are named as everywhere: `Main` and `main ` are the agent `main`. What stands under the name itself comes first.
fn merge_spellings(agents: &mut Map<String, Value>) {
    let others: Vec<(String, String)> = agents
        .keys()
        .filter(|key| *key != "*")
        .map(|key| (key.clone(), AgentId::sanitized(key).as_str().to_owned()))
        .filter(|(key, name)| key != name)
        .collect();
    for (key, name) in others {
        if let Some(place) = agents.remove(&key) {
            merge_into(agents, &name, place);
        }
    }
}

/// Adds what one place says to another, which comes first.
fn merge_into(agents: &mut Map<String, Value>, name: &str, place: Value) {
    let slot = agents.entry(name).or_insert_with(|| json!({}));
    if slot.is_null() {
        *slot = json!({});
    }
    let (Value::Object(place), Value::Object(current)) = (place, slot) else { return };
    for (key, value) in place {
        match (current.get_mut(&key), value) {
            (Some(Value::Array(list)), Value::Array(more)) if key == "allowlist" => list.extend(more),
            (Some(_), _) => {}
            (None, value) => {
                current.insert(key, value);
            }
        }
    }
}

fn normalise_list(agent: &mut Map<String, Value>) {
    let Some(Value::Array(list)) = agent.get_mut("allowlist") else { return };
    let mut seen = std::collections::HashSet::new();
    let entries = std::mem::take(list);
    *list = entries
        .into_iter()
        .filter_map(entry_of)
        .filter(|entry| {
            seen.insert(entry.get("pattern").and_then(Value::as_str).map(|pattern| pattern.trim().to_owned()))
        })
        .map(Value::Object)
        .collect();
}

fn entry_of(written: Value) -> Option<Map<String, Value>> {
    let mut entry = match written {
        Value::String(pattern) => Map::from_iter([("pattern".to_owned(), json!(pattern.trim()))]),
        Value::Object(entry) => entry,
        _ => return None,
    };
    let usable =
        entry.get("pattern").and_then(Value::as_str).is_some_and(|pattern| !pattern.trim().is_empty());
    if !usable {
        return None;
    }
    if entry.get("id").and_then(Value::as_str).is_none_or(str::is_empty) {
        entry.insert("id".into(), json!(uuid::Uuid::new_v4().to_string()));
    }
    Some(entry)
}

/// The words of a file about one agent, for tests of the whole.
#[cfg(test)]
pub(super) fn words(rules: &FileRules) -> (Option<ExecSecurity>, Option<ExecAsk>, ExecSecurity, Vec<String>) {
    let patterns = rules.allow.iter().map(|entry| entry.pattern.clone()).collect();
    (rules.security, rules.ask, rules.ask_fallback, patterns)
}
