//! `openclaw models status`: which models answer, who signs in where, what rests, what is spent.
//!
//! `overview` gathers it in the form that programs read, `budget` what is spent, `expiry` judges when sign-ins run out,
//! `probe` tries them, `text` shows it to people.

mod budget;
mod expiry;
mod overview;
mod probe;
mod text;

use std::time::Duration;

use clap::Args;

use super::desk::session;
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print;
use overview::Overview;
pub(super) use overview::{stored, vendor_of};
use probe::ProbeOptions;

/// `openclaw models status`
#[derive(Debug, Default, Args)]
#[command(
    after_help = "Exit codes of --check: 0 all is well, 1 a sign-in is missing or has run out, 2 one runs out within a day."
)]
pub(super) struct ModelStatusArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Print the model that answers and nothing else
    #[arg(long)]
    pub(super) plain: bool,
    /// Tell by the exit code whether sign-ins are missing (1) or run out soon (2)
    #[arg(long)]
    check: bool,
    /// Try each sign-in with one short call, which may cost a little
    #[arg(long)]
    probe: bool,
    /// Try only this vendor
    #[arg(long, value_name = "name")]
    probe_provider: Option<String>,
    /// Try only these sign-ins; may be given more than once, or separated by commas
    #[arg(long, value_name = "id", value_delimiter = ',')]
    probe_profile: Vec<String>,
    /// How long each may take, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 8_000, value_parser = clap::value_parser!(u64).range(1..))]
    probe_timeout: u64,
    /// How many are tried at once
    #[arg(long, value_name = "n", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    probe_concurrency: u16,
    /// How much each may answer, in tokens
    #[arg(long, value_name = "n", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..))]
    probe_max_tokens: u64,
}

impl ModelStatusArgs {
    /// What `openclaw models` alone does, printed in one of the forms.
    pub(super) fn printed(json: bool, plain: bool) -> Self {
        Self {
            json,
            plain,
            probe_timeout: 8_000,
            probe_concurrency: 2,
            probe_max_tokens: 8,
            ..Self::default()
        }
    }

    fn probes(&self) -> ProbeOptions {
        let wanted = self.probe_profile.iter().map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
        ProbeOptions {
            provider: self.probe_provider.as_deref().map(str::trim).map(str::to_owned),
            profile_ids: wanted.collect(),
            timeout: Duration::from_millis(self.probe_timeout),
            concurrency: usize::from(self.probe_concurrency),
            max_tokens: self.probe_max_tokens,
        }
    }
}

/// Looks and prints.
pub(super) fn run(
    context: &Context,
    agent: Option<&str>,
    arguments: &ModelStatusArgs,
) -> anyhow::Result<Exit> {
    if arguments.json && arguments.plain {
        return Err(misuse("choose --json or --plain, not both"));
    }
    if arguments.plain && arguments.probe {
        return Err(misuse("--plain shows one line only; leave it out to see what --probe finds"));
    }
    answering(Output::of(arguments.json), || {
        let overview = session(context, agent, async |session| {
            let mut overview = Overview::gather(session, agent.is_some()).await?;
            if arguments.probe {
                let found = probe::run(session, &overview, &arguments.probes()).await?;
                overview.auth.probes = Some(found);
            }
            Ok(overview)
        })?;
        if arguments.json {
            print::json(&overview)?;
        } else if arguments.plain {
            print::line(&overview.resolved_default)?;
        } else {
            print::line(&text::render(context, &overview))?;
        }
        Ok(if arguments.check { overview.verdict() } else { Exit::Done })
    })
}
