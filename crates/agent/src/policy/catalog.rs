//! The tools built in: their families, the profiles they belong to, and the list that `tools.catalog` shows.
//!
//! A flat table of names. A tool that is not in it, such as one of a plugin, belongs to the family it names itself and
//! to no profile. Which tools exist in a running program is not known here; they are given.

use std::borrow::Cow;

use openclaw_config::sections::ToolProfile;
use openclaw_ports::tool::{Audience, ToolDescriptor, ToolGroup};

/// Tools that are built in: name, family, profiles.
const BUILT_IN: &[(&str, ToolGroup, &[ToolProfile])] = {
    use ToolGroup as G;
    use ToolProfile::{Coding, Messaging, Minimal};
    &[
        ("read", G::Files, &[Coding]),
        ("write", G::Files, &[Coding]),
        ("edit", G::Files, &[Coding]),
        ("apply_patch", G::Files, &[Coding]),
        ("grep", G::Files, &[Coding]),
        ("find", G::Files, &[Coding]),
        ("ls", G::Files, &[Coding]),
        ("exec", G::Runtime, &[Coding]),
        ("process", G::Runtime, &[Coding]),
        ("web_search", G::Web, &[]),
        ("web_fetch", G::Web, &[]),
        ("memory_search", G::Memory, &[Coding]),
        ("memory_get", G::Memory, &[Coding]),
        ("sessions_list", G::Sessions, &[Coding, Messaging]),
        ("sessions_history", G::Sessions, &[Coding, Messaging]),
        ("sessions_send", G::Sessions, &[Coding, Messaging]),
        ("sessions_spawn", G::Sessions, &[Coding]),
        ("subagents", G::Sessions, &[Coding]),
        ("session_status", G::Sessions, &[Minimal, Coding, Messaging]),
        ("browser", G::Ui, &[]),
        ("canvas", G::Ui, &[]),
        ("message", G::Messaging, &[Messaging]),
        ("cron", G::Automation, &[Coding]),
        ("gateway", G::Automation, &[]),
        ("nodes", G::Nodes, &[]),
        ("agents_list", G::Agents, &[]),
        ("image", G::Media, &[Coding]),
        ("tts", G::Media, &[]),
    ]
};

/// The families in the order of the catalog, and their names for people.
const FAMILIES: &[(ToolGroup, &str)] = &[
    (ToolGroup::Files, "Files"),
    (ToolGroup::Runtime, "Runtime"),
    (ToolGroup::Web, "Web"),
    (ToolGroup::Memory, "Memory"),
    (ToolGroup::Sessions, "Sessions"),
    (ToolGroup::Ui, "UI"),
    (ToolGroup::Messaging, "Messaging"),
    (ToolGroup::Automation, "Automation"),
    (ToolGroup::Nodes, "Nodes"),
    (ToolGroup::Agents, "Agents"),
    (ToolGroup::Media, "Media"),
];

/// The profiles in the order of the catalog.
const PROFILES: [ToolProfile; 4] =
    [ToolProfile::Minimal, ToolProfile::Coding, ToolProfile::Messaging, ToolProfile::Full];

/// A tool that a run might get, as the policy sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCandidate {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its family.
    pub group: ToolGroup,
    /// Who may have it called.
    pub audience: Audience,
    /// The plugin it comes from; nothing for a tool that is built in.
    pub plugin: Option<String>,
}

impl From<&ToolDescriptor> for ToolCandidate {
    fn from(descriptor: &ToolDescriptor) -> Self {
        Self {
            name: Cow::Borrowed(descriptor.name),
            group: descriptor.group,
            audience: descriptor.audience,
            plugin: None,
        }
    }
}

/// The catalog of tools, for people who write rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCatalog {
    /// Profiles: name and name for people.
    pub profiles: Vec<(&'static str, &'static str)>,
    /// The families that have tools.
    pub groups: Vec<CatalogGroup>,
}

