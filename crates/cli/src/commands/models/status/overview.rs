//! Gathers what `openclaw models status` shows, in the form that programs read. Calls nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use openclaw_agent::ModelNames;
use openclaw_config::sections::SecretInput;
use openclaw_ports::model::{
    CredentialKind, CredentialOrigin, Credentials as _, ProfileFacts, normal_provider,
};
use openclaw_ports::stores::{HealthRecord, StoredProfile};
use openclaw_protocol::events::ModelsSwitchPayload;
use openclaw_types::{AgentId, AuthProfileId, ProviderId, UnixMillis};
use serde::Serialize;

use super::super::desk::ModelCommand;
use super::super::secrets::{described, masked};
use super::budget::{Budget, budgets, unpriced};
use super::expiry::{Expiry, ProfileExpiry, ProviderExpiry, WARN_AFTER_MS};
use super::probe::ProbeSummary;
use crate::exit::Exit;

/// Everything about the models of an agent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Overview {
    pub(super) config_path: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent_id: Option<AgentId>,
    pub(super) agent_dir: PathBuf,
    pub(super) default_model: String,
    pub(super) resolved_default: String,
    pub(super) fallbacks: Vec<String>,
    pub(super) image_model: Option<String>,
    pub(super) image_fallbacks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_config: Option<Sources>,
    pub(super) aliases: BTreeMap<String, String>,
    pub(super) allowed: Vec<String>,
    pub(super) auth: Auth,
    pub(super) budgets: Vec<Budget>,
    /// Models in use whose calls no budget can count, since nobody knows what they cost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unpriced_models: Vec<String>,
    /// What was switched lately, oldest first.
    pub(super) recent_switches: Vec<ModelsSwitchPayload>,
    #[serde(skip)]
    pub(super) now: UnixMillis,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sources {
    default_source: &'static str,
    fallbacks_source: &'static str,
}

/// Who signs in where.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Auth {
    pub(super) store_path: PathBuf,
    shell_env_fallback: ShellVariables,
    #[serde(rename = "providersWithOAuth")]
    pub(super) providers_with_oauth: Vec<String>,
    pub(super) missing_providers_in_use: Vec<ProviderId>,
    pub(super) providers: Vec<ProviderAuth>,
    pub(super) unusable_profiles: Vec<Unusable>,
    pub(super) oauth: Expiries,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) probes: Option<ProbeSummary>,
}

/// Variables of a login shell are not looked at here; the field is what older programs read.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShellVariables {
    enabled: bool,
    applied_keys: Vec<String>,
}

/// What signs in at one vendor.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProviderAuth {
    pub(super) provider: ProviderId,
    pub(super) effective: Effective,
    pub(super) profiles: Profiles,
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<Found>,
    #[serde(skip_serializing_if = "Option::is_none")]
    models_json: Option<Found>,
    #[serde(skip)]
    pub(super) known: Vec<ProfileFacts>,
}

#[derive(Debug, Serialize)]
pub(super) struct Effective {
    pub(super) kind: &'static str,
    pub(super) detail: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Profiles {
    count: usize,
    oauth: usize,
    token: usize,
    api_key: usize,
    pub(super) labels: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Found {
    value: String,
    source: String,
}

/// A sign-in that is left alone for now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Unusable {
    pub(super) profile_id: AuthProfileId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) provider: Option<ProviderId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    pub(super) until: i64,
    pub(super) remaining_ms: i64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Expiries {
    warn_after_ms: i64,
    pub(super) profiles: Vec<ProfileExpiry>,
    providers: Vec<ProviderExpiry>,
}

impl Overview {
    /// Gathers it. `named` says whether a person asked about this agent.
    pub(super) async fn gather(session: &ModelCommand<'_>, named: bool) -> anyhow::Result<Self> {
        let now = session.context.clock.now();
        let config = &session.snapshot.config;
        let catalog = session.desk.catalog();
        let names = ModelNames::new(config, &catalog);
        let resolved = names.agent_primary(&session.agent).to_string();
        let own = config.agents.get(&session.agent).and_then(|agent| agent.model.as_ref());
        let own_primary = own.and_then(|own| own.primary.clone());
        let own_fallbacks = own.and_then(|own| own.fallbacks.clone());
        let model_config = named.then(|| Sources {
            default_source: if own_primary.is_some() { "agent" } else { "defaults" },
            fallbacks_source: if own_fallbacks.is_some() { "agent" } else { "defaults" },
        });
        let aliases =
            config.models.allowed.iter().filter_map(|entry| {
                entry.alias.as_ref().map(|alias| (alias.clone(), entry.reference.clone()))
            });
        let locations = &session.context.locations;
        let mut overview = Self {
            config_path: session.snapshot.path.clone(),
            agent_id: named.then(|| session.agent.clone()),
            agent_dir: session.agent_dir(),
            default_model: own_primary
                .or_else(|| config.models.default.primary.clone())
                .unwrap_or_else(|| resolved.clone()),
            resolved_default: resolved,
            fallbacks: own_fallbacks.or_else(|| config.models.default.fallbacks.clone()).unwrap_or_default(),
            image_model: config.models.image.primary.clone(),
            image_fallbacks: config.models.image.fallbacks.clone().unwrap_or_default(),
            model_config,
            aliases: aliases.collect(),
            allowed: config.models.allowed.iter().map(|entry| entry.reference.clone()).collect(),
            auth: Auth {
                store_path: locations.state_database(),
                shell_env_fallback: ShellVariables::default(),
                providers_with_oauth: Vec::new(),
                missing_providers_in_use: Vec::new(),
                providers: Vec::new(),
                unusable_profiles: Vec::new(),
                oauth: Expiries { warn_after_ms: WARN_AFTER_MS, profiles: Vec::new(), providers: Vec::new() },
                probes: None,
            },
            budgets: budgets(session, now).await?,
            unpriced_models: Vec::new(),
            recent_switches: session.desk.recent_switches().await?,
            now,
        };
        if named {
            overview.recent_switches.retain(|switch| switch.agent_id == session.agent.as_str());
        }
        overview.gather_auth(session, &names).await?;
        let in_use = [&overview.resolved_default].into_iter().chain(&overview.fallbacks);
        let in_use = in_use.filter_map(|text| names.read(text).ok()).map(|found| found.model);
        overview.unpriced_models = unpriced(session, &overview.budgets, in_use);
        Ok(overview)
    }

