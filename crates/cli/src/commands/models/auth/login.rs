//! `auth login` and `login-github-copilot`: signs in with a browser or with a code.

use std::sync::Arc;

use async_trait::async_trait;
use clap::Args;
use openclaw_ports::stores::StoredProfile;
use openclaw_providers::{
    DeviceCode, LoginContext, LoginPrompt, LoginReply, SignInVendor, SignInVendors, SignInWay, login,
};
use openclaw_types::{AuthProfileId, ProviderId};

use super::super::choices::{self, Slot};
use super::super::desk::{ModelCommand, session};
use super::{keep::keep, profile_of, provider_of};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print::{self, Withdrawable};

const COPILOT: &str = "github-copilot";

/// `openclaw models auth login`
#[derive(Debug, Args)]
pub(super) struct LoginArgs {
    /// The vendor [default: asked for]
    #[arg(long, value_name = "id")]
    provider: Option<String>,
    /// How to sign in, where a vendor has more than one way: oauth or device
    #[arg(long, value_name = "id")]
    method: Option<String>,
    /// Let the vendor's first model answer from now on
    #[arg(long)]
    set_default: bool,
}

/// `openclaw models auth login`.
pub(super) fn run(context: &Context, agent: Option<&str>, arguments: &LoginArgs) -> anyhow::Result<Exit> {
    let vendors = SignInVendors::known();
    let vendor = chosen(&vendors, arguments.provider.as_deref())?;
    if let Some(method) = &arguments.method {
        check_method(vendor, method)?;
    }
    let first = session(context, agent, async |session| {
        let profile = sign_in(session, vendor).await?;
        keep(session, profile).await?;
        let catalog = session.desk.catalog();
        let facts = ProviderId::new(vendor.provider).ok().and_then(|id| catalog.provider(&id).cloned());
        Ok(facts.and_then(|facts| Some(format!("{}/{}", facts.id, facts.models.first()?.id))))
    })?;
    match first {
        Some(model) if arguments.set_default => choices::set(context, agent, Slot::Answer, &model),
        Some(model) => {
            print::line(&format!("Let it answer with `openclaw models set {model}`."))?;
            Ok(Exit::Done)
        }
        None => Ok(Exit::Done),
    }
}

/// `openclaw models auth login-github-copilot`.
pub(super) fn copilot(
    context: &Context,
    agent: Option<&str>,
    name: Option<&str>,
    yes: bool,
) -> anyhow::Result<Exit> {
    let vendors = SignInVendors::known();
    let vendor = chosen(&vendors, Some(COPILOT))?;
    let id = profile_of(name.unwrap_or("github-copilot:github"))?;
    session(context, agent, async |session| {
        if !yes && !may_replace(session, &id).await? {
            print::line("Nothing was changed.")?;
            return Ok(());
        }
        let profile = sign_in(session, vendor).await?;
        keep(session, StoredProfile { id: id.clone(), ..profile }).await
    })?;
    Ok(Exit::Done)
}

async fn may_replace(session: &ModelCommand<'_>, id: &AuthProfileId) -> anyhow::Result<bool> {
    let there = session.desk.profiles().list(&session.agent).await?.iter().any(|profile| profile.id == *id);
    if !there {
        return Ok(true);
    }
    if !print::can_ask() {
        return Err(misuse(format!("{id} is there already; say --yes to replace it")));
    }
    Ok(print::confirm(&format!("{id} is there already. Replace it?"))?)
}

fn chosen<'a>(vendors: &'a SignInVendors, written: Option<&str>) -> anyhow::Result<&'a SignInVendor> {
    let offered: Vec<&str> = vendors.offered().map(|vendor| vendor.provider).collect();
    let name = match written {
        Some(written) => written.to_owned(),
        None if print::can_ask() => {
            for vendor in vendors.offered() {
                print::note(&format!("  {}  {}", print::accent(vendor.provider), print::muted(vendor.name)))?;
            }
            print::read_text("Vendor:")?.ok_or_else(|| misuse("no vendor was chosen"))?
        }
        None => return Err(misuse(format!("say where with --provider: {}", offered.join(", ")))),
    };
    let provider = provider_of(&name)?;
    let found = vendors.get(&provider).filter(|vendor| vendor.way.is_some());
    found.ok_or_else(|| {
        misuse(format!(
            "one cannot sign in at {provider} this way, only at {}; for a key use `openclaw models auth add --provider {provider}`",
            offered.join(", ")
        ))
    })
}

fn check_method(vendor: &SignInVendor, method: &str) -> anyhow::Result<()> {
    let known: &[&str] = match vendor.way {
        Some(SignInWay::Browser { .. }) => &["oauth", "browser"],
        Some(SignInWay::Device { .. }) => &["device", "oauth"],
        None => &[],
    };
    if known.contains(&method.trim().to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    Err(misuse(format!("{} has no way called {method}; leave --method out", vendor.provider)))
}

async fn sign_in(session: &ModelCommand<'_>, vendor: &SignInVendor) -> anyhow::Result<StoredProfile> {
    let terminal = Terminal { person: Withdrawable::open()?.map(Arc::new) };
    let around = LoginContext {
        transport: &session.desk.transport,
        clock: session.context.clock.as_ref(),
        environment: &session.snapshot.environment,
    };
    Ok(login(vendor, around, &terminal).await?)
}

/// Shows and asks on the terminal.
struct Terminal {
    person: Option<Arc<Withdrawable>>,
}

#[async_trait]
impl LoginPrompt for Terminal {
    async fn show_url(&self, url: &str) {
        tell(&format!("Open this address in a browser and sign in:\n\n  {}\n", print::accent(url)));
    }

    async fn show_code(&self, code: &DeviceCode) {
        let url = code.complete_url.as_ref().unwrap_or(&code.url);
        tell(&format!(
            "Open {} in a browser on any device and enter the code {}. It is good for {}.",
            print::accent(url),
            print::heading(&code.code),
            print::span(code.good_for)
        ));
    }

    async fn ask(&self, question: &str) -> LoginReply {
        let Some(person) = &self.person else { return LoginReply::Nobody };
        loop {
            match person.ask(question).await {
                Ok(Some(text)) if text.reveal().is_empty() => {}
                Ok(Some(text)) => return LoginReply::Text(text),
                Ok(None) => return LoginReply::Cancelled,
                Err(error) => {
                    tracing::debug!(%error, "the terminal cannot be read");
                    return LoginReply::Nobody;
                }
            }
        }
    }
}

fn tell(text: &str) {
    if let Err(error) = print::note(text) {
        tracing::debug!(%error, "nobody reads standard error");
    }
}
