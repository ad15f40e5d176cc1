//! What to assume of a model that no list has, on a vendor that is known.
//!
//! Pure. Vendors bring out models faster than lists are written: a newer relative of a listed model gets that one's
//! facts, its prices too, so that budgets hold. Routers and servers that people run answer for names of which nothing
//! is known; those get the documented defaults. A name that resembles nothing on a vendor with a fixed list is unknown.

use openclaw_ports::model::{ModelCatalog, ModelFacts, ProviderFacts, ProviderOrigin};
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
    if let Some(relative) = relative(provider, model) {
        return Some(ModelFacts { id: model.to_owned(), name: model.to_owned(), ..relative.clone() });
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
    Some(facts)
}

/// The listed model of the same family whose name begins with the most equal words.
fn relative<'a>(provider: &'a ProviderFacts, model: &str) -> Option<&'a ModelFacts> {
    let wanted = words(model);
    provider
        .models
        .iter()
        .map(|known| (in_common(&words(&known.id), &wanted), known))
        .filter(|(common, _)| *common >= FAMILY)
        // Of equally near ones the last is the newest in most lists.
        .max_by_key(|(common, _)| *common)
        .map(|(_, known)| known)
}

/// How many words a name must share to be of one family: `claude-opus`, `gpt-5`, `gemini-3`.
const FAMILY: usize = 2;

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

fn told(provider: &ProviderFacts, model: &ModelFacts) -> openclaw_ports::model::Compatibility {
    let mut told = compat::detect(provider.id.as_str(), model.api, &model.base_url);
    if let Some(known) = vendor(provider.id.as_str()).filter(|known| known.api == model.api) {
        for quirk in known.quirks {
            quirk.note(&mut told);
        }
    }
    told
}
