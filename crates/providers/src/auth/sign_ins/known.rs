//! Lists the credentials there are for a vendor, without opening any.
//!
//! Stored ones first; an agent also has those of the main agent that it has none of its own for. Then variables, the
//! configuration, the vendor's own files, and nothing at all for servers that ask for nothing.

use std::sync::atomic::Ordering;

use openclaw_config::sections::{ModelProvider, ProviderAuth, SecretInput};
use openclaw_config::{Config, Environment};
use openclaw_ports::model::{
    CredentialKind, CredentialOrigin, ProfileFacts, ProviderFacts, ProviderOrigin, SignIn, normal_provider,
};
use openclaw_ports::stores::{StoreError, StoredCredential, StoredProfile};
use openclaw_types::{AgentId, AuthProfileId, ProviderId, UnixMillis};

use super::{SignInInputs, SignInsInner, chatgpt_account};
use crate::auth::{aws, google};

/// Texts that stand in the configuration where a sign-in is meant: no keys.
const STAND_INS: [&str; 4] = ["qwen-oauth", "minimax-oauth", "ollama-local", "n/a"];

impl SignInsInner {
    /// What an agent could sign in with at a vendor. A store that cannot be read takes nothing but its own sign-ins
    /// away.
    pub(super) async fn known(
        &self,
        agent: &AgentId,
        provider: &ProviderId,
    ) -> Result<Vec<ProfileFacts>, StoreError> {
        let elsewhere = elsewhere(&self.surroundings(), &normal(provider));
        let stored = match self.stored(agent).await {
            Ok(stored) => stored,
            Err(fault) if elsewhere.is_empty() => return Err(fault),
            Err(fault) => {
                if !self.unread.swap(true, Ordering::Relaxed) {
                    tracing::error!(
                        subsystem = "models",
                        %fault,
                        "stored sign-ins cannot be read; only those of variables, the configuration and vendors' files are used"
                    );
                }
                return Ok(elsewhere);
            }
        };
        self.unread.store(false, Ordering::Relaxed);
        let ours = stored.iter().filter(|(_, profile)| same(&profile.provider, provider));
        Ok(ours.map(|(_, profile)| facts_of(profile)).chain(elsewhere).collect())
    }

    /// The stored profiles an agent may use, each with the agent that owns it.
    ///
    /// The main agent's sign-in wins over an older copy of it: whoever renewed last holds the tokens that are good.
    pub(super) async fn stored(&self, agent: &AgentId) -> Result<Vec<(AgentId, StoredProfile)>, StoreError> {
        let own = self.parts.store.list(agent).await?;
        let mut profiles: Vec<(AgentId, StoredProfile)> =
            own.into_iter().map(|profile| (agent.clone(), profile)).collect();
        let main = AgentId::main();
        if *agent != main {
            for shared in self.parts.store.list(&main).await? {
                match profiles.iter().position(|(_, profile)| profile.id == shared.id) {
                    None => profiles.push((main.clone(), shared)),
                    Some(place) if is_newer(&shared, &profiles[place].1) => {
                        profiles[place] = (main.clone(), shared);
                    }
                    Some(_) => {}
                }
            }
        }
        for (owner, profile) in &mut profiles {
            if let Some(newer) = self.unsaved.over(owner, profile) {
                *profile = newer;
            }
        }
        Ok(profiles)
    }
}

/// The configuration's entry for a vendor, under whichever of its names it was written.
pub(super) fn configured<'a>(config: &'a Config, provider: &ProviderId) -> Option<&'a ModelProvider> {
    let providers = &config.raw.models.as_ref()?.providers;
    let meant = normal_provider(provider.as_str());
    providers
        .get(&*meant)
        .or_else(|| providers.iter().find(|(name, _)| normal_provider(name) == meant).map(|(_, entry)| entry))
}

/// A variable whose name stands where a key is written, which means its value.
pub(super) fn named_variable<'a>(environment: &'a Environment, text: &str) -> Option<&'a str> {
    let name = text.trim();
    let looks_so = name.len() <= 128
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    if looks_so { environment.get_trimmed(name) } else { None }
}

fn elsewhere(around: &SignInInputs, provider: &ProviderId) -> Vec<ProfileFacts> {
    let vendor = around.catalog.provider(provider);
    let entry = configured(&around.config, provider);
    let sign_in = sign_in(vendor, entry);
    let mut known = Vec::new();
    if sign_in == SignIn::Aws {
        known.extend(aws::known(&around.environment).iter().filter_map(|source| aws_facts(provider, source)));
        return known;
    }
    known.extend(vendor.and_then(|vendor| variable(&around.environment, vendor)));
    known.extend(entry.and_then(|entry| written(around, provider, entry, vendor)));
    if sign_in == SignIn::GoogleApplication && google::application_file(&around.environment).is_some() {
        let origin = CredentialOrigin::Vendor("Google application credentials".to_owned());
        known.extend(facts(google::PROFILE, provider, CredentialKind::Oauth, origin));
    }
    let open = match sign_in {
        SignIn::Nothing | SignIn::OptionalKey => known.is_empty(),
        // A server a person wrote down without a key is taken to ask for none.
        SignIn::Key => {
            known.is_empty()
                && entry.is_some_and(|entry| entry.api_key.is_none() && entry.auth.is_none())
                && vendor.is_some_and(|vendor| vendor.origin != ProviderOrigin::BuiltIn)
        }
        _ => false,
    };
    if open {
        known.extend(facts(
            &format!("none:{provider}"),
            provider,
            CredentialKind::Nothing,
            CredentialOrigin::NotNeeded,
        ));
    }
    known
}

