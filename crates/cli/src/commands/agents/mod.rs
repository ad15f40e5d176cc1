//! `openclaw agents …`: which agents there are, where they work, and which conversations they answer.
//!
//! Works on the configuration file and the workspaces, with or without a running gateway, which notices the change by
//! itself. `entries` and `bindings` say what the file becomes; the other files do it and print.

mod add;
mod bind;
mod bindings;
mod delete;
mod entries;
mod identity;
mod list;
mod trash;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::exit::{Exit, Output, answering};

/// `openclaw agents`
#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    command: Option<AgentsCommand>,
}

#[derive(Debug, Subcommand)]
enum AgentsCommand {
    /// List agents [also without a command]
    List(list::ListArgs),
    /// Show which conversations go to which agent
    Bindings(bind::BindingsArgs),
    /// Let an agent answer a channel
    Bind(bind::BindArgs),
    /// Take a channel away from an agent
    Unbind(bind::UnbindArgs),
    /// Add an agent with a workspace of its own
    Add(add::AgentAddArgs),
    /// Say how an agent presents itself
    SetIdentity(identity::IdentityArgs),
    /// Remove an agent; its workspace and its state go to the trash
    Delete(delete::DeleteArgs),
}

impl AgentsCommand {
    fn output(&self) -> Output {
        Output::of(match self {
            Self::List(arguments) => arguments.json,
            Self::Bindings(arguments) => arguments.json,
            Self::Bind(arguments) => arguments.json,
            Self::Unbind(arguments) => arguments.json,
            Self::Add(arguments) => arguments.json,
            Self::SetIdentity(arguments) => arguments.json,
            Self::Delete(arguments) => arguments.json,
        })
    }
}

/// Runs a command of the family.
pub(crate) fn run(context: &Context, arguments: AgentsArgs) -> anyhow::Result<Exit> {
    let command = arguments.command.unwrap_or(AgentsCommand::List(list::ListArgs::default()));
    answering(command.output(), || match command {
        AgentsCommand::List(arguments) => list::run(context, &arguments),
        AgentsCommand::Bindings(arguments) => bind::show(context, &arguments),
        AgentsCommand::Bind(arguments) => bind::bind(context, &arguments),
        AgentsCommand::Unbind(arguments) => bind::unbind(context, &arguments),
        AgentsCommand::Add(arguments) => add::run(context, &arguments),
        AgentsCommand::SetIdentity(arguments) => identity::run(context, &arguments),
        AgentsCommand::Delete(arguments) => delete::run(context, &arguments),
    })
}
