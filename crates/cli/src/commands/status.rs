//! `openclaw status`: gateway, service, agents, sessions and channels at a glance.
//!
//! Also works when the gateway is down: then it says so, shows what this machine knows and ends with 1.

use std::time::Duration;

use clap::Args;
use openclaw_client::ClientProfile;
use openclaw_config::FileSnapshot;
use openclaw_config::sections::RunMode;
use openclaw_ports::Deadline;
use serde_json::{Value, json};

use crate::agents::workspace_of;
use crate::call::{CommandReach, GatewayConnection, GatewayQuestion, NoAnswer, block_on, millis, scopes_for};
use crate::context::{Context, VERSION};
use crate::exit::{Exit, Output, answering};
use crate::print::{self, TextTable};
use crate::service::{Manager, Report};
use crate::target::{GatewayTarget, TargetArgs};

/// `openclaw status`
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 the gateway answers, 1 it does not answer or refuses us.")]
pub(crate) struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show everything: probe the channels, list connected clients
    #[arg(long)]
    all: bool,
    /// Show how much of their allowance the vendors of models say is used
    #[arg(long)]
    usage: bool,
    /// Probe the channels anew
    #[arg(long)]
    deep: bool,
    /// How long the gateway may take, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 10_000)]
    timeout: u64,
    /// The same as --all
    #[arg(long)]
    verbose: bool,
    /// The same as --all
    #[arg(long)]
    debug: bool,
}

/// What was found.
struct Overview {
    config: FileSnapshot,
    target: GatewayTarget,
    service: Report,
    answer: Result<Answer, NoAnswer>,
    /// The newest sessions as a table, where they are kept on this machine.
    sessions: Option<String>,
}

/// What the gateway said.
struct Answer {
    latency_ms: u64,
    status: Value,
    health: Value,
    presence: Value,
    usage: Option<Value>,
}

/// What is asked of the gateway.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    limit: Duration,
    depth: Depth,
    allowances: Allowances,
}

/// Whether vendors are asked about allowances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allowances {
    Asked,
    LeftAlone,
}

/// How much is asked and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Plain,
    Deep,
    All,
}

/// Looks and prints.
pub(crate) fn run(context: &Context, arguments: &StatusArgs) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.json), || show(context, arguments))
}

fn show(context: &Context, arguments: &StatusArgs) -> anyhow::Result<Exit> {
    let depth = match (arguments.all || arguments.verbose || arguments.debug, arguments.deep) {
        (true, _) => Depth::All,
        (false, true) => Depth::Deep,
        (false, false) => Depth::Plain,
    };
    let allowances = if arguments.usage { Allowances::Asked } else { Allowances::LeftAlone };
    let overview = look(context, Wanted { limit: millis(arguments.timeout), depth, allowances })?;
    if arguments.json {
        print::json(&as_json(context, &overview, depth))?;
    } else {
        print::line(&render(context, &overview, depth))?;
    }
    Ok(if overview.answer.is_ok() { Exit::Done } else { Exit::NotInOrder })
}

fn look(context: &Context, wanted: Wanted) -> anyhow::Result<Overview> {
    let config = context.read_config();
    let target = GatewayTarget::resolve_with(context, &TargetArgs::default(), &config)?;
    let manager = Manager::new(&context.environment, &context.locations, context.clock.as_ref());
    let (service, answer) = block_on(async {
        let asked = question_all(context, &target, wanted).await;
        Ok((manager.report().await, asked.map_err(|error| NoAnswer::of(&error))))
    })?;
    let sessions = if target.source.is_local() { newest_sessions(context, &config) } else { None };
    Ok(Overview { config, target, service, answer, sessions })
}

/// Read from the store, since the gateway shows them to administrators only.
fn newest_sessions(context: &Context, config: &FileSnapshot) -> Option<String> {
    crate::commands::sessions::newest(context, config).unwrap_or_else(|error| {
        tracing::debug!(%error, "the sessions cannot be read; `openclaw doctor` says more");
        None
    })
}

