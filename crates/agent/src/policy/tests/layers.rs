//! What each layer, and each pair of them, does to the tools of a run; and the words of the refusals.

use openclaw_config::{HttpToolRules, ToolRules};
use openclaw_ports::tool::{Concurrency, Effect, ToolDescriptor, ToolGroup};
use openclaw_types::{ModelRef, SenderRank};
use serde_json::{Value, json};

use super::super::*;
use super::{got, model, owner, rules, tools, why};

const ALL: &str = "read write exec web_search web_fetch session_status sessions_list sessions_send sessions_spawn subagents \
                   message gateway browser image lobster_trap";

fn check(file: Value, expected: &str) {
    let (rules, model) = (rules(file.clone()), model("alpha/one"));
    assert_eq!(got(&owner(&rules, &model)), expected, "{file}");
}

#[test]
fn without_rules_the_owner_gets_everything_that_the_model_can_use() {
    check(json!({}), ALL);
}

#[test]
fn each_layer_cuts_what_it_names() {
    let rows = [
        (json!({ "tools": { "profile": "minimal" } }), "session_status"),
        (
            json!({ "tools": { "profile": "messaging" } }),
            "session_status sessions_list sessions_send message",
        ),
        (
            json!({ "tools": { "profile": "coding" } }),
            "read write exec session_status sessions_list sessions_send sessions_spawn subagents image",
        ),
        (json!({ "tools": { "profile": "full" } }), ALL),
        (json!({ "tools": { "allow": ["read", "group:web"] } }), "read web_search web_fetch"),
        (json!({ "tools": { "allow": [" READ ", "Bash"] } }), "read exec"),
        (
            json!({ "tools": { "allow": ["session*"] } }),
            "session_status sessions_list sessions_send sessions_spawn",
        ),
        (
            json!({ "tools": { "allow": ["*"], "deny": ["group:sessions", "*er"] } }),
            "read write exec web_search web_fetch message gateway image lobster_trap",
        ),
        (json!({ "tools": { "allow": ["group:plugins"] } }), "lobster_trap"),
        (json!({ "tools": { "allow": ["lobster"] } }), "lobster_trap"),
        (json!({ "tools": { "deny": ["group:openclaw", "group:plugins"] } }), "read write exec"),
        (
            json!({ "tools": { "deny": ["group:fs", "group:runtime", "group:sessions"] } }),
            "web_search web_fetch message gateway browser image lobster_trap",
        ),
        (json!({ "tools": { "allow": [] } }), ALL),
        (json!({ "tools": { "allow": ["  "] } }), ALL),
        (json!({ "tools": { "allow": ["no_such_tool"] } }), ""),
        (json!({ "tools": { "alsoAllow": ["lobster_trap"] } }), ALL),
        (
            json!({ "tools": { "profile": "minimal", "alsoAllow": ["lobster"] } }),
            "session_status lobster_trap",
        ),
        (
            json!({ "tools": { "profile": "minimal", "alsoAllow": ["group:fs"] } }),
            "read write session_status",
        ),
    ];
    for (file, expected) in rows {
        check(file, expected);
    }
}

#[test]
fn pairs_of_layers_must_both_let_a_tool_pass() {
    let agent = |tools: Value| json!({ "list": [{ "id": "main", "tools": tools }] });
    let rows = [
        (json!({ "tools": { "allow": ["read", "exec"], "deny": ["exec"] } }), "read"),
        (
            json!({ "tools": { "allow": ["read", "exec"] }, "agents": agent(json!({ "allow": ["exec", "image"] })) }),
            "exec",
        ),
        (
            json!({ "tools": { "deny": ["exec"] }, "agents": agent(json!({ "allow": ["exec", "read"] })) }),
            "read",
        ),
        (
            json!({ "tools": { "allow": ["exec", "read"] }, "agents": agent(json!({ "deny": ["exec"] })) }),
            "read",
        ),
        (
            json!({ "tools": { "profile": "full" }, "agents": agent(json!({ "profile": "minimal" })) }),
            "session_status",
        ),
        (
            json!({ "tools": { "profile": "minimal" }, "agents": agent(json!({ "profile": "full", "allow": ["read"] })) }),
            "read",
        ),
        (
            json!({ "tools": { "profile": "minimal" }, "agents": agent(json!({ "alsoAllow": ["read"] })) }),
            "read session_status",
        ),
        (
            json!({ "tools": { "profile": "minimal", "alsoAllow": ["exec"] },
            "agents": agent(json!({ "alsoAllow": ["read"] })) }),
            "read session_status",
        ),
        (json!({ "tools": { "profile": "minimal", "allow": ["read"] } }), ""),
        (
            json!({ "tools": { "byProvider": { "alpha": { "deny": ["exec"] } }, "allow": ["exec", "read"] } }),
            "read",
        ),
        (
            json!({ "tools": { "byProvider": { "Alpha/One": { "allow": ["read"] }, "alpha": { "allow": ["exec"] } } } }),
            "read",
        ),
        (json!({ "tools": { "byProvider": { "beta": { "allow": ["read"] } }, "allow": ["exec"] } }), "exec"),
        (
            json!({ "tools": { "byProvider": { "alpha": { "profile": "messaging" } }, "profile": "coding" } }),
            "session_status sessions_list sessions_send",
        ),
        (
            json!({ "tools": { "byProvider": { "alpha": { "profile": "minimal", "alsoAllow": ["read"] } } } }),
            "read session_status",
        ),
        (
            json!({ "tools": { "byProvider": { "alpha": { "profile": "minimal" } } },
            "agents": agent(json!({ "byProvider": { "alpha": { "profile": "messaging" } } })) }),
            "session_status sessions_list sessions_send message",
        ),
        (
            json!({ "agents": agent(json!({ "byProvider": { "alpha": { "deny": ["group:fs"] } }, "allow": ["group:fs", "exec"] })) }),
            "exec",
        ),
    ];
    for (file, expected) in rows {
        check(file, expected);
    }
}

