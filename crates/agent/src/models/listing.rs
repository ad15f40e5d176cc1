//! Lists models for people, and tells surfaces which models and limits there are.

use std::sync::Arc;

use openclaw_ports::model::{ModelCatalog, ModelFacts, ModelListing, OpenLimit, SpendingLimits};
use openclaw_ports::stores::{BudgetScope, Limit};
use openclaw_types::{AgentId, ModelRef, UnixMillis};

use super::open::Models;
use crate::budget::limits_of;
use crate::selection::ModelNames;

/// A model in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedModel {
    /// Its reference.
    pub model: ModelRef,
    /// Its name for people.
    pub name: String,
    /// The short name the configuration gives it.
    pub alias: Option<String>,
    /// What is known of it; nothing for a model the catalog does not list.
    pub facts: Option<ModelFacts>,
}

impl Models {
    /// The models that an agent may use, vendor by vendor, in the order of the catalog; those it does not list come
    /// last. Without a list of what is allowed, the whole catalog.
    #[must_use]
    pub fn list(&self, agent: &AgentId) -> Vec<ListedModel> {
        let (config, catalog) = self.shared.now();
        let names = ModelNames::new(&config, &catalog);
        let aliases = names.aliases();
        let listed = |model: ModelRef, facts: Option<&ModelFacts>| ListedModel {
            name: facts.map_or_else(|| model.model().to_owned(), |facts| facts.name.clone()),
            alias: aliases.get(&model).map(|alias| (*alias).to_owned()),
            facts: facts.cloned(),
            model,
        };
        let mut list: Vec<ListedModel> = catalog
            .providers
            .values()
            .flat_map(|vendor| vendor.models.iter().map(move |facts| (vendor, facts)))
            .filter_map(|(vendor, facts)| Some((ModelRef::new(vendor.id.clone(), &facts.id).ok()?, facts)))
            .filter(|(model, _)| names.check(agent, model).is_ok())
            .map(|(model, facts)| listed(model, Some(facts)))
            .collect();
        for (model, _) in names.allowed() {
            if catalog.model(model).is_none() {
                list.push(listed(model.clone(), None));
            }
        }
        list
    }
}

impl ModelListing for Models {
    fn catalog(&self) -> Arc<ModelCatalog> {
        (self.shared.parts.catalog)()
    }

    fn allowed(&self) -> Vec<ModelRef> {
        let (config, catalog) = self.shared.now();
        let names = ModelNames::new(&config, &catalog);
        if names.allowed().is_empty() {
            return Vec::new();
        }
        let mut allowed: Vec<ModelRef> = names.allowed().iter().map(|(model, _)| model.clone()).collect();
        let primary = names.primary();
        if !allowed.contains(&primary) {
            allowed.push(primary);
        }
        allowed
    }
}

impl SpendingLimits for Models {
    fn limits(&self, now: UnixMillis) -> Vec<OpenLimit> {
        let (config, _) = self.shared.now();
        let budgets = &config.models.budgets;
        let zone = &self.shared.parts.zone;
        let open = |limit: Limit| OpenLimit { resets_at: zone.ends(limit.window, now), limit };
        let mut limits: Vec<OpenLimit> = Vec::new();
        for agent in [None].into_iter().chain(budgets.agents.keys().map(Some)) {
            let of = limits_of(budgets, agent.unwrap_or(&config.agents.default_agent), zone, now);
            let wanted = |limit: &Limit| match (&limit.scope, agent) {
                (BudgetScope::Total, None) => true,
                (BudgetScope::Agent(of), Some(agent)) => of == agent,
                _ => false,
            };
            limits.extend(of.into_iter().filter(wanted).map(open));
        }
        limits
    }
}
