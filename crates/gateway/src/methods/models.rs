//! `models.list`, and what the gateway is told about models and money.
//!
//! Which models there are and which are allowed is decided elsewhere; here they are put in order and on the wire. The
//! methods about money are in `usage`.

mod collate;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use openclaw_ports::model::{ModelCatalog, ModelFacts, ModelListing, Quotas, SpendingLimits};
use openclaw_ports::stores::UsageLedger;
use openclaw_protocol::events::ModelsSwitchPayload;
use openclaw_protocol::methods::catalog::{ModelChoice, ModelsList, ModelsListResult};
use openclaw_types::{ModelRef, ProviderId};
use tokio::sync::broadcast;

use super::outcome::{JsonPayload, MethodOutcome};
use super::registry::Registry;
use collate::collate;

/// Who knows about models and money.
#[derive(Clone)]
pub struct ModelServices {
    /// Which models there are.
    pub listing: Arc<dyn ModelListing>,
    /// What calls took and cost.
    pub ledger: Arc<dyn UsageLedger>,
    /// What vendors say is used.
    pub quotas: Arc<dyn Quotas>,
    /// How much may be spent.
    pub limits: Arc<dyn SpendingLimits>,
    /// Where switches from one model or sign-in to another are told, without secrets. Clients hear of each.
    pub switches: broadcast::Sender<ModelsSwitchPayload>,
}

/// Adds the method of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<ModelServices>) {
    let listing = services.listing.clone();
    let last = Arc::new(LastAnswer::default());
    registry.bind_text::<ModelsList, _, _>(move |_, _| {
        let (listing, last) = (listing.clone(), last.clone());
        async move { last.answer(listing.catalog(), listing.allowed()) }
    });
}

/// The answer that was given last. Clients ask often, and what they get changes with the catalog alone.
#[derive(Default)]
struct LastAnswer(Mutex<Option<Answer>>);

struct Answer {
    catalog: Arc<ModelCatalog>,
    allowed: Vec<ModelRef>,
    payload: JsonPayload,
}

impl LastAnswer {
    fn answer(&self, catalog: Arc<ModelCatalog>, allowed: Vec<ModelRef>) -> MethodOutcome {
        let still_holds =
            |answer: &&Answer| Arc::ptr_eq(&answer.catalog, &catalog) && answer.allowed == allowed;
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = last.as_ref().filter(still_holds) {
            return Ok(answer.payload.clone());
        }
        let payload = JsonPayload::of(&ModelsListResult { models: choices(&catalog, &allowed) })?;
        *last = Some(Answer { catalog, allowed, payload: payload.clone() });
        Ok(payload)
    }
}

/// The allowed models, or every model when any is allowed: ordered by vendor and name, those that the catalog does not
/// have at the end.
fn choices(catalog: &ModelCatalog, allowed: &[ModelRef]) -> Vec<ModelChoice> {
    let wanted: HashSet<(&ProviderId, String)> =
        allowed.iter().map(|model| (model.provider(), model.model().to_lowercase())).collect();
    let is_wanted = |provider: &ProviderId, id: &str| {
        wanted.is_empty() || wanted.contains(&(provider, id.to_lowercase()))
    };
    let known = catalog.providers.values().flat_map(|provider| {
        let models = provider.models.iter().filter(|model| is_wanted(&provider.id, &model.id));
        models.map(|model| choice(&provider.id, model))
    });
    let mut choices: Vec<_> = known.collect();
    choices.sort_by(|one, other| {
        collate(&one.provider, &other.provider).then_with(|| collate(&one.name, &other.name))
    });
    choices.extend(allowed.iter().filter(|model| catalog.model(model).is_none()).map(unlisted));
    choices
}

fn choice(provider: &ProviderId, model: &ModelFacts) -> ModelChoice {
    let kinds: &[&str] = if model.sees_images { &["text", "image"] } else { &["text"] };
    ModelChoice {
        id: model.id.clone(),
        name: model.name.clone(),
        provider: provider.to_string(),
        context_window: (model.context_window > 0).then_some(model.context_window),
        reasoning: Some(model.reasons()),
        input: Some(kinds.iter().map(|&kind| kind.to_owned()).collect()),
    }
}

/// A model that somebody allowed and nobody described.
fn unlisted(model: &ModelRef) -> ModelChoice {
    ModelChoice {
        id: model.model().to_owned(),
        name: model.model().to_owned(),
        provider: model.provider().to_string(),
        context_window: None,
        reasoning: None,
        input: None,
    }
}
