//! `openclaw pairing …`: strangers who ask to talk to the assistant.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::ask::{AskArgs, answer_of, tell, text};
use super::named;
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print::{self, TextTable};

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
        /// The same, as an option
        #[arg(long = "channel", value_name = "channel", conflicts_with = "channel")]
        channel_option: Option<String>,
        /// Only of this account
        #[arg(long, value_name = "accountId")]
        account: Option<String>,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Let in whoever has a code; they are told
    Approve {
        /// The code, or the platform before it
        #[arg(value_name = "codeOrChannel")]
        first: String,
        /// The code, behind the platform
        code: Option<String>,
        /// The platform, as an option
        #[arg(long, value_name = "channel")]
        channel: Option<String>,
        /// Only of this account
        #[arg(long, value_name = "accountId")]
        account: Option<String>,
        /// Accepted for compatibility; whoever is let in is always told
        #[arg(long)]
        notify: bool,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Send somebody away who waits; their code is worth nothing then
    Dismiss {
        /// The platform
        channel: String,
        /// Their id there, or their code
        #[arg(value_name = "idOrCode")]
        id: String,
        /// Only of this account
        #[arg(long, value_name = "accountId")]
        account: Option<String>,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Put somebody out again who was let in by a code
    Remove {
        /// The platform
        channel: String,
        /// Their id there
        id: String,
        /// The account [default: the usual one]
        #[arg(long, value_name = "accountId")]
        account: Option<String>,
        #[command(flatten)]
        ask: AskArgs,
    },
}

/// Runs `openclaw pairing`.
pub(crate) fn run(context: &Context, arguments: PairingArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        PairingCommand::List { channel, channel_option, account, ask } => {
            list(context, channel.or(channel_option).as_deref(), account.as_deref(), &ask)
        }
        PairingCommand::Approve { first, code, channel, account, notify: _, ask } => {
            let (channel, code) = match code {
                Some(code) => (Some(first), code),
                None => (channel, first),
            };
            let params = named(json!({ "code": code }), channel.as_deref(), account.as_deref());
            tell(context, &ask, ("pairing.approve", params), |answer| {
                let who = format!("{} on {}", text(&answer["id"]), text(&answer["channel"]));
                format!("{} {who}", print::good("Let in"))
            })
        }
        PairingCommand::Dismiss { channel, id, account, ask } => {
            let params = named(json!({ "id": id }), Some(&channel), account.as_deref());
            tell(context, &ask, ("pairing.dismiss", params), |answer| {
                let who = format!("{} on {}", text(&answer["id"]), text(&answer["channel"]));
                format!("{} {who}", print::warn("Sent away"))
            })
        }
        PairingCommand::Remove { channel, id, account, ask } => {
            let params = named(json!({ "id": id }), Some(&channel), account.as_deref());
            tell(context, &ask, ("pairing.remove", params), |answer| {
                let who = format!("{} on {}", text(&answer["id"]), text(&answer["channel"]));
                match answer["removed"] == json!(true) {
                    true => format!("{} {who}", print::warn("Put out")),
                    false => {
                        format!("{who} was not let in by a code; lists in the configuration stay as they are")
                    }
                }
            })
        }
    }
}

fn list(
    context: &Context,
    channel: Option<&str>,
    account: Option<&str>,
    ask: &AskArgs,
) -> anyhow::Result<Exit> {
    answering(Output::of(ask.json), || {
        let params = channel.map_or_else(|| json!({}), |channel| json!({ "channel": channel }));
        let answer = answer_of(context, ask, ("pairing.list", params))?;
        let all = answer["requests"].as_array().cloned().unwrap_or_default();
        let wanted =
            |one: &Value| account.is_none_or(|id| one["accountId"] == json!(id.trim().to_lowercase()));
        let shown: Vec<Value> = all.into_iter().filter(wanted).collect();
        match ask.json {
            true => print::json(&for_programs(channel, &shown))?,
            false => print::line(&requests(&shown))?,
        }
        Ok(Exit::Done)
    })
}

/// The shape that the original prints: times as text, what is known of a person under `meta`.
fn for_programs(channel: Option<&str>, requests: &[Value]) -> Value {
    let shaped: Vec<Value> = requests
        .iter()
        .map(|one| {
            let mut meta = json!({ "accountId": one["accountId"] });
            for key in ["name", "username"] {
                if !one[key].is_null() {
                    meta[key] = one[key].clone();
                }
            }
            let mut shaped = json!({
                "id": one["id"],
                "code": one["code"],
                "createdAt": moment(&one["createdAt"]),
                "lastSeenAt": moment(&one["lastSeenAt"]),
                "meta": meta,
            });
            if channel.is_none() {
                shaped["channel"] = one["channel"].clone();
            }
            shaped
        })
        .collect();
    match channel {
        Some(channel) => json!({ "channel": channel.trim(), "requests": shaped }),
        None => json!({ "requests": shaped }),
    }
}

fn moment(value: &Value) -> Value {
    let at = value.as_i64().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    at.map_or(Value::Null, |at| json!(format!("{at:.3}")))
}

fn requests(all: &[Value]) -> String {
    if all.is_empty() {
        return print::muted("Nobody waits.");
    }
    let mut table = TextTable::new(&["Channel", "Account", "Id", "Name", "Code"]);
    for one in all {
        let name = [text(&one["name"]), text(&one["username"])];
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let (channel, account) = (text(&one["channel"]), text(&one["accountId"]));
        table.row([channel, account, text(&one["id"]), name, text(&one["code"])]);
    }
    format!(
        "{}\nLet somebody in with: openclaw pairing approve <channel> <code>\nSend somebody away with: openclaw pairing dismiss <channel> <code>",
        table.render()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_get_requests_in_the_shape_they_know() {
        let request = json!({
            "channel": "sim", "accountId": "biz", "id": "777", "code": "ABCDEFGH", "createdAt": 1_794_828_387_000_i64,
            "lastSeenAt": 1_794_828_387_500_i64, "username": "ana"
        });
        assert_eq!(
            for_programs(Some("sim"), &[request]),
            json!({ "channel": "sim", "requests": [{
                "id": "777", "code": "ABCDEFGH", "createdAt": "2026-11-16T11:26:27.000Z",
                "lastSeenAt": "2026-11-16T11:26:27.500Z", "meta": { "accountId": "biz", "username": "ana" }
            }] })
        );
    }
}