#[test]
fn every_refusal_names_its_rule() {
    let agent =
        |tools: Value| json!({ "agents": { "list": [{ "id": "x" }, { "id": "main", "tools": tools }] } });
    let rows = [
        (json!({ "tools": { "deny": ["Bash"] } }), "exec", r#"tools.deny contains "Bash""#),
        (json!({ "tools": { "deny": ["group:runtime"] } }), "exec", r#"tools.deny contains "group:runtime""#),
        (json!({ "tools": { "allow": ["read"] } }), "exec", r#"tools.allow does not contain "exec""#),
        (
            json!({ "tools": { "profile": "minimal" } }),
            "exec",
            r#"tools.profile is "minimal", which does not include "exec""#,
        ),
        (agent(json!({ "deny": ["exec"] })), "exec", r#"agents.list[1].tools.deny contains "exec""#),
        (
            json!({ "tools": { "byProvider": { "alpha": { "deny": ["ex*"] } } } }),
            "exec",
            r#"tools.byProvider["alpha"].deny contains "ex*""#,
        ),
        (
            agent(json!({ "byProvider": { "alpha/one": { "profile": "minimal" } } })),
            "exec",
            r#"agents.list[1].tools.byProvider["alpha/one"].profile is "minimal", which does not include "exec""#,
        ),
        (json!({}), "fly", r#"there is no tool named "fly""#),
        (json!({}), "BASH", "allowed"),
    ];
    for (file, tool, expected) in rows {
        let (rules, model) = (rules(file.clone()), model("alpha/one"));
        assert_eq!(why(&owner(&rules, &model), tool), expected, "{file}");
    }
}

#[test]
fn only_the_owner_gets_what_is_for_owners() {
    let (rules, model) = (rules(json!({})), model("alpha/one"));
    for (standing, expected) in [
        (SenderRank::Owner, "allowed"),
        (SenderRank::Guest, r#""gateway" is for the owner of this installation only"#),
        (SenderRank::System, r#""gateway" is for the owner of this installation only"#),
    ] {
        let situation = ToolSituation { standing, ..owner(&rules, &model) };
        assert_eq!(why(&situation, "gateway"), expected, "{standing:?}");
    }
}

#[test]
fn sub_agents_lose_more_the_deeper_they_are_and_can_be_given_back() {
    let deep = |depth: u64, file: Value| {
        let (rules, model) = (rules(file), model("alpha/one"));
        got(&ToolSituation { depth, ..owner(&rules, &model) })
    };
    let leaf = "read write exec web_search web_fetch subagents message browser image lobster_trap";
    let inner = "read write exec web_search web_fetch sessions_list sessions_spawn subagents message browser image lobster_trap";
    let two_levels = json!({ "agents": { "defaults": { "subagents": { "maxSpawnDepth": 2 } } } });
    let nested = |lists: Value| json!({ "tools": { "subagents": { "tools": lists } } });
    let rows = [
        (1, json!({}), leaf),
        (1, two_levels.clone(), inner),
        (2, two_levels, leaf),
        (
            1,
            nested(json!({ "deny": ["exec", "browser"] })),
            "read write web_search web_fetch subagents message image lobster_trap",
        ),
        (1, nested(json!({ "allow": ["read", "sessions_spawn"] })), "read sessions_spawn"),
        (
            1,
            nested(json!({ "alsoAllow": ["session_status"] })),
            "read write exec web_search web_fetch session_status subagents message browser image lobster_trap",
        ),
        (1, nested(json!({ "allow": ["*"] })), leaf),
        (1, nested(json!({ "allow": ["read", "sessions_spawn"], "deny": ["sessions_spawn"] })), "read"),
    ];
    for (depth, file, expected) in rows {
        assert_eq!(deep(depth, file.clone()), expected, "depth {depth}: {file}");
    }
    let (rules, model) = (rules(json!({})), model("alpha/one"));
    let situation = ToolSituation { depth: 1, ..owner(&rules, &model) };
    let expected =
        r#"sub-agents at depth 1 do not have "sessions_spawn" unless tools.subagents.tools.allow names it"#;
    assert_eq!(why(&situation, "sessions_spawn"), expected);
}

#[test]
fn sandboxes_have_a_list_of_their_own_and_nothing_that_changes_the_machine() {
    let boxed = |file: Value, exit: SandboxExit| {
        let (rules, model) = (rules(file), model("alpha/one"));
        got(&ToolSituation { sandbox: Sandboxing::Missing(exit), ..owner(&rules, &model) })
    };
    let nested = |lists: Value| json!({ "tools": { "sandbox": { "tools": lists } } });
    let none = SandboxExit::None;
    let rows = [
        (json!({}), none, "read session_status sessions_list sessions_send sessions_spawn subagents image"),
        (
            json!({}),
            SandboxExit::Commands,
            "read exec session_status sessions_list sessions_send sessions_spawn subagents image",
        ),
        (
            nested(json!({ "deny": ["exec", "image"] })),
            SandboxExit::Commands,
            "read session_status sessions_list sessions_send sessions_spawn subagents",
        ),
        (nested(json!({ "allow": ["read", "write", "exec"] })), none, "read image"),
        (nested(json!({ "allow": ["read"], "deny": ["image"] })), none, "read"),
        (nested(json!({ "allow": ["read", "browser"] })), none, "read browser image"),
        (
            nested(json!({ "allow": ["*"] })),
            none,
            "read web_search web_fetch session_status sessions_list sessions_send sessions_spawn subagents message image \
             lobster_trap",
        ),
        (nested(json!({ "allow": ["read", "group:ui"], "deny": ["browser"] })), none, "read image"),
    ];
    for (file, exit, expected) in rows {
        assert_eq!(boxed(file.clone(), exit), expected, "{file}");
    }
    let (rules, model) = (rules(json!({})), model("alpha/one"));
    let situation = ToolSituation { sandbox: Sandboxing::Missing(none), ..owner(&rules, &model) };
    assert_eq!(
        why(&situation, "write"),
        "agents.defaults.sandbox.mode puts this session into a sandbox, this gateway has none yet, and the tool would \
         change the machine itself"
    );
}

#[test]
fn what_the_configuration_switches_off_is_not_there() {
    let model = model("alpha/one");
    let web = |file: Value| {
        let rules = rules(json!({ "tools": { "web": file } }));
        let situation = owner(&rules, &model);
        [why(&situation, "web_search"), why(&situation, "web_fetch")]
    };
    let off = |tool: &str| format!("tools.web.{tool}.enabled is not true");
    let on = || "allowed".to_owned();
    assert_eq!(web(json!({})), [on(), on()]);
    assert_eq!(web(json!({ "search": { "enabled": false } })), [off("search"), on()]);
    assert_eq!(web(json!({ "fetch": { "enabled": false } })), [on(), off("fetch")]);
    let rules = rules(json!({}));
    let blind = ToolSituation { images: ImageModel::Missing, ..owner(&rules, &model) };
    assert_eq!(why(&blind, "image"), "no model that sees pictures is configured");
}

#[test]
fn patches_are_for_models_that_write_them_and_only_when_asked_for() {
    let on = |models: Value| json!({ "tools": { "exec": { "applyPatch": { "enabled": true, "allowModels": models } } } });
    let rows = [
        (json!({}), "openai/gpt-5", "tools.exec.applyPatch.enabled is not true"),
        (on(json!([])), "openai/gpt-5", "allowed"),
        (on(json!([])), "openai-codex/gpt-5", "allowed"),
        (on(json!([])), "alpha/one", r#"alpha/one was not made to use "apply_patch""#),
        (on(json!(["GPT-5"])), "openai/gpt-5", "allowed"),
        (on(json!(["openai/gpt-5"])), "openai/gpt-5", "allowed"),
        (
            on(json!(["gpt-4"])),
            "openai/gpt-5",
            r#"tools.exec.applyPatch.allowModels does not contain "openai/gpt-5""#,
        ),
    ];
    for (file, name, expected) in rows {
        let (rules, model) = (rules(file.clone()), model(name));
        assert_eq!(why(&owner(&rules, &model), "apply_patch"), expected, "{file} {name}");
    }
    let mut file = on(json!([]));
    file["tools"]["allow"] = json!(["exec"]);
    let (rules, model): (ToolRules, ModelRef) = (rules(file), model("openai/gpt-5"));
    assert_eq!(got(&owner(&rules, &model)), "apply_patch exec", "who may run commands may patch");
}

#[test]
fn pictures_need_a_model_that_sees_them() {
    let (rules, model) = (rules(json!({})), model("alpha/one"));
    let situation = ToolSituation { images: ImageModel::Missing, ..owner(&rules, &model) };
    assert_eq!(why(&situation, "image"), "no model that sees pictures is configured");
}

#[test]
fn names_that_nobody_has_are_told_once_and_known_absent_ones_are_not() {
    let file = json!({ "tools": {
        "allow": ["exce", "read", "cron", "group:fs", "group:nothing", "mcp_*", "lobster"], "deny": ["exce", "tts"],
        "sandbox": { "tools": { "allow": ["reed"] } },
    } });
    let (rules, model) = (rules(file), model("alpha/one"));
    let decision = decide_tools(&owner(&rules, &model), &tools());
    let told: Vec<String> =
        decision.unknown().iter().map(|name| format!("{} {}", name.path, name.entry)).collect();
    let expected = [
        "tools.allow exce",
        "tools.allow group:nothing",
        "tools.deny exce",
        "tools.sandbox.tools.allow reed",
    ];
    assert_eq!(told, expected);
}

#[test]
fn http_has_a_list_of_refusals_that_can_be_changed() {
    let rows: [(&[&str], &[&str], &str); 4] = [
        (
            &[],
            &[],
            "web_search web_fetch session_status sessions_list subagents message browser image lobster_trap",
        ),
        (
            &["sessions_send"],
            &[],
            "web_search web_fetch session_status sessions_list sessions_send subagents message browser image lobster_trap",
        ),
        (
            &["*", "exec"],
            &[],
            "web_search web_fetch session_status sessions_list subagents message browser image lobster_trap",
        ),
        (
            &["gateway"],
            &["group:sessions", "browser"],
            "web_search web_fetch message gateway image lobster_trap",
        ),
    ];
    for (allow, deny, expected) in rows {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let rules = HttpToolRules { allow: owned(allow), deny: owned(deny) };
        let tools = tools();
        let reachable = tools.iter().filter(|tool| http_objection(&rules, tool).is_none());
        let names: Vec<&str> = reachable.map(|tool| &*tool.name).collect();
        assert_eq!(names.join(" "), expected, "allow {allow:?}, deny {deny:?}");
    }
}

#[test]
fn the_catalog_shows_families_in_order_with_the_profiles_of_their_tools() {
    let tool = |name: &'static str, group: ToolGroup| ToolDescriptor {
        name,
        label: name,
        summary: "Does things",
        description: "".into(),
        parameters: json!({}).into(),
        group,
        concurrency: Concurrency::Parallel,
        effect: Effect::Looks,
        audience: openclaw_ports::tool::Audience::Everybody,
    };
    let tools = [
        tool("session_status", ToolGroup::Sessions),
        tool("edit", ToolGroup::Files),
        tool("read", ToolGroup::Files),
    ];
    let listed = |id: &'static str, profiles: &[&'static str]| CatalogTool {
        id,
        label: id,
        description: "Does things",
        profiles: profiles.to_vec(),
    };
    let expected = ToolCatalog {
        profiles: vec![
            ("minimal", "Minimal"),
            ("coding", "Coding"),
            ("messaging", "Messaging"),
            ("full", "Full"),
        ],
        groups: vec![
            CatalogGroup {
                id: "fs",
                label: "Files",
                tools: vec![listed("read", &["coding"]), listed("edit", &["coding"])],
            },
            CatalogGroup {
                id: "sessions",
                label: "Sessions",
                tools: vec![listed("session_status", &["minimal", "coding", "messaging"])],
            },
        ],
    };
    assert_eq!(tool_catalog(&tools), expected);
}
