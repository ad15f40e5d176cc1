//! Tables from a file's content to the rules about tools.

use serde_json::{Value, json};

use super::*;
use crate::sections::ToolProfile;

fn rules(file: Value, agent: &str) -> ToolRules {
    ToolRules::of(&serde_json::from_value(file).unwrap(), &AgentId::new(agent).unwrap())
}

fn placed(path: &str, names: &[&str]) -> Option<PlacedList> {
    Some(PlacedList { path: path.to_owned(), names: names.iter().map(|name| (*name).to_owned()).collect() })
}

#[test]
fn an_empty_file_has_no_rules_and_one_level_of_sub_agents() {
    let expected = ToolRules {
        shared: ToolScope {
            path: "tools".to_owned(),
            policy: ToolPolicy::default(),
            by_provider: BTreeMap::new(),
        },
        own: None,
        sandbox: SandboxRule { path: "agents.defaults.sandbox.mode".to_owned(), mode: SandboxMode::Off },
        sandbox_allow: None,
        sandbox_deny: None,
        subagents: ToolLists::default(),
        max_spawn_depth: 1,
        apply_patch: ApplyPatchRules {
            path: "tools.exec.applyPatch".to_owned(),
            enabled: false,
            workspace_only: true,
            allow_models: Vec::new(),
        },
        web: WebRules { search: true, fetch: true },
    };
    assert_eq!(rules(json!({}), "main"), expected);
}

#[test]
fn an_agent_has_its_own_rules_beside_the_shared_ones() {
    let file = json!({
        "tools": { "profile": "coding", "byProvider": { " Alpha ": { "deny": ["exec"] } } },
        "agents": { "list": [{ "id": "main" }, { "id": "Helper", "tools": { "deny": ["web_fetch"] } }] },
    });
    let helper = rules(file.clone(), "helper");
    assert_eq!(helper.shared.policy.profile, Some(ToolProfile::Coding));
    assert_eq!(helper.shared.by_provider.keys().collect::<Vec<_>>(), ["alpha"]);
    let own = helper.own.unwrap();
    assert_eq!(
        (own.path.as_str(), own.policy.lists.deny),
        ("agents.list[1].tools", Some(vec!["web_fetch".to_owned()]))
    );
    assert_eq!(rules(file, "main").own, None);
}

#[test]
fn an_agents_sandbox_lists_win_over_the_shared_ones_list_by_list() {
    let file = json!({
        "tools": { "sandbox": { "tools": { "allow": ["read"], "deny": ["exec"] } } },
        "agents": { "list": [{ "id": "main", "tools": { "sandbox": { "tools": { "allow": ["write"] } } } }] },
    });
    let found = rules(file, "main");
    assert_eq!(found.sandbox_allow, placed("agents.list[0].tools.sandbox.tools.allow", &["write"]));
    assert_eq!(found.sandbox_deny, placed("tools.sandbox.tools.deny", &["exec"]));
}

#[test]
fn an_agents_words_about_patches_take_the_place_of_the_shared_ones() {
    let file = json!({
        "tools": { "exec": { "applyPatch": { "enabled": true, "allowModels": ["One", " "] } } },
        "agents": { "list": [{ "id": "a", "tools": { "exec": { "applyPatch": { "workspaceOnly": false } } } }] },
    });
    let shared = rules(file.clone(), "main").apply_patch;
    assert_eq!((shared.enabled, shared.allow_models), (true, vec!["one".to_owned()]));
    let own = rules(file, "a").apply_patch;
    assert_eq!((own.enabled, own.workspace_only), (false, false));
    assert_eq!(own.path, "agents.list[0].tools.exec.applyPatch");
}

#[test]
fn http_rules_are_those_of_the_gateway() {
    let file = json!({ "gateway": { "tools": { "allow": ["cron"], "deny": ["image"] } } });
    let found = HttpToolRules::of(&serde_json::from_value(file).unwrap());
    assert_eq!(found, HttpToolRules { allow: vec!["cron".to_owned()], deny: vec!["image".to_owned()] });
}

#[test]
fn an_agents_own_word_about_sandboxes_wins_and_says_where_it_stands() {
    let file = json!({ "agents": {
        "defaults": { "sandbox": { "mode": "non-main" } },
        "list": [{ "id": "main" }, { "id": "guest", "sandbox": { "mode": "all" } }],
    } });
    let rule = |path: &str, mode| SandboxRule { path: path.to_owned(), mode };
    assert_eq!(
        rules(file.clone(), "main").sandbox,
        rule("agents.defaults.sandbox.mode", SandboxMode::NonMain)
    );
    assert_eq!(rules(file, "guest").sandbox, rule("agents.list[1].sandbox.mode", SandboxMode::All));
}

#[test]
fn the_web_can_be_switched_off_tool_by_tool() {
    let file =
        json!({ "tools": { "web": { "search": { "enabled": false }, "fetch": { "enabled": true } } } });
    assert_eq!(rules(file, "main").web, WebRules { search: false, fetch: true });
}
