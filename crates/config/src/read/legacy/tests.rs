//! One row for each old key.

use serde_json::{Value, json};

use super::{migrate, written_path};
use crate::KeyPath;
use crate::tests::{World, brief};

fn check(before: Value, after: Value, old_paths: &[&str]) {
    let mut config = before.clone();
    let changes = migrate(&mut config);
    assert_eq!(config, after, "{before}");
    let paths: Vec<String> = changes.iter().map(|change| crate::key_path::dotted(&change.from)).collect();
    assert_eq!(paths, old_paths, "{before}");
}

#[test]
fn a_present_configuration_is_left_alone() {
    let config = json!({"agents": {"defaults": {"model": "a/b"}, "list": [{"id": "x"}]}, "gateway": {"auth": {"token": "t"}},
        "bindings": [{"match": {"channel": "c"}}], "tools": {"exec": {}}, "channels": {"telegram": {"enabled": true}}});
    check(config.clone(), config, &[]);
}

#[test]
fn sections_of_platforms_move_below_channels() {
    check(
        json!({"whatsapp": {"allowFrom": ["+1"]}, "telegram": {"botToken": "t"}}),
        json!({"channels": {"whatsapp": {"allowFrom": ["+1"]}, "telegram": {"botToken": "t"}}}),
        &["whatsapp", "telegram"],
    );
    check(
        json!({"discord": {"token": "old", "enabled": true}, "channels": {"discord": {"token": "new"}}}),
        json!({"channels": {"discord": {"token": "new", "enabled": true}}}),
        &["discord"],
    );
    check(
        json!({"telegram": {"requireMention": true}}),
        json!({"channels": {"telegram": {"groups": {"*": {"requireMention": true}}}}}),
        &["telegram", "channels.telegram.requireMention"],
    );
}

#[test]
fn the_gateway_token_moves_to_its_auth_section() {
    check(
        json!({"gateway": {"token": "t", "port": 1}}),
        json!({"gateway": {"port": 1, "auth": {"token": "t", "mode": "token"}}}),
        &["gateway.token"],
    );
    check(
        json!({"gateway": {"token": "old", "auth": {"token": "new"}}}),
        json!({"gateway": {"auth": {"token": "new"}}}),
        &["gateway.token"],
    );
}

#[test]
fn matches_and_queues_speak_of_channels() {
    check(
        json!({"bindings": [{"match": {"provider": "p", "accountID": "a"}}, {"match": {"channel": "c"}}]}),
        json!({"bindings": [{"match": {"channel": "p", "accountId": "a"}}, {"match": {"channel": "c"}}]}),
        &["bindings", "bindings"],
    );
    check(
        json!({"session": {"sendPolicy": {"rules": [{"match": {"provider": "p"}}]}}}),
        json!({"session": {"sendPolicy": {"rules": [{"match": {"channel": "p"}}]}}}),
        &["session"],
    );
    check(
        json!({"messages": {"queue": {"byProvider": {"x": "steer"}}}}),
        json!({"messages": {"queue": {"byChannel": {"x": "steer"}}}}),
        &["messages.queue.byProvider"],
    );
}

#[test]
fn the_parts_of_routing_find_their_places() {
    check(
        json!({"routing": {
            "allowFrom": ["+1"], "bindings": [], "agentToAgent": {"enabled": true}, "queue": {"mode": "steer"},
            "defaultAgentId": "work", "agents": {"work": {"workspace": "~/w", "mentionPatterns": ["@w"]}},
            "groupChat": {"requireMention": false, "historyLimit": 5, "mentionPatterns": ["@x"]},
            "transcribeAudio": {"command": ["whisper", "--fast"], "timeoutSeconds": 9}
        }}),
        json!({
            "channels": {"telegram": {"groups": {"*": {"requireMention": false}}}, "imessage": {"groups": {"*": {"requireMention": false}}}},
            "agents": {"list": [{"id": "work", "groupChat": {"mentionPatterns": ["@w"]}, "workspace": "~/w", "default": true}]},
            "bindings": [], "tools": {"agentToAgent": {"enabled": true}, "media": {"audio": {"enabled": true,
                "models": [{"command": "whisper", "type": "cli", "args": ["--fast"], "timeoutSeconds": 9}]}}},
            "messages": {"queue": {"mode": "steer"}, "groupChat": {"historyLimit": 5, "mentionPatterns": ["@x"]}}
        }),
        &[
            "routing.allowFrom",
            "routing.groupChat.requireMention",
            "routing.agents",
            "routing.defaultAgentId",
            "routing.bindings",
            "routing.agentToAgent",
            "routing.queue",
            "routing.groupChat.historyLimit",
            "routing.groupChat.mentionPatterns",
            "routing.transcribeAudio",
        ],
    );
    check(
        json!({"routing": {"allowFrom": ["+1"]}, "channels": {"whatsapp": {}}}),
        json!({"channels": {"whatsapp": {"allowFrom": ["+1"]}}}),
        &["routing.allowFrom"],
    );
    check(json!({"audio": {"transcription": {"command": ["a; rm"]}}}), json!({}), &["audio.transcription"]);
}