async fn question_all(context: &Context, target: &GatewayTarget, wanted: Wanted) -> anyhow::Result<Answer> {
    let Wanted { limit, depth, allowances } = wanted;
    let clock = context.clock.as_ref();
    let deadline = Deadline::after(clock, limit);
    let started = clock.elapsed();
    let scopes = scopes_for(["status", "health", "system-presence", "usage.status"]);
    let line = GatewayConnection::open(
        context,
        target,
        CommandReach { profile: ClientProfile::command_line(VERSION), scopes, limit },
    )
    .await?;
    let latency = clock.elapsed().saturating_sub(started);
    let health = if depth >= Depth::Deep { json!({ "probe": true }) } else { json!({}) };
    let question =
        |method: &'static str, params: Value| GatewayQuestion::new(method, params, deadline.left(clock));
    let (status_question, health_question, presence_question) =
        (question("status", json!({})), question("health", health), question("system-presence", json!({})));
    let answers = tokio::try_join!(
        line.ask(&status_question),
        line.ask(&health_question),
        line.ask(&presence_question)
    );
    let usage = match allowances {
        Allowances::Asked => Some(line.ask(&question("usage.status", json!({}))).await),
        Allowances::LeftAlone => None,
    };
    line.close().await;
    let (status, health, presence) = answers?;
    let usage = usage.transpose()?;
    let latency_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
    Ok(Answer { latency_ms, status, health, presence, usage })
}

fn own_entry(presence: &Value) -> &Value {
    let mut entries = presence.as_array().into_iter().flatten();
    entries.find(|entry| entry["mode"] == json!("gateway")).unwrap_or(&Value::Null)
}

fn as_json(context: &Context, overview: &Overview, depth: Depth) -> Value {
    let Overview { config, target, service, answer, .. } = overview;
    let mut out = match answer {
        Ok(answer) => answer.status.clone(),
        Err(_) => json!({}),
    };
    let mode = if config.config.gateway.mode == Some(RunMode::Remote) { "remote" } else { "local" };
    let own = answer.as_ref().map_or(&Value::Null, |answer| own_entry(&answer.presence));
    out["os"] = os();
    out["gateway"] = json!({
        "mode": mode,
        "url": target.address.to_string(),
        "urlSource": target.source.text(),
        "misconfigured": !config.valid,
        "reachable": answer.is_ok(),
        "connectLatencyMs": answer.as_ref().ok().map(|answer| answer.latency_ms),
        "self": if own.is_null() { Value::Null } else { json!({
            "host": own["host"], "ip": own["ip"], "version": own["version"], "platform": own["platform"],
        }) },
        "error": answer.as_ref().err().map(NoAnswer::text),
    });
    out["gatewayService"] = json!({
        "label": service.label,
        "installed": service.installed,
        "loadedText": if service.enabled { "enabled" } else { "disabled" },
        "runtimeShort": service.runtime.status,
    });
    if let Ok(answer) = answer {
        out["agents"] = agents(context, config, &answer.status);
        if let Some(usage) = &answer.usage {
            out["usage"] = usage.clone();
        }
        if depth >= Depth::Deep {
            out["health"] = answer.health.clone();
        }
        if depth == Depth::All {
            out["presence"] = answer.presence.clone();
        }
    }
    out
}

