//! The lists that apply to one run, layer by layer, and what one layer says about a tool.
//!
//! Built from the configured rules and the situation of a run. Every layer must let a tool pass; inside a layer what is
//! refused wins. A list of the only tools that names nothing known lets nothing pass: it does not open everything.

use openclaw_config::sections::{ToolLists, ToolPolicy, ToolProfile};
use openclaw_config::{ToolRules, ToolScope};
use openclaw_types::ModelRef;

use super::catalog::{ToolCandidate, belongs, profile_holds, profile_name};
use super::decide::ToolSituation;
use super::names::{canonical_tool_name, fits};
use super::rule::ToolRule;

/// What must be passed.
pub(super) enum Layer {
    /// Lists.
    Lists { allow: Option<List>, deny: Option<List> },
    /// A profile, and what it has beside its own tools.
    Profile { path: String, profile: ToolProfile, also: List },
}

/// A list at its place.
#[derive(Debug, Clone, Default)]
pub(super) struct List {
    path: String,
    entries: Vec<Entry>,
}

/// One name in a list.
#[derive(Debug, Clone)]
struct Entry {
    written: String,
    meant: String,
}

impl List {
    /// Reads a list; entries without a letter are left out.
    pub(super) fn new(path: impl Into<String>, names: &[String]) -> Self {
        let entry = |written: &String| Entry {
            written: written.trim().to_owned(),
            meant: canonical_tool_name(written).into_owned(),
        };
        let entries = names.iter().map(entry).filter(|entry| !entry.meant.is_empty()).collect();
        Self { path: path.into(), entries }
    }

    /// The entry that means a tool, as it was written.
    pub(super) fn hit(&self, tool: &ToolCandidate) -> Option<&str> {
        let hit = self.entries.iter().find(|entry| means(&entry.meant, tool));
        hit.map(|entry| entry.written.as_str())
    }

    /// Whether the list names a tool itself or its group, and not only by `*`.
    pub(super) fn names(&self, tool: &ToolCandidate) -> bool {
        self.entries.iter().any(|entry| !entry.meant.contains('*') && means(&entry.meant, tool))
    }

    /// Where it stands.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// What it means: as written, and in canonical form.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|entry| (entry.written.as_str(), entry.meant.as_str()))
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Whether an entry means a tool.
fn means(entry: &str, tool: &ToolCandidate) -> bool {
    let name = canonical_tool_name(&tool.name);
    fits(entry, &name) || belongs(tool, entry)
}

impl Layer {
    /// The lists of one place; nothing when they say nothing.
    pub(super) fn lists(path: &str, lists: &ToolLists) -> Option<Self> {
        let allow = lists.allow.as_ref().map(|names| {
            let more = lists.also_allow.iter().flatten();
            List::new(format!("{path}.allow"), &names.iter().chain(more).cloned().collect::<Vec<_>>())
        });
        let deny = lists.deny.as_ref().map(|names| List::new(format!("{path}.deny"), names));
        let (allow, deny) = (allow.filter(|list| !list.is_empty()), deny.filter(|list| !list.is_empty()));
        (allow.is_some() || deny.is_some()).then_some(Self::Lists { allow, deny })
    }

    /// What keeps a tool from passing.
    pub(super) fn objection(&self, tool: &ToolCandidate) -> Option<ToolRule> {
        match self {
            Self::Lists { allow, deny } => {
                if let Some((list, entry)) = deny.as_ref().and_then(|list| Some((list, list.hit(tool)?))) {
                    return Some(ToolRule::Denied { path: list.path.clone(), entry: entry.to_owned() });
                }
                let list = allow.as_ref()?;
                let missing =
                    || ToolRule::NotAllowed { path: list.path.clone(), tool: tool.name.to_string() };
                (!passes(list, tool)).then(missing)
            }
            Self::Profile { path, profile, also } => {
                let name = canonical_tool_name(&tool.name);
                let own = profile_holds(*profile, &name) && tool.plugin.is_none();
                let missing = || ToolRule::Profile {
                    path: path.clone(),
                    profile: profile_name(*profile),
                    tool: tool.name.to_string(),
                };
                (*profile != ToolProfile::Full && !own && !passes(also, tool)).then(missing)
            }
        }
    }

