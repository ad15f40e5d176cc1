//! `openclaw sessions export`: writes sessions as the files that the original keeps, for going back or taking along.
//!
//! A folder gets the layout of a state directory (`agents/<id>/sessions/`), so that the original, or another machine's
//! import, takes it as it is. Without one they go where the original looks for them on this machine: what is replaced
//! there stays as a copy, and the next start knows that these sessions are here already. Works beside a gateway.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use openclaw_config::{AgentPlaces, Config, SessionList};
use openclaw_session::{ExportOrder, ExportPlace, Exported, ExportedAgent, LegacyParts, export_sessions};
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_types::AgentId;
use serde_json::{Value, json};

use super::cleanup::joined;
use super::{SessionsArgs, Whose, WhoseArgs, whose, with_stores};
use crate::agents::{valid_config, workspace_of};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// `openclaw sessions export`
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The folder; agents and their sessions are laid out inside of it [default: where the original looks for them]
    #[arg(value_name = "folder")]
    folder: Option<String>,
    #[command(flatten)]
    whose: WhoseArgs,
    /// Write over the list of sessions that is there
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Exports.
pub(super) fn run(context: &Context, above: &SessionsArgs, arguments: &ExportArgs) -> anyhow::Result<Exit> {
    // With a file that cannot be read, agents and places would be those of nobody.
    let snapshot = valid_config(context)?;
    let agents = match whose(context, &snapshot, &joined(&above.whose, &arguments.whose))? {
        Whose::Agent(agent) => vec![agent],
        Whose::All(agents) => agents,
        Whose::File(_) => return Err(misuse("--store names files already; leave it out")),
    };
    let folder = arguments.folder.as_deref().map(|folder| context.environment.user_path(folder));
    let lists = lists(context, &snapshot.config, folder.as_deref(), &agents)?;
    if let Some(taken) = lists.iter().find(|list| !arguments.force && list.path.exists()) {
        return Err(misuse(format!(
            "{} holds sessions already; choose another folder, or write over them with --force",
            context.short(folder_of(&taken.path))
        )));
    }
    let orders: Vec<ExportOrder> =
        lists.into_iter().map(|list| order(context, &snapshot.config, list)).collect();
    let done = with_stores(context, &snapshot.config, async |stores| {
        let location = StateLocation::within(&context.locations.state_dir);
        let state = Arc::new(StateDatabase::open(location, Arc::clone(&context.clock)).await?);
        let parts = LegacyParts {
            store: stores.clone(),
            state: state.clone(),
            ledger: state.clone(),
            clock: Arc::clone(&context.clock),
        };
        let mut done = Vec::new();
        for order in &orders {
            done.push(export_sessions(&parts, order).await?);
        }
        state.close().await?;
        Ok(done)
    })?;
    if done.iter().all(is_nothing) {
        anyhow::bail!("there are no sessions to write; nothing was changed");
    }
    tell(context, arguments, &orders, &done)?;
    Ok(Exit::Done)
}

/// The lists that are written, with the agents in each. The state directory is no folder like another: what is written
/// there must be found.
fn lists(
    context: &Context,
    config: &Config,
    folder: Option<&Path>,
    agents: &[AgentId],
) -> anyhow::Result<Vec<SessionList>> {
    let state_dir = context.locations.state_dir.as_path();
    if let Some(folder) = folder.filter(|folder| *folder != state_dir) {
        let list = |agent: &AgentId| SessionList {
            path: AgentPlaces::default().session_list(folder, agent),
            agents: vec![agent.clone()],
        };
        return Ok(agents.iter().map(list).collect());
    }
    let mut lists = config.places.session_lists(state_dir, &config.agents);
    lists.retain(|list| list.agents.iter().any(|agent| agents.contains(agent)));
    let missed = |list: &&SessionList| !list.agents.iter().all(|agent| agents.contains(agent));
    if let Some(list) = lists.iter().find(missed) {
        let names: Vec<&str> = list.agents.iter().map(AgentId::as_str).collect();
        return Err(misuse(format!(
            "{} is shared by {}; write the sessions of all of them with --all-agents, or name a folder",
            context.short(&list.path),
            names.join(", ")
        )));
    }
    Ok(lists)
}

fn order(context: &Context, config: &Config, list: SessionList) -> ExportOrder {
    let exported = |id: AgentId| {
        let cwd = workspace_of(context, config, &id).display().to_string();
        ExportedAgent { id, cwd }
    };
    let state_dir = context.locations.state_dir.as_path();
    let in_use = config.places.session_lists(state_dir, &config.agents);
    let is_used = in_use.iter().any(|used| used.path == list.path);
    let place = if is_used { ExportPlace::InUse } else { ExportPlace::Apart };
    ExportOrder { agents: list.agents.into_iter().map(exported).collect(), list: list.path, place }
}

fn is_nothing(done: &Exported) -> bool {
    done.sessions == 0 && done.transcripts == 0
}

fn folder_of(list: &Path) -> &Path {
    list.parent().unwrap_or(list)
}

fn tell(
    context: &Context,
    arguments: &ExportArgs,
    orders: &[ExportOrder],
    done: &[Exported],
) -> anyhow::Result<()> {
    if arguments.json {
        let rows: Vec<Value> = orders
            .iter()
            .zip(done)
            .map(|(order, done)| {
                json!({
                    "agentId": order.agents.first().map(|agent| &agent.id), "agents": names(order),
                    "path": folder_of(&order.list), "list": order.list,
                    "sessions": done.sessions, "transcripts": done.transcripts,
                    "kept": done.kept, "backups": done.backups,
                })
            })
            .collect();
        return Ok(print::json(&json!({ "exported": rows }))?);
    }
    for (order, done) in orders.iter().zip(done).filter(|(_, done)| !is_nothing(done)) {
        print::line(&format!(
            "{} {} sessions and {} transcripts of {} to {}",
            print::good("Written:"),
            done.sessions,
            done.transcripts,
            names(order).join(" and "),
            context.short(folder_of(&order.list))
        ))?;
        if done.kept > 0 {
            print::line(&format!("{} entries that are not known here stay in the list.", done.kept))?;
        }
        for backup in &done.backups {
            print::line(&format!("What was there before is in {}.", context.short(backup)))?;
        }
    }
    Ok(())
}

fn names(order: &ExportOrder) -> Vec<&str> {
    order.agents.iter().map(|agent| agent.id.as_str()).collect()
}
