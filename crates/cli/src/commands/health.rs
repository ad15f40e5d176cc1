//! `openclaw health`: asks the running gateway how it is.
//!
//! The answer is read leniently, since it may come from an older or newer gateway. The exit code follows the answer, so
//! that scripts need not read the text.

use clap::Args;
use serde_json::{Value, json};

use crate::call::{GatewayQuestion, ask, millis};
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print;
use crate::target::{GatewayTarget, TargetArgs};

/// `openclaw health`
#[derive(Debug, Args)]
pub(crate) struct HealthArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How long to wait, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 10_000)]
    timeout: u64,
    /// Probe the channels anew and show which gateway answered
    #[arg(long)]
    verbose: bool,
    /// The same as --verbose
    #[arg(long)]
    debug: bool,
}

/// Asks and prints.
pub(crate) fn run(context: &Context, arguments: &HealthArgs) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.json), || show(context, arguments))
}

fn show(context: &Context, arguments: &HealthArgs) -> anyhow::Result<Exit> {
    let target = GatewayTarget::resolve(context, &TargetArgs::default())?;
    let verbose = arguments.verbose || arguments.debug;
    let params = if verbose { json!({ "probe": true }) } else { json!({}) };
    let answer = ask(context, &target, &GatewayQuestion::new("health", params, millis(arguments.timeout)))?;
    if arguments.json {
        print::json(&answer)?;
        return Ok(exit_of(&answer));
    }
    if verbose {
        print::line(&print::muted(&format!("Gateway: {} ({})", target.address, target.source.text())))?;
    }
    print::line(&render(&answer))?;
    Ok(exit_of(&answer))
}

/// Whether the gateway says that it is well.
pub(crate) fn exit_of(health: &Value) -> Exit {
    if health["ok"] == json!(false) { Exit::NotInOrder } else { Exit::Done }
}

/// One line about the whole.
pub(crate) fn summary(health: &Value) -> String {
    let state = if health["ok"] == json!(false) { print::bad("not ok") } else { print::good("ok") };
    match health["durationMs"].as_u64() {
        Some(millis) => format!("{state} {}", print::muted(&format!("({millis} ms)"))),
        None => state,
    }
}

/// Everything a person wants to know at a glance.
fn render(health: &Value) -> String {
    let mut table = print::TextTable::pairs();
    table.row(["Gateway".to_owned(), summary(health)]);
    let agents: Vec<&Value> = health["agents"].as_array().into_iter().flatten().collect();
    let names: Vec<String> = agents.iter().map(|agent| agent_name(agent)).collect();
    if !names.is_empty() {
        table.row(["Agents".to_owned(), names.join(", ")]);
    }
    let beats: Vec<String> = agents.iter().filter_map(|agent| heartbeat(agent)).collect();
    if !beats.is_empty() {
        table.row(["Heartbeat".to_owned(), beats.join(", ")]);
    }
    for agent in &agents {
        if let (Some(path), Some(count)) =
            (agent["sessions"]["path"].as_str(), agent["sessions"]["count"].as_u64())
        {
            let id = agent["agentId"].as_str().unwrap_or_default();
            table.row([format!("Sessions ({id})"), format!("{count} in {path}")]);
        }
    }
    for channel in health["channelOrder"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let label = health["channelLabels"][channel].as_str().unwrap_or(channel);
        table.row([label.to_owned(), channel_state(&health["channels"][channel])]);
    }
    table.render()
}

fn agent_name(agent: &Value) -> String {
    let id = agent["agentId"].as_str().unwrap_or("?");
    if agent["isDefault"] == json!(true) { format!("{id} (default)") } else { id.to_owned() }
}

fn heartbeat(agent: &Value) -> Option<String> {
    let id = agent["agentId"].as_str()?;
    let beat = &agent["heartbeat"];
    let every = if beat["enabled"] == json!(true) { beat["every"].as_str()? } else { "off" };
    Some(format!("{every} ({id})"))
}

fn channel_state(channel: &Value) -> String {
    let error = channel["lastError"].as_str().filter(|text| !text.is_empty());
    match (channel["configured"].as_bool(), channel["running"].as_bool(), error) {
        (Some(false), ..) => print::muted("not configured"),
        (_, _, Some(error)) => print::bad(error),
        (_, Some(true), None) => print::good("running"),
        _ => print::warn("stopped"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_healthy_gateway_is_shown_in_aligned_lines() {
        let health = json!({
            "ok": true, "ts": 1, "durationMs": 3,
            "channels": { "one": { "configured": true, "running": true }, "two": { "configured": false } },
            "channelOrder": ["one", "two"], "channelLabels": { "one": "First" },
            "heartbeatSeconds": 1800, "defaultAgentId": "main",
            "agents": [{
                "agentId": "main", "isDefault": true,
                "heartbeat": { "enabled": true, "every": "30m", "everyMs": 1_800_000 },
                "sessions": { "path": "/state/agents/main/sessions/sessions.json", "count": 2, "recent": [] },
            }],
        });
        insta::assert_snapshot!(print::without_colours(&render(&health)), @r"
        Gateway          ok (3 ms)
        Agents           main (default)
        Heartbeat        30m (main)
        Sessions (main)  2 in /state/agents/main/sessions/sessions.json
        First            running
        two              not configured
        ");
        assert_eq!(exit_of(&health), Exit::Done);
    }
}
