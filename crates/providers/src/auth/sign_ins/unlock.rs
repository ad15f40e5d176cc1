//! Opens one credential for one call, by where it comes from.

use openclaw_config::sections::SecretRef;
use openclaw_config::{SecretSources, read_secret_ref};
use openclaw_ports::model::{
    CallCredential, CredentialKind, CredentialOrigin, FaultReason, ModelFault, ProfileFacts,
};
use openclaw_ports::stores::{StoredCredential, StoredProfile, StoredSecret};
use openclaw_types::{AgentId, Secret, UnixMillis};
use std::sync::Arc;
use std::time::Duration;

use super::known::{configured, named_variable};
use super::lent::{fingerprint, key};
use super::{SignInInputs, SignInsInner, renew};
use crate::auth::{aws, fault, google, web};
use crate::{CopilotExchange, CopilotToken};

/// A traded token is renewed so long before it runs out.
const TRADE_AGAIN: Duration = Duration::from_secs(5 * 60);

/// What goes into a call.
pub(super) async fn unlock(
    sign_ins: &Arc<SignInsInner>,
    agent: &AgentId,
    profile: &ProfileFacts,
) -> Result<CallCredential, ModelFault> {
    let around = sign_ins.surroundings();
    match &profile.origin {
        CredentialOrigin::NotNeeded => Ok(CallCredential::default()),
        CredentialOrigin::Stored => stored(sign_ins, agent, profile, &around).await,
        CredentialOrigin::Configuration => {
            let secret = from_configuration(sign_ins, profile, &around).await?;
            with_secret(sign_ins, agent, profile, secret).await
        }
        CredentialOrigin::Environment(_) | CredentialOrigin::Vendor(_)
            if profile.kind == CredentialKind::Aws =>
        {
            aws_access(sign_ins, agent, profile, &around).await
        }
        CredentialOrigin::Environment(name) => match around.environment.get(name).and_then(clean) {
            Some(secret) => with_secret(sign_ins, agent, profile, secret).await,
            None => {
                Err(fault::local(format!("the variable {name} is not set any more; set it and try again")))
            }
        },
        CredentialOrigin::Vendor(_) => google_access(sign_ins, agent, profile, &around).await,
    }
}

/// Makes sure that a secret which was refused is looked up again, unless another was looked up since.
pub(super) async fn forget_secret(
    sign_ins: &Arc<SignInsInner>,
    agent: &AgentId,
    profile: &ProfileFacts,
    access: &CallCredential,
) {
    let Some(refused) = access.traded_for.as_ref().or(access.secret.as_ref()) else { return };
    let around = sign_ins.surroundings();
    let reference = match profile.origin {
        CredentialOrigin::Configuration => configured(&around.config, &profile.provider)
            .and_then(|entry| entry.api_key.as_ref())
            .and_then(|input| match input {
                openclaw_config::sections::SecretInput::Reference(reference) => Some(reference.clone()),
                openclaw_config::sections::SecretInput::Text(_) => None,
            }),
        CredentialOrigin::Stored => match find(sign_ins, agent, profile).await {
            Ok((_, stored)) => {
                stored_secret(&stored.credential).and_then(|secret| reference_of(secret, &around))
            }
            // Nothing to forget of what cannot be read; the next unlock says why.
            Err(_) => None,
        },
        _ => None,
    };
    if let Some(reference) = reference {
        sign_ins.parts.secrets.forget(&reference, |found| clean(found).as_ref() == Some(refused));
    }
}

/// The stored profile and its owner.
pub(super) async fn find(
    sign_ins: &SignInsInner,
    agent: &AgentId,
    profile: &ProfileFacts,
) -> Result<(AgentId, StoredProfile), ModelFault> {
    let stored = sign_ins.stored(agent).await.map_err(|error| fault::store(&error))?;
    stored.into_iter().find(|(_, stored)| stored.id == profile.id).ok_or_else(|| fault::gone(&profile.id))
}

async fn stored(
    sign_ins: &Arc<SignInsInner>,
    agent: &AgentId,
    profile: &ProfileFacts,
    around: &SignInInputs,
) -> Result<CallCredential, ModelFault> {
    let (owner, stored) = find(sign_ins, agent, profile).await?;
    let secret = match &stored.credential {
        StoredCredential::Oauth(_) => {
            let access = renew::fresh(sign_ins, owner, stored).await?;
            return Ok(at_home(access, profile, around));
        }
        StoredCredential::ApiKey { key } => key,
        StoredCredential::Token { token, expires } => {
            if expires.is_some_and(|expires| expires.0 > 0 && sign_ins.parts.clock.now() >= expires) {
                return Err(fault::auth(format!(
                    "the token {} has run out; paste a new one: openclaw models auth paste-token --provider {}",
                    profile.id, profile.provider
                )));
            }
            token
        }
    };
    let secret = open(sign_ins, profile, secret, around).await?;
    with_secret(sign_ins, agent, profile, secret).await
}

