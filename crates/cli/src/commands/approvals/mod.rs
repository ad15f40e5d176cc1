//! `openclaw approvals …`: which commands agents may run without asking.
//!
//! The file of this installation is read and written directly; with `--gateway` that of the gateway. `grants` are what
//! people allowed for good when they were asked, kept in the store; `pending` and `resolve` are about what waits now.

mod allowlist;
mod file;
mod grants;
mod pending;

use clap::{Args, Subcommand};

use allowlist::AllowlistCommand;
use file::PlaceArgs;
use grants::GrantsCommand;
use pending::{GatewayArgs, ResolveArgs};

use crate::context::Context;
use crate::exit::{Exit, Output, answering};

/// `openclaw approvals`
#[derive(Debug, Args)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    command: ApprovalsCommand,
}

#[derive(Debug, Subcommand)]
enum ApprovalsCommand {
    /// Show what is allowed
    Get(#[command(flatten)] PlaceArgs),
    /// Replace everything by a JSON file
    Set {
        /// The file to read
        #[arg(long, value_name = "path", conflicts_with = "stdin")]
        file: Option<String>,
        /// Read what is piped in
        #[arg(long)]
        stdin: bool,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Change the commands that are always allowed
    #[command(subcommand)]
    Allowlist(AllowlistCommand),
    /// Show the commands that wait for an answer
    Pending(#[command(flatten)] GatewayArgs),
    /// Answer a command that waits
    Resolve(#[command(flatten)] ResolveArgs),
    /// Show and take back what people allowed for good when they were asked
    #[command(subcommand)]
    Grants(GrantsCommand),
}

/// Runs a command of the family.
pub(crate) fn run(context: &Context, arguments: ApprovalsArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        ApprovalsCommand::Get(place) => answering(Output::of(place.json), || file::get(context, &place)),
        ApprovalsCommand::Set { file, stdin, place } => {
            answering(Output::of(place.json), || file::set(context, &place, file.as_deref(), stdin))
        }
        ApprovalsCommand::Allowlist(command) => allowlist::run(context, &command),
        ApprovalsCommand::Pending(gateway) => {
            answering(Output::of(gateway.json), || pending::list(context, &gateway))
        }
        ApprovalsCommand::Resolve(wanted) => {
            answering(Output::of(wanted.gateway.json), || pending::resolve(context, &wanted))
        }
        ApprovalsCommand::Grants(command) => grants::run(context, &command),
    }
}
