//! `openclaw models auth …`: signing in at vendors, and what signs in.
//!
//! `enter` takes keys and tokens, `login` signs in with a browser or a code, `keep` stores what came of it, `order`
//! says what is tried first, `reset` ends rests, `stored` lists, removes, imports and exports. No option carries a secret: secrets come
//! from the terminal, unseen, or from what is piped in.

mod enter;
mod keep;
mod lifetime;
mod login;
mod order;
mod reset;
mod stored;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use openclaw_ports::model::normal_provider;
use openclaw_types::{AuthProfileId, ProviderId};

use crate::context::Context;
use crate::exit::{Exit, misuse};
use enter::AuthAddArgs;
use login::LoginArgs;
use order::OrderCommand;

/// `openclaw models auth`
#[derive(Debug, Args)]
pub(super) struct AuthArgs {
    #[command(subcommand)]
    command: AuthCommand,
}

#[derive(Debug, Subcommand)]
enum AuthCommand {
    /// Store a key or token; what is not said is asked, and the secret is read from the terminal or from a pipe
    Add(AuthAddArgs),
    /// Sign in with a browser or a code
    Login(LoginArgs),
    /// Store a token that `claude setup-token` made
    SetupToken {
        /// The vendor; only anthropic has such tokens
        #[arg(long, value_name = "name", default_value = "anthropic")]
        provider: String,
        /// Do not ask anything but the token
        #[arg(long)]
        yes: bool,
    },
    /// Store a token from the terminal or from a pipe
    PasteToken {
        /// The vendor
        #[arg(long, value_name = "name")]
        provider: String,
        /// What to call it [default: <provider>:manual]
        #[arg(long, value_name = "id")]
        profile_id: Option<String>,
        /// When it runs out, as in 365d, 12h or 30m
        #[arg(long, value_name = "duration")]
        expires_in: Option<String>,
    },
    /// Sign in at GitHub for Copilot with a code
    LoginGithubCopilot {
        /// What to call it [default: github-copilot:github]
        #[arg(long, value_name = "id")]
        profile_id: Option<String>,
        /// Replace one that is there without asking
        #[arg(long)]
        yes: bool,
    },
    /// See and choose which sign-ins of a vendor are tried, and in which order
    #[command(subcommand)]
    Order(OrderCommand),
    /// List what is stored; secrets are not shown
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// End rests: try a sign-in that failed, or all of them, again at once
    Reset {
        /// The sign-in, from `openclaw models status` [default: all of the agent]
        #[arg(value_name = "profileId")]
        profile_id: Option<String>,
    },
    /// Forget a stored sign-in
    Remove {
        /// The sign-in, from `openclaw models auth list`
        #[arg(value_name = "profileId")]
        profile_id: String,
    },
    /// Take over sign-ins from an earlier installation, or from a file in its form
    Import {
        /// A file like auth-profiles.json [default: those of the earlier installation that are new or changed]
        file: Option<PathBuf>,
    },
    /// Write the sign-ins of an agent in plain text, in the form of auth-profiles.json
    Export {
        /// Where to [default: where the earlier installation keeps it]
        #[arg(long, value_name = "file")]
        to: Option<PathBuf>,
        /// Replace a file that is there
        #[arg(long)]
        yes: bool,
    },
}

/// Runs a command of the family.
pub(super) fn run(context: &Context, agent: Option<&str>, arguments: AuthArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        AuthCommand::Add(arguments) => enter::add(context, agent, &arguments),
        AuthCommand::Login(arguments) => login::run(context, agent, &arguments),
        AuthCommand::SetupToken { provider, yes } => enter::setup_token(context, agent, &provider, yes),
        AuthCommand::PasteToken { provider, profile_id, expires_in } => {
            enter::paste_token(context, agent, &provider, (profile_id.as_deref(), expires_in.as_deref()))
        }
        AuthCommand::LoginGithubCopilot { profile_id, yes } => {
            login::copilot(context, agent, profile_id.as_deref(), yes)
        }
        AuthCommand::Order(command) => order::run(context, agent, command),
        AuthCommand::List { json } => stored::list(context, agent, json),
        AuthCommand::Reset { profile_id } => reset::run(context, agent, profile_id.as_deref()),
        AuthCommand::Remove { profile_id } => stored::remove(context, agent, &profile_id),
        AuthCommand::Import { file } => stored::import(context, agent, file.as_deref()),
        AuthCommand::Export { to, yes } => stored::export(context, agent, to, yes),
    }
}

/// A vendor as a person wrote it.
fn provider_of(written: &str) -> anyhow::Result<ProviderId> {
    ProviderId::new(&*normal_provider(written)).map_err(|error| misuse(format!("--provider: {error}")))
}

/// The name of a sign-in as a person wrote it.
fn profile_of(written: &str) -> anyhow::Result<AuthProfileId> {
    AuthProfileId::new(written.trim()).map_err(|error| misuse(error.to_string()))
}
