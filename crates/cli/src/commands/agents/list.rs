//! `openclaw agents list`: each agent with its identity, its places, its model and its bindings.

use clap::Args;
use openclaw_agent::workspace::{CardIdentity, read_identity};
use openclaw_config::{FileSnapshot, RouteSettings};
use openclaw_flow::MatchedBy;
use openclaw_types::AgentId;
use serde_json::{Map, Value, json};

use super::bind::written;
use super::bindings;
use crate::agents::{agent_dir_of, valid_config, workspace_of, written_entry};
use crate::call::block_on;
use crate::context::Context;
use crate::exit::Exit;
use crate::print;

/// `openclaw agents list`
#[derive(Debug, Default, Args)]
pub(super) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Show each binding as well
    #[arg(long)]
    bindings: bool,
}

/// Lists.
pub(super) fn run(context: &Context, arguments: &ListArgs) -> anyhow::Result<Exit> {
    let snapshot = valid_config(context)?;
    let mut rows = Vec::new();
    for agent in &snapshot.config.agents.list {
        let workspace = workspace_of(context, &snapshot.config, &agent.id);
        let card = block_on(async { Ok(read_identity(&workspace).await) })?.unwrap_or_else(|error| {
            tracing::debug!(%error, "the identity of an agent cannot be read");
            CardIdentity::default()
        });
        rows.push(row(context, &snapshot, &agent.id, &card, arguments));
    }
    if arguments.json {
        print::json(&rows)?;
        return Ok(Exit::Done);
    }
    let shown: Vec<String> = rows.iter().map(|row| render(context, row)).collect();
    print::line(&shown.join("\n\n"))?;
    Ok(Exit::Done)
}

