//! `openclaw agents delete`: takes an agent out of the file and puts its workspace and state into the trash.
//!
//! A gateway that runs here does it itself: it holds the agent's database open and has to let go of it first.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use openclaw_app::running_instance;
use openclaw_config::{AgentPlaces, BaseHash, FileSnapshot};
use openclaw_gateway::AgentRemoval;
use openclaw_types::AgentId;
use serde_json::json;

use super::trash::{Fate, discard};
use crate::agents::{agent_dir_of, valid_config, workspace_of, written_entry};
use crate::call::{GatewayQuestion, ask};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;
use crate::target::{GatewayTarget, TargetArgs};

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
    let Some(plan) = AgentRemoval::plan(&snapshot.parsed, &agent) else {
        anyhow::bail!(
            "the agent {agent} is written in a file that {} includes; remove it there",
            context.short(&snapshot.path)
        );
    };
    match running_instance(&context.locations)? {
        Some(_) => by_gateway(context, &agent)?,
        None => here(context, &snapshot, &agent, &plan)?,
    }
    if arguments.json {
        print::json(&json!({
            "agentId": agent, "workspace": workspace_of(context, &snapshot.config, &agent),
            "agentDir": agent_dir_of(context, &snapshot.config, &agent),
            "sessionsDir": AgentPlaces::usual_sessions_dir(&context.locations.state_dir, &agent),
            "removedBindings": plan.bindings,
            "removedAllow": plan.allowed,
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

fn by_gateway(context: &Context, agent: &AgentId) -> anyhow::Result<()> {
    let target = GatewayTarget::resolve(context, &TargetArgs::default())?;
    let question =
        GatewayQuestion::new("agents.delete", json!({ "agentId": agent, "deleteFiles": true }), PATIENCE);
    ask(context, &target, &question).map(drop)
}

fn here(
    context: &Context,
    snapshot: &FileSnapshot,
    agent: &AgentId,
    plan: &AgentRemoval,
) -> anyhow::Result<()> {
    let kept = [context.environment.home(), context.locations.config_path.as_path()];
    let folders =
        AgentRemoval::folders((&snapshot.config, agent), (&context.locations.state_dir, &kept[..]), |id| {
            workspace_of(context, &snapshot.config, id)
        });
    context.config_file().write_text(&plan.file.to_string(), &BaseHash::Given(snapshot.hash.clone()))?;
    folders.iter().try_for_each(|folder| put_away(context, folder))
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