fn os() -> Value {
    let system = rustix::system::uname();
    let (platform, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let release = system.release().to_string_lossy();
    json!({
        "platform": platform,
        "arch": arch,
        "release": release,
        "label": format!("{platform} {release} ({arch})"),
    })
}

/// The agents with what the gateway says about their sessions and what this machine knows about their workspaces.
fn agents(context: &Context, config: &FileSnapshot, status: &Value) -> Value {
    let now = context.clock.now().0;
    let known = status["sessions"]["byAgent"].as_array().map(Vec::as_slice).unwrap_or_default();
    let agents: Vec<Value> = config
        .config
        .agents
        .default_first()
        .into_iter()
        .map(|agent| {
            let of_agent = known.iter().find(|one| one["agentId"] == agent.id.as_str());
            let of_agent = of_agent.unwrap_or(&Value::Null);
            let workspace = workspace_of(context, &config.config, &agent.id);
            let changed = of_agent["recent"][0]["updatedAt"].as_i64();
            json!({
                "id": agent.id,
                "name": agent.name,
                "workspaceDir": workspace.display().to_string(),
                "bootstrapPending": workspace.join("BOOTSTRAP.md").exists(),
                "sessionsPath": of_agent["path"],
                "sessionsCount": of_agent["count"].as_u64().unwrap_or(0),
                "lastUpdatedAt": changed,
                "lastActiveAgeMs": changed.map(|changed| now.saturating_sub(changed)),
            })
        })
        .collect();
    let pending = agents.iter().filter(|agent| agent["bootstrapPending"] == json!(true)).count();
    let sessions: u64 = agents.iter().filter_map(|agent| agent["sessionsCount"].as_u64()).sum();
    json!({
        "defaultId": config.config.agents.default_agent,
        "agents": agents,
        "totalSessions": sessions,
        "bootstrapPendingCount": pending,
    })
}

fn render(context: &Context, overview: &Overview, depth: Depth) -> String {
    let Overview { config, target, service, answer, sessions } = overview;
    let mut table = TextTable::pairs();
    table.row(["Version".to_owned(), VERSION.to_owned()]);
    table.row(["Config".to_owned(), config_line(context, config)]);
    table.row(["State".to_owned(), context.short(&context.locations.state_dir)]);
    table.row(["Dashboard".to_owned(), target.address.web_page()]);
    table.row(["Gateway".to_owned(), gateway_line(target, answer)]);
    let installed =
        if service.installed { service.runtime.status.to_owned() } else { print::muted("not installed") };
    table.row(["Service".to_owned(), format!("{} {installed}", service.label)]);
    let answer = match answer {
        Ok(answer) => answer,
        Err(missing) => {
            let head = print::heading("OpenClaw status");
            let kept = sessions.as_ref().map(|kept| format!("\n\n{}\n{kept}", print::heading("Sessions")));
            return format!("{head}\n{}{}\n\n{}", table.render(), kept.unwrap_or_default(), advice(missing));
        }
    };
    let status = &answer.status;
    for (name, line) in status_lines(status, answer) {
        table.row([name.to_owned(), line]);
    }
    let mut parts = vec![format!("{}\n{}", print::heading("OpenClaw status"), table.render())];
    if let Some(sessions) = sessions.clone().or_else(|| sessions_table(status)) {
        parts.push(format!("{}\n{sessions}", print::heading("Sessions")));
    }
    if let Some(usage) = &answer.usage {
        let now = context.clock.now().0;
        parts.push(format!("{}\n{}", print::heading("Allowances"), allowances_text(usage, now)));
    }
    if depth == Depth::All {
        parts.push(format!(
            "{}\n{}",
            print::heading("Connected"),
            presence_table(&answer.presence, context.clock.now().0)
        ));
    }
    parts.join("\n\n")
}

fn advice(missing: &NoAnswer) -> &'static str {
    match missing {
        NoAnswer::Refused(_) => "Next: give the gateway what it asks for, then look again.",
        NoAnswer::Silent(_) => {
            "Next: start it with `openclaw gateway`, or look with `openclaw logs` and `openclaw doctor`."
        }
    }
}

fn config_line(context: &Context, config: &FileSnapshot) -> String {
    let path = context.short(&config.path);
    match (config.exists, config.valid) {
        (false, _) => format!("{path} {}", print::muted("(not there; defaults apply)")),
        (true, false) => format!("{path} {}", print::bad("(invalid; see `openclaw config validate`)")),
        (true, true) => path,
    }
}

