//! The examples of the documentation about several agents, as far as they are about tools.

use openclaw_config::ToolRules;
use openclaw_config::sections::SandboxMode;
use openclaw_ports::tool::{Audience, ToolGroup};
use openclaw_types::AgentId;
use serde_json::{Value, json};

use super::super::*;
use super::{model, owner, tools};

/// Tools that the examples name and the other tables do without.
const MORE: &[(&str, ToolGroup)] = &[
    ("edit", ToolGroup::Files),
    ("sessions_history", ToolGroup::Sessions),
    ("canvas", ToolGroup::Ui),
    ("nodes", ToolGroup::Nodes),
    ("cron", ToolGroup::Automation),
];

fn every_tool() -> Vec<ToolCandidate> {
    let more = MORE.iter().map(|(name, group)| ToolCandidate {
        name: (*name).into(),
        group: *group,
        audience: Audience::Everybody,
        plugin: None,
    });
    tools().into_iter().chain(more).collect()
}

/// What an agent of a file gets, in its sandbox or out of it.
fn gets(file: &Value, agent: &str) -> (String, ToolDecision) {
    let config = serde_json::from_value(file.clone()).expect("a configuration");
    let rules = ToolRules::of(&config, &AgentId::new(agent).expect("an id"));
    let sandbox = match rules.sandbox.mode {
        SandboxMode::All => Sandboxing::Missing(SandboxExit::None),
        _ => Sandboxing::None,
    };
    let model = model("alpha/one");
    let decision = decide_tools(&ToolSituation { sandbox, ..owner(&rules, &model) }, &every_tool());
    (decision.allowed().join(" "), decision)
}

#[test]
fn one_agent_without_limits_and_one_that_may_only_read() {
    let file = json!({ "agents": { "list": [
        { "id": "personal", "workspace": "~/.openclaw/workspace-personal", "sandbox": { "mode": "off" } },
        {
            "id": "family", "workspace": "~/.openclaw/workspace-family",
            "sandbox": {
                "mode": "all", "scope": "agent",
                "docker": { "setupCommand": "apt-get update && apt-get install -y git curl" }
            },
            "tools": { "allow": ["read"], "deny": ["exec", "write", "edit", "apply_patch"] }
        }
    ] } });
    let (personal, _) = gets(&file, "personal");
    for tool in ["read", "write", "edit", "exec", "message", "gateway", "cron"] {
        assert!(personal.split(' ').any(|each| each == tool), "{tool} is missing in {personal}");
    }
    let (family, decision) = gets(&file, "family");
    assert_eq!(family, "read");
    for tool in ["exec", "write", "edit", "apply_patch", "message"] {
        assert!(matches!(decision.judge(tool), ToolVerdict::Refused(_)), "{tool}");
    }
}

#[test]
fn a_family_agent_with_a_tighter_policy() {
    let file = json!({ "agents": { "list": [{
        "id": "family", "name": "Family", "workspace": "~/.openclaw/workspace-family",
        "identity": { "name": "Family Bot" },
        "groupChat": { "mentionPatterns": ["@family", "@familybot", "@Family Bot"] },
        "sandbox": { "mode": "all", "scope": "agent" },
        "tools": {
            "allow": [
                "exec", "read", "sessions_list", "sessions_history", "sessions_send", "sessions_spawn",
                "session_status"
            ],
            "deny": ["write", "edit", "apply_patch", "browser", "canvas", "nodes", "cron"]
        }
    }] } });
    let (family, decision) = gets(&file, "family");
    // There is no sandbox here yet, so that commands stay out although they are on the list.
    assert_eq!(family, "read session_status sessions_list sessions_send sessions_spawn sessions_history");
    let why = |tool: &str| match decision.judge(tool) {
        ToolVerdict::Refused(rule) => rule.to_string(),
        ToolVerdict::Allowed => panic!("{tool} is allowed"),
    };
    assert!(why("exec").contains("sandbox"), "{}", why("exec"));
    for tool in ["write", "edit", "browser", "canvas", "nodes", "cron"] {
        assert!(!why(tool).is_empty());
    }
    assert_eq!(decision.unknown(), [], "every name on the lists is a tool");
}
