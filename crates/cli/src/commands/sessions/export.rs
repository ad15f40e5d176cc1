//! `openclaw sessions export`: writes sessions as the files that the original keeps, for going back or taking along.
//!
//! The folder gets the layout of a state directory (`agents/<id>/sessions/`), so that the original, or another machine's
//! import, takes it as it is. Only reads the stores, and works beside a gateway.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use openclaw_config::FileSnapshot;
use openclaw_session::{ExportOrder, Exported, LegacyParts, export_sessions};
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_types::AgentId;
use serde_json::{Value, json};

use super::cleanup::joined;
use super::{SessionsArgs, Whose, WhoseArgs, whose, with_stores};
use crate::agents::workspace_of;
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// `openclaw sessions export`
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The folder; agents and their sessions are laid out inside of it
    #[arg(value_name = "folder")]
    folder: String,
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
    let snapshot = context.read_config();
    let agents = match whose(context, &snapshot, &joined(&above.whose, &arguments.whose))? {
        Whose::Agent(agent) => vec![agent],
        Whose::All(agents) => agents,
        Whose::File(_) => return Err(misuse("--store names files already; leave it out")),
    };
    let folder = context.environment.user_path(&arguments.folder);
    let orders: Vec<ExportOrder> =
        agents.iter().map(|agent| order(context, &snapshot, &folder, agent)).collect();
    if let Some(taken) = orders.iter().find(|order| !arguments.force && is_taken(&order.dir)) {
        return Err(misuse(format!(
            "{} holds sessions already; choose another folder, or write over them with --force",
            context.short(&taken.dir)
        )));
    }
    let done = with_stores(context, async |stores| {
        let location = StateLocation::within(&context.locations.state_dir);
        let state = Arc::new(StateDatabase::open(location, Arc::clone(&context.clock)).await?);
        let parts =
            LegacyParts { store: stores.clone(), state: state.clone(), clock: Arc::clone(&context.clock) };
        let mut done = Vec::new();
        for order in &orders {
            done.push(export_sessions(&parts, order).await?);
        }
        state.close().await?;
        Ok(done)
    })?;
    tell(context, arguments, &orders, &done)?;
    Ok(Exit::Done)
}

fn order(context: &Context, snapshot: &FileSnapshot, folder: &Path, agent: &AgentId) -> ExportOrder {
    let dir: PathBuf = folder.join("agents").join(agent.as_str()).join("sessions");
    let cwd = workspace_of(context, &snapshot.config, agent).display().to_string();
    ExportOrder { agent: agent.clone(), dir, cwd }
}

fn is_taken(dir: &Path) -> bool {
    dir.join("sessions.json").exists()
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
                json!({ "agentId": order.agent, "path": order.dir, "sessions": done.sessions, "transcripts": done.transcripts })
            })
            .collect();
        return Ok(print::json(&json!({ "exported": rows }))?);
    }
    for (order, done) in orders.iter().zip(done) {
        print::line(&format!(
            "{} {} sessions and {} transcripts of {} to {}",
            print::good("Written:"),
            done.sessions,
            done.transcripts,
            order.agent,
            context.short(&order.dir)
        ))?;
    }
    Ok(())
}
