//! Which sign-in a call will begin with, for those who want to know before it is made.
//!
//! Nothing is unlocked and nothing is renewed: only what sign-ins are called and of which kind they are is read. Calls
//! themselves are driven by `driver`, which reads the same orders.

use std::collections::BTreeMap;

use openclaw_config::CachedVendorSignIn;
use openclaw_ports::model::{ApiName, CredentialKind, has_timed_cache};
use openclaw_ports::stores::StoreError;
use openclaw_types::{AgentId, AuthProfileId, ModelRef, ProviderId};

use super::call::Pin;
use super::open::{Models, Shared};
use crate::failover::{HealthSubject, rules_for};
use crate::profiles::{CredentialOrder, OrderRules, line_up};

impl Models {
    /// How an agent signs in to the vendor of a model whose requests say how long they stay cached; none for others.
    ///
    /// The kind of the credential that a call made now would try first. What cannot be read counts as no sign-in: the
    /// call itself tells it.
    pub async fn cached_sign_in(
        &self,
        agent: &AgentId,
        model: &ModelRef,
        pin: Option<&Pin>,
    ) -> CachedVendorSignIn {
        let timed = has_timed_cache(model.provider().as_str(), model.model());
        let speaks = || self.facts(model).is_some_and(|facts| facts.api == ApiName::AnthropicMessages);
        if !timed || !speaks() {
            return CachedVendorSignIn::None;
        }
        match self.shared.first_kind(agent, model, pin).await {
            Ok(Some(CredentialKind::Oauth | CredentialKind::Token)) => CachedVendorSignIn::Token,
            Ok(Some(CredentialKind::ApiKey)) => CachedVendorSignIn::Key,
            Ok(Some(CredentialKind::Aws | CredentialKind::Nothing) | None) => CachedVendorSignIn::None,
            Err(fault) => {
                tracing::debug!(subsystem = "models", %fault, "sign-ins could not be read");
                CachedVendorSignIn::None
            }
        }
    }
}

impl Shared {
    /// The orders in which people want the sign-ins of an agent tried.
    ///
    /// Sign-ins of the main agent serve all agents, and so does its order where an agent has none of its own.
    pub(super) async fn orders(
        &self,
        agent: &AgentId,
    ) -> Result<BTreeMap<ProviderId, Vec<AuthProfileId>>, StoreError> {
        let (main, profiles) = (AgentId::main(), &self.parts.profiles);
        let own = profiles.order(agent).await?;
        let mut orders = if *agent == main { BTreeMap::new() } else { profiles.order(&main).await? };
        orders.extend(own.into_iter().filter(|(_, order)| !order.is_empty()));
        Ok(orders)
    }

    async fn first_kind(
        &self,
        agent: &AgentId,
        model: &ModelRef,
        pin: Option<&Pin>,
    ) -> Result<Option<CredentialKind>, StoreError> {
        let (config, _) = self.now();
        let provider = model.provider();
        let known = self.parts.credentials.profiles(agent, provider).await?;
        let orders = self.orders(agent).await?;
        let rules = rules_for(&config, provider);
        let order = OrderRules {
            stored: orders.get(provider).map(Vec::as_slice),
            configured: &config.models.sign_in,
            pin,
        };
        let rest = |profile: &AuthProfileId| {
            self.health.rest(HealthSubject { agent, profile, model, rules: &rules })
        };
        Ok(match line_up(provider, &known, &order, rest) {
            CredentialOrder::Free(line) => line.first().map(|first| first.facts.kind),
            CredentialOrder::Locked(ordered) => Some(ordered.facts.kind),
            CredentialOrder::LockedOut(_) => None,
        })
    }
}
