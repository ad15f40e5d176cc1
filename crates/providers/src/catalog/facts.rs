//! Turns what is written down about a vendor into facts: addresses filled in, what the server does differently told.
//!
//! Pure. Called by `assemble` for each vendor that stays in the catalog.

use std::collections::BTreeMap;

use openclaw_config::Environment;
use openclaw_ports::model::{ApiName, Endpoint, ModelFacts, ProviderFacts, ProviderOrigin, ServerReach};
use openclaw_types::{IdError, ProviderId};

use super::vendor::{Offers, Vendor, VendorModel};
use super::{compat, places};

/// The facts of a built-in vendor.
///
/// # Errors
/// When its name is no name, which the tests of the tables exclude.
pub(super) fn of_vendor(vendor: &Vendor, environment: &Environment) -> Result<ProviderFacts, IdError> {
    let base_url = places::fill(vendor.base_url, environment);
    let models = vendor.models.iter().map(|entry| model(vendor, entry, environment)).collect();
    Ok(ProviderFacts {
        id: ProviderId::new(vendor.id)?,
        name: vendor.name.to_owned(),
        origin: ProviderOrigin::BuiltIn,
        // What people run themselves may stand anywhere.
        reach: if vendor.offers == Offers::OwnModels { ServerReach::Anywhere } else { ServerReach::Public },
        sign_in: vendor.sign_in,
        key_variables: vendor.variables.iter().map(|name| (*name).to_owned()).collect(),
        endpoint: Some(Endpoint { api: vendor.api, base_url }),
        models,
    })
}

/// The facts of a model that a server would speak of itself as little as possible: text in and out, no thinking, no
/// price.
pub(super) fn plain_model(id: &str, api: ApiName, base_url: &str, limits: (u64, u64)) -> ModelFacts {
    let (context_window, max_output_tokens) = limits;
    ModelFacts {
        id: id.to_owned(),
        name: id.to_owned(),
        api,
        base_url: base_url.to_owned(),
        context_window,
        max_output_tokens,
        sees_images: false,
        thinking: Vec::new(),
        prices: None,
        headers: BTreeMap::new(),
        compatibility: openclaw_ports::model::Compatibility::default(),
    }
}

fn model(vendor: &Vendor, entry: &VendorModel, environment: &Environment) -> ModelFacts {
    let (api, base_url) = entry.door.unwrap_or((vendor.api, vendor.base_url));
    let base_url = places::fill(base_url, environment);
    let mut compatibility = compat::detect(vendor.id, api, &base_url);
    for quirk in vendor.quirks {
        quirk.note(&mut compatibility);
    }
    if !entry.steered {
        compatibility.reasoning_effort = false;
    }
    ModelFacts {
        name: entry.name.to_owned(),
        sees_images: entry.sees_images,
        thinking: entry.thinking.to_vec(),
        prices: entry.prices,
        compatibility,
        ..plain_model(entry.id, api, &base_url, (entry.context, entry.output))
    }
}
