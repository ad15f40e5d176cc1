//! `openclaw gateway status`: the service, the configuration, the port, and whether the gateway answers.
//!
//! Looking (`look`) is apart from showing (`as_json`, `render`). Ends with 1 when
//! the gateway was asked and gave no good answer.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use clap::Args;
use openclaw_app::InstanceInfo;
use openclaw_config::{Bind, FileSnapshot};
use serde_json::{Value, json};

use super::predecessor;
use crate::call::{GatewayQuestion, NoAnswer, ask, block_on, millis};
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print;
use crate::service::{Manager, Report};
use crate::target::{GatewayTarget, TargetArgs};

/// `openclaw gateway status`
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the gateway answers or was not asked (--no-probe), 1 it does not answer or refuses us."
)]
pub(crate) struct GatewayStatusArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// How long the gateway may take to answer, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 10_000)]
    timeout: u64,
    /// Do not ask the gateway itself
    #[arg(long)]
    no_probe: bool,
    /// Look for other gateway services too
    #[arg(long)]
    deep: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Everything that was found.
struct Findings {
    service: Report,
    config: FileSnapshot,
    target: GatewayTarget,
    instance: Option<InstanceInfo>,
    port_busy: bool,
    rpc: Option<Result<(), NoAnswer>>,
    extra: Vec<String>,
}

/// Looks and prints.
pub(super) fn run(context: &Context, arguments: &GatewayStatusArgs) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.json), || show(context, arguments))
}

fn show(context: &Context, arguments: &GatewayStatusArgs) -> anyhow::Result<Exit> {
    let findings = look(context, arguments)?;
    if arguments.json {
        print::json(&as_json(&findings))?;
    } else {
        print::line(&render(context, &findings))?;
    }
    Ok(if matches!(findings.rpc, Some(Err(_))) { Exit::NotInOrder } else { Exit::Done })
}

fn look(context: &Context, arguments: &GatewayStatusArgs) -> anyhow::Result<Findings> {
    let manager = Manager::new(&context.environment, &context.locations, context.clock.as_ref());
    let service = block_on(async { Ok(manager.report().await) })?;
    let config = context.read_config();
    let target = GatewayTarget::resolve_with(context, &arguments.target, &config)?;
    let rpc = (!arguments.no_probe).then(|| {
        let question = GatewayQuestion::new("health", json!({}), millis(arguments.timeout));
        ask(context, &target, &question).map(drop).map_err(|error| NoAnswer::of(&error))
    });
    let extra = if arguments.deep { other_services(manager.file()) } else { Vec::new() };
    Ok(Findings {
        service,
        instance: predecessor::find(context)?,
        port_busy: is_listening(target.address.port()),
        config,
        target,
        rpc,
        extra,
    })
}

/// Whether something listens on the loopback port.
pub(crate) fn is_listening(port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, Duration::from_millis(300)).is_ok()
}

/// Other gateway services of this user.
pub(crate) fn other_services(own: &Path) -> Vec<String> {
    let Some(Ok(entries)) = own.parent().map(fs::read_dir) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path() != own)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| {
            let gateway = ["openclaw-gateway", "clawdbot-gateway", "moltbot-gateway", "ai.openclaw."];
            gateway.iter().any(|start| name.starts_with(start))
                && (name.ends_with(".service") || name.ends_with(".plist"))
        })
        .collect();
    names.sort();
    names
}

fn bind_words(bind: &Bind) -> (String, String) {
    match bind {
        Bind::Loopback => ("loopback".to_owned(), "127.0.0.1".to_owned()),
        Bind::Lan => ("lan".to_owned(), "0.0.0.0".to_owned()),
        Bind::Tailnet => ("tailnet".to_owned(), "the tailnet address".to_owned()),
        Bind::Auto => ("auto".to_owned(), "127.0.0.1".to_owned()),
        Bind::Custom(address) => ("custom".to_owned(), address.to_string()),
    }
}

fn as_json(findings: &Findings) -> Value {
    let Findings { service, config, target, instance, port_busy, rpc, extra } = findings;
    let settings = &config.config.gateway;
    let (bind_mode, bind_host) = bind_words(&settings.bind);
    let file = json!({ "path": config.path, "exists": config.exists, "valid": config.valid });
    let listeners: Vec<Value> =
        instance.iter().map(|instance| json!({ "pid": instance.pid, "port": instance.port })).collect();
    let mut out = json!({
        "service": {
            "label": service.label,
            "name": service.name,
            "file": service.file,
            "installed": service.installed,
            "loaded": service.enabled,
            "loadedText": "enabled",
            "notLoadedText": "disabled",
            "runtime": service.runtime,
        },
        "config": { "cli": file, "daemon": file },
        "gateway": {
            "bindMode": bind_mode,
            "bindHost": bind_host,
            "port": target.address.port(),
            "portSource": target.source.text(),
            "probeUrl": target.address.to_string(),
        },
        "port": {
            "port": target.address.port(),
            "status": if *port_busy { "busy" } else { "free" },
            "listeners": listeners,
        },
        "extraServices": extra,
    });
    match rpc {
        Some(Ok(())) => out["rpc"] = json!({ "ok": true, "url": target.address.to_string() }),
        Some(Err(error)) => {
            out["rpc"] = json!({ "ok": false, "url": target.address.to_string(), "error": error.text() })
        }
        None => {}
    }
    out
}

