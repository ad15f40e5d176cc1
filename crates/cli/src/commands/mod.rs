//! One file or folder for each command family.
//!
//! `run` chooses and does what all have in common: colours, version, profile. Families share nothing with each other
//! here; what they share lives in `agents`, `call`, `target`, `service` and `print`.

pub(crate) mod agent;
pub(crate) mod agents;
pub(crate) mod approvals;
pub(crate) mod channels;
pub(crate) mod completion;
pub(crate) mod config;
pub(crate) mod dashboard;
pub(crate) mod devices;
pub(crate) mod doctor;
pub(crate) mod gateway;
pub(crate) mod health;
pub(crate) mod logs;
pub(crate) mod message;
pub(crate) mod models;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod status;

use crate::arguments::{self, CliArguments, CliCommand};
use crate::context::{Context, VERSION};
use crate::exit::Exit;
use crate::print::{self, Colour};

/// Runs the command that was asked for.
pub(crate) fn run(arguments: CliArguments) -> anyhow::Result<Exit> {
    print::set_colour(if arguments.no_color { Colour::Never } else { Colour::Automatic });
    if arguments.version {
        print::line(VERSION)?;
        return Ok(Exit::Done);
    }
    let profile = arguments.profile_choice();
    let log_level = arguments.log_level;
    let Some(command) = arguments.command else {
        print::text(&arguments::command().render_help().ansi().to_string())?;
        return Ok(Exit::Done);
    };
    let context = Context::of_process(&profile)?;
    match command {
        CliCommand::Gateway(gateway) => gateway::run(&context, gateway, log_level),
        CliCommand::Daemon(daemon) => gateway::run_daemon(&context, daemon),
        CliCommand::Health(health) => health::run(&context, &health),
        CliCommand::Status(status) => status::run(&context, &status),
        CliCommand::Setup(setup) => setup::run(&context, &setup),
        CliCommand::Agent(agent) => agent::run(&context, &agent),
        CliCommand::Agents(agents) => agents::run(&context, agents),
        CliCommand::Sessions(sessions) => sessions::run(&context, &sessions),
        CliCommand::Message(message) => message::run(&context, message),
        CliCommand::Approvals(approvals) => approvals::run(&context, approvals),
        CliCommand::Models(models) => models::run(&context, models),
        CliCommand::Config(config) => config::run(&context, config),
        CliCommand::Logs(logs) => logs::run(&context, &logs),
        CliCommand::Channels(arguments) => channels::run(&context, arguments),
        CliCommand::Pairing(arguments) => channels::run_pairing(&context, arguments),
        CliCommand::Outbox(arguments) => channels::run_outbox(&context, arguments),
        CliCommand::Directory(arguments) => channels::run_directory(&context, arguments),
        CliCommand::Route(arguments) => channels::run_route(&context, arguments),
        CliCommand::Devices(devices) => devices::run(&context, devices),
        CliCommand::Doctor(doctor) => doctor::run(&context, &doctor),
        CliCommand::Completion(completion) => completion::run(&context, &completion),
        CliCommand::Dashboard(dashboard) => dashboard::run(&context, &dashboard),
    }
}
