//! The model that answers when nothing is set up: one of a server on this machine.
//!
//! Only while no model is chosen, nobody is signed in at any vendor, and what listens is our own or the system's. It
//! goes away by itself as soon as a person sets something up. Where it may not answer, the log says how to choose it.

use std::sync::Arc;

use openclaw_agent::ModelNames;
use openclaw_ports::model::{
    CredentialOrigin, Credentials as _, ModelCatalog, ProviderFacts, ProviderOrigin,
};
use openclaw_ports::stores::StoreError;
use openclaw_providers::LocalServerKind;
use openclaw_types::{AgentId, ModelRef, ProviderId};

use super::ModelRuntime;
use super::listener::{Trust, trust};

/// What was decided about a model of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StandIn {
    /// It answers.
    Answers(ModelRef),
    /// It could answer, and does not before a person chooses it.
    Waits(ModelRef, Reason),
}

/// Why a model of this machine does not answer by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// A person has a sign-in at this vendor.
    SignedIn(ProviderId),
    /// Nobody can tell that the server is ours.
    Listener,
}

impl ModelRuntime {
    /// Looks whether a model of this machine should answer, and says so when that changes.
    pub async fn choose_stand_in(&self) {
        let decided = self.decide_stand_in().await;
        let before = self.decided.load_full();
        if before.as_deref() == decided.as_ref() {
            return;
        }
        tell(before.as_deref(), decided.as_ref());
        let answers = match &decided {
            Some(StandIn::Answers(model)) => Some(Arc::new(model.clone())),
            _ => None,
        };
        self.stand_in.store(answers);
        self.decided.store(decided.map(Arc::new));
    }

    async fn decide_stand_in(&self) -> Option<StandIn> {
        let config = (self.settings)().config.clone();
        let catalog = self.catalog();
        if ModelNames::new(&config, &catalog).configured_primary().is_some() {
            return None;
        }
        let (server, model) = local_model(&catalog)?;
        match self.signed_in(&config.agents.default_agent, &catalog).await {
            Ok(None) => {}
            Ok(Some(vendor)) => return Some(StandIn::Waits(model, Reason::SignedIn(vendor))),
            Err(error) => {
                tracing::debug!(subsystem = "models", %error, "sign-ins cannot be listed");
                return None;
            }
        }
        let address = server.endpoint.as_ref().map(|endpoint| endpoint.base_url.as_str()).unwrap_or_default();
        Some(match trust(address).await {
            Trust::Ours => StandIn::Answers(model),
            Trust::Unsure => StandIn::Waits(model, Reason::Listener),
        })
    }

    /// The first vendor that an agent has a sign-in for, other than servers of this machine.
    async fn signed_in(
        &self,
        agent: &AgentId,
        catalog: &ModelCatalog,
    ) -> Result<Option<ProviderId>, StoreError> {
        for vendor in catalog.providers.keys().filter(|vendor| !is_local(vendor)) {
            let profiles = self.credentials.profiles(agent, vendor).await?;
            if profiles.iter().any(|profile| profile.origin != CredentialOrigin::NotNeeded) {
                return Ok(Some(vendor.clone()));
            }
        }
        Ok(None)
    }
}

fn tell(before: Option<&StandIn>, decided: Option<&StandIn>) {
    match decided {
        Some(StandIn::Answers(model)) => tracing::info!(
            subsystem = "models",
            "no model is set up, so {model} on this machine answers; choose another with `openclaw models set`"
        ),
        Some(StandIn::Waits(model, Reason::SignedIn(vendor))) => tracing::info!(
            subsystem = "models",
            "{model} on this machine could answer, but there is a sign-in for {vendor}; choose with `openclaw models set {model}` or another model"
        ),
        Some(StandIn::Waits(model, Reason::Listener)) => tracing::warn!(
            subsystem = "models",
            "{model} on this machine could answer, but its server may belong to somebody else; if it is yours, choose it with `openclaw models set {model}`"
        ),
        None if matches!(before, Some(StandIn::Answers(_))) => {
            tracing::info!(subsystem = "models", "the model of this machine no longer stands in");
        }
        None => {}
    }
}

/// The first model of the first server that was found on this machine.
fn local_model(catalog: &ModelCatalog) -> Option<(&ProviderFacts, ModelRef)> {
    let found = catalog
        .providers
        .values()
        .find(|vendor| vendor.origin == ProviderOrigin::Discovered && is_local(&vendor.id))?;
    let model = found.models.first()?;
    Some((found, ModelRef::new(found.id.clone(), &model.id).ok()?))
}

fn is_local(vendor: &ProviderId) -> bool {
    LocalServerKind::ALL.iter().any(|kind| kind.provider() == vendor.as_str())
}
