//! `openclaw gateway probe`: which gateways can be reached, and what they say about themselves.
//!
//! Tries the given address, the remote gateway of the configuration and the one on this machine, each within the
//! budget. Gateways on the local network are not searched for.

use std::time::Duration;

use clap::Args;
use openclaw_client::ClientProfile;
use openclaw_config::FileSnapshot;
use openclaw_config::sections::RunMode;
use openclaw_ports::Deadline;
use serde_json::{Value, json};

use crate::call::{CommandReach, GatewayConnection, GatewayQuestion, block_on, millis, scopes_for};
use crate::context::{Context, VERSION};
use crate::exit::{Exit, Output, answering, misuse};
use crate::print;
use crate::target::{AddressSource, GatewayTarget, TargetArgs};

/// `openclaw gateway probe`
#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Reach the gateway through an SSH tunnel (not in this build)
    #[arg(long, value_name = "target")]
    ssh: Option<String>,
    /// Key for the SSH tunnel (not in this build)
    #[arg(long, value_name = "path")]
    ssh_identity: Option<String>,
    /// Choose the SSH tunnel by itself (not in this build)
    #[arg(long)]
    ssh_auto: bool,
    /// How long each gateway may take, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 3_000)]
    timeout: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What one gateway did.
struct Probed {
    id: &'static str,
    target: GatewayTarget,
    outcome: Result<Answer, String>,
}

struct Answer {
    latency: Duration,
    health: Value,
    status: Value,
    presence: Value,
    config: Value,
}

/// Probes and prints.
pub(super) fn run(context: &Context, arguments: &ProbeArgs) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.json), || probe_all(context, arguments))
}

fn probe_all(context: &Context, arguments: &ProbeArgs) -> anyhow::Result<Exit> {
    if arguments.ssh.is_some() || arguments.ssh_identity.is_some() || arguments.ssh_auto {
        return Err(misuse(
            "SSH tunnels are not in this build; open one with `ssh -N -L 18789:127.0.0.1:18789 user@host` and use --url ws://127.0.0.1:18789",
        ));
    }
    let started = context.clock.elapsed();
    let snapshot = context.read_config();
    let targets = targets(context, arguments, &snapshot)?;
    let limit = millis(arguments.timeout);
    let mut probed = Vec::new();
    for (id, target) in targets {
        let outcome = probe(context, &target, limit).map_err(|error| format!("{error:#}"));
        probed.push(Probed { id, target, outcome });
    }
    let reachable = probed.iter().any(|probed| probed.outcome.is_ok());
    if arguments.json {
        let taken = context.clock.elapsed().saturating_sub(started);
        print::json(&as_json(context, arguments, &probed, taken))?;
    } else {
        print::line(&render(&probed))?;
    }
    Ok(if reachable { Exit::Done } else { Exit::NotInOrder })
}

fn targets(
    context: &Context,
    arguments: &ProbeArgs,
    snapshot: &FileSnapshot,
) -> anyhow::Result<Vec<(&'static str, GatewayTarget)>> {
    let primary = GatewayTarget::resolve_with(context, &arguments.target, snapshot)?;
    let id = match primary.source {
        AddressSource::CommandLine | AddressSource::Variable => "explicit",
        AddressSource::Remote => "configRemote",
        AddressSource::RunningGateway | AddressSource::Configured => {
            return Ok(vec![("localLoopback", primary)]);
        }
    };
    let mut local = snapshot.clone();
    let mut config = (*local.config).clone();
    config.gateway.mode = Some(RunMode::Local);
    local.config = std::sync::Arc::new(config);
    let mut targets = vec![(id, primary)];
    // A local gateway that cannot even be addressed is none.
    if let Ok(target) = GatewayTarget::resolve_with(context, &TargetArgs::default(), &local)
        && target.source.is_local()
    {
        targets.push(("localLoopback", target));
    }
    Ok(targets)
}

