//! `openclaw message …`: writes into conversations without asking an agent, reads them, and does what else platforms can
//! do with messages.
//!
//! `send` writes and asks polls, `read` shows, `actions` is the table of everything else. Every command asks the gateway;
//! what a channel cannot do is refused there. The web chat is a place too: its conversations are sessions.

mod actions;
mod read;
mod send;

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use self::actions::Act;
use self::read::ReadArgs;
use self::send::{BroadcastArgs, PollArgs, SendArgs};
use crate::call::{GatewayQuestion, ask};
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print;
use crate::target::{GatewayTarget, TargetArgs};

pub(crate) use read::{shortened, words};

/// The gateway's own chat.
const WEBCHAT: &str = "webchat";
/// How long the gateway may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// `openclaw message`
#[derive(Debug, Args)]
pub(crate) struct MessageArgs {
    #[command(subcommand)]
    command: MessageCommand,
}

#[derive(Debug, Subcommand)]
enum MessageCommand {
    /// Write into a conversation, as the agent
    Send(SendArgs),
    /// Write the same into several conversations
    Broadcast(BroadcastArgs),
    /// Ask a question with answers to choose from
    Poll(PollArgs),
    /// Show the newest messages of a conversation
    Read(ReadArgs),
    /// What else platforms can do.
    #[command(flatten)]
    Act(Act),
}

/// Options of all commands of the family.
#[derive(Debug, Clone, Args)]
struct PlaceArgs {
    /// The channel [default: the only one that is configured; the web chat without any]
    #[arg(long, value_name = "channel")]
    channel: Option<String>,
    /// Our account on the channel
    #[arg(long, value_name = "id")]
    account: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Tell what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Show which gateway is asked
    #[arg(long)]
    verbose: bool,
}

/// Where a command acts.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Where {
    /// In a session.
    Webchat,
    /// On a platform; the gateway knows which when none is named.
    Channel(Option<String>),
}

impl PlaceArgs {
    fn channel(&self) -> Option<&str> {
        self.channel.as_deref().map(str::trim).filter(|channel| !channel.is_empty())
    }

    /// What is meant. A gateway of this machine has the channels of our configuration: where there are none, only the web
    /// chat can be meant.
    fn read(&self, context: &Context) -> anyhow::Result<Where> {
        match self.channel() {
            Some(WEBCHAT) => Ok(Where::Webchat),
            Some(channel) => Ok(Where::Channel(Some(channel.to_owned()))),
            None => {
                let config = context.read_config().config;
                let (accounts, _) =
                    openclaw_app::configured_accounts(&config, &context.environment, &context.clock);
                let here = GatewayTarget::resolve(context, &TargetArgs::default())?.source.is_local();
                Ok(if here && accounts.is_empty() { Where::Webchat } else { Where::Channel(None) })
            }
        }
    }

    /// Adds the channel and the account to parameters, as far as they are named.
    fn name_in(&self, params: &mut Value) {
        for (key, value) in [("channel", self.channel()), ("accountId", self.account.as_deref())] {
            if let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) {
                params[key] = json!(value);
            }
        }
    }
}

/// Runs a command of the family.
pub(crate) fn run(context: &Context, arguments: MessageArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        MessageCommand::Send(send) => answering(Output::of(send.place.json), || send::one(context, &send)),
        MessageCommand::Broadcast(all) => answering(Output::of(all.place.json), || send::many(context, &all)),
        MessageCommand::Poll(poll) => answering(Output::of(poll.place.json), || send::poll(context, &poll)),
        MessageCommand::Read(read) => answering(Output::of(read.place.json), || read::show(context, &read)),
        MessageCommand::Act(Act { action, params, place }) => {
            answering(Output::of(place.json), || act(context, action.name, params, &place))
        }
    }
}

/// Has the gateway do something on a platform, and prints what it says.
fn act(
    context: &Context,
    action: &str,
    params: Map<String, Value>,
    place: &PlaceArgs,
) -> anyhow::Result<Exit> {
    let mut asked = json!({
        "action": action, "params": params, "idempotencyKey": uuid::Uuid::new_v4().to_string(),
    });
    place.name_in(&mut asked);
    if place.dry_run {
        return tell_dry(place, action, &asked);
    }
    let report = question(context, place, "message.action", asked)?;
    match place.json {
        true => print::json(&whole(place, action, &Done { by: "plugin", payload: report }))?,
        false => print::line(&said(action, &report))?,
    }
    Ok(Exit::Done)
}

/// What a platform said, in words where there is nothing but a yes.
fn said(action: &str, report: &Value) -> String {
    let plain = ["ok", "channel", "accountId", "to", "dryRun", "status"];
    let facts = report.as_object().into_iter().flatten();
    match facts.into_iter().any(|(key, _)| !plain.contains(&key.as_str())) {
        true => serde_json::to_string_pretty(report).unwrap_or_default(),
        false => format!("{} {action}", print::good("Done:")),
    }
}

fn question(context: &Context, place: &PlaceArgs, method: &str, params: Value) -> anyhow::Result<Value> {
    let target = GatewayTarget::resolve(context, &TargetArgs::default())?;
    if place.verbose {
        print::note(&print::muted(&format!("Gateway: {} ({})", target.address, target.source.text())))?;
    }
    ask(context, &target, &GatewayQuestion::new(method, params, PATIENCE))
}

/// What was done, for programs.
struct Done {
    /// Who did it.
    by: &'static str,
    /// What came of it.
    payload: Value,
}

fn whole(place: &PlaceArgs, action: &str, done: &Done) -> Value {
    let told = done.payload["channel"].as_str().or(place.channel());
    json!({
        "action": action, "channel": told, "dryRun": place.dry_run, "handledBy": done.by, "payload": done.payload,
    })
}

fn tell_dry(place: &PlaceArgs, action: &str, params: &Value) -> anyhow::Result<Exit> {
    if place.json {
        print::json(&whole(place, action, &Done { by: "dry-run", payload: params.clone() }))?;
    } else {
        print::line(&format!("Nothing was done. `message {action}` would ask for {params}"))?;
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_yes_is_said_in_words_and_anything_more_is_shown() {
        let yes = json!({ "ok": true, "channel": "sim", "to": "room" });
        assert_eq!(print::without_colours(&said("pin", &yes)), "Done: pin");
        assert!(said("list-pins", &json!({ "ok": true, "pins": [1] })).contains("\"pins\""));
    }
}
