//! `openclaw channels …`, `openclaw pairing …` and `openclaw outbox …`: the accounts on platforms, strangers who ask to
//! talk to us, and what waits to be sent.
//!
//! Every command asks the gateway. Answers are shown as they come.

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::call::{Question, ask, millis};
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print::{self, Table};
use crate::target::{Target, TargetArgs};

/// `openclaw channels`
#[derive(Debug, Args)]
pub(crate) struct ChannelsArgs {
    #[command(subcommand)]
    command: ChannelsCommand,
}

#[derive(Debug, Subcommand)]
enum ChannelsCommand {
    /// Show the accounts
    List(AskArgs),
    /// Show how the accounts are
    Status {
        /// Ask the platforms too
        #[arg(long)]
        probe: bool,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Sign an account out
    Logout {
        /// The platform
        #[arg(long, value_name = "name")]
        channel: String,
        /// The account
        #[arg(long, value_name = "id")]
        account: Option<String>,
        #[command(flatten)]
        ask: AskArgs,
    },
}

/// `openclaw pairing`
#[derive(Debug, Args)]
pub(crate) struct PairingArgs {
    #[command(subcommand)]
    command: PairingCommand,
}

#[derive(Debug, Subcommand)]
enum PairingCommand {
    /// Show strangers who ask to talk to the assistant
    List {
        /// Only of this platform
        channel: Option<String>,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Let in whoever has a code
    Approve {
        /// The platform and the code, or the code alone
        #[arg(value_name = "code", num_args = 1..=2, required = true)]
        words: Vec<String>,
        #[command(flatten)]
        ask: AskArgs,
    },
}

/// `openclaw outbox`
#[derive(Debug, Args)]
pub(crate) struct OutboxArgs {
    #[command(subcommand)]
    command: OutboxCommand,
}

#[derive(Debug, Subcommand)]
enum OutboxCommand {
    /// Show messages that wait to be sent, and others
    List {
        /// Only in this state: waiting, sending, sent, failed, dropped
        #[arg(long, value_name = "state")]
        state: Option<String>,
        /// At most so many
        #[arg(long, value_name = "n")]
        limit: Option<u64>,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Try a message again
    Retry {
        /// Its number, from `openclaw outbox list`
        id: i64,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Drop a message
    Drop {
        /// Its number, from `openclaw outbox list`
        id: i64,
        #[command(flatten)]
        ask: AskArgs,
    },
}

/// Options of all commands that ask the gateway.
#[derive(Debug, Clone, Args)]
struct AskArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// How long to wait, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 10_000)]
    timeout: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `openclaw channels`.
pub(crate) fn run(context: &Context, arguments: ChannelsArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        ChannelsCommand::List(ask) => tell(context, &ask, ("channels.status", json!({})), accounts),
        ChannelsCommand::Status { probe, ask } => {
            let params = json!({ "probe": probe, "timeoutMs": ask.timeout });
            tell(context, &ask, ("channels.status", params), status)
        }
        ChannelsCommand::Logout { channel, account, ask } => {
            let mut params = json!({ "channel": channel.trim() });
            if let Some(account) = account {
                params["accountId"] = json!(account.trim());
            }
            tell(context, &ask, ("channels.logout", params), |answer| {
                let who = format!("{} {}", text(&answer["channel"]), text(&answer["accountId"]));
                match answer["cleared"] == json!(true) {
                    true => format!("{} {who}", print::warn("Signed out")),
                    false => format!("{who} has nothing to sign out of; its line is down"),
                }
            })
        }
    }
}

/// Runs `openclaw pairing`.
pub(crate) fn run_pairing(context: &Context, arguments: PairingArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        PairingCommand::List { channel, ask } => {
            let params = channel.map_or_else(|| json!({}), |channel| json!({ "channel": channel }));
            tell(context, &ask, ("pairing.list", params), requests)
        }
        PairingCommand::Approve { words, ask } => {
            let params = match words.as_slice() {
                [channel, code] => json!({ "channel": channel, "code": code }),
                other => json!({ "code": other.first() }),
            };
            tell(context, &ask, ("pairing.approve", params), |answer| {
                let who = format!("{} on {}", text(&answer["id"]), text(&answer["channel"]));
                format!("{} {who}", print::good("Let in"))
            })
        }
    }
}

/// Runs `openclaw outbox`.
pub(crate) fn run_outbox(context: &Context, arguments: OutboxArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        OutboxCommand::List { state, limit, ask } => {
            let mut params = json!({});
            if let Some(state) = state {
                params["state"] = json!(state);
            }
            if let Some(limit) = limit {
                params["limit"] = json!(limit);
            }
            tell(context, &ask, ("outbox.list", params), pieces)
        }
        OutboxCommand::Retry { id, ask } => {
            tell(context, &ask, ("outbox.retry", json!({ "id": id })), |_| {
                format!("Message {id} is tried again")
            })
        }
        OutboxCommand::Drop { id, ask } => {
            tell(context, &ask, ("outbox.drop", json!({ "id": id })), |_| format!("Message {id} is dropped"))
        }
    }
}

/// Asks the gateway and prints its answer as JSON, or in words.
fn tell(
    context: &Context,
    arguments: &AskArgs,
    (method, params): (&str, Value),
    words: impl FnOnce(&Value) -> String,
) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.json), || {
        let target = Target::resolve(context, &arguments.target)?;
        let patience = millis(arguments.timeout).saturating_add(Duration::from_secs(1));
        let answer = ask(context, &target, &Question::new(method, params, patience))?;
        match arguments.json {
            true => print::json(&answer)?,
            false => print::line(&words(&answer))?,
        }
        Ok(Exit::Done)
    })
}