/// Opens a secret, or what it refers to.
async fn open(
    sign_ins: &SignInsInner,
    profile: &ProfileFacts,
    secret: &StoredSecret,
    around: &SignInInputs,
) -> Result<Secret<String>, ModelFault> {
    if let Some(reference) = reference_of(secret, around) {
        return resolve(sign_ins, profile, &reference, around).await;
    }
    match secret {
        StoredSecret::Text(text) => clean(text.reveal()).ok_or_else(|| fault::empty(&profile.id)),
        StoredSecret::Reference(_) => Err(fault::auth(format!(
            "the credential {} refers to a secret in a way nobody understands; enter it again",
            profile.id
        ))),
    }
}

fn stored_secret(credential: &StoredCredential) -> Option<&StoredSecret> {
    match credential {
        StoredCredential::ApiKey { key } => Some(key),
        StoredCredential::Token { token, .. } => Some(token),
        StoredCredential::Oauth(_) => None,
    }
}

/// The reference a stored secret is, if it is one. A text `${NAME}` is one too.
fn reference_of(secret: &StoredSecret, around: &SignInInputs) -> Option<SecretRef> {
    let defaults = around.config.raw.secrets.as_ref().and_then(|section| section.defaults.as_ref());
    match secret {
        StoredSecret::Reference(value) => read_secret_ref(value, defaults),
        StoredSecret::Text(text) => {
            let text = text.reveal().trim();
            if text.starts_with("${") && text.len() < 160 {
                read_secret_ref(&text.into(), defaults)
            } else {
                None
            }
        }
    }
}

async fn resolve(
    sign_ins: &SignInsInner,
    profile: &ProfileFacts,
    reference: &SecretRef,
    around: &SignInInputs,
) -> Result<Secret<String>, ModelFault> {
    let sources =
        SecretSources { section: around.config.raw.secrets.as_ref(), environment: &around.environment };
    let secret = sign_ins.parts.secrets.resolve(reference, sources).await;
    let secret = secret.map_err(|error| fault::local(format!("the credential {}: {error}", profile.id)))?;
    clean(secret.reveal()).ok_or_else(|| fault::empty(&profile.id))
}

async fn from_configuration(
    sign_ins: &SignInsInner,
    profile: &ProfileFacts,
    around: &SignInInputs,
) -> Result<Secret<String>, ModelFault> {
    use openclaw_config::sections::SecretInput;
    let entry = configured(&around.config, &profile.provider).and_then(|entry| entry.api_key.as_ref());
    match entry {
        None => Err(fault::gone(&profile.id)),
        Some(SecretInput::Reference(reference)) => resolve(sign_ins, profile, reference, around).await,
        Some(SecretInput::Text(text)) => {
            let text = text.reveal();
            let value = named_variable(&around.environment, text).unwrap_or(text);
            clean(value).ok_or_else(|| fault::empty(&profile.id))
        }
    }
}

/// The access a secret gives: itself, or what it is traded for.
async fn with_secret(
    sign_ins: &Arc<SignInsInner>,
    agent: &AgentId,
    profile: &ProfileFacts,
    secret: Secret<String>,
) -> Result<CallCredential, ModelFault> {
    if profile.provider.as_str() != "github-copilot" || is_traded(&secret) {
        return Ok(CallCredential { secret: Some(secret), ..CallCredential::default() });
    }
    let access = trade(sign_ins, agent, profile, secret).await?;
    Ok(at_home(access, profile, &sign_ins.surroundings()))
}

/// Trades a GitHub token for one of the service, once for all who wait.
async fn trade(
    sign_ins: &Arc<SignInsInner>,
    agent: &AgentId,
    profile: &ProfileFacts,
    github: Secret<String>,
) -> Result<CallCredential, ModelFault> {
    let name = key(agent, &profile.id);
    let pledge = fingerprint(&github);
    if let Some(access) = sign_ins.lent.get(&name, &pledge, sign_ins.parts.clock.now()) {
        return Ok(access);
    }
    let work = {
        let (sign_ins, name) = (Arc::clone(sign_ins), name.clone());
        async move {
            if let Some(access) = sign_ins.lent.get(&name, &pledge, sign_ins.parts.clock.now()) {
                return Ok(access);
            }
            let token = exchange(&sign_ins, None, &github).await?;
            let until = token.expires_at.minus(TRADE_AGAIN);
            let access = CallCredential {
                secret: Some(token.token),
                base_url: Some(token.base_url),
                traded_for: Some(github),
                ..CallCredential::default()
            };
            sign_ins.lent.put(&name, pledge, access.clone(), until);
            Ok(access)
        }
    };
    sign_ins.flights.join(&sign_ins.parts.scope, &name, work).await
}

