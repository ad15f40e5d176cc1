//! Tables from a file's content to how agents hand work on and which sessions they see.

use serde_json::{Value, json};

use super::*;

fn raw(file: Value) -> RawConfig {
    serde_json::from_value(file).unwrap()
}

fn agent(id: &str) -> AgentId {
    AgentId::new(id).unwrap()
}

#[test]
fn every_key_has_a_default() {
    let expected = SubagentSettings {
        max_depth: 1,
        max_children: 5,
        targets: Targets::Listed(Vec::new()),
        timeout: None,
        archive_after: Duration::from_secs(3600),
        announce_within: Duration::from_secs(60),
    };
    assert_eq!(SubagentSettings::of(&raw(json!({})), &agent("main")), expected);
    assert_eq!(SubagentCharacter::of(&raw(json!({})), &agent("main")), SubagentCharacter::default());
    let expected = SessionToolSettings {
        visibility: SessionVisibility::Tree,
        between_agents: BetweenAgents::Off,
        sandboxed: SandboxMode::Off,
        sandbox_visibility: SandboxSessionVisibility::Spawned,
    };
    assert_eq!(SessionToolSettings::of(&raw(json!({})), &agent("main")), expected);
}

#[test]
fn an_agents_own_words_win_over_the_defaults() {
    let raw = raw(json!({ "agents": {
        "defaults": {
            "subagents": {
                "maxSpawnDepth": 3, "maxChildrenPerAgent": 7, "archiveAfterMinutes": 5, "runTimeoutSeconds": 0,
                "announceTimeoutMs": 250,
                "model": "v/small", "thinking": "low",
            },
            "sandbox": { "mode": "all" },
        },
        "list": [
            { "id": "Boss", "subagents": { "allowAgents": ["Writer ", "x"], "model": { "primary": "v/own" } } },
            { "id": "king", "subagents": { "allowAgents": ["writer", "*"] }, "sandbox": { "mode": "non-main" } },
        ],
    } }));
    let expected = SubagentSettings {
        max_depth: 3,
        max_children: 7,
        targets: Targets::Listed(vec![agent("writer"), agent("x")]),
        timeout: Some(Duration::ZERO),
        archive_after: Duration::from_secs(300),
        announce_within: Duration::from_millis(250),
    };
    assert_eq!(SubagentSettings::of(&raw, &agent("boss")), expected);
    assert_eq!(SubagentSettings::of(&raw, &agent("king")).targets, Targets::Anyone);
    let character =
        |model: &str| SubagentCharacter { model: Some(model.to_owned()), thinking: Some("low".to_owned()) };
    assert_eq!(SubagentCharacter::of(&raw, &agent("boss")), character("v/own"));
    assert_eq!(SubagentCharacter::of(&raw, &agent("king")), character("v/small"));
    assert_eq!(SessionToolSettings::of(&raw, &agent("boss")).sandboxed, SandboxMode::All);
    assert_eq!(SessionToolSettings::of(&raw, &agent("king")).sandboxed, SandboxMode::NonMain);
}

#[test]
fn agents_talk_to_each_other_only_where_it_is_switched_on_and_both_are_named() {
    let rule = |section: Value| {
        let raw = raw(json!({ "tools": { "agentToAgent": section } }));
        SessionToolSettings::of(&raw, &agent("main")).between_agents
    };
    for (section, name, expected) in [
        (json!({}), "main", false),
        (json!({ "allow": ["*"] }), "main", false),
        (json!({ "enabled": true }), "main", true),
        (json!({ "enabled": true, "allow": ["home"] }), "home", true),
        (json!({ "enabled": true, "allow": ["home"] }), "homes", false),
        (json!({ "enabled": true, "allow": ["work-*"] }), "work-1", true),
        (json!({ "enabled": true, "allow": ["work-*"] }), "homework-1", false),
        (json!({ "enabled": true, "allow": ["*a*b*"] }), "xaxbx", true),
        (json!({ "enabled": true, "allow": ["*a*b*"] }), "xbxax", false),
        (json!({ "enabled": true, "allow": ["aa*a"] }), "aa", false),
    ] {
        assert_eq!(rule(section.clone()).admit(&agent(name)), expected, "{section} {name}");
    }
}
