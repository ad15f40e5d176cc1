//! What the configuration and the catalog call models: aliases, the allow-list, bare names, defaults.
//!
//! Built for one question from one version of the configuration; cheap, nothing is kept.

use std::collections::{BTreeMap, BTreeSet};

use openclaw_config::{AllowedModel, Config};
use openclaw_ports::model::{DEFAULT_MODEL, DEFAULT_PROVIDER, ModelCatalog};
use openclaw_types::{AgentId, AuthProfileId, ModelRef, ProviderId};

use super::reference::{self, Reference};
use crate::SelectionError;

/// The names of models as one version of the configuration means them.
#[derive(Debug)]
pub struct ModelNames<'a> {
    config: &'a Config,
    catalog: &'a ModelCatalog,
    allowed: Vec<(ModelRef, &'a AllowedModel)>,
    primary: Option<ModelRef>,
}

/// A model that an agent may use, as a person asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedModel {
    /// What was asked for.
    pub reference: Reference,
    /// Whether the catalog lists it.
    pub listed: bool,
}

impl<'a> ModelNames<'a> {
    /// Reads the configuration's names.
    #[must_use]
    pub fn new(config: &'a Config, catalog: &'a ModelCatalog) -> Self {
        let provider = default_provider();
        let allowed: Vec<_> = config
            .models
            .allowed
            .iter()
            .filter_map(|entry| match reference::read(&entry.reference, &provider) {
                Ok(model) => Some((model, entry)),
                Err(fault) => {
                    tracing::warn!(subsystem = "models", %fault, "agents.defaults.models holds a name that is left out");
                    None
                }
            })
            .collect();
        let mut names = Self { config, catalog, allowed, primary: None };
        names.primary =
            config.models.default.primary.as_deref().and_then(|text| names.configured(text, &provider));
        names
    }

