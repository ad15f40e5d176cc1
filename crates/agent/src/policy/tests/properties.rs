//! What holds whatever is written: more refusals never allow more, and every tool is either given or refused by name.

use openclaw_config::ToolRules;
use openclaw_types::SenderRank;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use super::{TOOLS, model, owner, rules, tools};

/// Names that people write: tools, groups, patterns, nonsense.
fn names() -> impl Strategy<Value = Vec<String>> {
    let tool = prop::sample::select(TOOLS.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>());
    let other = prop::sample::select(
        ["group:fs", "group:openclaw", "group:plugins", "lobster", "*", "s*", "*e*", "nonsense", ""]
            .map(str::to_owned)
            .to_vec(),
    );
    prop::collection::vec(prop_oneof![3 => tool, 2 => other], 0..4)
}

fn lists() -> impl Strategy<Value = Value> {
    (prop::option::of(names()), prop::option::of(names())).prop_map(|(allow, deny)| {
        let mut lists = json!({});
        if let Some(allow) = allow {
            lists["allow"] = json!(allow);
        }
        if let Some(deny) = deny {
            lists["deny"] = json!(deny);
        }
        lists
    })
}

/// A file with rules in every place.
fn files() -> impl Strategy<Value = Value> {
    let profile = prop::option::of(prop::sample::select(vec!["minimal", "coding", "messaging", "full"]));
    (lists(), lists(), lists(), lists(), profile).prop_map(|(shared, own, sandbox, subagents, profile)| {
        let mut tools = shared;
        if let Some(profile) = profile {
            tools["profile"] = json!(profile);
        }
        tools["sandbox"] = json!({ "tools": sandbox });
        tools["subagents"] = json!({ "tools": subagents });
        json!({ "tools": tools, "agents": { "list": [{ "id": "main", "tools": own }] } })
    })
}

fn situation<'a>(
    rules: &'a ToolRules,
    model: &'a openclaw_types::ModelRef,
    depth: u64,
    sandbox: Sandboxing,
) -> ToolSituation<'a> {
    ToolSituation { depth, sandbox, standing: SenderRank::Guest, ..owner(rules, model) }
}

fn sandboxes() -> impl Strategy<Value = Sandboxing> {
    prop::sample::select(vec![
        Sandboxing::None,
        Sandboxing::Missing(SandboxExit::None),
        Sandboxing::Missing(SandboxExit::Commands),
    ])
}

proptest! {
    #[test]
    fn one_more_refusal_never_allows_more(
        file in files(), extra in names(), place in 0_usize..4, depth in 0_u64..3, sandbox in sandboxes(),
    ) {
        let mut stricter = file.clone();
        let pointer = ["/tools", "/agents/list/0/tools", "/tools/sandbox/tools", "/tools/subagents/tools"][place];
        let lists = stricter.pointer_mut(pointer).unwrap();
        let mut deny: Vec<Value> = lists["deny"].as_array().cloned().unwrap_or_default();
        deny.extend(extra.into_iter().map(Value::from));
        lists["deny"] = Value::from(deny);
        let (before, after, model) = (rules(file), rules(stricter), model("alpha/one"));
        let before = decide_tools(&situation(&before, &model, depth, sandbox), &tools());
        let after = decide_tools(&situation(&after, &model, depth, sandbox), &tools());
        for tool in after.allowed() {
            prop_assert!(before.allowed().contains(tool), "{tool} came in by a refusal");
        }
    }

    #[test]
    fn every_tool_is_given_or_refused_by_name(file in files(), depth in 0_u64..3, sandbox in sandboxes()) {
        let (rules, model) = (rules(file), model("alpha/one"));
        let decision = decide_tools(&situation(&rules, &model, depth, sandbox), &tools());
        prop_assert_eq!(decision.allowed().len() + decision.refused().len(), tools().len());
        for tool in tools() {
            let verdict = decision.judge(&tool.name);
            prop_assert_eq!(verdict == ToolVerdict::Allowed, decision.allowed().iter().any(|name| *name == tool.name));
        }
    }

    #[test]
    fn patterns_fit_what_a_plain_reading_of_them_fits(pattern in "[ab*]{0,6}", name in "[ab]{0,6}") {
        prop_assert_eq!(fits(&pattern, &name), plain(pattern.as_bytes(), name.as_bytes()));
    }
}

fn plain(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), None) => plain(rest, name),
        (Some((b'*', rest)), Some((_, tail))) => plain(rest, name) || plain(pattern, tail),
        (Some((first, rest)), Some((head, tail))) => first == head && plain(rest, tail),
        (None, Some(_)) | (Some(_), None) => false,
    }
}