    /// The lists of the layer, for those who look for names nobody knows.
    pub(super) fn written(&self) -> impl Iterator<Item = &List> {
        let (first, second) = match self {
            Self::Lists { allow, deny } => (allow.as_ref(), deny.as_ref()),
            Self::Profile { also, .. } => (Some(also), None),
        };
        first.into_iter().chain(second)
    }
}

/// Whether a list of the only tools lets a tool pass. Who may run commands may change files by patches as well.
fn passes(list: &List, tool: &ToolCandidate) -> bool {
    let by_exec = || {
        canonical_tool_name(&tool.name) == "apply_patch"
            && list.entries.iter().any(|entry| fits(&entry.meant, "exec"))
    };
    list.hit(tool).is_some() || by_exec()
}

/// The layers of a run, in the order in which refusals are told.
pub(super) fn layers(situation: &ToolSituation<'_>) -> Vec<Layer> {
    let rules = situation.rules;
    let scopes = || [Some(&rules.shared), rules.own.as_ref()].into_iter().flatten();
    let vendor = |scope: &ToolScope| {
        vendor_policy(scope, situation.model).map(|(path, policy)| (path, policy.clone()))
    };
    let own_words = |scope: &ToolScope| (scope.path.clone(), scope.policy.clone());
    let mut layers: Vec<Layer> = Vec::new();
    layers.extend(profile(scopes().map(own_words)));
    layers.extend(profile(scopes().filter_map(vendor)));
    for scope in scopes() {
        layers.extend(Layer::lists(&scope.path, &scope.policy.lists));
        layers.extend(vendor(scope).and_then(|(path, policy)| Layer::lists(&path, &policy.lists)));
    }
    layers.extend(situation.circles.iter().filter_map(|circle| Layer::lists(&circle.path, &circle.lists)));
    if situation.depth > 0 {
        layers.extend(Layer::lists("tools.subagents.tools", &rules.subagents));
    }
    layers
}

/// The profile that counts, with what is allowed beside it: the agent's own words win over the shared ones, each for
/// itself.
fn profile(scopes: impl Iterator<Item = (String, ToolPolicy)>) -> Option<Layer> {
    let mut chosen = None;
    let mut also = List::default();
    for (path, policy) in scopes {
        if let Some(profile) = policy.profile {
            chosen = Some((format!("{path}.profile"), profile));
        }
        if let Some(names) = &policy.lists.also_allow {
            also = List::new(format!("{path}.alsoAllow"), names);
        }
    }
    chosen.map(|(path, profile)| Layer::Profile { path, profile, also })
}

/// What a scope says about the model that answers: about the model itself, else about its vendor.
fn vendor_policy<'a>(scope: &'a ToolScope, model: Option<&ModelRef>) -> Option<(String, &'a ToolPolicy)> {
    let model = model?;
    let provider = model.provider().as_str().to_lowercase();
    let name = model.model().to_lowercase();
    let keys = [format!("{provider}/{name}"), name, provider];
    let key = keys.iter().find(|key| scope.by_provider.contains_key(*key))?;
    Some((format!("{}.byProvider[{key:?}]", scope.path), scope.by_provider.get(key)?))
}

/// The lists of sandboxed sessions, where somebody wrote them.
pub(super) fn sandbox_lists(rules: &ToolRules) -> (Option<List>, Option<List>) {
    let list = |placed: &openclaw_config::PlacedList| List::new(placed.path.clone(), &placed.names);
    (rules.sandbox_allow.as_ref().map(list), rules.sandbox_deny.as_ref().map(list))
}
