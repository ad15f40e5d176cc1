//! From a file's content to how far the file tools of an agent reach.

use openclaw_types::AgentId;
use serde_json::{Value, json};

use super::{FileToolSettings, PatchSettings};
use crate::{Config, Context, Environment, Locations, Overrides, ProfileChoice};

fn settings(file: Value, agent: &str) -> FileToolSettings {
    let environment = Environment::fake([("HOME", "/home/ana")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    let (config, _problems) = Config::resolve(serde_json::from_value(file).unwrap(), &context);
    FileToolSettings::of(&config, &AgentId::new(agent).unwrap())
}

fn patches(enabled: bool, workspace_only: bool, models: &[&str]) -> PatchSettings {
    PatchSettings { enabled, workspace_only, models: models.iter().map(|&model| model.to_owned()).collect() }
}

#[test]
fn without_settings_files_are_open_and_patches_are_off_and_kept_inside() {
    let expected = FileToolSettings { workspace_only: false, patches: patches(false, true, &[]) };
    assert_eq!(settings(json!({}), "main"), expected);
}

#[test]
fn what_an_agent_says_goes_before_what_is_said_for_all() {
    let file = json!({
        "tools": {
            "fs": { "workspaceOnly": true },
            "exec": { "applyPatch": { "enabled": true, "workspaceOnly": false, "allowModels": ["a/b"] } },
        },
        "agents": { "list": [
            { "id": "main" },
            { "id": "Work", "tools": {
                "fs": { "workspaceOnly": false },
                "exec": { "applyPatch": { "enabled": false, "allowModels": ["c"] } },
            } },
        ] },
    });
    let main = FileToolSettings { workspace_only: true, patches: patches(true, false, &["a/b"]) };
    let work = FileToolSettings { workspace_only: false, patches: patches(false, false, &["c"]) };
    assert_eq!(settings(file.clone(), "main"), main);
    assert_eq!(settings(file, "work"), work);
}
