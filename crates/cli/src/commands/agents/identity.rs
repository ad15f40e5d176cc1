//! `openclaw agents set-identity`: how an agent presents itself, from the command line or from its `IDENTITY.md`.

use std::path::{Path, PathBuf};

use clap::Args;
use openclaw_agent::workspace::{CardIdentity, read_identity};
use openclaw_config::{BaseHash, FileSnapshot};
use openclaw_types::AgentId;
use serde_json::{Map, Value, json};

use super::entries::with_fields;
use crate::agents::{valid_config, workspace_of, written_entry};
use crate::call::block_on;
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// The file an agent describes itself in.
const CARD: &str = "IDENTITY.md";

/// `openclaw agents set-identity`
#[derive(Debug, Args)]
pub(super) struct IdentityArgs {
    /// The agent [default: the one that works in --workspace, or here]
    #[arg(long, value_name = "id")]
    agent: Option<String>,
    /// The workspace that tells which agent is meant, and whose IDENTITY.md is read
    #[arg(long, value_name = "dir")]
    workspace: Option<String>,
    /// Read this file instead of the workspace's IDENTITY.md
    #[arg(long, value_name = "path")]
    identity_file: Option<String>,
    /// Take over what IDENTITY.md says
    #[arg(long)]
    from_identity: bool,
    /// Its name
    #[arg(long, value_name = "name")]
    name: Option<String>,
    /// Its character in a few words
    #[arg(long, value_name = "theme")]
    theme: Option<String>,
    /// The emoji that stands for it
    #[arg(long, value_name = "emoji")]
    emoji: Option<String>,
    /// Its picture: an address, or a path in its workspace
    #[arg(long, value_name = "value")]
    avatar: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Where an identity is read from.
struct Source {
    workspace: Option<PathBuf>,
    file: Option<PathBuf>,
}

/// Sets an identity.
pub(super) fn run(context: &Context, arguments: &IdentityArgs) -> anyhow::Result<Exit> {
    let snapshot = valid_config(context)?;
    let given = given(arguments);
    let reads_card = arguments.from_identity || arguments.identity_file.is_some() || given.is_empty();
    let source = source(context, arguments, reads_card);
    let agent = agent(context, &snapshot, arguments, &source)?;
    let card = if reads_card { card(context, &source)? } else { CardIdentity::default() };
    let incoming = merged(given, card);
    if incoming.is_empty() {
        return Err(misuse("say what changes with --name, --emoji, --theme or --avatar, or --from-identity"));
    }
    let edit = with_fields(
        &snapshot.config,
        &agent,
        Map::from_iter([("identity".to_owned(), Value::Object(incoming.clone()))]),
    );
    let next = context.config_file().patch(&edit.to_string(), &BaseHash::Given(snapshot.hash.clone()))?;
    tell(context, arguments, &next, (&agent, &source))
}

fn given(arguments: &IdentityArgs) -> Map<String, Value> {
    let fields = [
        ("name", &arguments.name),
        ("emoji", &arguments.emoji),
        ("theme", &arguments.theme),
        ("avatar", &arguments.avatar),
    ];
    let filled = fields.into_iter().filter_map(|(key, value)| {
        let value = value.as_deref().map(str::trim).filter(|value| !value.is_empty())?;
        Some((key.to_owned(), json!(value)))
    });
    filled.collect()
}

/// What was given wins over the card. A card without a character may name a creature or a manner instead.
fn merged(given: Map<String, Value>, card: CardIdentity) -> Map<String, Value> {
    let from_card = [
        ("name", card.name),
        ("emoji", card.emoji),
        ("theme", card.theme.or(card.creature).or(card.vibe)),
        ("avatar", card.avatar),
    ];
    let mut out: Map<String, Value> =
        from_card.into_iter().filter_map(|(key, value)| Some((key.to_owned(), json!(value?)))).collect();
    out.extend(given);
    out
}

fn source(context: &Context, arguments: &IdentityArgs, reads_card: bool) -> Source {
    let path = |text: &Option<String>| {
        let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty())?;
        Some(context.environment.user_path(text))
    };
    if let Some(file) = path(&arguments.identity_file) {
        return Source { workspace: file.parent().map(Path::to_owned), file: Some(file) };
    }
    let here = || {
        (reads_card || arguments.agent.is_none()).then(|| context.environment.working_directory().to_owned())
    };
    Source { workspace: path(&arguments.workspace).or_else(here), file: None }
}

fn agent(
    context: &Context,
    snapshot: &FileSnapshot,
    arguments: &IdentityArgs,
    source: &Source,
) -> anyhow::Result<AgentId> {
    if let Some(written) = arguments.agent.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        return Ok(AgentId::sanitized(written));
    }
    let Some(workspace) = &source.workspace else {
        return Err(misuse("say which agent with --agent <id> or --workspace <dir>"));
    };
    let agents = snapshot.config.agents.list.iter().map(|agent| &agent.id);
    let found: Vec<&AgentId> =
        agents.filter(|agent| workspace_of(context, &snapshot.config, agent) == *workspace).collect();
    match found.as_slice() {
        [agent] => Ok((*agent).clone()),
        [] => Err(misuse(format!(
            "no agent works in {}; say which one with --agent <id>",
            context.short(workspace)
        ))),
        several => {
            let names: Vec<&str> = several.iter().map(|agent| agent.as_str()).collect();
            Err(misuse(format!(
                "several agents work in {}: {}; say which one with --agent <id>",
                context.short(workspace),
                names.join(", ")
            )))
        }
    }
}

fn card(context: &Context, source: &Source) -> anyhow::Result<CardIdentity> {
    let (card, path) = match (&source.file, &source.workspace) {
        (Some(file), _) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| anyhow::anyhow!("{} cannot be read: {error}", context.short(file)))?;
            (CardIdentity::parse(&text), file.clone())
        }
        (None, Some(workspace)) => {
            (block_on(async { Ok(read_identity(workspace).await?) })?, workspace.join(CARD))
        }
        (None, None) => return Err(misuse("say which workspace with --workspace <dir>")),
    };
    if card.is_empty() {
        anyhow::bail!(
            "{} says nothing about who the agent is; fill in its lines, or use --name and the like",
            context.short(&path)
        );
    }
    Ok(card)
}

fn tell(
    context: &Context,
    arguments: &IdentityArgs,
    next: &FileSnapshot,
    (agent, source): (&AgentId, &Source),
) -> anyhow::Result<Exit> {
    let identity = written_entry(&next.config, agent).and_then(|entry| entry.identity.as_ref());
    let fields = identity.map(|identity| {
        [
            ("name", &identity.name),
            ("theme", &identity.theme),
            ("emoji", &identity.emoji),
            ("avatar", &identity.avatar),
        ]
    });
    let filled: Vec<(&str, &String)> =
        fields.into_iter().flatten().filter_map(|(key, value)| Some((key, value.as_ref()?))).collect();
    if arguments.json {
        let shown: Map<String, Value> =
            filled.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
        print::json(&json!({
            "agentId": agent, "identity": shown, "workspace": source.workspace, "identityFile": source.file,
        }))?;
        return Ok(Exit::Done);
    }
    let mut table = print::TextTable::pairs();
    table.row(["agent", agent.as_str()]);
    for (key, value) in filled {
        table.row([key, value]);
    }
    if let Some(workspace) = &source.workspace {
        table.row(["workspace", &context.short(workspace)]);
    }
    print::line(&table.render())?;
    Ok(Exit::Done)
}
