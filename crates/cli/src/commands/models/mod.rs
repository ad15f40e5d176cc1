//! `openclaw models …`: which models answer, who signs in where, and whether it works.
//!
//! Works on the file and the state directory, with or without a running gateway. What may be chosen, tried and spent
//! is decided by the agent crate; here it is asked and printed.

mod aliases;
mod asking;
mod auth;
mod choices;
mod desk;
mod list;
mod place;
mod scan;
mod secrets;
mod status;
mod trial;

use clap::{Args, Subcommand};
use openclaw_config::FileSnapshot;
use openclaw_ports::model::ModelCatalog;
use openclaw_providers::{Catalog, CatalogInputs, Demonstration, RegistryFile, read_registry_file};

use aliases::AliasCommand;
use auth::AuthArgs;
use choices::{FallbackCommand, Slot};
use list::ListArgs;
use scan::ScanArgs;
use status::ModelStatusArgs;
use trial::TestArgs;

use crate::agents::agent_dir_of;
use crate::context::Context;
use crate::exit::{Exit, misuse};

/// `openclaw models`
#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Print the state of models as JSON, as `models status --json` does
    #[arg(long)]
    status_json: bool,
    /// Print the model that answers, as `models status --plain` does
    #[arg(long)]
    status_plain: bool,
    /// The agent it is about [default: the one that answers when nothing else decides]
    #[arg(long, value_name = "id", global = true)]
    agent: Option<String>,
    #[command(subcommand)]
    command: Option<ModelsCommand>,
}

#[derive(Debug, Subcommand)]
enum ModelsCommand {
    /// List models: the configured ones, or all
    List(ListArgs),
    /// Show which models answer, who signs in where, what rests and what is spent
    Status(ModelStatusArgs),
    /// Ask a model something and see how long it takes and what it costs
    Test(TestArgs),
    /// Sign in at vendors, and handle what signs in
    Auth(AuthArgs),
    /// Find models at OpenRouter that cost nothing
    Scan(ScanArgs),
    /// Choose the model that answers
    Set {
        /// The model, as provider/model or by its short name
        model: String,
    },
    /// Choose the model that looks at pictures when the first cannot
    SetImage {
        /// The model, as provider/model or by its short name
        model: String,
    },
    /// Give models short names
    #[command(subcommand)]
    Aliases(AliasCommand),
    /// Choose the models that are tried when the first fails
    #[command(subcommand)]
    Fallbacks(FallbackCommand),
    /// The same for pictures
    #[command(subcommand)]
    ImageFallbacks(FallbackCommand),
}

/// Runs a command of the family.
pub(crate) fn run(context: &Context, arguments: ModelsArgs) -> anyhow::Result<Exit> {
    let agent = arguments.agent.as_deref();
    let (json, plain) = (arguments.status_json, arguments.status_plain);
    match arguments.command {
        Some(_) if json || plain => {
            Err(misuse("--status-json and --status-plain stand alone, as in `openclaw models --status-json`"))
        }
        None => status::run(context, agent, &ModelStatusArgs::printed(json, plain)),
        Some(ModelsCommand::Status(arguments)) => status::run(context, agent, &arguments),
        Some(ModelsCommand::List(arguments)) => list::run(context, agent, &arguments),
        Some(ModelsCommand::Test(arguments)) => trial::run(context, agent, &arguments),
        Some(ModelsCommand::Auth(arguments)) => auth::run(context, agent, arguments),
        Some(ModelsCommand::Scan(arguments)) => scan::run(context, agent, &arguments),
        Some(ModelsCommand::Set { model }) => choices::set(context, agent, Slot::Answer, &model),
        Some(ModelsCommand::SetImage { model }) => choices::set(context, agent, Slot::Image, &model),
        Some(ModelsCommand::Aliases(command)) => aliases::run(context, agent, command),
        Some(ModelsCommand::Fallbacks(command)) => choices::fallbacks(context, agent, Slot::Answer, command),
        Some(ModelsCommand::ImageFallbacks(command)) => {
            choices::fallbacks(context, agent, Slot::Image, command)
        }
    }
}

/// What is known about models without asking anybody.
pub(crate) fn built_in_catalog(context: &Context, snapshot: &FileSnapshot) -> ModelCatalog {
    let registry = older_list(context, snapshot);
    Catalog::build(&CatalogInputs {
        models: snapshot.config.raw.models.as_ref(),
        found: &[],
        registry: registry.as_ref(),
        environment: &snapshot.environment,
        demonstration: Demonstration::Absent,
    })
}

/// The list that an older installation left, where it can be read.
fn older_list(context: &Context, snapshot: &FileSnapshot) -> Option<RegistryFile> {
    let folder = agent_dir_of(context, &snapshot.config, &snapshot.config.agents.default_agent);
    let text = match std::fs::read(folder.join("models.json")) {
        Ok(text) => text,
        Err(error) => {
            tracing::debug!(%error, "there is no older list of models");
            return None;
        }
    };
    match read_registry_file(&text) {
        Ok(registry) => Some(registry),
        Err(error) => {
            tracing::warn!(%error, "an older list of models is left out");
            None
        }
    }
}
