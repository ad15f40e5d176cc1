//! `openclaw devices …`: who may connect, who waits for approval, and their tokens.
//!
//! Every command asks the gateway; nothing is read from its store. Answers are shown as they come, so that devices of
//! other gateway versions are listed too.

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::call::{GatewayQuestion, ask, millis};
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print::{self, TextTable};
use crate::target::{GatewayTarget, TargetArgs};

/// `openclaw devices`
#[derive(Debug, Args)]
pub(crate) struct DevicesArgs {
    #[command(subcommand)]
    command: DevicesCommand,
}

#[derive(Debug, Subcommand)]
enum DevicesCommand {
    /// Show devices that wait for approval and devices that have it
    List(AskArgs),
    /// Approve a device that waits [default: the one that asked last]
    Approve {
        /// The request, from `openclaw devices list`
        #[arg(value_name = "requestId")]
        request: Option<String>,
        /// Approve the request that came last
        #[arg(long)]
        latest: bool,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Turn a device that waits away
    Reject {
        /// The request, from `openclaw devices list`
        #[arg(value_name = "requestId")]
        request: String,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Forget an approved device
    Remove {
        /// The device, from `openclaw devices list`
        #[arg(value_name = "deviceId")]
        device: String,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Forget all approved devices
    Clear {
        /// Turn away all that wait, too
        #[arg(long)]
        pending: bool,
        /// Yes, really
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Give a device a new token for a role
    Rotate {
        /// The device
        #[arg(long, value_name = "id")]
        device: String,
        /// The role
        #[arg(long, value_name = "role")]
        role: String,
        /// What the new token allows; several may follow
        #[arg(long, value_name = "scope", num_args = 1..)]
        scope: Vec<String>,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Take a device's token for a role back
    Revoke {
        /// The device
        #[arg(long, value_name = "id")]
        device: String,
        /// The role
        #[arg(long, value_name = "role")]
        role: String,
        #[command(flatten)]
        ask: AskArgs,
    },
}

impl DevicesCommand {
    fn ask(&self) -> &AskArgs {
        match self {
            Self::List(ask)
            | Self::Approve { ask, .. }
            | Self::Reject { ask, .. }
            | Self::Remove { ask, .. }
            | Self::Clear { ask, .. }
            | Self::Rotate { ask, .. }
            | Self::Revoke { ask, .. } => ask,
        }
    }
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

/// The gateway that all questions of one command go to.
struct Desk<'a> {
    context: &'a Context,
    target: GatewayTarget,
    limit: Duration,
    json: bool,
}

impl<'a> Desk<'a> {
    fn new(context: &'a Context, arguments: &AskArgs) -> anyhow::Result<Self> {
        let target = GatewayTarget::resolve(context, &arguments.target)?;
        Ok(Self { context, target, limit: millis(arguments.timeout), json: arguments.json })
    }

    fn ask(&self, method: &str, params: Value) -> anyhow::Result<Value> {
        ask(self.context, &self.target, &GatewayQuestion::new(method, params, self.limit))
    }

    /// Prints the answer as JSON, or one line about it.
    fn tell(&self, answer: &Value, words: &str) -> anyhow::Result<Exit> {
        if self.json {
            print::json(answer)?
        } else {
            print::line(words)?
        }
        Ok(Exit::Done)
    }
}

/// Runs a command of the family.
pub(crate) fn run(context: &Context, arguments: DevicesArgs) -> anyhow::Result<Exit> {
    let output = Output::of(arguments.command.ask().json);
    answering(output, || dispatch(context, arguments.command))
}

fn dispatch(context: &Context, command: DevicesCommand) -> anyhow::Result<Exit> {
    match command {
        DevicesCommand::List(ask) => list(&Desk::new(context, &ask)?),
        DevicesCommand::Approve { request, latest, ask } => {
            approve(&Desk::new(context, &ask)?, request.filter(|_| !latest))
        }
        DevicesCommand::Reject { request, ask } => {
            let desk = Desk::new(context, &ask)?;
            let answer = desk.ask("device.pair.reject", json!({ "requestId": request.trim() }))?;
            desk.tell(
                &answer,
                &format!("{} {}", print::warn("Rejected"), text(&answer["deviceId"], "the request")),
            )
        }
        DevicesCommand::Remove { device, ask } => {
            let desk = Desk::new(context, &ask)?;
            let answer = desk.ask("device.pair.remove", json!({ "deviceId": device.trim() }))?;
            desk.tell(&answer, &format!("{} {}", print::warn("Removed"), device.trim()))
        }
        DevicesCommand::Clear { pending, yes, ask } => {
            if !yes {
                return Err(misuse("this forgets every approved device; say --yes if that is meant"));
            }
            clear(&Desk::new(context, &ask)?, if pending { Sweep::PendingToo } else { Sweep::PairedOnly })
        }
        DevicesCommand::Rotate { device, role, scope, ask } => {
            let mut params = json!({ "deviceId": device.trim(), "role": role.trim() });
            if !scope.is_empty() {
                params["scopes"] = json!(scope);
            }
            // The new token is the result; it is shown once, here.
            print::json(&Desk::new(context, &ask)?.ask("device.token.rotate", params)?)?;
            Ok(Exit::Done)
        }
        DevicesCommand::Revoke { device, role, ask } => {
            let params = json!({ "deviceId": device.trim(), "role": role.trim() });
            print::json(&Desk::new(context, &ask)?.ask("device.token.revoke", params)?)?;
            Ok(Exit::Done)
        }
    }
}

fn list(desk: &Desk<'_>) -> anyhow::Result<Exit> {
    let answer = desk.ask("device.pair.list", json!({}))?;
    if desk.json {
        print::json(&answer)?;
    } else {
        print::line(&render_list(&answer, desk.context.clock.now().0))?;
    }
    Ok(Exit::Done)
}

fn approve(desk: &Desk<'_>, request: Option<String>) -> anyhow::Result<Exit> {
    let request = match request.as_deref().map(str::trim).filter(|request| !request.is_empty()) {
        Some(request) => request.to_owned(),
        None => {
            let waiting = desk.ask("device.pair.list", json!({}))?;
            latest(&waiting).ok_or_else(|| anyhow::anyhow!("no device waits for approval"))?
        }
    };
    let answer = desk.ask("device.pair.approve", json!({ "requestId": request }))?;
    let device = text(&answer["device"]["deviceId"], "the device");
    desk.tell(
        &answer,
        &format!("{} {device} {}", print::good("Approved"), print::muted(&format!("({request})"))),
    )
}

/// Whom `clear` sweeps away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sweep {
    PairedOnly,
    PendingToo,
}

fn clear(desk: &Desk<'_>, sweep: Sweep) -> anyhow::Result<Exit> {
    let known = desk.ask("device.pair.list", json!({}))?;
    let mut removed = Vec::new();
    for device in ids(&known["paired"], "deviceId") {
        desk.ask("device.pair.remove", json!({ "deviceId": device }))?;
        removed.push(device);
    }
    let mut rejected = Vec::new();
    if sweep == Sweep::PendingToo {
        for request in ids(&known["pending"], "requestId") {
            desk.ask("device.pair.reject", json!({ "requestId": request }))?;
            rejected.push(request);
        }
    }
    let words = match sweep {
        Sweep::PairedOnly => format!("Forgot {} device(s)", removed.len()),
        Sweep::PendingToo => format!("Forgot {} device(s), turned {} away", removed.len(), rejected.len()),
    };
    desk.tell(&json!({ "removedDevices": removed, "rejectedPending": rejected }), &words)
}

fn latest(list: &Value) -> Option<String> {
    let waiting = list["pending"].as_array()?;
    let newest = waiting.iter().max_by_key(|request| request["ts"].as_i64().unwrap_or(0))?;
    newest["requestId"].as_str().map(str::to_owned)
}

fn ids(list: &Value, key: &str) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|entry| entry[key].as_str()).map(str::to_owned).collect()
}

fn render_list(list: &Value, now: i64) -> String {
    let entries = |key: &str| list[key].as_array().cloned().unwrap_or_default();
    let (pending, paired) = (entries("pending"), entries("paired"));
    if pending.is_empty() && paired.is_empty() {
        return print::muted("No devices yet.");
    }
    let mut parts = Vec::new();
    if !pending.is_empty() {
        let mut table =
            TextTable::new(&["Request", "Device", "Client", "Role", "Scopes", "IP", "Asked", "Note"]);
        for request in &pending {
            table.row([
                text(&request["requestId"], ""),
                device_name(request),
                client(request),
                text(&request["role"], ""),
                words(&request["scopes"]),
                text(&request["remoteIp"], ""),
                request["ts"].as_i64().map(|ts| print::ago(now, ts)).unwrap_or_default(),
                if request["isRepair"] == json!(true) { "repair".to_owned() } else { String::new() },
            ]);
        }
        parts.push(format!(
            "{} ({})\n{}",
            print::heading("Waiting for approval"),
            pending.len(),
            table.render()
        ));
    }
    if !paired.is_empty() {
        let mut table = TextTable::new(&["Device", "Roles", "Scopes", "Tokens", "IP"]);
        for device in &paired {
            table.row([
                device_name(device),
                words(&device["roles"]),
                words(&device["scopes"]),
                tokens(&device["tokens"]),
                text(&device["remoteIp"], ""),
            ]);
        }
        parts.push(format!("{} ({})\n{}", print::heading("Approved"), paired.len(), table.render()));
    }
    parts.join("\n\n")
}

fn device_name(entry: &Value) -> String {
    let id = text(&entry["deviceId"], "?");
    match entry["displayName"].as_str().filter(|name| !name.is_empty()) {
        Some(name) => format!("{name} ({id})"),
        None => id,
    }
}

/// The program that asked and the way it was run, as in `cli` or `openclaw-control-ui (webchat)`.
fn client(entry: &Value) -> String {
    match (entry["clientId"].as_str(), entry["clientMode"].as_str()) {
        (Some(id), Some(mode)) if id != mode => format!("{id} ({mode})"),
        (Some(word), _) | (None, Some(word)) => word.to_owned(),
        (None, None) => String::new(),
    }
}

fn tokens(list: &Value) -> String {
    let mut roles: Vec<String> = list
        .as_array()
        .into_iter()
        .flatten()
        .map(|token| match token["revokedAtMs"].as_i64() {
            Some(_) => format!("{} (revoked)", text(&token["role"], "?")),
            None => text(&token["role"], "?"),
        })
        .collect();
    roles.sort();
    if roles.is_empty() { "none".to_owned() } else { roles.join(", ") }
}

fn words(list: &Value) -> String {
    let words: Vec<&str> = list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    words.join(", ")
}

fn text(value: &Value, otherwise: &str) -> String {
    value.as_str().unwrap_or(otherwise).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Value {
        json!({
            "pending": [
                { "requestId": "r-1", "deviceId": "aaaa", "displayName": "Phone", "clientId": "openclaw-ios", "clientMode": "node", "role": "node", "remoteIp": "10.0.0.7", "ts": 1_000, "isRepair": true },
                { "requestId": "r-2", "deviceId": "bbbb", "clientId": "cli", "clientMode": "cli", "role": "operator", "scopes": ["operator.read"], "ts": 65_000 },
            ],
            "paired": [{
                "deviceId": "cccc", "roles": ["operator"], "scopes": ["operator.admin", "operator.read"],
                "tokens": [{ "role": "operator", "revokedAtMs": 3 }, { "role": "node" }],
            }],
        })
    }

    #[test]
    fn devices_are_listed_in_aligned_columns() {
        insta::assert_snapshot!(print::without_colours(&render_list(&sample(), 125_500)), @r"
        Waiting for approval (2)
        Request  Device        Client               Role      Scopes         IP        Asked      Note
        r-1      Phone (aaaa)  openclaw-ios (node)  node                     10.0.0.7  2m 4s ago  repair
        r-2      bbbb          cli                  operator  operator.read            1m ago

        Approved (1)
        Device  Roles     Scopes                         Tokens                    IP
        cccc    operator  operator.admin, operator.read  node, operator (revoked)
        ");
    }

    #[test]
    fn the_request_that_came_last_is_the_one_to_approve() {
        assert_eq!(latest(&sample()), Some("r-2".to_owned()));
        assert_eq!(latest(&json!({ "pending": [] })), None);
    }
}
