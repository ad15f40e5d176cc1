//! What the list of agents in the file becomes. Pure.
//!
//! Changes are merge patches, which keep comments and everything they do not name; entries are told apart by the id as
//! it is written. Only removing an entry needs the whole file, since a patch cannot take one away.

use openclaw_config::{Config, FileSnapshot};
use openclaw_types::AgentId;
use serde_json::{Map, Value, json};

use crate::agents::written_entry;

/// The patch that gives an agent these fields. An agent that is not listed is added; the first one that is added
/// beside the default agent brings that one along, which would lose its place otherwise.
pub(super) fn with_fields(config: &Config, agent: &AgentId, fields: Map<String, Value>) -> Value {
    let list = config.raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let id = written_entry(config, agent).map_or(agent.as_str(), |entry| entry.id.as_str());
    let mut entry = Map::from_iter([("id".to_owned(), json!(id))]);
    entry.extend(fields);
    let mut changed = Vec::new();
    if list.is_empty() && !config.agents.is_default(agent) {
        changed.push(json!({ "id": config.agents.default_agent }));
    }
    changed.push(Value::Object(entry));
    json!({ "agents": { "list": changed } })
}

/// The file without an agent, and how much went with it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Without {
    /// The file, as written, without the agent.
    pub(super) file: Value,
    /// How many bindings went with it.
    pub(super) bindings: usize,
    /// How many permissions to talk to it went with it.
    pub(super) allowed: usize,
}

/// The file without an agent; nothing when the agent is not written in this file.
pub(super) fn without(snapshot: &FileSnapshot, agent: &AgentId) -> Option<Without> {
    let mut file = snapshot.parsed.clone();
    let is_it = |value: &Value| value.as_str().is_some_and(|id| AgentId::sanitized(id) == *agent);
    let removed = retain(&mut file, &["agents", "list"], |entry| !is_it(&entry["id"]));
    if removed == 0 {
        return None;
    }
    let bindings = retain(&mut file, &["bindings"], |binding| !is_it(&binding["agentId"]));
    let allowed = retain(&mut file, &["tools", "agentToAgent", "allow"], |entry| {
        entry.as_str() != Some(agent.as_str())
    });
    Some(Without { file, bindings, allowed })
}

/// Keeps what is wanted of an array and says how much went. An array that becomes empty goes as well.
fn retain(file: &mut Value, path: &[&str], wanted: impl Fn(&Value) -> bool) -> usize {
    let Some((last, above)) = path.split_last() else { return 0 };
    let place = above.iter().try_fold(file, |place, key| place.get_mut(*key)).and_then(Value::as_object_mut);
    let Some(place) = place else { return 0 };
    let Some(Value::Array(list)) = place.get_mut(*last) else { return 0 };
    let before = list.len();
    list.retain(|entry| wanted(entry));
    let gone = before - list.len();
    if list.is_empty() && gone > 0 {
        place.remove(*last);
    }
    gone
}

#[cfg(test)]
mod tests {
    use openclaw_config::ConfigFile;

    use super::*;
    use crate::context::Context;

    fn snapshot(text: &str) -> FileSnapshot {
        let context = Context::fixed();
        ConfigFile::new(context.locations, context.environment).preview(text)
    }

    fn agent(text: &str) -> AgentId {
        AgentId::new(text).unwrap()
    }

    #[test]
    fn the_first_agent_beside_the_default_one_brings_it_along() {
        let fields = || Map::from_iter([("name".to_owned(), json!("Ops"))]);
        let cases = [
            ("{}", json!([{ "id": "main" }, { "id": "ops", "name": "Ops" }])),
            ("{ agents: { list: [{ id: 'home' }] } }", json!([{ "id": "ops", "name": "Ops" }])),
            ("{ agents: { list: [{ id: 'Ops' }] } }", json!([{ "id": "Ops", "name": "Ops" }])),
        ];
        for (file, list) in cases {
            let patch = with_fields(&snapshot(file).config, &agent("ops"), fields());
            assert_eq!(patch, json!({ "agents": { "list": list } }), "{file}");
        }
    }

    #[test]
    fn an_agent_goes_with_its_bindings_and_permissions() {
        let file = "{ agents: { list: [{ id: 'main' }, { id: 'Ops' }] }, tools: { agentToAgent: { allow: ['ops'] } },\n\
                    bindings: [{ agentId: 'ops', match: { channel: 'one' } }, { agentId: 'main', match: { channel: 'two' } }] }";
        assert_eq!(
            without(&snapshot(file), &agent("ops")),
            Some(Without {
                file: json!({
                    "agents": { "list": [{ "id": "main" }] },
                    "tools": { "agentToAgent": {} },
                    "bindings": [{ "agentId": "main", "match": { "channel": "two" } }],
                }),
                bindings: 1,
                allowed: 1,
            })
        );
        assert_eq!(without(&snapshot("{}"), &agent("ops")), None);
    }
}
