//! The rules that hold without anybody listing tools: owners, switches, sandboxes, sub-agents, models, HTTP.
//!
//! What is kept from sandboxes, sub-agents and HTTP can be given back, by name or group, in their own lists; `*` alone
//! does not give it back, and more refusals never give anything back.

use openclaw_config::HttpToolRules;
use openclaw_ports::model::writes_patches;
use openclaw_ports::tool::{Audience, ToolGroup};
use openclaw_types::SenderRank;

use super::catalog::{ToolCandidate, family};
use super::decide::{ImageModel, SandboxExit, Sandboxing, ToolSituation};
use super::layers::{List, sandbox_lists};
use super::names::canonical_tool_name;
use super::rule::ToolRule;

/// The tools of sandboxed sessions when nobody lists others.
const SANDBOX_ALLOW: &[&str] = &[
    "exec",
    "process",
    "read",
    "write",
    "edit",
    "apply_patch",
    "grep",
    "find",
    "ls",
    "image",
    "sessions_list",
    "sessions_history",
    "sessions_send",
    "sessions_spawn",
    "subagents",
    "session_status",
];

/// Tools that would reach out of a sandbox.
const SANDBOX_DENY: &[&str] = &["browser", "canvas", "nodes", "cron", "gateway"];

/// Tools that steer the installation or speak for the person, which no sub-agent does.
const SUBAGENT_DENY: &[&str] =
    &["gateway", "agents_list", "session_status", "cron", "memory_search", "memory_get", "sessions_send"];

/// Tools that make no sense for a sub-agent that has none of its own.
const LEAF_DENY: &[&str] = &["sessions_list", "sessions_history", "sessions_spawn"];

/// Tools that change files of the workspace.
const WRITERS: &[&str] = &["write", "edit", "apply_patch"];

/// Tools that are not called over HTTP: they start agents or steer the installation.
const HTTP_DENY: &[&str] = &["sessions_spawn", "sessions_send", "cron", "gateway"];

/// What keeps a tool from a run before anybody's lists are looked at.
pub(super) fn objection(situation: &ToolSituation<'_>, tool: &ToolCandidate) -> Option<ToolRule> {
    owner(situation, tool)
        .or_else(|| web(situation, tool))
        .or_else(|| patches(situation, tool))
        .or_else(|| pictures(situation, tool))
        .or_else(|| sandbox(situation, tool))
        .or_else(|| subagent(situation, tool))
}

fn is_one_of(tool: &ToolCandidate, names: &[&str]) -> bool {
    names.contains(&&*canonical_tool_name(&tool.name))
}

/// Only who is known to be the owner counts as one: sessions, schedules and the gateway itself do not.
fn owner(situation: &ToolSituation<'_>, tool: &ToolCandidate) -> Option<ToolRule> {
    let restricted = tool.audience == Audience::Owner && situation.standing != SenderRank::Owner;
    restricted.then(|| ToolRule::OwnerOnly { tool: tool.name.to_string() })
}

fn web(situation: &ToolSituation<'_>, tool: &ToolCandidate) -> Option<ToolRule> {
    let web = situation.rules.web;
    let off = |path: &str| Some(ToolRule::SwitchedOff { path: path.to_owned() });
    match &*canonical_tool_name(&tool.name) {
        "web_search" if !web.search => off("tools.web.search.enabled"),
        "web_fetch" if !web.fetch => off("tools.web.fetch.enabled"),
        _ => None,
    }
}

fn patches(situation: &ToolSituation<'_>, tool: &ToolCandidate) -> Option<ToolRule> {
    if !is_one_of(tool, &["apply_patch"]) {
        return None;
    }
    let rules = &situation.rules.apply_patch;
    if !rules.enabled {
        return Some(ToolRule::SwitchedOff { path: format!("{}.enabled", rules.path) });
    }
    let Some(model) = situation.model else {
        return Some(ToolRule::Model { tool: tool.name.to_string(), model: "an unknown model".to_owned() });
    };
    if !writes_patches(model.provider().as_str()) {
        return Some(ToolRule::Model { tool: tool.name.to_string(), model: model.to_string() });
    }
    let names = [model.model().to_lowercase(), model.to_string().to_lowercase()];
    let listed = rules.allow_models.is_empty() || rules.allow_models.iter().any(|name| names.contains(name));
    (!listed).then(|| ToolRule::ModelNotListed {
        path: format!("{}.allowModels", rules.path),
        model: model.to_string(),
    })
}