/// One exchange of a GitHub token.
pub(super) async fn exchange(
    sign_ins: &SignInsInner,
    company: Option<&str>,
    github: &Secret<String>,
) -> Result<CopilotToken, ModelFault> {
    let provider = copilot();
    let urls = provider
        .as_ref()
        .and_then(|provider| sign_ins.parts.vendors.get(provider))
        .map(|vendor| &vendor.urls);
    let mut exchange = match company {
        Some(company) => CopilotExchange::on_server(company, github)?,
        None => CopilotExchange::on_github(github),
    };
    let mut reach = openclaw_ports::model::ServerReach::Public;
    if let (Some(urls), None) = (urls, company) {
        exchange.url.clone_from(&urls.exchange);
        reach = urls.reach;
    }
    let mut call = web::get(&exchange.url, reach);
    call.headers.clone_from(&exchange.headers);
    let answer = sign_ins.parts.transport.json(call).await?;
    if !answer.is_success() {
        let mut fault = exchange.fault(answer.status, &answer.headers, &answer.body);
        // The words are ours: a server, or a proxy before it, may repeat the token it was sent.
        fault.message = match fault.reason {
            FaultReason::Auth => "GitHub does not accept this token for Copilot; sign in again: \
                                  openclaw models auth login --provider github-copilot"
                .to_owned(),
            _ => format!("GitHub gave no token for Copilot (status {}); try again later", answer.status),
        };
        return Err(fault);
    }
    CopilotToken::read(&answer.body)
}

fn copilot() -> Option<openclaw_types::ProviderId> {
    openclaw_types::ProviderId::new("github-copilot").ok()
}

/// Whether this is a token of the service already: a list of fields instead of one word.
fn is_traded(secret: &Secret<String>) -> bool {
    let text = secret.reveal();
    text.starts_with("tid=") || (text.contains(';') && text.contains("exp="))
}

async fn aws_access(
    sign_ins: &Arc<SignInsInner>,
    agent: &AgentId,
    profile: &ProfileFacts,
    around: &SignInInputs,
) -> Result<CallCredential, ModelFault> {
    let source = aws::Source::named(&profile.id)?;
    match aws::read(&around.environment, &source)? {
        aws::FoundCredentials::Keys(keys) => {
            Ok(CallCredential { aws: Some(keys), ..CallCredential::default() })
        }
        aws::FoundCredentials::Lender(lender) => {
            let name = key(agent, &profile.id);
            let pledge = lender.fingerprint();
            if let Some(access) = sign_ins.lent.get(&name, &pledge, sign_ins.parts.clock.now()) {
                return Ok(access);
            }
            let work = {
                let (sign_ins, name) = (Arc::clone(sign_ins), name.clone());
                async move {
                    let kept = sign_ins.lent.get(&name, &lender.fingerprint(), sign_ins.parts.clock.now());
                    if let Some(access) = kept {
                        return Ok(access);
                    }
                    let loan = lender.ask(&sign_ins.parts.transport).await?;
                    let access = CallCredential { aws: Some(loan.keys), ..CallCredential::default() };
                    let until = loan.until.minus(TRADE_AGAIN);
                    sign_ins.lent.put(&name, lender.fingerprint(), access.clone(), until);
                    Ok(access)
                }
            };
            sign_ins.flights.join(&sign_ins.parts.scope, &name, work).await
        }
    }
}

async fn google_access(
    sign_ins: &Arc<SignInsInner>,
    agent: &AgentId,
    profile: &ProfileFacts,
    around: &SignInInputs,
) -> Result<CallCredential, ModelFault> {
    let credentials = google::read(&around.environment)?;
    let place = google::Place::of(&around.environment, &credentials)?;
    let name = key(agent, &profile.id);
    let pledge = credentials.fingerprint();
    let shaped = |access: CallCredential| at_home(place.applied(access), profile, around);
    if let Some(access) = sign_ins.lent.get(&name, &pledge, sign_ins.parts.clock.now()) {
        return Ok(shaped(access));
    }
    let work = {
        let (sign_ins, name) = (Arc::clone(sign_ins), name.clone());
        async move {
            let now: UnixMillis = sign_ins.parts.clock.now();
            if let Some(access) = sign_ins.lent.get(&name, &credentials.fingerprint(), now) {
                return Ok(access);
            }
            let granted = google::token(&sign_ins.parts.transport, &credentials, now).await?;
            let until = granted.expires(now).minus(TRADE_AGAIN);
            let access = google::access(&granted.access);
            sign_ins.lent.put(&name, credentials.fingerprint(), access.clone(), until);
            Ok(access)
        }
    };
    Ok(shaped(sign_ins.flights.join(&sign_ins.parts.scope, &name, work).await?))
}

/// An address that a person wrote into the configuration wins over the account's own.
fn at_home(mut access: CallCredential, profile: &ProfileFacts, around: &SignInInputs) -> CallCredential {
    let written = configured(&around.config, &profile.provider);
    if written.is_some_and(|entry| !entry.base_url.trim().is_empty()) {
        access.base_url = None;
    }
    access
}

/// A secret without what copying and pasting leaves in it: line ends, and space around it.
fn clean(text: &str) -> Option<Secret<String>> {
    let text = Secret::new(text.replace(['\r', '\n'], ""));
    let trimmed = text.reveal().trim();
    (!trimmed.is_empty()).then(|| Secret::new(trimmed.to_owned()))
}
