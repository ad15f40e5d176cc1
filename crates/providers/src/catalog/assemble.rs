//! Builds the catalog: what is built in, what an older installation left, what was found, what a person wrote.
//!
//! Pure and cheap enough for every reload and every discovery. Each later source wins over the earlier ones. `models.mode`
//! decides about what an older installation left: `merge` keeps it, `replace` forgets it; built-in vendors stay either way.

use std::collections::BTreeMap;

use openclaw_config::Environment;
use openclaw_config::sections::{ModelProvider, ModelsMode, ModelsSection};
use openclaw_ports::model::{ModelCatalog, ProviderFacts, ProviderOrigin, normal_model, normal_provider};
use openclaw_types::ProviderId;

use super::discover::FoundServer;
use super::registry_file::{self, RegistryFile};
use super::written::{self, Author};
use super::{facts, vendors};
use crate::scripted::demo_provider;

/// Builds catalogs.
#[derive(Debug, Clone, Copy)]
pub struct Catalog;

/// What a catalog is built from.
#[derive(Debug, Clone, Copy)]
pub struct CatalogInputs<'a> {
    /// The `models` section of the configuration.
    pub models: Option<&'a ModelsSection>,
    /// Servers that were found.
    pub found: &'a [FoundServer],
    /// What an older installation left for the agent.
    pub registry: Option<&'a RegistryFile>,
    /// Fills in what belongs to a person in vendors' addresses.
    pub environment: &'a Environment,
    /// Whether the demonstration model is there.
    pub demonstration: Demonstration,
}

/// Whether the demonstration model is in the catalog.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Demonstration {
    /// It is not.
    #[default]
    Absent,
    /// It is.
    Present,
}

impl Catalog {
    /// Builds the catalog of the moment.
    #[must_use]
    pub fn build(inputs: &CatalogInputs<'_>) -> ModelCatalog {
        let mut providers = built_in(inputs.environment);
        let own = inputs.models.map(|models| by_id(&models.providers)).unwrap_or_default();
        let mode = inputs.models.and_then(|models| models.mode).unwrap_or(ModelsMode::Merge);
        if let Some(registry) = inputs.registry.filter(|_| mode == ModelsMode::Merge) {
            for (id, written) in by_id(&registry.providers) {
                // What the configuration says about a vendor stands alone.
                if !own.contains_key(&id) {
                    let taken = if providers.contains_key(&id) {
                        registry_file::additions(written)
                    } else {
                        registry_file::own_vendor(written)
                    };
                    lay(&mut providers, id, &taken, Author::Installation);
                }
            }
        }
        for server in inputs.found {
            add_found(&mut providers, server);
        }
        for (id, written) in own {
            lay(&mut providers, id, written, Author::Person);
        }
        if inputs.demonstration == Demonstration::Present
            && let Ok(demo) = demo_provider()
        {
            providers.insert(demo.id.clone(), demo);
        }
        ModelCatalog { providers }
    }
}

type Providers = BTreeMap<ProviderId, ProviderFacts>;

fn built_in(environment: &Environment) -> Providers {
    vendors::all()
        .filter_map(|vendor| facts::of_vendor(vendor, environment).ok())
        .map(|facts| (facts.id.clone(), facts))
        .collect()
}

/// Written vendors by the names the catalog knows. Of two spellings of one name the exact one counts.
fn by_id(written: &BTreeMap<String, ModelProvider>) -> BTreeMap<ProviderId, &ModelProvider> {
    let mut named: BTreeMap<ProviderId, &ModelProvider> = BTreeMap::new();
    for (name, provider) in written {
        let meant = normal_provider(name);
        let Ok(id) = ProviderId::new(&meant) else {
            tracing::warn!(subsystem = "models", "a vendor without a name in models.providers is left out");
            continue;
        };
        if *meant == *name.trim() || !named.contains_key(&id) {
            named.insert(id, provider);
        }
    }
    named
}

fn lay(providers: &mut Providers, id: ProviderId, written: &ModelProvider, author: Author) {
    let known = providers.remove(&id);
    let mut facts = written::lay_over(&id, known, written, author);
    for model in &mut facts.models {
        // Short names of models are resolved where references are read, so lists must have the long ones.
        let (vendor, name) = normal_model(id.as_str(), &model.id);
        if *vendor == *id.as_str() && *name != *model.id {
            model.id = name.into_owned();
        }
    }
    providers.insert(id, facts);
}

/// A found server replaces the empty list of its vendor, and nothing else of it.
fn add_found(providers: &mut Providers, server: &FoundServer) {
    let Some(vendor) = providers.get_mut(&server.provider) else { return };
    vendor.origin = ProviderOrigin::Discovered;
    if let Some(endpoint) = vendor.endpoint.as_mut() {
        endpoint.base_url.clone_from(&server.base_url);
    }
    vendor.models = server.facts(vendor);
}