    async fn gather_auth(
        &mut self,
        session: &ModelCommand<'_>,
        names: &ModelNames<'_>,
    ) -> anyhow::Result<()> {
        let stored = stored(session).await?;
        let read = |text: &String| names.read(text).ok().map(|found| found.model.provider().clone());
        let image = self.image_model.iter().chain(&self.image_fallbacks);
        let in_use: BTreeSet<ProviderId> =
            [&self.default_model].into_iter().chain(&self.fallbacks).chain(image).filter_map(read).collect();
        let providers = self.providers(session, &stored, &in_use, self.allowed.iter().filter_map(read));
        let mut judged: BTreeMap<ProviderId, Vec<ProfileExpiry>> = BTreeMap::new();
        for provider in providers {
            let known = session.desk.credentials.profiles(&session.agent, &provider).await?;
            let own = stored.iter().filter(|profile| vendor_of(profile) == provider);
            let own: Vec<&StoredProfile> = own.collect();
            let expiries = own.iter().map(|profile| ProfileExpiry::judge(profile, self.now)).collect();
            judged.insert(provider.clone(), expiries);
            if known.is_empty() {
                if in_use.contains(&provider) {
                    self.auth.missing_providers_in_use.push(provider);
                }
                continue;
            }
            let auth = provider_auth(session, provider, &own, known);
            let renewed =
                auth.profiles.oauth + auth.profiles.token + usize::from(auth.signs_in_by_variable());
            if renewed > 0 {
                self.auth.providers_with_oauth.push(format!("{} ({renewed})", auth.provider));
            }
            self.auth.providers.push(auth);
        }
        self.auth.oauth.profiles = judged.values().flatten().cloned().collect();
        self.auth.oauth.providers =
            judged.into_iter().map(|(provider, profiles)| ProviderExpiry::of(provider, profiles)).collect();
        self.auth.unusable_profiles = unusable(session, &stored, self.now);
        Ok(())
    }

    /// The vendors worth a look: in use, allowed, configured, signed in at, or with a key in the environment.
    fn providers(
        &self,
        session: &ModelCommand<'_>,
        stored: &[StoredProfile],
        in_use: &BTreeSet<ProviderId>,
        allowed: impl Iterator<Item = ProviderId>,
    ) -> BTreeSet<ProviderId> {
        let catalog = session.desk.catalog();
        let environment = &session.snapshot.environment;
        let by_variable = catalog
            .providers
            .values()
            .filter(|vendor| vendor.key_variables.iter().any(|name| environment.get_trimmed(name).is_some()))
            .map(|vendor| vendor.id.clone());
        let written = session.snapshot.config.raw.models.iter().flat_map(|models| models.providers.keys());
        let written = written.filter_map(|name| ProviderId::new(&*normal_provider(name)).ok());
        let mut providers: BTreeSet<ProviderId> = stored.iter().map(vendor_of).collect();
        providers.extend(in_use.iter().cloned());
        providers.extend(allowed);
        providers.extend(written);
        providers.extend(by_variable);
        providers
    }