/// Every account with its platform, in the order of the gateway.
fn each(answer: &Value) -> Vec<(String, &Value)> {
    let order = answer["channelOrder"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let all = order.flat_map(|id| {
        let label = answer["channelLabels"][id].as_str().unwrap_or(id).to_owned();
        let list = answer["channelAccounts"][id].as_array().into_iter().flatten();
        list.map(move |account| (label.clone(), account))
    });
    all.collect()
}

const NO_ACCOUNT: &str = "No account is configured. Add one under `channels` in the configuration.";

fn accounts(answer: &Value) -> String {
    let all = each(answer);
    if all.is_empty() {
        return print::muted(NO_ACCOUNT);
    }
    let mut table = Table::new(&["Channel", "Account", "Name", "Enabled", "Configured"]);
    for (channel, one) in all {
        let (enabled, configured) = (yes(&one["enabled"]), yes(&one["configured"]));
        table.row([channel, text(&one["accountId"]), text(&one["name"]), enabled, configured]);
    }
    table.render()
}

fn status(answer: &Value) -> String {
    let all = each(answer);
    if all.is_empty() {
        return print::muted(NO_ACCOUNT);
    }
    let mut table = Table::new(&["Channel", "Account", "State", "Note"]);
    for (channel, one) in all {
        let on = |name: &str| one[name] == json!(true);
        let state = match (on("enabled"), on("configured"), on("linked"), on("running"), on("connected")) {
            (false, ..) => "off",
            (_, false, ..) => "not configured",
            (_, _, false, ..) => "not signed in",
            (_, _, _, false, _) => "stopped",
            (_, _, _, _, true) => "connected",
            _ => "down",
        };
        let probe = match (&one["probe"]["ok"], one["probe"]["error"].as_str()) {
            (Value::Bool(true), _) => "the platform answers".to_owned(),
            (_, Some(error)) => format!("the platform says: {error}"),
            _ => String::new(),
        };
        let trouble = text(&one["statusMessage"]);
        let note =
            [trouble, probe].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        table.row([channel, text(&one["accountId"]), state.to_owned(), note]);
    }
    table.render()
}

fn requests(answer: &Value) -> String {
    let all = answer["requests"].as_array().cloned().unwrap_or_default();
    if all.is_empty() {
        return print::muted("Nobody waits.");
    }
    let mut table = Table::new(&["Channel", "Account", "Id", "Name", "Code"]);
    for one in &all {
        let name = [text(&one["name"]), text(&one["username"])];
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let (channel, account) = (text(&one["channel"]), text(&one["accountId"]));
        table.row([channel, account, text(&one["id"]), name, text(&one["code"])]);
    }
    format!("{}\nLet somebody in with: openclaw pairing approve <channel> <code>", table.render())
}

fn pieces(answer: &Value) -> String {
    let all = answer["pieces"].as_array().cloned().unwrap_or_default();
    if all.is_empty() {
        return print::muted("The outbox is empty.");
    }
    let mut table = Table::new(&["Number", "Channel", "To", "State", "Attempts", "Text", "Error"]);
    for one in &all {
        table.row([
            text(&one["id"]),
            text(&one["channel"]),
            text(&one["to"]),
            text(&one["state"]),
            text(&one["attempts"]),
            text(&one["text"]).lines().next().unwrap_or_default().to_owned(),
            text(&one["lastError"]),
        ]);
    }
    table.render()
}

fn yes(value: &Value) -> String {
    if *value == json!(true) { "yes" } else { "no" }.to_owned()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}
