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

use crate::arguments::{self, Arguments, Command};
use crate::context::{Context, VERSION};
use crate::exit::Exit;
use crate::print::{self, Colour};

/// Runs the command that was asked for.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<Exit> {
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
        Command::Gateway(gateway) => gateway::run(&context, gateway, log_level),
        Command::Daemon(daemon) => gateway::run_daemon(&context, daemon),
        Command::Health(health) => health::run(&context, &health),
        Command::Status(status) => status::run(&context, &status),
        Command::Setup(setup) => setup::run(&context, &setup),
        Command::Agent(agent) => agent::run(&context, &agent),
        Command::Agents(agents) => agents::run(&context, agents),
        Command::Sessions(sessions) => sessions::run(&context, &sessions),
        Command::Message(message) => message::run(&context, message),
        Command::Approvals(approvals) => approvals::run(&context, approvals),
        Command::Models(models) => models::run(&context, models),
        Command::Config(config) => config::run(&context, config),
        Command::Logs(logs) => logs::run(&context, &logs),
        Command::Channels(arguments) => channels::run(&context, arguments),
        Command::Pairing(arguments) => channels::run_pairing(&context, arguments),
        Command::Outbox(arguments) => channels::run_outbox(&context, arguments),
        Command::Directory(arguments) => channels::run_directory(&context, arguments),
        Command::Route(arguments) => channels::run_route(&context, arguments),
        Command::Devices(devices) => devices::run(&context, devices),
        Command::Doctor(doctor) => doctor::run(&context, &doctor),
        Command::Completion(completion) => completion::run(&context, &completion),
        Command::Dashboard(dashboard) => dashboard::run(&context, &dashboard),
    }
}
