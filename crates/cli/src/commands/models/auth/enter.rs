//! `auth add`, `setup-token` and `paste-token`: takes a key or token and stores it.

use clap::Args;
use openclaw_providers::{api_key_profile, paste_token_profile, setup_token_profile, token_profile_id};
use openclaw_types::{AuthProfileId, ProviderId};

use super::super::desk::{ModelCommand, session};
use super::{keep::keep, lifetime, profile_of, provider_of};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// How a pasted token is called when nobody says.
const USUAL_NAME: &str = "manual";
/// How a key is called when nobody says.
const USUAL_KEY_NAME: &str = "default";

/// `openclaw models auth add`
#[derive(Debug, Args)]
pub(super) struct AuthAddArgs {
    /// The vendor [default: asked for]
    #[arg(long, value_name = "name")]
    provider: Option<String>,
    /// What it is [default: asked for, or a key when nobody can be asked]
    #[arg(long, value_name = "kind")]
    kind: Option<Kind>,
    /// What to call it [default: <provider>:default for keys, <provider>:manual for tokens]
    #[arg(long, value_name = "id")]
    profile_id: Option<String>,
    /// When a token runs out, as in 365d, 12h or 30m
    #[arg(long, value_name = "duration")]
    expires_in: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// A key of the vendor's interface
    Key,
    /// A token that is sent as it is
    Token,
    /// What `claude setup-token` made
    SetupToken,
}

/// A key or token that is about to be asked for.
struct Wanted {
    provider: ProviderId,
    kind: Kind,
    id: AuthProfileId,
    expires_in: Option<std::time::Duration>,
}

/// `openclaw models auth add`.
pub(super) fn add(context: &Context, agent: Option<&str>, arguments: &AuthAddArgs) -> anyhow::Result<Exit> {
    let provider = match &arguments.provider {
        Some(written) => provider_of(written)?,
        None => provider_of(&asked("Vendor (for example openai, anthropic, openrouter):", "--provider")?)?,
    };
    let kind = match arguments.kind {
        Some(kind) => kind,
        None if print::can_ask() => ask_kind(&provider)?,
        None => Kind::Key,
    };
    let expires_in = arguments.expires_in.as_deref().map(lifetime::read).transpose()?;
    let id = match &arguments.profile_id {
        Some(written) => profile_of(written)?,
        None => usual_id(&provider, kind)?,
    };
    take(context, agent, Wanted { provider, kind, id, expires_in })
}

/// `openclaw models auth setup-token`.
pub(super) fn setup_token(
    context: &Context,
    agent: Option<&str>,
    provider: &str,
    yes: bool,
) -> anyhow::Result<Exit> {
    let provider = provider_of(provider)?;
    if provider.as_str() != "anthropic" {
        return Err(misuse(
            "only anthropic has setup tokens; use `openclaw models auth paste-token` for others",
        ));
    }
    if !yes && print::can_ask() {
        print::note("Run `claude setup-token` on any machine and copy what it prints.")?;
    }
    let id = usual_id(&provider, Kind::SetupToken)?;
    take(context, agent, Wanted { provider, kind: Kind::SetupToken, id, expires_in: None })
}

/// `openclaw models auth paste-token`, with the name and the lifetime a person gave.
pub(super) fn paste_token(
    context: &Context,
    agent: Option<&str>,
    provider: &str,
    (name, expires_in): (Option<&str>, Option<&str>),
) -> anyhow::Result<Exit> {
    let provider = provider_of(provider)?;
    let expires_in = expires_in.map(lifetime::read).transpose()?;
    let id = match name {
        Some(written) => profile_of(written)?,
        None => usual_id(&provider, Kind::Token)?,
    };
    take(context, agent, Wanted { provider, kind: Kind::Token, id, expires_in })
}

fn take(context: &Context, agent: Option<&str>, wanted: Wanted) -> anyhow::Result<Exit> {
    session(context, agent, async |session| {
        doubt(session, &wanted.provider)?;
        let what = match wanted.kind {
            Kind::Key => "Key",
            Kind::Token => "Token",
            Kind::SetupToken => "Setup token",
        };
        let secret = print::read_secret(&format!("{what} for {} (not shown):", wanted.provider))?;
        let Wanted { provider, kind, id, expires_in } = wanted;
        let profile = match kind {
            Kind::Key => api_key_profile(id, provider, &secret)?,
            Kind::SetupToken => setup_token_profile(id, provider, &secret)?,
            Kind::Token => {
                let expires = expires_in.map(|span| (session.context.clock.now(), span));
                paste_token_profile(id, provider, &secret, expires)?
            }
        };
        keep(session, profile).await
    })?;
    Ok(Exit::Done)
}

/// Says when nobody knows the vendor: it may be written into the configuration later, or misspelt.
fn doubt(session: &ModelCommand<'_>, provider: &ProviderId) -> anyhow::Result<()> {
    let catalog = session.desk.catalog();
    if catalog.provider(provider).is_some() {
        return Ok(());
    }
    let known = catalog.providers.keys().map(ProviderId::as_str);
    let hint = openclaw_schema::closest(provider.as_str(), known)
        .map_or_else(String::new, |name| format!(" Did you mean {name}?"));
    print::note(&format!(
        "{} no vendor is called {provider}.{hint} It is used once models.providers.{provider} says where it is.",
        print::warn("warning:")
    ))?;
    Ok(())
}

fn usual_id(provider: &ProviderId, kind: Kind) -> anyhow::Result<AuthProfileId> {
    let name = if kind == Kind::Key { USUAL_KEY_NAME } else { USUAL_NAME };
    Ok(token_profile_id(provider, name)?)
}

fn ask_kind(provider: &ProviderId) -> anyhow::Result<Kind> {
    let choices = if provider.as_str() == "anthropic" { "key, token or setup-token" } else { "key or token" };
    let answer = print::read_text(&format!("What is it: {choices}? [key]"))?;
    match answer.as_deref() {
        None | Some("key") => Ok(Kind::Key),
        Some("token") => Ok(Kind::Token),
        Some("setup-token") => Ok(Kind::SetupToken),
        Some(other) => Err(misuse(format!("{other} is none of {choices}"))),
    }
}

/// What a person answers; where nobody can be asked, the option that would have said it is named.
fn asked(question: &str, option: &str) -> anyhow::Result<String> {
    let missing = || misuse(format!("say it with {option}; nobody can be asked here"));
    if !print::can_ask() {
        return Err(missing());
    }
    print::read_text(question)?.ok_or_else(missing)
}
