//! `openclaw route explain`: which agent a message would reach, and why.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::ask::{AskArgs, tell};
use super::named;
use crate::context::Context;
use crate::exit::Exit;

/// `openclaw route`
#[derive(Debug, Args)]
pub(crate) struct RouteArgs {
    #[command(subcommand)]
    command: RouteCommand,
}

#[derive(Debug, Subcommand)]
enum RouteCommand {
    /// Say which agent answers a message, and why
    Explain(ExplainArgs),
}

#[derive(Debug, Args)]
struct ExplainArgs {
    /// The platform
    #[arg(long, value_name = "name")]
    channel: String,
    /// The account [default: the usual one]
    #[arg(long, value_name = "id")]
    account: Option<String>,
    /// The conversation: direct:<id>, group:<id> or channel:<id>
    #[arg(long, value_name = "kind:id")]
    peer: Option<String>,
    /// The conversation that a thread hangs below
    #[arg(long, value_name = "kind:id")]
    parent: Option<String>,
    /// The thread
    #[arg(long, value_name = "id")]
    thread: Option<String>,
    /// The guild
    #[arg(long, value_name = "id")]
    guild: Option<String>,
    /// The team
    #[arg(long, value_name = "id")]
    team: Option<String>,
    /// A role of the person; may be given several times
    #[arg(long, value_name = "id")]
    role: Vec<String>,
    #[command(flatten)]
    ask: AskArgs,
}

/// Runs `openclaw route`.
pub(crate) fn run(context: &Context, arguments: RouteArgs) -> anyhow::Result<Exit> {
    let RouteCommand::Explain(explain) = arguments.command;
    let mut params = named(json!({}), Some(&explain.channel), explain.account.as_deref());
    let more = [
        ("peer", &explain.peer),
        ("parent", &explain.parent),
        ("threadId", &explain.thread),
        ("guildId", &explain.guild),
        ("teamId", &explain.team),
    ];
    for (key, value) in more {
        if let Some(value) = value {
            params[key] = json!(value);
        }
    }
    if !explain.role.is_empty() {
        params["roles"] = json!(explain.role);
    }
    tell(context, &explain.ask, ("route.explain", params), |answer| {
        let lines = answer["lines"].as_array().into_iter().flatten().filter_map(Value::as_str);
        lines.collect::<Vec<_>>().join("\n")
    })
}