/// What a vendor wants to see; the configuration has the last word.
fn sign_in(vendor: Option<&ProviderFacts>, entry: Option<&ModelProvider>) -> SignIn {
    match entry.and_then(|entry| entry.auth) {
        Some(ProviderAuth::AwsSdk) => SignIn::Aws,
        Some(ProviderAuth::ApiKey | ProviderAuth::Token) => SignIn::Key,
        Some(ProviderAuth::Oauth) => SignIn::Oauth,
        None => vendor.map_or(SignIn::Key, |vendor| vendor.sign_in),
    }
}

/// The first variable of a vendor that is set.
fn variable(environment: &Environment, vendor: &ProviderFacts) -> Option<ProfileFacts> {
    let name = vendor.key_variables.iter().find(|name| environment.get_trimmed(name).is_some())?;
    let token = name.contains("OAUTH_TOKEN") || vendor.id.as_str() == "github-copilot";
    let kind = if token { CredentialKind::Token } else { CredentialKind::ApiKey };
    facts(&format!("env:{name}"), &vendor.id, kind, CredentialOrigin::Environment(name.clone()))
}

/// The key the configuration holds or refers to, unless it is what a variable holds anyway.
fn written(
    around: &SignInInputs,
    provider: &ProviderId,
    entry: &ModelProvider,
    vendor: Option<&ProviderFacts>,
) -> Option<ProfileFacts> {
    if let SecretInput::Text(text) = entry.api_key.as_ref()? {
        let text = text.reveal().trim();
        let value = named_variable(&around.environment, text).unwrap_or(text);
        let repeated = vendor.is_some_and(|vendor| {
            let first = vendor.key_variables.iter().find_map(|name| around.environment.get_trimmed(name));
            first == Some(value)
        });
        if text.is_empty() || STAND_INS.contains(&text) || repeated {
            return None;
        }
    }
    let kind = match entry.auth {
        Some(ProviderAuth::Token | ProviderAuth::Oauth) => CredentialKind::Token,
        _ => CredentialKind::ApiKey,
    };
    facts(&format!("config:{provider}"), provider, kind, CredentialOrigin::Configuration)
}

fn aws_facts(provider: &ProviderId, source: &aws::Source) -> Option<ProfileFacts> {
    let (id, kind, origin) = source.described()?;
    Some(ProfileFacts { id, provider: provider.clone(), kind, origin, email: None, expires: None })
}

fn facts(
    id: &str,
    provider: &ProviderId,
    kind: CredentialKind,
    origin: CredentialOrigin,
) -> Option<ProfileFacts> {
    // An id can only be refused for its length, and then the vendor's name is absurd.
    let id = AuthProfileId::new(id).ok()?;
    Some(ProfileFacts { id, provider: provider.clone(), kind, origin, email: None, expires: None })
}

fn facts_of(profile: &StoredProfile) -> ProfileFacts {
    let (kind, expires): (CredentialKind, Option<UnixMillis>) = match &profile.credential {
        StoredCredential::ApiKey { .. } => (CredentialKind::ApiKey, None),
        StoredCredential::Token { expires, .. } => (CredentialKind::Token, *expires),
        StoredCredential::Oauth(tokens) => (CredentialKind::Oauth, Some(tokens.expires)),
    };
    ProfileFacts {
        id: profile.id.clone(),
        provider: profile.provider.clone(),
        kind,
        origin: CredentialOrigin::Stored,
        email: profile.email.clone(),
        expires,
    }
}

fn is_newer(shared: &StoredProfile, own: &StoredProfile) -> bool {
    match (&shared.credential, &own.credential) {
        (StoredCredential::Oauth(shared_tokens), StoredCredential::Oauth(own_tokens)) => {
            same(&shared.provider, &own.provider)
                && same_account(shared, own)
                && shared_tokens.expires > own_tokens.expires
        }
        _ => false,
    }
}

/// Whether two sign-ins are of one account, as far as they say. Where neither names anybody, the name of the profile
/// decides; where only one does, nobody can tell.
fn same_account(one: &StoredProfile, other: &StoredProfile) -> bool {
    let pairs = [(account(one), account(other)), (email(one), email(other))];
    let named = |side: &Option<String>| side.is_some();
    let both = || pairs.iter().filter(|(one, other)| named(one) && named(other));
    match both().count() {
        0 => pairs.iter().all(|(one, other)| !named(one) && !named(other)),
        _ => both().all(|(one, other)| one == other),
    }
}

fn account(profile: &StoredProfile) -> Option<String> {
    match &profile.credential {
        StoredCredential::Oauth(tokens) => {
            tokens.account_id.clone().or_else(|| chatgpt_account(&tokens.access))
        }
        _ => None,
    }
}

fn email(profile: &StoredProfile) -> Option<String> {
    profile.email.as_deref().map(|email| email.trim().to_lowercase()).filter(|email| !email.is_empty())
}

/// Whether two names mean the same vendor. Files of the original may hold names it has since shortened.
fn same(one: &ProviderId, other: &ProviderId) -> bool {
    normal_provider(one.as_str()) == normal_provider(other.as_str())
}

/// The vendor under its usual name.
fn normal(provider: &ProviderId) -> ProviderId {
    // What a name is replaced by is a name too.
    ProviderId::new(&*normal_provider(provider.as_str())).unwrap_or_else(|_| provider.clone())
}
