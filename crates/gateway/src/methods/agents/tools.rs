//! `tools.catalog`: the tools agents can have, by family.

use openclaw_agent::{CatalogGroup, CatalogTool, tool_catalog};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::catalog::{
    ToolEntry, ToolGroup, ToolProfile, ToolProfileId, ToolSource, ToolsCatalogParams, ToolsCatalogResult,
};

use super::AgentServices;

/// Shows the tools of this gateway. They are the same for every agent; who gets which is decided for each run.
pub(super) fn catalog(
    services: &AgentServices,
    params: &ToolsCatalogParams,
) -> Result<ToolsCatalogResult, ErrorShape> {
    let agent = match &params.agent_id {
        Some(written) => services.known_agent(written.as_str())?,
        None => services.config().agents.default_agent.clone(),
    };
    let shown = tool_catalog(services.flow.agent().parts().tools.iter().map(|tool| tool.descriptor()));
    let profile =
        |(id, label): (&str, &str)| Some(ToolProfile { id: profile_id(id)?, label: label.to_owned() });
    Ok(ToolsCatalogResult {
        agent_id: agent.to_string(),
        profiles: shown.profiles.into_iter().filter_map(profile).collect(),
        groups: shown.groups.into_iter().map(group).collect(),
    })
}

fn group(group: CatalogGroup) -> ToolGroup {
    ToolGroup {
        id: group.id.to_owned(),
        label: group.label.to_owned(),
        source: ToolSource::Core,
        plugin_id: None,
        tools: group.tools.into_iter().map(entry).collect(),
    }
}

fn entry(tool: CatalogTool) -> ToolEntry {
    ToolEntry {
        id: tool.id.to_owned(),
        label: tool.label.to_owned(),
        description: tool.description.to_owned(),
        source: ToolSource::Core,
        plugin_id: None,
        optional: None,
        default_profiles: tool.profiles.into_iter().filter_map(profile_id).collect(),
    }
}

fn profile_id(name: &str) -> Option<ToolProfileId> {
    match name {
        "minimal" => Some(ToolProfileId::Minimal),
        "coding" => Some(ToolProfileId::Coding),
        "messaging" => Some(ToolProfileId::Messaging),
        "full" => Some(ToolProfileId::Full),
        _ => None,
    }
}
