//! The command line: options of the program and its command families.
//!
//! Each family declares its own arguments beside what it does. Parsing ends here: commands get typed values, and a
//! command line that cannot be understood ends the process with code 2 before anything has happened.

use clap::{CommandFactory as _, Parser, Subcommand};
use openclaw_config::ProfileChoice;

use crate::commands::{
    agent, agents, approvals, channels, completion, config, dashboard, devices, doctor, gateway, health,
    logs, message, models, sessions, setup, status,
};
use crate::exit;

/// A self-hosted assistant gateway for your own messaging accounts.
#[derive(Debug, Parser)]
#[command(name = "openclaw", disable_version_flag = true, after_help = exit::HELP, max_term_width = 110)]
pub(crate) struct CliArguments {
    /// Print the version and leave
    #[arg(short = 'V', long)]
    pub(crate) version: bool,
    /// Use the profile "dev": its own state directory and port
    #[arg(long, conflicts_with = "profile")]
    pub(crate) dev: bool,
    /// Use a profile of this name: its own state directory
    #[arg(long, global = true, value_name = "name")]
    pub(crate) profile: Option<String>,
    /// How much is logged
    #[arg(long, global = true, value_name = "level")]
    pub(crate) log_level: Option<LogLevel>,
    /// Print without colours
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
}

/// The command families.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Run, inspect and control the gateway
    Gateway(gateway::GatewayArgs),
    /// Control the gateway's background service (the same as the commands below `gateway`)
    Daemon(gateway::DaemonArgs),
    /// Ask the running gateway how it is
    Health(health::HealthArgs),
    /// Show gateway, service, sessions and channels at a glance
    Status(status::StatusArgs),
    /// Make a configuration and a workspace
    Setup(setup::SetupArgs),
    /// Say something to an agent and print its answer
    Agent(agent::AgentArgs),
    /// Add, change and remove agents
    Agents(agents::AgentsArgs),
    /// List conversations and put old ones away
    Sessions(sessions::SessionsArgs),
    /// Write into a conversation, or read it
    Message(message::MessageArgs),
    /// Say which commands agents may run without asking
    #[command(alias = "exec-approvals")]
    Approvals(approvals::ApprovalsArgs),
    /// Choose models, sign in at their vendors, and see whether they answer
    Models(models::ModelsArgs),
    /// Read and change the configuration file
    Config(config::ConfigArgs),
    /// Show the gateway's log
    Logs(logs::LogsArgs),
    /// Show the accounts on messaging platforms
    Channels(channels::ChannelsArgs),
    /// Let strangers in who ask to talk to the assistant
    Pairing(channels::PairingArgs),
    /// Show and change what waits to be sent to platforms
    Outbox(channels::OutboxArgs),
    /// Look people and rooms of platforms up
    Directory(channels::DirectoryArgs),
    /// Say which agent answers whom
    Route(channels::RouteArgs),
    /// Approve devices and handle their tokens
    Devices(devices::DevicesArgs),
    /// Check this installation and repair what can be repaired
    Doctor(doctor::DoctorArgs),
    /// Print or install completion for your shell
    Completion(completion::CompletionArgs),
    /// Show the address of the web page
    Dashboard(dashboard::DashboardArgs),
}

/// Levels of logging, by the names the configuration uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogLevel {
    Silent,
    Fatal,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// Reads the command line of this process; prints help or a usage error and leaves when that is all there is to do.
pub(crate) fn read() -> CliArguments {
    CliArguments::parse()
}

/// The whole command tree, for completion and tests.
pub(crate) fn command() -> clap::Command {
    CliArguments::command()
}

impl CliArguments {
    /// The profile these arguments ask for. `--dev` may stand before or after `gateway`.
    pub(crate) fn profile_choice(&self) -> ProfileChoice {
        let dev_gateway =
            matches!(&self.command, Some(CliCommand::Gateway(gateway)) if gateway.asks_for_dev());
        match &self.profile {
            Some(name) => ProfileChoice::Named(name.clone()),
            None if self.dev || dev_gateway => ProfileChoice::Dev,
            None => ProfileChoice::FromEnvironment,
        }
    }
}
