//! Tables from rules and situations to the tools of a run, and what must hold for all of them.

mod circles;
mod examples;
mod layers;
mod properties;

use openclaw_config::ToolRules;
use openclaw_ports::tool::{Audience, ToolGroup};
use openclaw_types::{AgentId, ModelRef, SenderRank};
use serde_json::Value;

use super::*;

pub(super) const TOOLS: &[(&str, ToolGroup)] = &[
    ("read", ToolGroup::Files),
    ("write", ToolGroup::Files),
    ("apply_patch", ToolGroup::Files),
    ("exec", ToolGroup::Runtime),
    ("web_search", ToolGroup::Web),
    ("web_fetch", ToolGroup::Web),
    ("session_status", ToolGroup::Sessions),
    ("sessions_list", ToolGroup::Sessions),
    ("sessions_send", ToolGroup::Sessions),
    ("sessions_spawn", ToolGroup::Sessions),
    ("subagents", ToolGroup::Sessions),
    ("message", ToolGroup::Messaging),
    ("gateway", ToolGroup::Automation),
    ("browser", ToolGroup::Ui),
    ("image", ToolGroup::Media),
];

/// The built-in tools of the tests, and one of a plugin called `lobster`.
pub(super) fn tools() -> Vec<ToolCandidate> {
    let built_in = TOOLS.iter().map(|(name, group)| ToolCandidate {
        name: (*name).into(),
        group: *group,
        audience: if *name == "gateway" { Audience::Owner } else { Audience::Everybody },
        plugin: None,
    });
    let lobster = ToolCandidate {
        name: "lobster_trap".into(),
        group: ToolGroup::Web,
        audience: Audience::Everybody,
        plugin: Some("Lobster".to_owned()),
    };
    built_in.chain([lobster]).collect()
}

pub(super) fn rules(file: Value) -> ToolRules {
    ToolRules::of(&serde_json::from_value(file).unwrap(), &AgentId::main())
}

pub(super) fn model(text: &str) -> ModelRef {
    text.parse().unwrap()
}

/// The owner in a session of their own, with a model that writes patches.
pub(super) fn owner<'a>(rules: &'a ToolRules, model: &'a ModelRef) -> ToolSituation<'a> {
    ToolSituation {
        rules,
        model: Some(model),
        standing: SenderRank::Owner,
        depth: 0,
        sandbox: Sandboxing::None,
        circles: Vec::new(),
        images: ImageModel::Present,
    }
}

/// What a run gets, in one line.
pub(super) fn got(situation: &ToolSituation<'_>) -> String {
    decide_tools(situation, &tools()).allowed().join(" ")
}

/// Why a run does not get a tool.
pub(super) fn why(situation: &ToolSituation<'_>, tool: &str) -> String {
    match decide_tools(situation, &tools()).judge(tool) {
        ToolVerdict::Allowed => "allowed".to_owned(),
        ToolVerdict::Refused(rule) => rule.to_string(),
    }
}
