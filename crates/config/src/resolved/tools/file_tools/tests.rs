//! From a file's content to how far the file tools of an agent reach.

use openclaw_types::AgentId;
use serde_json::{Value, json};

use super::FileToolSettings;
use crate::{Config, Context, Environment, Locations, Overrides, ProfileChoice};

fn settings(file: Value, agent: &str) -> FileToolSettings {
    let environment = Environment::fake([("HOME", "/home/ana")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    let (config, _problems) = Config::resolve(serde_json::from_value(file).unwrap(), &context);
    FileToolSettings::of(&config, &AgentId::new(agent).unwrap())
}

#[test]
fn what_an_agent_says_goes_before_what_is_said_for_all() {
    let file = json!({
        "tools": { "fs": { "workspaceOnly": true } },
        "agents": { "list": [
            { "id": "main" },
            { "id": "Work", "tools": { "fs": { "workspaceOnly": false } } },
        ] },
    });
    for (file, agent, workspace_only) in
        [(json!({}), "main", false), (file.clone(), "main", true), (file, "work", false)]
    {
        assert_eq!(settings(file, agent), FileToolSettings { workspace_only }, "{agent}");
    }
}
