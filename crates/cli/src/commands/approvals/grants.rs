//! `openclaw approvals grants`: what people allowed for good when an agent asked, read from the store and taken back.
//!
//! Works beside a running gateway, which looks into the store whenever a command is about to run.

use std::sync::Arc;

use clap::Subcommand;
use openclaw_ports::stores::{ArgumentPattern, Grant, GrantStore as _};
use openclaw_stores::sqlite::{StateDatabase, StateHealth, StateLocation};
use serde_json::json;

use crate::call::block_on;
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print::{self, Table};

/// `openclaw approvals grants`
#[derive(Debug, Subcommand)]
pub(super) enum GrantsCommand {
    /// List them
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take one back
    Revoke {
        /// The grant, from `openclaw approvals grants list`
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs a command about grants.
pub(super) fn run(context: &Context, command: &GrantsCommand) -> anyhow::Result<Exit> {
    match command {
        GrantsCommand::List { json } => answering(Output::of(*json), || list(context, Output::of(*json))),
        GrantsCommand::Revoke { id, json } => {
            answering(Output::of(*json), || revoke(context, id.trim(), Output::of(*json)))
        }
    }
}

fn list(context: &Context, output: Output) -> anyhow::Result<Exit> {
    let grants = with_store(context, async |store| Ok(store.all().await?))?.unwrap_or_default();
    match output {
        Output::Json => print::json(&json!({ "grants": grants }))?,
        Output::Text => print::line(&render(&grants, context.clock.now().0))?,
    }
    Ok(Exit::Done)
}

fn revoke(context: &Context, id: &str, output: Output) -> anyhow::Result<Exit> {
    let there = with_store(context, async |store| Ok(store.revoke(id).await?))?.unwrap_or(false);
    if !there {
        anyhow::bail!("there is no grant {id}; `openclaw approvals grants list` shows what there is");
    }
    match output {
        Output::Json => print::json(&json!({ "ok": true, "id": id }))?,
        Output::Text => print::line(&format!("{id} is taken back; the agent has to ask again."))?,
    }
    Ok(Exit::Done)
}

/// Opens the store, does the work and closes it; nothing when there is no store yet.
fn with_store<T>(
    context: &Context,
    work: impl AsyncFnOnce(&StateDatabase) -> anyhow::Result<T>,
) -> anyhow::Result<Option<T>> {
    let location = StateLocation::within(&context.locations.state_dir);
    if matches!(StateDatabase::examine(&location), Ok(StateHealth::Absent)) {
        return Ok(None);
    }
    block_on(async {
        let store = StateDatabase::open(location, Arc::clone(&context.clock)).await?;
        let done = work(&store).await;
        let closed = store.close().await;
        let done = done?;
        closed?;
        Ok(Some(done))
    })
}

fn render(grants: &[Grant], now: i64) -> String {
    if grants.is_empty() {
        return print::muted("Nothing was allowed for good.");
    }
    let mut table = Table::new(&["Id", "Agent", "Command", "Where", "Session", "Until", "Used"]);
    for grant in grants {
        let words = match &grant.arguments {
            ArgumentPattern::Exact(words) => words.join(" "),
            ArgumentPattern::Prefix(words) => format!("{} …", words.join(" ")),
            ArgumentPattern::Any => "…".to_owned(),
        };
        let until = match grant.expires_at {
            None => "taken back".to_owned(),
            Some(at) if at.0 <= now => "over".to_owned(),
            Some(at) => format!("in {}", print::ago(at.0, now).trim_end_matches(" ago")),
        };
        table.row([
            grant.id.clone(),
            grant.agent.to_string(),
            format!("{} {words}", grant.executable).trim_end().to_owned(),
            grant.directory.clone().unwrap_or_else(|| "anywhere".to_owned()),
            grant.session.as_ref().map_or_else(|| "all".to_owned(), ToString::to_string),
            until,
            grant.last_used_at.map_or_else(|| "never".to_owned(), |at| print::ago(now, at.0)),
        ]);
    }
    table.render()
}