#[test]
fn the_agent_section_becomes_defaults_and_tools() {
    check(
        json!({"agent": {
            "model": "a/big", "modelFallbacks": ["a/small"], "allowedModels": ["b/x"], "modelAliases": {"q": "c/quick"},
            "workspace": "~/w", "tools": {"allow": ["read"]}, "elevated": {"enabled": true}, "bash": {"timeoutSec": 5},
            "sandbox": {"mode": "all", "tools": {"deny": ["x"]}}
        }}),
        json!({
            "tools": {"allow": ["read"], "elevated": {"enabled": true}, "exec": {"timeoutSec": 5}, "sandbox": {"tools": {"deny": ["x"]}}},
            "agents": {"defaults": {
                "model": {"primary": "a/big", "fallbacks": ["a/small"]}, "workspace": "~/w", "sandbox": {"mode": "all"},
                "models": {"a/big": {}, "b/x": {}, "a/small": {}, "c/quick": {"alias": "q"}}
            }}
        }),
        &[
            "agent.allowedModels",
            "agent.modelAliases",
            "agent.modelFallbacks",
            "agent.tools.allow",
            "agent.elevated",
            "agent.bash",
            "agent.sandbox.tools",
            "agent",
        ],
    );
    check(
        json!({"identity": {"name": "Sam"}, "agents": {"list": [{"id": "one"}, {"id": "two", "default": true}]}}),
        json!({"agents": {"list": [{"id": "one"}, {"id": "two", "default": true, "identity": {"name": "Sam"}}]}}),
        &["identity"],
    );
    check(
        json!({"memorySearch": {"enabled": true}, "messages": {"tts": {"enabled": true}}, "tools": {"bash": {"host": "x"}}}),
        json!({"messages": {"tts": {"auto": "always"}}, "tools": {"exec": {"host": "x"}}, "agents": {"defaults": {"memorySearch": {"enabled": true}}}}),
        &["messages.tts.enabled", "tools.bash", "memorySearch"],
    );
}

#[test]
fn a_moved_value_can_be_traced_to_where_it_was_written() {
    let mut config = json!({"agent": {"sandbox": {"mode": 5}}});
    let changes = migrate(&mut config);
    let now: KeyPath = "agents.defaults.sandbox.mode".parse().expect("a path");
    assert_eq!(crate::key_path::dotted(&written_path(&changes, now.steps())), "agent.sandbox.mode");
}

#[test]
fn old_keys_are_reported_with_their_place_and_the_file_is_not_touched() {
    let text = "{\n  gateway: { token: '${TOKEN_OF_MINE}', port: 5 },\n  telegram: { enabled: 'maybe' }\n}";
    let world = World::with_variables([("TOKEN_OF_MINE", "hush")]);
    world.put("openclaw.json", text);
    let snapshot = world.read();
    assert_eq!(
        brief(&snapshot.legacy_issues),
        [
            "telegram @ 3:3: telegram is now channels.telegram; it was read from the old place",
            "gateway.token @ 2:14: gateway.token is now gateway.auth.token; it was read from the old place",
        ]
    );
    assert_eq!(snapshot.resolved["gateway"]["auth"]["token"], "hush");
    assert_eq!(world.text("openclaw.json"), text);
}
