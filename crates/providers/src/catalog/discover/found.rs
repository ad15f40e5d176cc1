//! What was found, and the facts it gives.
//!
//! Pure. Servers say little about their models; what they leave out gets the defaults for local servers.

use openclaw_ports::model::{Compatibility, ModelFacts, Prices, ProviderFacts};
use openclaw_types::ProviderId;

use super::servers::LocalServerKind;
use crate::catalog::compat;
use crate::catalog::facts::plain_model;
use crate::catalog::vendors::vendor;
use crate::catalog::written::USUAL_LEVELS;

/// The context of a model whose server does not say.
const CONTEXT: u64 = 128_000;
/// The longest answer of a model whose server does not say.
const OUTPUT: u64 = 8_192;
/// More models than this are not listed.
const MOST_MODELS: usize = 512;
/// A longer name is none.
const LONGEST_NAME: usize = 256;

/// A server that answered.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundServer {
    /// Its name in references.
    pub provider: ProviderId,
    /// The root of its interface.
    pub base_url: String,
    /// Its models.
    pub models: Vec<FoundModel>,
}

/// A model that a server says it has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundModel {
    /// The server's name for it.
    pub id: String,
    /// Its name for people, where the server has one.
    pub name: Option<String>,
    /// The most it can read and write together, where the server says so.
    pub context: Option<u64>,
    /// The most it can write, where somebody says so.
    pub output: Option<u64>,
    /// Whether it can see pictures.
    pub sees_images: bool,
    /// Whether it can think.
    pub thinks: bool,
    /// What it costs, where that is known.
    pub prices: Option<Prices>,
}

impl FoundModel {
    /// A model of which only the name is known; nothing when that is no name.
    pub(super) fn named(id: &str) -> Option<Self> {
        let id = id.trim();
        let is_name = !id.is_empty() && id.len() <= LONGEST_NAME && !id.chars().any(char::is_control);
        is_name.then(|| Self { id: id.to_owned(), ..Self::default() })
    }

    /// The same, on a machine whose owner pays for it otherwise.
    pub(super) fn on_this_machine(id: &str) -> Option<Self> {
        Self::named(id).map(|model| Self { prices: Some(Prices::default()), ..model })
    }
}

impl FoundServer {
    /// A local server with its models; nothing when its name is none.
    pub(super) fn local(kind: LocalServerKind, base_url: String, models: Vec<FoundModel>) -> Option<Self> {
        Self::new(kind.provider(), base_url, models)
    }

    /// A server with its models, the first of equal names and no more than are bearable.
    pub(super) fn new(provider: &str, base_url: String, mut models: Vec<FoundModel>) -> Option<Self> {
        let mut seen = std::collections::HashSet::new();
        models.retain(|model| seen.insert(model.id.clone()));
        models.truncate(MOST_MODELS);
        Some(Self { provider: ProviderId::new(provider).ok()?, base_url, models })
    }

    /// The facts of its models, then the vendor's other models. What is already known of a model stays.
    pub(in crate::catalog) fn facts(&self, known: &ProviderFacts) -> Vec<ModelFacts> {
        let found = self.models.iter().map(|model| {
            let before = known.models.iter().find(|before| before.id == model.id);
            before.cloned().unwrap_or_else(|| self.model_facts(model, known))
        });
        let others = known.models.iter().filter(|known| self.models.iter().all(|model| model.id != known.id));
        found.chain(others.cloned()).collect()
    }

    fn model_facts(&self, model: &FoundModel, known: &ProviderFacts) -> ModelFacts {
        let api =
            known.endpoint.as_ref().map_or(openclaw_ports::model::ApiName::OpenaiCompletions, |to| to.api);
        let context = model.context.filter(|tokens| *tokens > 0).unwrap_or(CONTEXT);
        let output = model.output.filter(|tokens| *tokens > 0).unwrap_or(OUTPUT).min(context);
        ModelFacts {
            name: model.name.clone().unwrap_or_else(|| model.id.clone()),
            sees_images: model.sees_images,
            thinking: if model.thinks { USUAL_LEVELS.to_vec() } else { Vec::new() },
            prices: model.prices,
            compatibility: habits(known, api, &self.base_url),
            ..plain_model(&model.id, api, &self.base_url, (context, output))
        }
    }
}

fn habits(known: &ProviderFacts, api: openclaw_ports::model::ApiName, base_url: &str) -> Compatibility {
    let mut habits = compat::detect(known.id.as_str(), api, base_url);
    for quirk in vendor(known.id.as_str()).map(|vendor| vendor.quirks).unwrap_or_default() {
        quirk.note(&mut habits);
    }
    habits
}