fn pictures(situation: &ToolSituation<'_>, tool: &ToolCandidate) -> Option<ToolRule> {
    let blind = situation.images == ImageModel::Missing && is_one_of(tool, &["image"]);
    blind.then_some(ToolRule::NoImageModel)
}

fn sandbox(situation: &ToolSituation<'_>, tool: &ToolCandidate) -> Option<ToolRule> {
    let Sandboxing::Missing(exit) = situation.sandbox else { return None };
    let changes = is_one_of(tool, WRITERS) || (exit == SandboxExit::None && is_one_of(tool, &["exec"]));
    if changes {
        return Some(ToolRule::NoSandbox { path: situation.rules.sandbox.path.clone() });
    }
    let (allow, deny) = sandbox_lists(situation.rules);
    let allow = allow.filter(|list| list.entries().next().is_some());
    if let Some((list, entry)) = deny.as_ref().and_then(|list| Some((list, list.hit(tool)?))) {
        return Some(ToolRule::Denied { path: list.path().to_owned(), entry: entry.to_owned() });
    }
    let asked_for = allow.as_ref().is_some_and(|list| list.names(tool));
    if is_one_of(tool, SANDBOX_DENY) && !asked_for {
        return Some(ToolRule::Sandbox { tool: tool.name.to_string() });
    }
    match allow {
        // Looking at a picture reaches nothing, so that the tool need not be listed.
        Some(list) if list.hit(tool).is_none() && !is_one_of(tool, &["image"]) => {
            Some(ToolRule::NotAllowed { path: list.path().to_owned(), tool: tool.name.to_string() })
        }
        None if !is_one_of(tool, SANDBOX_ALLOW) => Some(ToolRule::Sandbox { tool: tool.name.to_string() }),
        Some(_) | None => None,
    }
}

fn subagent(situation: &ToolSituation<'_>, tool: &ToolCandidate) -> Option<ToolRule> {
    let depth = situation.depth;
    if depth == 0 {
        return None;
    }
    let leaf = depth >= situation.rules.max_spawn_depth && is_one_of(tool, LEAF_DENY);
    if !leaf && !is_one_of(tool, SUBAGENT_DENY) && tool.audience != Audience::Owner {
        return None;
    }
    let lists = &situation.rules.subagents;
    let given = [&lists.allow, &lists.also_allow]
        .into_iter()
        .flatten()
        .any(|names| List::new("tools.subagents.tools.allow", names).names(tool));
    (!given).then(|| ToolRule::Subagent { tool: tool.name.to_string(), depth })
}

/// What keeps a tool from being called over HTTP, beside the policy of the session it would run in.
///
/// Files and commands are not there at all: whoever calls has no workspace of their own.
#[must_use]
pub fn http_objection(rules: &HttpToolRules, tool: &ToolCandidate) -> Option<ToolRule> {
    if matches!(family(tool), ToolGroup::Files | ToolGroup::Runtime) {
        return Some(ToolRule::NoSuchTool { tool: tool.name.to_string() });
    }
    let deny = List::new("gateway.tools.deny", &rules.deny);
    if let Some(entry) = deny.hit(tool) {
        return Some(ToolRule::Denied { path: "gateway.tools.deny".to_owned(), entry: entry.to_owned() });
    }
    let refused = is_one_of(tool, HTTP_DENY) || tool.audience == Audience::Owner;
    let given = List::new("gateway.tools.allow", &rules.allow).names(tool);
    (refused && !given).then(|| ToolRule::Http { tool: tool.name.to_string() })
}
