//! What to assume of a model that no list has, on a vendor that is known.
//!
//! Pure. Vendors bring out models faster than lists are written: a newer relative of a listed model gets that one's
//! facts, its prices too, so that budgets hold. Routers and servers that people run answer for names of which nothing
//! is known; those get the documented defaults. A name that resembles nothing on a vendor with a fixed list is unknown.

use std::collections::BTreeSet;

use openclaw_ports::model::{ModelCatalog, ModelFacts, Prices, ProviderFacts, ProviderOrigin};
use openclaw_types::ModelRef;

use super::vendor::Offers;
use super::vendors::vendor;
use super::written::{DEFAULT_CONTEXT, DEFAULT_OUTPUT};
use super::{compat, facts};

/// The facts to assume of a model that the catalog does not list; nothing when the vendor is not known either, or
/// when it does not serve such a model.
#[must_use]
pub fn resolve_unlisted(catalog: &ModelCatalog, model: &ModelRef) -> Option<ModelFacts> {
    let provider = catalog.provider(model.provider())?;
    let model = model.model();
    let relatives = relatives(provider, model);
    // Of equally near ones the last is the newest in most lists.
    if let Some(newest) = relatives.last() {
        return Some(ModelFacts {
            id: model.to_owned(),
            name: model.to_owned(),
            prices: dearest(relatives.iter().copied(), model),
            ..(*newest).clone()
        });
    }
    if !answers_for_anything(provider) {
        return None;
    }
    let endpoint = provider.endpoint.as_ref()?;
    let limits = limits_of_first(provider);
    let mut facts = facts::plain_model(model, endpoint.api, &endpoint.base_url, limits);
    let sibling = provider.models.iter().find(|known| known.api == endpoint.api);
    facts.compatibility = match sibling {
        Some(sibling) => sibling.compatibility,
        None => told(provider, &facts),
    };
    if let Some(sibling) = sibling {
        facts.headers = sibling.headers.clone();
    }
    facts.prices = prices_of_own_server(provider, model);
    Some(facts)
}

/// The listed models of the same family that are nearest: first those of the same tier, of these the ones whose names
/// begin with the most equal words.
fn relatives<'a>(provider: &'a ProviderFacts, model: &str) -> Vec<&'a ModelFacts> {
    let wanted = words(model);
    let near = |known: &ModelFacts| {
        let known = words(&known.id);
        let common = in_common(&known, &wanted);
        (common >= FAMILY).then(|| (Tier::shared(&known, &wanted), common))
    };
    let Some(nearest) = provider.models.iter().filter_map(near).max() else { return Vec::new() };
    provider.models.iter().filter(|known| near(known) == Some(nearest)).collect()
}

/// What a model costs like which these are. The dearest of them counts, so that no budget is passed unseen, and what
/// is given away says nothing about what is not.
fn dearest<'a>(models: impl IntoIterator<Item = &'a ModelFacts>, wanted: &str) -> Option<Prices> {
    let given_away = |name: &str| words(name).iter().any(|word| word == FREE);
    models
        .into_iter()
        .filter(|known| given_away(wanted) || !given_away(&known.id))
        .filter_map(|known| known.prices)
        .max_by(|one, other| weight(one).total_cmp(&weight(other)))
}

/// Agents read far more than they write, and what they write costs more.
fn weight(prices: &Prices) -> f64 {
    prices.input.max(prices.cache_write) * 4.0 + prices.output
}

/// How many words a name must share to be of one family: `claude-opus`, `gpt-5`, `gemini-3`.
const FAMILY: usize = 2;

/// The word of models that are given away.
const FREE: &str = "free";

/// Words that tell dear models of a family from cheap ones.
const TIERS: &[&str] = &[
    FREE,
    "air",
    "codex",
    "coder",
    "fast",
    "flash",
    "haiku",
    "highspeed",
    "large",
    "lite",
    "max",
    "medium",
    "micro",
    "mini",
    "nano",
    "opus",
    "plus",
    "premier",
    "pro",
    "small",
    "sonnet",
    "spark",
    "turbo",
    "ultra",
];

/// How much of their tier two names share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Other,
    Near,
    Same,
}

impl Tier {
    fn shared(one: &[String], other: &[String]) -> Self {
        let of = |words: &[String]| -> BTreeSet<&'static str> {
            TIERS.iter().copied().filter(|tier| words.iter().any(|word| word == tier)).collect()
        };
        let (one, other) = (of(one), of(other));
        if one == other {
            Self::Same
        } else if one.is_disjoint(&other) {
            Self::Other
        } else {
            Self::Near
        }
    }
}

fn words(name: &str) -> Vec<String> {
    name.to_ascii_lowercase()
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn in_common(one: &[String], other: &[String]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

fn answers_for_anything(provider: &ProviderFacts) -> bool {
    provider.origin != ProviderOrigin::BuiltIn
        || vendor(provider.id.as_str()).is_some_and(|vendor| vendor.offers != Offers::Relatives)
}

/// The limits of the vendor's first model: a person who lists one and calls another on the same server means the same
/// server's limits.
fn limits_of_first(provider: &ProviderFacts) -> (u64, u64) {
    let first = provider.models.first().filter(|_| provider.origin != ProviderOrigin::BuiltIn);
    first.map_or((DEFAULT_CONTEXT, DEFAULT_OUTPUT), |first| (first.context_window, first.max_output_tokens))
}

/// A server that a person wrote down costs nothing unless a cost is written; then the dearest counts.
fn prices_of_own_server(provider: &ProviderFacts, model: &str) -> Option<Prices> {
    if provider.origin != ProviderOrigin::Configured || vendor(provider.id.as_str()).is_some() {
        return None;
    }
    if provider.models.is_empty() { Some(Prices::default()) } else { dearest(&provider.models, model) }
}

fn told(provider: &ProviderFacts, model: &ModelFacts) -> openclaw_ports::model::Compatibility {
    let mut told = compat::detect(provider.id.as_str(), model.api, &model.base_url);
    if let Some(known) = vendor(provider.id.as_str()).filter(|known| known.api == model.api) {
        for quirk in known.quirks {
            quirk.note(&mut told);
        }
    }
    told
}
