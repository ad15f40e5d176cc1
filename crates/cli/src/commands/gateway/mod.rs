//! `openclaw gateway …` and its twin `openclaw daemon …`: running, asking and controlling the gateway.
//!
//! Without a subcommand the gateway runs in the foreground. The arguments of all subcommands are declared here; what
//! they do is in the files beside.

mod ask;
mod control;
mod predecessor;
mod probe;
mod run;
mod state;

use clap::{Args, Subcommand};

use crate::arguments::LogLevel;
use crate::context::Context;
use crate::exit::Exit;
use crate::target::TargetArgs;

pub(crate) use ask::{CallArgs, CostArgs, HealthArgs};
pub(crate) use control::{InstallArgs, plan as service_plan};
pub(crate) use probe::ProbeArgs;
pub(crate) use run::RunArgs;
pub(crate) use state::{GatewayStatusArgs, is_listening, other_services};

/// `openclaw gateway`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct GatewayArgs {
    #[command(flatten)]
    run: RunArgs,
    #[command(subcommand)]
    command: Option<GatewayCommand>,
}

impl GatewayArgs {
    /// Whether `gateway --dev` or `gateway run --dev` was given.
    pub(crate) fn asks_for_dev(&self) -> bool {
        match &self.command {
            None => self.run.dev,
            Some(GatewayCommand::Run(run)) => run.dev,
            Some(_) => false,
        }
    }
}

#[derive(Debug, Subcommand)]
enum GatewayCommand {
    /// Run the gateway in the foreground
    Run(Box<RunArgs>),
    /// Show the service and whether the gateway answers
    Status(GatewayStatusArgs),
    /// Install the gateway as a service of your user and start it
    Install(InstallArgs),
    /// Stop the service and remove it
    Uninstall(JsonArgs),
    /// Start the service
    Start(JsonArgs),
    /// Stop the service, or the gateway that runs without one
    Stop(JsonArgs),
    /// Restart the service, or the gateway that runs without one
    Restart(JsonArgs),
    /// Call a method of the gateway
    Call(CallArgs),
    /// Ask the gateway how it is
    Health(HealthArgs),
    /// Ask the gateway what models cost, day by day
    UsageCost(CostArgs),
    /// Find out which gateways can be reached, and what they say about themselves
    Probe(ProbeArgs),
}

/// `openclaw daemon`
#[derive(Debug, Args)]
pub(crate) struct DaemonArgs {
    #[command(subcommand)]
    command: DaemonCommand,
}

#[derive(Debug, Subcommand)]
enum DaemonCommand {
    /// Show the service and whether the gateway answers
    Status(GatewayStatusArgs),
    /// Install the gateway as a service of your user and start it
    Install(InstallArgs),
    /// Stop the service and remove it
    Uninstall(JsonArgs),
    /// Start the service
    Start(JsonArgs),
    /// Stop the service, or the gateway that runs without one
    Stop(JsonArgs),
    /// Restart the service, or the gateway that runs without one
    Restart(JsonArgs),
}

/// Commands that only differ in their output.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of commands that ask a gateway one thing.
#[derive(Debug, Clone, Args)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// How long to wait, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 10_000)]
    pub(crate) timeout: u64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs a command of the family `gateway`.
pub(crate) fn run(
    context: &Context,
    arguments: GatewayArgs,
    log_level: Option<LogLevel>,
) -> anyhow::Result<Exit> {
    match arguments.command {
        None => run::run(context, &arguments.run, log_level),
        Some(GatewayCommand::Run(run)) => run::run(context, &run, log_level),
        Some(GatewayCommand::Status(status)) => state::run(context, &status),
        Some(GatewayCommand::Install(install)) => control::install(context, &install),
        Some(GatewayCommand::Uninstall(json)) => control::uninstall(context, json),
        Some(GatewayCommand::Start(json)) => control::start(context, json),
        Some(GatewayCommand::Stop(json)) => control::stop(context, json),
        Some(GatewayCommand::Restart(json)) => control::restart(context, json),
        Some(GatewayCommand::Call(call)) => ask::call(context, &call),
        Some(GatewayCommand::Health(health)) => ask::health(context, &health),
        Some(GatewayCommand::UsageCost(cost)) => ask::cost(context, &cost),
        Some(GatewayCommand::Probe(probe)) => probe::run(context, &probe),
    }
}

/// Runs a command of the family `daemon`.
pub(crate) fn run_daemon(context: &Context, arguments: DaemonArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        DaemonCommand::Status(status) => state::run(context, &status),
        DaemonCommand::Install(install) => control::install(context, &install),
        DaemonCommand::Uninstall(json) => control::uninstall(context, json),
        DaemonCommand::Start(json) => control::start(context, json),
        DaemonCommand::Stop(json) => control::stop(context, json),
        DaemonCommand::Restart(json) => control::restart(context, json),
    }
}
