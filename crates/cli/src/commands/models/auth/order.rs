//! `auth order`: which stored sign-ins of a vendor an agent tries, and in which order.

use clap::Subcommand;
use openclaw_types::{AuthProfileId, ProviderId};
use serde_json::json;

use super::super::desk::{ModelCommand, session};
use super::super::status::{stored, vendor_of};
use super::{profile_of, provider_of};
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print;

/// `openclaw models auth order`
#[derive(Debug, Subcommand)]
pub(super) enum OrderCommand {
    /// Show the order
    Get {
        /// The vendor
        #[arg(long, value_name = "name")]
        provider: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Try these, in this order, and no others
    Set {
        /// The vendor
        #[arg(long, value_name = "name")]
        provider: String,
        /// The sign-ins, from `openclaw models auth list`
        #[arg(value_name = "profileIds", required = true, num_args = 1..)]
        profiles: Vec<String>,
    },
    /// Forget the order: the configuration decides again, or else the kind of sign-in
    Clear {
        /// The vendor
        #[arg(long, value_name = "name")]
        provider: String,
    },
}

/// Runs a command of the family.
pub(super) fn run(context: &Context, agent: Option<&str>, command: OrderCommand) -> anyhow::Result<Exit> {
    match command {
        OrderCommand::Get { provider, json } => answering(Output::of(json), || {
            let provider = provider_of(&provider)?;
            session(context, agent, async |session| get(session, &provider, Output::of(json)).await)?;
            Ok(Exit::Done)
        }),
        OrderCommand::Set { provider, profiles } => {
            let provider = provider_of(&provider)?;
            let wanted = profiles.iter().map(|id| profile_of(id)).collect::<Result<Vec<_>, _>>()?;
            session(context, agent, async |session| set(session, &provider, wanted).await)?;
            Ok(Exit::Done)
        }
        OrderCommand::Clear { provider } => {
            let provider = provider_of(&provider)?;
            session(context, agent, async |session| {
                session.desk.profiles().set_order(&session.agent, &provider, Vec::new()).await?;
                print::line(&format!(
                    "The agent {} has no order of its own for {provider} any more.",
                    session.agent
                ))?;
                Ok(())
            })?;
            Ok(Exit::Done)
        }
    }
}

async fn get(session: &ModelCommand<'_>, provider: &ProviderId, output: Output) -> anyhow::Result<()> {
    let orders = session.desk.profiles().order(&session.agent).await?;
    let order = orders.get(provider).filter(|order| !order.is_empty());
    if output == Output::Json {
        let locations = &session.context.locations;
        print::json(&json!({
            "agentId": session.agent,
            "agentDir": session.agent_dir(),
            "provider": provider,
            "authStorePath": session.context.short(&locations.state_database()),
            "order": order,
        }))?;
        return Ok(());
    }
    let text = match order {
        Some(order) => joined(order),
        None => "none of its own; OAuth comes before tokens and tokens before keys".to_owned(),
    };
    print::line(&format!("Order of {provider} for the agent {}: {text}", session.agent))?;
    Ok(())
}

async fn set(
    session: &ModelCommand<'_>,
    provider: &ProviderId,
    wanted: Vec<AuthProfileId>,
) -> anyhow::Result<()> {
    let stored = stored(session).await?;
    for id in &wanted {
        let Some(profile) = stored.iter().find(|profile| profile.id == *id) else {
            anyhow::bail!("no sign-in is called {id}; `openclaw models auth list` shows them");
        };
        let vendor = vendor_of(profile);
        if vendor != *provider {
            anyhow::bail!("{id} is for {vendor}, not for {provider}");
        }
    }
    let shown = joined(&wanted);
    session.desk.profiles().set_order(&session.agent, provider, wanted).await?;
    print::line(&format!("Order of {provider} for the agent {}: {shown}", session.agent))?;
    Ok(())
}

fn joined(order: &[AuthProfileId]) -> String {
    let names: Vec<&str> = order.iter().map(AuthProfileId::as_str).collect();
    names.join(", ")
}