fn gateway_line(target: &GatewayTarget, answer: &Result<Answer, NoAnswer>) -> String {
    let place = format!("{} ({})", target.address, target.source.text());
    match answer {
        Ok(answer) => {
            let own = own_entry(&answer.presence);
            let version =
                own["version"].as_str().map(|version| format!(", version {version}")).unwrap_or_default();
            format!("{place}, {} in {} ms{version}", print::good("reachable"), answer.latency_ms)
        }
        Err(NoAnswer::Refused(error)) => {
            format!("{place}, {} {error}", print::bad("answers, but refuses us:"))
        }
        Err(NoAnswer::Silent(error)) => format!("{place}, {} {error}", print::bad("not reachable:")),
    }
}

fn status_lines(status: &Value, answer: &Answer) -> Vec<(&'static str, String)> {
    let list = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut lines = Vec::new();
    let beats: Vec<String> = status["heartbeat"]["agents"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|agent| {
            let every =
                if agent["enabled"] == json!(true) { agent["every"].as_str().unwrap_or("on") } else { "off" };
            format!("{every} ({})", agent["agentId"].as_str().unwrap_or("?"))
        })
        .collect();
    if !beats.is_empty() {
        lines.push(("Heartbeat", beats.join(", ")));
    }
    let count = status["sessions"]["count"].as_u64().unwrap_or(0);
    let model =
        status["sessions"]["defaults"]["model"].as_str().map(|model| format!(", default model {model}"));
    lines.push(("Sessions", format!("{count}{}", model.unwrap_or_default())));
    let channels = list(&status["channelSummary"]);
    lines.push(("Channels", if channels.is_empty() { "none".to_owned() } else { channels.join(", ") }));
    let events = list(&status["queuedSystemEvents"]);
    lines.push((
        "Events",
        if events.is_empty() { "none".to_owned() } else { format!("{} waiting", events.len()) },
    ));
    lines.push(("Health", crate::commands::health::summary(&answer.health)));
    lines
}

fn sessions_table(status: &Value) -> Option<String> {
    let recent = status["sessions"]["recent"].as_array().filter(|recent| !recent.is_empty())?;
    let mut table = TextTable::new(&["Key", "Kind", "Age", "Model", "Tokens"]);
    for session in recent {
        let age = session["age"].as_u64().map(|age| print::span(std::time::Duration::from_millis(age)));
        let tokens = session["totalTokens"].as_u64().map(|tokens| tokens.to_string());
        table.row([
            session["key"].as_str().unwrap_or("?").to_owned(),
            session["kind"].as_str().unwrap_or_default().to_owned(),
            age.unwrap_or_default(),
            session["model"].as_str().unwrap_or_default().to_owned(),
            tokens.unwrap_or_default(),
        ]);
    }
    Some(table.render())
}

/// What each vendor says is used.
fn allowances_text(usage: &Value, now: i64) -> String {
    let mut table = TextTable::new(&["Vendor", "Allowance", "Used", "Full again"]);
    let vendors = usage["providers"].as_array().map(Vec::as_slice).unwrap_or_default();
    if vendors.is_empty() {
        return print::muted("no vendor that tells is signed in to");
    }
    for vendor in vendors {
        let name = vendor["displayName"].as_str().unwrap_or("?").to_owned();
        if let Some(error) = vendor["error"].as_str() {
            table.row([name.clone(), print::warn(error), String::new(), String::new()]);
        }
        for window in vendor["windows"].as_array().into_iter().flatten() {
            let left = window["resetAt"].as_i64().and_then(|at| u64::try_from(at.saturating_sub(now)).ok());
            let full = left.map(|left| format!("in {}", print::span(Duration::from_millis(left))));
            table.row([
                name.clone(),
                window["label"].as_str().unwrap_or_default().to_owned(),
                format!("{:.0} %", window["usedPercent"].as_f64().unwrap_or(0.0)),
                full.unwrap_or_default(),
            ]);
        }
    }
    table.render()
}