fn probe(context: &Context, target: &GatewayTarget, limit: Duration) -> anyhow::Result<Answer> {
    block_on(async {
        let clock = context.clock.as_ref();
        let deadline = Deadline::after(clock, limit);
        let started = clock.elapsed();
        let scopes = scopes_for(["health", "status", "system-presence", "config.get"]);
        let line = GatewayConnection::open(
            context,
            target,
            CommandReach { profile: ClientProfile::probe(VERSION), scopes, limit },
        )
        .await?;
        let latency = clock.elapsed().saturating_sub(started);
        let question = |method: &'static str| GatewayQuestion::new(method, json!({}), deadline.left(clock));
        let (health, status, presence, config) = tokio::join!(
            ask_or_null(&line, question("health")),
            ask_or_null(&line, question("status")),
            ask_or_null(&line, question("system-presence")),
            ask_or_null(&line, question("config.get")),
        );
        line.close().await;
        Ok(Answer { latency, health, status, presence, config })
    })
}

/// A gateway that lets us in but refuses one question is still reachable.
async fn ask_or_null(line: &GatewayConnection, question: GatewayQuestion<'_>) -> Value {
    match line.ask(&question).await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::debug!(%error, method = question.method, "a question of the probe was not answered");
            Value::Null
        }
    }
}

/// What the gateway says about its own machine.
fn own_entry(presence: &Value) -> Value {
    let entry = presence.as_array().into_iter().flatten().find(|entry| entry["mode"] == json!("gateway"));
    match entry {
        Some(entry) => json!({
            "host": entry["host"], "ip": entry["ip"], "version": entry["version"], "platform": entry["platform"],
        }),
        None => Value::Null,
    }
}

fn as_json(context: &Context, arguments: &ProbeArgs, probed: &[Probed], taken: Duration) -> Value {
    let primary = probed.iter().find(|probed| probed.outcome.is_ok()).map(|probed| probed.id);
    let local = probed.iter().find(|probed| probed.target.source.is_local());
    json!({
        "ok": primary.is_some(),
        "ts": context.clock.now(),
        "durationMs": millis_of(taken),
        "timeoutMs": arguments.timeout,
        "primaryTargetId": primary,
        "warnings": [],
        "network": { "localLoopbackUrl": local.map(|probed| probed.target.address.to_string()) },
        "discovery": null,
        "targets": probed.iter().map(target_json).collect::<Vec<_>>(),
    })
}

fn target_json(probed: &Probed) -> Value {
    let mut out = json!({
        "id": probed.id,
        "kind": probed.id,
        "url": probed.target.address.to_string(),
        "active": true,
        "tunnel": null,
    });
    match &probed.outcome {
        Ok(answer) => {
            let config = &answer.config;
            out["connect"] =
                json!({ "ok": true, "latencyMs": millis_of(answer.latency), "error": null, "close": null });
            out["self"] = own_entry(&answer.presence);
            out["config"] = if config.is_null() {
                Value::Null
            } else {
                json!({ "path": config["path"], "exists": config["exists"], "valid": config["valid"], "issues": config["issues"], "legacyIssues": config["legacyIssues"] })
            };
            out["health"] = answer.health.clone();
            out["summary"] = answer.status.clone();
            out["presence"] = answer.presence.clone();
        }
        Err(error) => {
            out["connect"] = json!({ "ok": false, "latencyMs": null, "error": error, "close": null });
            for key in ["self", "config", "health", "summary", "presence"] {
                out[key] = Value::Null;
            }
        }
    }
    out
}

fn render(probed: &[Probed]) -> String {
    let mut lines = Vec::new();
    for Probed { id, target, outcome } in probed {
        lines.push(format!(
            "{} {}",
            print::heading(&target.address.to_string()),
            print::muted(&format!("({id})"))
        ));
        match outcome {
            Ok(answer) => {
                lines.push(format!("  {} in {} ms", print::good("reachable"), millis_of(answer.latency)));
                let own = own_entry(&answer.presence);
                let words =
                    ["host", "ip", "platform", "version"].map(|key| own[key].as_str().unwrap_or_default());
                let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
                if !words.is_empty() {
                    lines.push(format!("  {}", words.join(" · ")));
                }
            }
            Err(error) => lines.push(format!("  {} {error}", print::bad("not reachable:"))),
        }
    }
    lines.join("\n")
}

fn millis_of(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