/// A family of tools in the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogGroup {
    /// Its name, without `group:`.
    pub id: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// Its tools.
    pub tools: Vec<CatalogTool>,
}

/// A tool in the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogTool {
    /// Its name.
    pub id: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// What it does, in a line.
    pub description: &'static str,
    /// The profiles it belongs to.
    pub profiles: Vec<&'static str>,
}

/// Makes the catalog of these tools: built-in families in their fixed order, tools in the order of the table.
#[must_use]
pub fn tool_catalog<'a>(tools: impl IntoIterator<Item = &'a ToolDescriptor>) -> ToolCatalog {
    let mut tools: Vec<&ToolDescriptor> = tools.into_iter().collect();
    let place = |name: &str| BUILT_IN.iter().position(|(known, ..)| *known == name).unwrap_or(BUILT_IN.len());
    tools.sort_by_key(|tool| (place(tool.name), tool.name));
    let group = |(group, label): &(ToolGroup, &'static str)| {
        let members = tools.iter().filter(|tool| tool.group == *group);
        let tools: Vec<CatalogTool> = members.map(|tool| listed(tool)).collect();
        (!tools.is_empty()).then(|| CatalogGroup { id: group.as_str(), label, tools })
    };
    ToolCatalog {
        profiles: PROFILES.map(|profile| (profile_name(profile), profile_label(profile))).to_vec(),
        groups: FAMILIES.iter().filter_map(group).collect(),
    }
}

fn listed(tool: &ToolDescriptor) -> CatalogTool {
    CatalogTool {
        id: tool.name,
        label: tool.label,
        description: tool.summary,
        profiles: PROFILES
            .into_iter()
            .filter(|profile| *profile != ToolProfile::Full && profile_holds(*profile, tool.name))
            .map(profile_name)
            .collect(),
    }
}

/// A profile as it is written.
pub(super) fn profile_name(profile: ToolProfile) -> &'static str {
    match profile {
        ToolProfile::Minimal => "minimal",
        ToolProfile::Coding => "coding",
        ToolProfile::Messaging => "messaging",
        ToolProfile::Full => "full",
    }
}

fn profile_label(profile: ToolProfile) -> &'static str {
    match profile {
        ToolProfile::Minimal => "Minimal",
        ToolProfile::Coding => "Coding",
        ToolProfile::Messaging => "Messaging",
        ToolProfile::Full => "Full",
    }
}

/// Whether a profile holds a tool. The full one holds all.
pub(super) fn profile_holds(profile: ToolProfile, tool: &str) -> bool {
    profile == ToolProfile::Full
        || BUILT_IN.iter().any(|(name, _, profiles)| *name == tool && profiles.contains(&profile))
}

/// Whether a tool of this name is built in, present or not.
pub(super) fn is_built_in(tool: &str) -> bool {
    BUILT_IN.iter().any(|(name, ..)| *name == tool)
}

/// Whether there is a family of this name, with `group:`.
pub(super) fn is_group(name: &str) -> bool {
    matches!(name, "group:openclaw" | "group:plugins")
        || FAMILIES.iter().any(|(group, _)| Some(group.as_str()) == name.strip_prefix("group:"))
}

/// Whether a tool belongs to a family, or to the plugin whose name stands for its tools.
pub(super) fn belongs(tool: &ToolCandidate, group: &str) -> bool {
    if let Some(plugin) = &tool.plugin {
        let own = plugin.trim().to_lowercase();
        return group == "group:plugins" || group == own || group.strip_prefix("group:") == Some(&own);
    }
    match group {
        "group:openclaw" => !matches!(family(tool), ToolGroup::Files | ToolGroup::Runtime),
        group => group.strip_prefix("group:") == Some(family(tool).as_str()),
    }
}

/// The family of a tool: that of the table, else the one it names itself.
pub(super) fn family(tool: &ToolCandidate) -> ToolGroup {
    let row = BUILT_IN.iter().find(|(name, ..)| *name == tool.name);
    row.map_or(tool.group, |(_, group, _)| *group)
}
