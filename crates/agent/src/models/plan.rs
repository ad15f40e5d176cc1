//! Plans a call: which models are tried in which order, with which request each. Pure.

use std::sync::Arc;

use openclaw_config::Config;
use openclaw_ports::model::{
    FaultReason, ModelCatalog, ModelFacts, ModelFault, ModelRequest, ProviderFacts, ProviderOrigin,
    ServerReach, SignIn,
};
use openclaw_types::{ModelRef, ThinkingLevel};

use super::call::{ModelCall, Pin, PinStrength, Purpose};
use crate::budget::is_limited;
use crate::selection::{
    CallOptions, ContextWindow, HARD_MINIMUM, ModelNames, WARN_BELOW, WindowVerdict, asked_level,
    wants_to_be_seen,
};
use crate::{Selection, SelectionError};

/// What a call will try.
#[derive(Debug)]
pub(super) struct CallPlan {
    pub(super) models: Vec<Planned>,
    pub(super) pin: Option<Pin>,
}

/// One model of a plan.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) model: ModelRef,
    pub(super) way: Way,
}

/// Whether a model can be called at all.
#[derive(Debug)]
pub(super) enum Way {
    Open(Box<Ready>),
    /// It cannot, and why.
    Blocked(ModelFault),
}

/// A model that can be called.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) facts: ModelFacts,
    pub(super) reach: ServerReach,
    pub(super) window: ContextWindow,
    pub(super) thinking: ThinkingLevel,
    options: CallOptions,
}

impl Ready {
    /// The request as this model gets it, thinking at a level. Shared with the caller's when nothing differs.
    pub(super) fn request(&self, asked: &Arc<ModelRequest>, thinking: ThinkingLevel) -> Arc<ModelRequest> {
        let mut request = Arc::clone(asked);
        let tokens = asked.max_output_tokens.or(self.options.max_output_tokens);
        let most = self.facts.max_output_tokens;
        let tokens = tokens.map(|tokens| if most > 0 { tokens.min(most) } else { tokens });
        let temperature = asked.temperature.or(self.options.temperature);
        let cache = self.options.cache.unwrap_or(asked.cache);
        let is_same = asked.thinking == thinking
            && asked.max_output_tokens == tokens
            && asked.temperature == temperature
            && asked.cache == cache;
        if !is_same {
            let own = Arc::make_mut(&mut request);
            own.thinking = thinking;
            own.max_output_tokens = tokens;
            own.temperature = temperature;
            own.cache = cache;
        }
        request
    }
}

/// Describes a model, listed or not.
pub(super) type Describe<'a> = &'a dyn Fn(&ModelRef) -> Option<ModelFacts>;

pub(super) fn plan(
    call: &ModelCall,
    config: &Config,
    catalog: &ModelCatalog,
    describe: Describe<'_>,
) -> Result<CallPlan, SelectionError> {
    let names = ModelNames::new(config, catalog);
    let (mut chain, chosen) = match (call.purpose, &call.selection) {
        (Purpose::Probe, Selection::Session(text) | Selection::Run(text)) => {
            let reference = names.read(text)?;
            (vec![reference.model.clone()], Some(reference))
        }
        _ => names.chain(&call.agent, &call.selection)?,
    };
    if call.purpose == Purpose::Probe {
        chain.truncate(1);
    } else {
        chain = with_sight(call, chain, &names, describe);
    }
    if call.selection == Selection::Pictures {
        let sees = |model: &ModelRef| describe(model).is_none_or(|facts| facts.sees_images);
        if chain.iter().any(sees) {
            chain.retain(sees);
        }
    }
    let locked = chosen.and_then(|chosen| chosen.profile);
    let pin = match locked {
        Some(profile) => Some(Pin { profile, strength: PinStrength::Locked }),
        None => call.pin.clone(),
    };
    let models = chain
        .into_iter()
        .map(|model| {
            let known = describe(&model).zip(catalog.provider(model.provider()));
            let way = way(call, &names, &model, known);
            Planned { model, way }
        })
        .collect();
    Ok(CallPlan { models, pin })
}

/// Puts the models that see before those that do not, when the turn shows a picture that the first cannot see.
fn with_sight(
    call: &ModelCall,
    chain: Vec<ModelRef>,
    names: &ModelNames<'_>,
    describe: Describe<'_>,
) -> Vec<ModelRef> {
    let blind = |model: &ModelRef| describe(model).is_some_and(|facts| !facts.sees_images);
    if !chain.first().is_some_and(blind) || !wants_to_be_seen(&call.request) {
        return chain;
    }
    let mut seeing = names.image_chain();
    for model in chain {
        if !seeing.contains(&model) {
            seeing.push(model);
        }
    }
    seeing
}

fn way(
    call: &ModelCall,
    names: &ModelNames<'_>,
    model: &ModelRef,
    known: Option<(ModelFacts, &ProviderFacts)>,
) -> Way {
    let settings = &names.config().models;
    let Some((facts, vendor)) = known else {
        let message = format!(
            "nothing is known about {model}: add its vendor under models.providers, or choose a model of the list"
        );
        return Way::Blocked(ModelFault::new(FaultReason::ModelNotFound, message));
    };
    if facts.prices.is_none() && takes_money(vendor) && is_limited(&settings.budgets, &call.agent) {
        let message = format!(
            "nobody knows what {model} costs, and a budget is set: write its `cost` under models.providers, or choose \
             a model with a price"
        );
        return Way::Blocked(ModelFault::new(FaultReason::Billing, message));
    }
    if call.selection == Selection::Pictures && !facts.sees_images {
        let message = format!(
            "{model} is not known to see pictures: set agents.defaults.imageModel to a model that does, or write its \
             `input` under models.providers"
        );
        return Way::Blocked(ModelFault::new(FaultReason::Format, message));
    }
    let window = ContextWindow::judge(facts.context_window, settings.context_tokens);
    match (window.verdict, call.purpose) {
        (WindowVerdict::TooSmall, Purpose::Answer) => {
            let message = format!(
                "{model} can read {} tokens and an agent needs {HARD_MINIMUM}: choose a model with a larger context",
                window.tokens
            );
            return Way::Blocked(ModelFault::new(FaultReason::Unknown, message));
        }
        (WindowVerdict::Low, Purpose::Answer) => {
            tracing::warn!(
                subsystem = "models",
                "{model} can read only {} tokens; below {WARN_BELOW} conversations are cut short often",
                window.tokens
            );
        }
        _ => {}
    }
    let options = names.entry(model).map(|entry| CallOptions::read(&entry.params)).unwrap_or_default();
    let thinking = asked_level(call.thinking, settings.thinking, &facts);
    Way::Open(Box::new(Ready { facts, reach: vendor.reach, window, thinking, options }))
}

/// Whether a vendor may send a bill: it wants to know who asks, and it is no server found on this machine.
fn takes_money(vendor: &ProviderFacts) -> bool {
    vendor.sign_in != SignIn::Nothing && vendor.origin != ProviderOrigin::Discovered
}