    /// The configuration the names come from.
    pub(crate) fn config(&self) -> &'a Config {
        self.config
    }

    /// The model that answers unless an agent or a person chose another; nothing when none is configured.
    #[must_use]
    pub fn configured_primary(&self) -> Option<&ModelRef> {
        self.primary.as_ref()
    }

    /// The model that answers unless an agent or a person chose another.
    #[must_use]
    pub fn primary(&self) -> ModelRef {
        self.primary.clone().unwrap_or_else(default_model)
    }

    /// The model that answers for an agent unless a person chose another.
    #[must_use]
    pub fn agent_primary(&self, agent: &AgentId) -> ModelRef {
        let own = self.config.agents.get(agent).and_then(|agent| agent.model.as_ref());
        own.and_then(|own| own.primary.as_deref())
            .and_then(|text| self.configured(text, &default_provider()))
            .unwrap_or_else(|| self.primary())
    }

    /// Reads what a person wrote: an alias, `<provider>/<model>`, or a bare name.
    ///
    /// # Errors
    /// `Invalid` when it names no model. Whether it may be used is asked with `check`.
    pub fn read(&self, text: &str) -> Result<Reference, SelectionError> {
        self.read_for(text, self.primary().provider())
    }

    /// Whether an agent may use a model that a person chose.
    ///
    /// # Errors
    /// `NotAllowed` when there is an allow-list and the model is neither in it nor the agent's own.
    pub fn check(&self, agent: &AgentId, model: &ModelRef) -> Result<(), SelectionError> {
        let free = self.allowed.is_empty()
            || self.allowed.iter().any(|(allowed, _)| same(allowed, model))
            || same(&self.agent_primary(agent), model);
        free.then_some(()).ok_or_else(|| SelectionError::NotAllowed(model.clone()))
    }

    /// Reads what a person wrote and checks that the agent may use it.
    ///
    /// # Errors
    /// `Invalid` or `NotAllowed`.
    pub fn resolve(&self, agent: &AgentId, text: &str) -> Result<ResolvedModel, SelectionError> {
        let reference = self.read(text)?;
        self.check(agent, &reference.model)?;
        let listed = self.catalog.model(&reference.model).is_some();
        Ok(ResolvedModel { reference, listed })
    }

    /// The models of the allow-list with what is configured for them; empty when any model is allowed.
    #[must_use]
    pub fn allowed(&self) -> &[(ModelRef, &'a AllowedModel)] {
        &self.allowed
    }

    /// What the configuration says about calls of a model.
    #[must_use]
    pub fn entry(&self, model: &ModelRef) -> Option<&'a AllowedModel> {
        self.allowed.iter().find(|(allowed, _)| same(allowed, model)).map(|(_, entry)| *entry)
    }

    pub(super) fn read_for(&self, text: &str, provider: &ProviderId) -> Result<Reference, SelectionError> {
        let (name, profile) = reference::split_profile(text);
        let profile = profile
            .map(AuthProfileId::new)
            .transpose()
            .map_err(|_not_an_id| SelectionError::Invalid(text.trim().to_owned()))?;
        if !name.contains('/') {
            if let Some((alias, model)) = self.alias(name) {
                return Ok(Reference { model, alias: Some(alias), profile });
            }
            if let Some(vendor) = self.vendor_of(name, provider) {
                return Ok(Reference { model: reference::read(name, &vendor)?, alias: None, profile });
            }
        }
        Ok(Reference { model: reference::read(name, provider)?, alias: None, profile })
    }

    /// What a name in the configuration means; a broken one is said and left out.
    pub(super) fn configured(&self, text: &str, provider: &ProviderId) -> Option<ModelRef> {
        match self.read_for(text, provider) {
            Ok(reference) => Some(reference.model),
            Err(fault) => {
                tracing::warn!(subsystem = "models", %fault, "a model of the configuration is left out");
                None
            }
        }
    }

    /// The last of equal aliases counts.
    fn alias(&self, name: &str) -> Option<(String, ModelRef)> {
        self.allowed.iter().rev().find_map(|(model, entry)| {
            let alias = entry.alias.as_ref()?;
            (alias.to_lowercase() == name.to_lowercase()).then(|| (alias.clone(), model.clone()))
        })
    }

    /// Who serves a model named without its vendor: the only vendor that has it in the allow-list, else in the
    /// catalog. The usual vendor wins when it has it too; nothing when several others do.
    fn vendor_of(&self, name: &str, usual: &ProviderId) -> Option<ProviderId> {
        let in_list: BTreeSet<&ProviderId> = self
            .allowed
            .iter()
            .filter(|(model, _)| model.model().eq_ignore_ascii_case(name))
            .map(|(model, _)| model.provider())
            .collect();
        let in_catalog: BTreeSet<&ProviderId> = self
            .catalog
            .providers
            .iter()
            .filter(|(_, vendor)| vendor.model(name).is_some())
            .map(|(id, _)| id)
            .collect();
        [in_list, in_catalog].into_iter().find_map(|vendors| match vendors.len() {
            1 => vendors.first().map(|vendor| (*vendor).clone()),
            _ => vendors.get(usual).map(|vendor| (*vendor).clone()),
        })
    }

    /// Every alias by the model it means.
    #[must_use]
    pub fn aliases(&self) -> BTreeMap<&ModelRef, &'a str> {
        self.allowed
            .iter()
            .filter_map(|(model, entry)| entry.alias.as_deref().map(|alias| (model, alias)))
            .collect()
    }
}

/// Whether two references mean one model. Vendors ignore case in names, and so do people.
pub(super) fn same(one: &ModelRef, other: &ModelRef) -> bool {
    one.provider() == other.provider() && one.model().eq_ignore_ascii_case(other.model())
}

#[expect(clippy::expect_used, reason = "two constants, parsed by a test")]
fn default_model() -> ModelRef {
    ModelRef::new(default_provider(), DEFAULT_MODEL).expect("the default model has a name")
}

#[expect(clippy::expect_used, reason = "a constant, parsed by a test")]
fn default_provider() -> ProviderId {
    ProviderId::new(DEFAULT_PROVIDER).expect("the default vendor has a name")
}
