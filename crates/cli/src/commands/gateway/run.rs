//! `openclaw gateway [run]`: runs the gateway in the foreground until it is stopped.
//!
//! Options the original has and this build cannot honour are refused here, each with its reason, instead of being
//! silently ignored.

use std::net::IpAddr;

use clap::{Args, ValueEnum};
use openclaw_app::observe::ConsoleOutput;
use openclaw_app::{Demonstration, ExitReason, RemoteMode, RunOptions, run_gateway};
use openclaw_config::sections::{AuthMode, LogLevel as ConfigLevel, TailscaleMode};
use openclaw_config::{Bind, Overrides};
use openclaw_types::Secret;

use super::predecessor;
use crate::arguments::LogLevel;
use crate::context::{Context, VERSION};
use crate::exit::{Exit, misuse};
use crate::print;

/// `openclaw gateway [run]`
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Port to listen on; 0 lets the system choose [default: gateway.port, else 18789]
    #[arg(long, value_name = "port")]
    port: Option<u16>,
    /// Where to listen: loopback, lan, tailnet, auto, custom, or an address [default: gateway.bind, else loopback]
    #[arg(long, value_name = "mode")]
    bind: Option<String>,
    /// Token that clients must show, for this run
    #[arg(long, value_name = "token")]
    token: Option<String>,
    /// How clients prove themselves
    #[arg(long, value_name = "mode")]
    auth: Option<Auth>,
    /// Password that clients must show, for this run
    #[arg(long, value_name = "password")]
    password: Option<String>,
    /// Exposure through Tailscale; only "off" works in this build
    #[arg(long, value_name = "mode")]
    tailscale: Option<Tailscale>,
    /// Undo the exposure through Tailscale at the end (not in this build)
    #[arg(long)]
    tailscale_reset_on_exit: bool,
    /// Start although the configuration names a gateway elsewhere; a start without any configuration needs no flag
    #[arg(long)]
    allow_unconfigured: bool,
    /// Use the profile "dev": its own state directory and port
    #[arg(long)]
    pub(super) dev: bool,
    /// Throw the development state away first (not in this build)
    #[arg(long)]
    reset: bool,
    /// Stop the gateway that uses this state directory, then take its place
    #[arg(long)]
    force: bool,
    /// Let the built-in demonstration model answer; it needs no key and says what it is
    #[arg(long)]
    demo: bool,
    /// Log everything that helps to find faults
    #[arg(long)]
    verbose: bool,
    /// Show only the logs of a coding agent (not in this build)
    #[arg(long)]
    claude_cli_logs: bool,
    /// How WebSocket traffic is logged; only "auto" works in this build
    #[arg(long, value_name = "style", default_value = "auto")]
    ws_log: String,
    /// Short for --ws-log compact (not in this build)
    #[arg(long)]
    compact: bool,
    /// Record the model's raw stream (not in this build)
    #[arg(long)]
    raw_stream: bool,
    /// Where the raw stream is recorded (not in this build)
    #[arg(long, value_name = "path")]
    raw_stream_path: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Auth {
    None,
    Token,
    Password,
    TrustedProxy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tailscale {
    Off,
    Serve,
    Funnel,
}

/// Runs the gateway.
pub(super) fn run(
    context: &Context,
    arguments: &RunArgs,
    log_level: Option<LogLevel>,
) -> anyhow::Result<Exit> {
    refuse_what_is_not_built(arguments)?;
    let overrides = overrides(context, arguments, log_level)?;
    refuse_password_mode_without_password(context, &overrides)?;
    if arguments.force {
        predecessor::make_way(context)?;
    }
    let options = RunOptions {
        environment: context.environment.clone(),
        locations: context.locations.clone(),
        overrides,
        remote_mode: if arguments.allow_unconfigured { RemoteMode::RunAnyway } else { RemoteMode::Refuse },
        console: ConsoleOutput::Automatic,
        demonstration: if arguments.demo { Demonstration::Present } else { Demonstration::Absent },
        version: VERSION.to_owned(),
        platforms: openclaw_app::platforms,
    };
    match run_gateway(options)? {
        ExitReason::Stopped => Ok(Exit::Done),
        ExitReason::Hurried => {
            print::note("the gateway stopped, but something had to be cut off; the log says what")?;
            Ok(Exit::NotInOrder)
        }
    }
}

fn refuse_what_is_not_built(arguments: &RunArgs) -> anyhow::Result<()> {
    let exposed = matches!(arguments.tailscale, Some(Tailscale::Serve | Tailscale::Funnel));
    let refused = [
        (
            exposed,
            "--tailscale serve and funnel are not in this build; run `tailscale serve` beside the gateway",
        ),
        (arguments.tailscale_reset_on_exit, "--tailscale-reset-on-exit is not in this build"),
        (
            arguments.reset,
            "--reset is not in this build; stop the gateway and move its state directory away instead",
        ),
        (arguments.claude_cli_logs, "--claude-cli-logs is not in this build; use `openclaw logs`"),
        (arguments.ws_log != "auto", "--ws-log knows only \"auto\" in this build; use --verbose"),
        (arguments.compact, "--compact is not in this build; use --verbose"),
        (
            arguments.raw_stream || arguments.raw_stream_path.is_some(),
            "--raw-stream and --raw-stream-path are not in this build",
        ),
    ];
    match refused.into_iter().find(|(asked, _)| *asked) {
        Some((_, reason)) => Err(misuse(reason)),
        None => Ok(()),
    }
}

/// The flag is the cause, so the flag is named, not the configuration.
fn refuse_password_mode_without_password(context: &Context, overrides: &Overrides) -> anyhow::Result<()> {
    if overrides.auth_mode != Some(AuthMode::Password) || overrides.password.is_some() {
        return Ok(());
    }
    match context.read_config().config.gateway.auth.password {
        Some(_) => Ok(()),
        None => Err(misuse(
            "--auth password needs a password; pass --password, or set OPENCLAW_GATEWAY_PASSWORD or gateway.auth.password",
        )),
    }
}

fn overrides(
    context: &Context,
    arguments: &RunArgs,
    log_level: Option<LogLevel>,
) -> anyhow::Result<Overrides> {
    let secret = |text: &Option<String>| {
        text.as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(|text| Secret::new(text.to_owned()))
    };
    Ok(Overrides {
        port: arguments.port,
        bind: arguments.bind.as_deref().map(|text| bind(context, text)).transpose()?,
        auth_mode: arguments.auth.map(|auth| match auth {
            Auth::None => AuthMode::None,
            Auth::Token => AuthMode::Token,
            Auth::Password => AuthMode::Password,
            Auth::TrustedProxy => AuthMode::TrustedProxy,
        }),
        token: secret(&arguments.token),
        password: secret(&arguments.password),
        tailscale: arguments.tailscale.map(|_| TailscaleMode::Off),
        log_level: log_level.map(config_level).or(arguments.verbose.then_some(ConfigLevel::Debug)),
    })
}

fn bind(context: &Context, text: &str) -> anyhow::Result<Bind> {
    Ok(match text.trim() {
        "loopback" => Bind::Loopback,
        "lan" => Bind::Lan,
        "tailnet" => Bind::Tailnet,
        "auto" => Bind::Auto,
        "custom" => Bind::Custom(configured_address(context)?),
        address => match address.parse::<IpAddr>() {
            Ok(address) => Bind::Custom(address),
            Err(_) => {
                return Err(misuse(format!(
                    "--bind {address}: give loopback, lan, tailnet, auto or an address"
                )));
            }
        },
    })
}

/// The address that `custom` stands for.
fn configured_address(context: &Context) -> anyhow::Result<IpAddr> {
    let resolved = context.read_config().resolved;
    let address = resolved["gateway"]["customBindHost"].as_str().and_then(|text| text.trim().parse().ok());
    address.ok_or_else(|| {
        misuse("--bind custom needs an address in gateway.customBindHost; or give it here, as in --bind 192.168.1.5")
    })
}

fn config_level(level: LogLevel) -> ConfigLevel {
    match level {
        LogLevel::Silent => ConfigLevel::Silent,
        LogLevel::Fatal => ConfigLevel::Fatal,
        LogLevel::Error => ConfigLevel::Error,
        LogLevel::Warn => ConfigLevel::Warn,
        LogLevel::Info => ConfigLevel::Info,
        LogLevel::Debug => ConfigLevel::Debug,
        LogLevel::Trace => ConfigLevel::Trace,
    }
}
