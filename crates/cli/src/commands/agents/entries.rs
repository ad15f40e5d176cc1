//! What the list of agents in the file becomes. Pure.
//!
//! Changes are merge patches, which keep comments and everything they do not name; entries are told apart by the id as
//! it is written.

use openclaw_config::Config;
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

#[cfg(test)]
mod tests {
    use openclaw_config::{ConfigFile, FileSnapshot};

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
}
