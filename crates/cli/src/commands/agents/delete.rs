//! `openclaw agents delete`: takes an agent out of the file and puts its workspace and state into the trash.
//!
//! A gateway that runs here does it itself: it holds the agent's database open and has to let go of it first.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use openclaw_app::running_instance;
use openclaw_config::{BaseHash, FileSnapshot};
use openclaw_types::AgentId;
use serde_json::{Value, json};

use super::entries::{Without, without};
use super::trash::{Fate, discard};
use crate::agents::{agent_dir_of, valid_config, workspace_of, written_entry};
use crate::call::{Question, ask};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;
use crate::target::{Target, TargetArgs};

/// How long a gateway may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// `openclaw agents delete`
#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    /// The agent, from `openclaw agents list`
    id: String,
    /// Do not ask
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The places of an agent.
struct Places {
    workspace: PathBuf,
    agent_dir: PathBuf,
    sessions_dir: PathBuf,
}

/// Removes an agent.
pub(super) fn run(context: &Context, arguments: &DeleteArgs) -> anyhow::Result<Exit> {
    let snapshot = valid_config(context)?;
    let agent = AgentId::sanitized(&arguments.id);
    if agent == AgentId::main() {
        anyhow::bail!("main is the agent that is always there; it cannot be removed");
    }
    if written_entry(&snapshot.config, &agent).is_none() {
        anyhow::bail!("there is no agent {agent}; `openclaw agents list` shows them");
    }
    if !arguments.force && !agreed(&agent)? {
        print::note("Nothing was removed.")?;
        return Ok(Exit::Done);
    }
    let places = Places {
        workspace: workspace_of(context, &snapshot.config, &agent),
        agent_dir: agent_dir_of(context, &snapshot.config, &agent),
        sessions_dir: context.locations.sessions_dir(&agent),
    };
    let removed = match running_instance(&context.locations)? {
        Some(_) => by_gateway(context, &agent)?,
        None => here(context, &snapshot, &agent, &places)?,
    };
    if arguments.json {
        print::json(&json!({
            "agentId": agent, "workspace": places.workspace, "agentDir": places.agent_dir,
            "sessionsDir": places.sessions_dir, "removedBindings": removed.bindings,
            "removedAllow": removed.allowed,
        }))?;
    } else {
        print::line(&format!("Removed the agent {agent}."))?;
    }
    Ok(Exit::Done)
}

fn agreed(agent: &AgentId) -> anyhow::Result<bool> {
    if !print::can_ask() {
        return Err(misuse(format!(
            "this removes the agent {agent}, its workspace and its sessions; say --force if that is meant"
        )));
    }
    Ok(print::confirm(&format!("Remove the agent {agent}, its workspace and its sessions?"))?)
}

/// What went with the agent.
struct Removed {
    bindings: Value,
    allowed: Value,
}

fn by_gateway(context: &Context, agent: &AgentId) -> anyhow::Result<Removed> {
    let target = Target::resolve(context, &TargetArgs::default())?;
    let question = Question::new("agents.delete", json!({ "agentId": agent, "deleteFiles": true }), PATIENCE);
    let answer = ask(context, &target, &question)?;
    Ok(Removed { bindings: answer["removedBindings"].clone(), allowed: answer["removedAllow"].clone() })
}

fn here(
    context: &Context,
    snapshot: &FileSnapshot,
    agent: &AgentId,
    places: &Places,
) -> anyhow::Result<Removed> {
    let Some(Without { file, bindings, allowed }) = without(snapshot, agent) else {
        anyhow::bail!(
            "the agent {agent} is written in a file that {} includes; remove it there",
            context.short(&snapshot.path)
        );
    };
    context.config_file().write_text(&file.to_string(), &BaseHash::Given(snapshot.hash.clone()))?;
    for path in [&places.workspace, &places.agent_dir, &places.sessions_dir] {
        put_away(context, path)?;
    }
    Ok(Removed { bindings: json!(bindings), allowed: json!(allowed) })
}

fn put_away(context: &Context, path: &Path) -> anyhow::Result<()> {
    match discard(context, path) {
        Ok(Fate::Absent) => {}
        Ok(Fate::Moved(place)) => {
            print::note(&format!("{} is in the trash now: {}", context.short(path), context.short(&place)))?;
        }
        Err(error) => print::note(&format!(
            "{} {} could not be put into the trash ({error}); remove it yourself",
            print::warn("warning:"),
            context.short(path)
        ))?,
    }
    Ok(())
}
