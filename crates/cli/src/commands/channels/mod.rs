//! `openclaw channels …`, `pairing …`, `outbox …`, `directory …` and `route …`: the accounts on platforms, strangers who
//! ask to talk to us, what waits to be sent, who is there, and who answers whom.
//!
//! `accounts` reads and writes the configuration, `show` prints what the gateway says; the others are one command each.

mod accounts;
mod ask;
mod directory;
mod edit;
mod later;
mod logs;
mod outbox;
mod pairing;
mod route;
mod show;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use self::accounts::{AccountAddArgs, LoginArgs, RemoveArgs};
use self::ask::{AskArgs, answer_of, tell, text};
use crate::call::NoAnswer;
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print;

pub(crate) use directory::{DirectoryArgs, run as run_directory};
pub(crate) use outbox::{OutboxArgs, run as run_outbox};
pub(crate) use pairing::{PairingArgs, run as run_pairing};
pub(crate) use route::{RouteArgs, run as run_route};

/// `openclaw channels`
#[derive(Debug, Args)]
pub(crate) struct ChannelsArgs {
    #[command(subcommand)]
    command: ChannelsCommand,
}

#[derive(Debug, Subcommand)]
enum ChannelsCommand {
    /// Show the accounts of the configuration
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Accepted for compatibility; what models cost is shown by `openclaw status`
        #[arg(long)]
        no_usage: bool,
    },
    /// Show how the accounts are
    Status {
        /// Ask the platforms too
        #[arg(long)]
        probe: bool,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Add an account, or change one
    Add(AccountAddArgs),
    /// Switch an account off, or delete it
    Remove(RemoveArgs),
    /// Say what an account signs in with
    Login(LoginArgs),
    /// Sign an account out
    Logout {
        #[command(flatten)]
        which: WhichArgs,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Keep the line of an account up
    Start {
        #[command(flatten)]
        which: WhichArgs,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Take the line of an account down until it is started again
    Stop {
        #[command(flatten)]
        which: WhichArgs,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Show what accounts can do
    Capabilities {
        /// Only of this platform
        #[arg(long, value_name = "name")]
        channel: Option<String>,
        /// Only this account
        #[arg(long, value_name = "id", requires = "channel")]
        account: Option<String>,
        /// What we may do in this room too
        #[arg(long, value_name = "dest", requires = "channel")]
        target: Option<String>,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Find the ids of names
    Resolve {
        /// Names or ids
        #[arg(required = true, value_name = "entries")]
        entries: Vec<String>,
        /// The platform [default: the only one]
        #[arg(long, value_name = "name")]
        channel: Option<String>,
        /// The account
        #[arg(long, value_name = "id")]
        account: Option<String>,
        /// What they are: auto, user, group
        #[arg(long, value_name = "kind", default_value = "auto")]
        kind: String,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Show what the log says about platforms
    Logs(logs::LogsArgs),
}

/// Which account is meant.
#[derive(Debug, Clone, Args)]
struct WhichArgs {
    /// The platform
    #[arg(long, value_name = "channel")]
    channel: String,
    /// The account [default: the usual one]
    #[arg(long, value_name = "id")]
    account: Option<String>,
}

impl WhichArgs {
    fn params(&self) -> Value {
        let mut params = json!({ "channel": self.channel.trim() });
        if let Some(account) = &self.account {
            params["accountId"] = json!(account.trim());
        }
        params
    }
}

/// What came of signing an account out.
fn signed_out(who: &str, cleared: bool, from_environment: bool) -> String {
    let gone = match cleared {
        true => format!(
            "{} {who}: what it signs in with is gone from the configuration",
            print::warn("Signed out")
        ),
        false => format!("The configuration holds nothing that {who} signs in with; its line is down"),
    };
    match from_environment {
        true => format!(
            "{gone}. The environment holds a token too: take it out there, or the account signs in again at the next \
             start"
        ),
        false => gone,
    }
}

/// Runs `openclaw channels`.
pub(crate) fn run(context: &Context, arguments: ChannelsArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        ChannelsCommand::List { json, no_usage: _ } => {
            answering(Output::of(json), || accounts::list(context, Output::of(json)))
        }
        ChannelsCommand::Status { probe, ask } => status(context, probe, &ask),
        ChannelsCommand::Add(add) => accounts::add(context, &add),
        ChannelsCommand::Remove(remove) => accounts::remove(context, &remove),
        ChannelsCommand::Login(login) => accounts::login(context, &login),
        ChannelsCommand::Logout { which, ask } => {
            tell(context, &ask, ("channels.logout", which.params()), |answer| {
                let who = format!("{} {}", text(&answer["channel"]), text(&answer["accountId"]));
                signed_out(&who, answer["cleared"] == json!(true), answer["envToken"] == json!(true))
            })
        }
        ChannelsCommand::Start { which, ask } => {
            tell(context, &ask, ("channels.start", which.params()), |answer| {
                format!("{} {} is being connected", text(&answer["channel"]), text(&answer["accountId"]))
            })
        }
        ChannelsCommand::Stop { which, ask } => {
            tell(context, &ask, ("channels.stop", which.params()), |answer| {
                format!("{} {} is stopped", text(&answer["channel"]), text(&answer["accountId"]))
            })
        }
        ChannelsCommand::Capabilities { channel, account, target, ask } => {
            let mut params =
                named(json!({ "timeoutMs": ask.timeout }), channel.as_deref(), account.as_deref());
            if let Some(target) = &target {
                params["target"] = json!(target.trim());
            }
            tell(context, &ask, ("channels.capabilities", params), show::capabilities)
        }
        ChannelsCommand::Resolve { entries, channel, account, kind, ask } => {
            let params = json!({ "entries": entries, "kind": kind });
            let params = named(params, channel.as_deref(), account.as_deref());
            resolve(context, params, &ask)
        }
        ChannelsCommand::Logs(logs) => logs::run(context, &logs),
    }
}

/// Parameters with the account they are about, as far as it is named.
fn named(mut params: Value, channel: Option<&str>, account: Option<&str>) -> Value {
    for (key, value) in [("channel", channel), ("accountId", account)] {
        if let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) {
            params[key] = json!(value);
        }
    }
    params
}

/// How the accounts are; without a gateway, what the configuration says about them.
fn status(context: &Context, probe: bool, ask: &AskArgs) -> anyhow::Result<Exit> {
    let params = json!({ "probe": probe, "timeoutMs": ask.timeout });
    let answer = match answer_of(context, ask, ("channels.status", params)) {
        Ok(answer) => answer,
        Err(error) if !ask.json && matches!(NoAnswer::of(&error), NoAnswer::Silent(_)) => {
            print::note(&format!("{} {error:#}", print::warn("the gateway does not answer:")))?;
            print::note("what follows is what the configuration says")?;
            accounts::list(context, Output::Text)?;
            return Ok(Exit::NotInOrder);
        }
        Err(error) => return answering(Output::of(ask.json), || Err(error)),
    };
    match ask.json {
        true => print::json(&answer)?,
        false => print::line(&show::status(&answer))?,
    }
    Ok(Exit::Done)
}

/// The ids of names, as a list for programs.
fn resolve(context: &Context, params: Value, ask: &AskArgs) -> anyhow::Result<Exit> {
    answering(Output::of(ask.json), || {
        let answer = answer_of(context, ask, ("channels.resolve", params))?;
        let results = answer["results"].clone();
        match ask.json {
            true => print::json(&results)?,
            false => print::line(&show::resolved(&results))?,
        }
        let all = results.as_array().into_iter().flatten().all(|one| one["resolved"] == json!(true));
        Ok(if all { Exit::Done } else { Exit::NotInOrder })
    })
}
