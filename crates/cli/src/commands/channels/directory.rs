//! `openclaw directory …`: people and rooms that an account sees.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::ask::{AskArgs, answer_of, text};
use super::named;
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print::{self, TextTable};

/// `openclaw directory`
#[derive(Debug, Args)]
pub(crate) struct DirectoryArgs {
    #[command(subcommand)]
    command: DirectoryCommand,
}

#[derive(Debug, Subcommand)]
enum DirectoryCommand {
    /// Show who we are there
    #[command(name = "self")]
    Me(OfArgs),
    /// People
    Peers {
        #[command(subcommand)]
        command: PeersCommand,
    },
    /// Rooms
    Groups {
        #[command(subcommand)]
        command: GroupsCommand,
    },
}

#[derive(Debug, Subcommand)]
enum PeersCommand {
    /// Show people
    List(SearchArgs),
}

#[derive(Debug, Subcommand)]
enum GroupsCommand {
    /// Show rooms
    List(SearchArgs),
    /// Show who is in a room
    Members {
        /// The room
        #[arg(long, value_name = "id")]
        group_id: String,
        /// Maximum number of entries
        #[arg(long, value_name = "n")]
        limit: Option<u64>,
        #[command(flatten)]
        of: OfArgs,
    },
}

/// Whose view it is.
#[derive(Debug, Args)]
struct OfArgs {
    /// The platform [default: the only one]
    #[arg(long, value_name = "name")]
    channel: Option<String>,
    /// The account
    #[arg(long, value_name = "id")]
    account: Option<String>,
    #[command(flatten)]
    ask: AskArgs,
}

#[derive(Debug, Args)]
struct SearchArgs {
    /// Only those whose name holds this
    #[arg(long, value_name = "text")]
    query: Option<String>,
    /// Maximum number of entries
    #[arg(long, value_name = "n")]
    limit: Option<u64>,
    #[command(flatten)]
    of: OfArgs,
}

/// Runs `openclaw directory`.
pub(crate) fn run(context: &Context, arguments: DirectoryArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        DirectoryCommand::Me(of) => show(context, json!({ "what": "self" }), &of),
        DirectoryCommand::Peers { command: PeersCommand::List(search) } => look(context, "peers", &search),
        DirectoryCommand::Groups { command: GroupsCommand::List(search) } => look(context, "groups", &search),
        DirectoryCommand::Groups { command: GroupsCommand::Members { group_id, limit, of } } => {
            let params = limited(json!({ "what": "members", "groupId": group_id }), limit);
            show(context, params, &of)
        }
    }
}

fn look(context: &Context, what: &str, search: &SearchArgs) -> anyhow::Result<Exit> {
    let mut params = limited(json!({ "what": what }), search.limit);
    if let Some(query) = &search.query {
        params["query"] = json!(query);
    }
    show(context, params, &search.of)
}

fn limited(mut params: Value, limit: Option<u64>) -> Value {
    if let Some(limit) = limit {
        params["limit"] = json!(limit);
    }
    params
}

fn show(context: &Context, params: Value, of: &OfArgs) -> anyhow::Result<Exit> {
    answering(Output::of(of.ask.json), || {
        let alone = params["what"] == json!("self");
        let params = named(params, of.channel.as_deref(), of.account.as_deref());
        let answer = answer_of(context, &of.ask, ("directory.list", params))?;
        let entries = &answer["entries"];
        match (of.ask.json, alone) {
            (true, true) => print::json(&entries[0])?,
            (true, false) => print::json(entries)?,
            (false, _) => print::line(&table(entries))?,
        }
        Ok(Exit::Done)
    })
}

fn table(entries: &Value) -> String {
    let all = entries.as_array().cloned().unwrap_or_default();
    if all.is_empty() {
        return print::muted("Nobody and nothing is to be seen.");
    }
    let mut table = TextTable::new(&["Kind", "Id", "Name", "Handle"]);
    for one in &all {
        table.row([text(&one["kind"]), text(&one["id"]), text(&one["name"]), text(&one["handle"])]);
    }
    table.render()
}