    /// What `--check` says.
    pub(super) fn verdict(&self) -> Exit {
        let some = |wanted: &[Expiry]| {
            let mut expirable = self.auth.oauth.profiles.iter().filter(|profile| profile.can_expire());
            expirable.any(|profile| wanted.contains(&profile.status))
        };
        if !self.auth.missing_providers_in_use.is_empty() || some(&[Expiry::Expired, Expiry::Missing]) {
            Exit::NotInOrder
        } else if some(&[Expiry::Expiring]) {
            Exit::OrderEndsSoon
        } else {
            Exit::Done
        }
    }
}

impl ProviderAuth {
    fn signs_in_by_variable(&self) -> bool {
        self.known.iter().any(|facts| {
            matches!(facts.origin, CredentialOrigin::Environment(_)) && facts.kind == CredentialKind::Token
        })
    }
}

/// The sign-ins an agent may use: its own, and those of the main agent it has none of the same name for.
pub(in super::super) async fn stored(session: &ModelCommand<'_>) -> anyhow::Result<Vec<StoredProfile>> {
    let store = session.desk.profiles();
    let mut profiles = store.list(&session.agent).await?;
    if session.agent != AgentId::main() {
        for shared in store.list(&AgentId::main()).await? {
            if !profiles.iter().any(|own| own.id == shared.id) {
                profiles.push(shared);
            }
        }
    }
    Ok(profiles)
}

/// The vendor of a stored sign-in by its present name.
pub(in super::super) fn vendor_of(profile: &StoredProfile) -> ProviderId {
    ProviderId::new(&*normal_provider(profile.provider.as_str())).unwrap_or_else(|_| profile.provider.clone())
}

fn provider_auth(
    session: &ModelCommand<'_>,
    provider: ProviderId,
    own: &[&StoredProfile],
    known: Vec<ProfileFacts>,
) -> ProviderAuth {
    let count = |kind: CredentialKind| {
        let stored = known.iter().filter(|facts| facts.origin == CredentialOrigin::Stored);
        stored.filter(|facts| facts.kind == kind).count()
    };
    let env = known.iter().find_map(|facts| match &facts.origin {
        CredentialOrigin::Environment(name) => Some(variable(session, name, facts.kind)),
        _ => None,
    });
    let written = known.iter().any(|facts| facts.origin == CredentialOrigin::Configuration);
    let models_json = written.then(|| Found {
        value: written_key(session, &provider),
        source: format!("models.providers.{provider}.apiKey"),
    });
    let effective = match known.first().map(|facts| &facts.origin) {
        Some(CredentialOrigin::Stored) => Effective {
            kind: "profiles",
            detail: session.context.short(&session.context.locations.state_database()),
        },
        Some(CredentialOrigin::Vendor(name)) => Effective { kind: "vendor", detail: name.clone() },
        Some(CredentialOrigin::NotNeeded) => Effective { kind: "none", detail: "no key needed".to_owned() },
        _ => match (&env, &models_json) {
            (Some(env), _) => Effective { kind: "env", detail: env.value.clone() },
            (None, Some(written)) => Effective { kind: "models.json", detail: written.value.clone() },
            (None, None) => Effective { kind: "missing", detail: "missing".to_owned() },
        },
    };
    let profiles = Profiles {
        count: own.len(),
        oauth: count(CredentialKind::Oauth),
        token: count(CredentialKind::Token),
        api_key: count(CredentialKind::ApiKey),
        labels: own.iter().map(|profile| format!("{}={}", profile.id, described(profile))).collect(),
    };
    ProviderAuth { provider, effective, profiles, env, models_json, known }
}

fn variable(session: &ModelCommand<'_>, name: &str, kind: CredentialKind) -> Found {
    let value = session.snapshot.environment.get_trimmed(name).unwrap_or_default();
    let value = if kind == CredentialKind::Token { "OAuth (env)".to_owned() } else { masked(value) };
    Found { value, source: format!("env: {name}") }
}

fn written_key(session: &ModelCommand<'_>, provider: &ProviderId) -> String {
    let providers = session.snapshot.config.raw.models.iter().flat_map(|models| &models.providers);
    let mut entries = providers.filter(|(name, _)| normal_provider(name) == provider.as_str());
    match entries.find_map(|(_, entry)| entry.api_key.as_ref()) {
        Some(SecretInput::Text(text)) => masked(text.reveal()),
        Some(SecretInput::Reference(_)) => "reference".to_owned(),
        None => "missing".to_owned(),
    }
}

fn unusable(session: &ModelCommand<'_>, stored: &[StoredProfile], now: UnixMillis) -> Vec<Unusable> {
    let status = session.desk.models.status();
    let records = status.health.into_iter().filter(|record| record.key.agent == session.agent);
    let mut list: Vec<Unusable> = records.filter_map(|record| resting(record, stored, now)).collect();
    list.sort_by_key(|unusable| unusable.remaining_ms);
    list
}

fn resting(record: HealthRecord, stored: &[StoredProfile], now: UnixMillis) -> Option<Unusable> {
    let until = record.paused_until.max(record.disabled_until).filter(|until| *until > now)?;
    let disabled = record.disabled_until.is_some_and(|until| until > now);
    let provider = stored.iter().find(|profile| profile.id == record.key.profile).map(vendor_of);
    Some(Unusable {
        provider,
        profile_id: record.key.profile,
        model: record.key.model,
        kind: if disabled { "disabled" } else { "cooldown" },
        reason: record.reason,
        until: until.0,
        remaining_ms: until.0.saturating_sub(now.0),
    })
}