fn presence_table(presence: &Value, now: i64) -> String {
    let mut table = TextTable::new(&["Host", "Mode", "Version", "Platform", "Seen"]);
    for entry in presence.as_array().into_iter().flatten() {
        let word = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let seen = entry["ts"].as_i64().map(|ts| print::ago(now, ts)).unwrap_or_default();
        table.row([word("host"), word("mode"), word("version"), word("platform"), seen]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::service::Runtime;

    fn overview(answer: Result<Answer, NoAnswer>) -> (Context, Overview) {
        let context = Context::fixed();
        let config = context.config_file().preview("{gateway: {port: 4000, auth: {token: 'hidden'}}}");
        let target = GatewayTarget::resolve_with(&context, &TargetArgs::default(), &config).unwrap();
        let service = Report {
            label: "systemd",
            name: "openclaw-gateway.service".to_owned(),
            file: PathBuf::from("/home/ana/.config/systemd/user/openclaw-gateway.service"),
            installed: true,
            enabled: true,
            runtime: Runtime { status: "running", pid: Some(7), ..Runtime::default() },
        };
        (context, Overview { config, target, service, answer, sessions: None })
    }

    fn answer() -> Answer {
        Answer {
            latency_ms: 4,
            status: json!({
                "heartbeat": { "defaultAgentId": "main", "agents": [{ "agentId": "main", "enabled": true, "every": "30m", "everyMs": 1_800_000 }] },
                "channelSummary": [],
                "queuedSystemEvents": ["one"],
                "sessions": {
                    "paths": [], "count": 1, "defaults": { "model": "some-model", "contextTokens": 200_000 },
                    "recent": [{ "key": "agent:main:main", "kind": "direct", "age": 65_000, "model": "some-model", "totalTokens": 1234 }],
                    "byAgent": [],
                },
            }),
            health: json!({ "ok": true, "durationMs": 2 }),
            presence: json!([
                { "host": "box", "ip": "10.0.0.2", "mode": "gateway", "version": "1.0", "platform": "linux", "ts": 1_767_225_540_000_i64 },
            ]),
            usage: None,
        }
    }

    #[test]
    fn everything_is_shown_in_aligned_tables() {
        let (context, overview) = overview(Ok(answer()));
        insta::assert_snapshot!(print::without_colours(&render(&context, &overview, Depth::All)));
    }

    #[test]
    fn allowances_are_shown_with_what_is_used_and_when_they_are_full_again() {
        let usage = json!({ "updatedAt": 1, "providers": [
            { "provider": "one", "displayName": "Claude", "windows": [
                { "label": "5h", "usedPercent": 41.6, "resetAt": 3_601_000 },
                { "label": "Week", "usedPercent": 3 },
            ] },
            { "provider": "zai", "displayName": "z.ai", "windows": [], "error": "no answer" },
        ] });
        assert_eq!(
            print::without_colours(&allowances_text(&usage, 1_000)),
            "Vendor  Allowance  Used  Full again\n\
             Claude  5h         42 %  in 1h\n\
             Claude  Week       3 %\n\
             z.ai    no answer"
        );
    }

    #[test]
    fn a_gateway_that_is_away_is_shown_with_what_to_do_next() {
        let (context, overview) = overview(Err(NoAnswer::Silent("nothing answers".to_owned())));
        insta::assert_snapshot!(print::without_colours(&render(&context, &overview, Depth::Plain)));
    }

    #[test]
    fn a_gateway_that_refuses_us_is_not_called_unreachable() {
        let (context, overview) = overview(Err(NoAnswer::Refused("unauthorized".to_owned())));
        let shown = print::without_colours(&render(&context, &overview, Depth::Plain));
        assert!(shown.contains("(local loopback), answers, but refuses us: unauthorized\n"), "{shown}");
        assert!(shown.ends_with("Next: give the gateway what it asks for, then look again."), "{shown}");
    }

    #[test]
    fn programs_get_the_gateways_own_status_with_this_machines_view_of_it() {
        let (context, overview) = overview(Ok(answer()));
        let mut json = as_json(&context, &overview, Depth::Plain);
        json["os"] = json!("this machine");
        insta::assert_json_snapshot!(json);
    }
}