/// The service's process, and the gateway that runs without the service.
fn runtime_line(service: &Report, instance: Option<&InstanceInfo>) -> String {
    let pid = service.runtime.pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    let own = format!("{}{pid}", service.runtime.status);
    match instance {
        Some(instance) if service.runtime.pid.is_none() && service.runtime.status != "running" => {
            format!("{own}; a gateway runs without the service (pid {})", instance.pid)
        }
        _ => own,
    }
}

fn render(context: &Context, findings: &Findings) -> String {
    let Findings { service, config, target, instance, port_busy, rpc, extra } = findings;
    let (mode, host) = bind_words(&config.config.gateway.bind);
    let mut table = print::TextTable::pairs();
    let installed = match (service.installed, service.enabled) {
        (true, true) => print::good("enabled"),
        (true, false) => print::warn("installed, not enabled"),
        (false, _) => print::muted("not installed"),
    };
    table.row(["Service".to_owned(), format!("{} {installed}", service.label)]);
    table.row(["Runtime".to_owned(), runtime_line(service, instance.as_ref())]);
    let config_state = match (config.exists, config.valid) {
        (false, _) => print::muted(" (not there; defaults apply)"),
        (true, true) => String::new(),
        (true, false) => print::bad(" (invalid; see `openclaw config validate`)"),
    };
    table.row(["Config".to_owned(), format!("{}{config_state}", context.short(&config.path))]);
    table.row([
        "Gateway".to_owned(),
        format!("{} ({}), bind {mode} ({host})", target.address, target.source.text()),
    ]);
    table.row(["Dashboard".to_owned(), target.address.web_page()]);
    let port = match (port_busy, instance) {
        (true, Some(instance)) => {
            format!("{} in use by the gateway with pid {}", target.address.port(), instance.pid)
        }
        (true, None) => format!("{} in use", target.address.port()),
        (false, _) => format!("{} free", target.address.port()),
    };
    table.row(["Port".to_owned(), port]);
    match rpc {
        Some(Ok(())) => table.row(["Answers".to_owned(), print::good("yes")]),
        Some(Err(NoAnswer::Refused(error))) => {
            table.row(["Answers".to_owned(), format!("{} {error}", print::warn("yes, but it refuses us:"))])
        }
        Some(Err(NoAnswer::Silent(error))) => {
            table.row(["Answers".to_owned(), format!("{} {error}", print::bad("no:"))])
        }
        None => {}
    }
    for name in extra {
        table.row(["Other service".to_owned(), name.clone()]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use openclaw_types::UnixMillis;

    use super::*;
    use crate::service::Runtime;

    fn findings(rpc: Option<Result<(), NoAnswer>>) -> (Context, Findings) {
        let context = Context::fixed();
        let config = context.config_file().preview(
            "{gateway: {port: 4000, bind: 'lan', auth: {token: 'hidden'}, controlUi: {enabled: false}}}",
        );
        let target = GatewayTarget::resolve_with(&context, &TargetArgs::default(), &config).unwrap();
        let service = Report {
            label: "systemd",
            name: "openclaw-gateway.service".to_owned(),
            file: PathBuf::from("/home/ana/.config/systemd/user/openclaw-gateway.service"),
            installed: false,
            enabled: false,
            runtime: Runtime {
                status: "stopped",
                detail: Some("not installed".to_owned()),
                ..Runtime::default()
            },
        };
        let instance = InstanceInfo {
            pid: 4711,
            started_at: UnixMillis(1),
            port: Some(4000),
            config_path: config.path.clone(),
        };
        let extra = vec!["openclaw-gateway-work.service".to_owned()];
        (context, Findings { service, config, target, instance: Some(instance), port_busy: true, rpc, extra })
    }

    #[test]
    fn service_port_and_answer_are_shown_in_aligned_lines() {
        let (context, findings) = findings(Some(Err(NoAnswer::Silent("nothing answers".to_owned()))));
        insta::assert_snapshot!(print::without_colours(&render(&context, &findings)));
    }

    #[test]
    fn a_gateway_that_refuses_us_answers() {
        let (context, findings) = findings(Some(Err(NoAnswer::Refused("unauthorized".to_owned()))));
        let shown = print::without_colours(&render(&context, &findings));
        assert!(shown.contains("Answers        yes, but it refuses us: unauthorized\n"), "{shown}");
    }

    #[test]
    fn programs_get_the_shape_the_original_prints() {
        let (_, findings) = findings(Some(Ok(())));
        insta::assert_json_snapshot!(as_json(&findings));
    }
}