fn row(
    context: &Context,
    snapshot: &FileSnapshot,
    agent: &AgentId,
    card: &CardIdentity,
    arguments: &ListArgs,
) -> Value {
    let config = &snapshot.config;
    let entry = written_entry(config, agent);
    let named = entry.and_then(|entry| entry.identity.as_ref());
    let filled =
        |text: Option<&String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let name = card.name.clone().or_else(|| filled(named.and_then(|identity| identity.name.as_ref())));
    let emoji = card.emoji.clone().or_else(|| filled(named.and_then(|identity| identity.emoji.as_ref())));
    let source = match (card.is_empty(), name.is_some() || emoji.is_some()) {
        (false, _) => Some("identity"),
        (true, true) => Some("config"),
        (true, false) => None,
    };
    let all = written(snapshot).into_iter().enumerate();
    let own: Vec<(usize, Value)> = all.filter(|(_, binding)| bindings::owner(binding) == *agent).collect();
    let details: Vec<String> = own.iter().map(|(_, binding)| bindings::describe(binding)).collect();
    let rules = RouteSettings::resolve(&config.raw).bindings;
    let tier = |place: &usize| rules.iter().find(|rule| rule.index == *place).map(MatchedBy::of);
    let tiers: Vec<&str> =
        own.iter().map(|(place, _)| tier(place).map_or("", |tier| tier.as_str())).collect();
    let is_default = config.agents.is_default(agent);
    let routes = match (details.is_empty(), is_default) {
        (false, _) => Some(details.clone()),
        (true, true) => Some(vec!["default (no explicit rules)".to_owned()]),
        (true, false) => None,
    };
    let fields = [
        ("id", json!(agent)),
        ("name", json!(config.agents.get(agent).and_then(|agent| agent.name.clone()))),
        ("identityName", json!(name)),
        ("identityEmoji", json!(emoji)),
        ("identitySource", json!(source)),
        ("workspace", json!(workspace_of(context, config, agent))),
        ("agentDir", json!(agent_dir_of(context, config, agent))),
        ("model", json!(model(snapshot, agent))),
        ("bindings", json!(own.len())),
        ("isDefault", json!(is_default)),
        ("bindingTiers", json!((arguments.bindings && !details.is_empty()).then_some(tiers))),
        ("bindingDetails", json!((arguments.bindings && !details.is_empty()).then_some(details))),
        ("routes", json!(routes)),
    ];
    let present = fields.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(present.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// The model the file names for an agent, or for all.
fn model(snapshot: &FileSnapshot, agent: &AgentId) -> Option<String> {
    let own = snapshot.config.agents.get(agent).and_then(|agent| agent.model.as_ref());
    own.and_then(|model| model.primary.clone()).or_else(|| snapshot.config.models.default.primary.clone())
}

fn render(context: &Context, row: &Value) -> String {
    let text = |key: &str| row[key].as_str().map(str::to_owned);
    let path =
        |key: &str| text(key).map(|path| context.short(std::path::Path::new(&path))).unwrap_or_default();
    let id = text("id").unwrap_or_default();
    let mut head = print::accent(&id);
    if row["isDefault"] == json!(true) {
        head.push_str(&print::muted(" (default)"));
    }
    if let Some(name) = text("name").filter(|name| *name != id) {
        head.push_str(&format!(" {name}"));
    }
    let mut table = print::TextTable::pairs();
    let identity: Vec<String> = [text("identityEmoji"), text("identityName")].into_iter().flatten().collect();
    if !identity.is_empty() {
        let from = if row["identitySource"] == json!("identity") { "IDENTITY.md" } else { "configuration" };
        table.row([
            "  Identity".to_owned(),
            format!("{} {}", identity.join(" "), print::muted(&format!("({from})"))),
        ]);
    }
    table.row(["  Workspace".to_owned(), path("workspace")]);
    table.row(["  State".to_owned(), path("agentDir")]);
    if let Some(model) = text("model") {
        table.row(["  Model".to_owned(), model]);
    }
    table.row(["  Bindings".to_owned(), row["bindings"].to_string()]);
    let mut out = format!("{head}\n{}", table.render());
    let tiers = row["bindingTiers"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let details = row["bindingDetails"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for (detail, tier) in details.zip(tiers) {
        out.push_str(&format!("\n    - {detail} {}", print::muted(&format!("({tier})"))));
    }
    out
}

#[cfg(test)]
mod tests {
    use openclaw_config::ConfigFile;

    use super::*;

    #[test]
    fn an_agent_is_shown_with_what_is_known_about_it() {
        let context = Context::fixed();
        let file = "{ agents: { defaults: { model: 'box/small' }, list: [{ id: 'main' }, { id: 'Ops', name: 'Operations',\n\
                    workspace: '~/ops', identity: { emoji: '🦞' } }] }, bindings: [\n\
                    { agentId: 'ops', match: { channel: 'one', guildId: 'g', roles: ['r'] } }] }";
        let snapshot = ConfigFile::new(context.locations.clone(), context.environment.clone()).preview(file);
        let arguments = ListArgs { json: false, bindings: true };
        let ops = AgentId::new("ops").unwrap();
        let shown = row(&context, &snapshot, &ops, &CardIdentity::default(), &arguments);
        assert_eq!(
            shown,
            json!({
                "id": "ops", "name": "Operations", "identityEmoji": "🦞", "identitySource": "config",
                "workspace": "/home/ana/ops", "agentDir": "/home/ana/.openclaw/agents/ops/agent", "model": "box/small",
                "bindings": 1, "isDefault": false, "bindingTiers": ["binding.guild+roles"],
                "bindingDetails": ["one guild=g roles=r"], "routes": ["one guild=g roles=r"],
            })
        );
        insta::assert_snapshot!(print::without_colours(&render(&context, &shown)), @r"
        ops Operations
          Identity   🦞 (configuration)
          Workspace  ~/ops
          State      ~/.openclaw/agents/ops/agent
          Model      box/small
          Bindings   1
            - one guild=g roles=r (binding.guild+roles)
        ");
    }
}
