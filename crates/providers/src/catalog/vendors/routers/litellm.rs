//! LiteLLM, a proxy that people run themselves.
//!
//! Which models it has, and under which names, is written in its own configuration.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Quirk, Vendor};

/// A proxy of one's own.
pub(in crate::catalog::vendors) const LITELLM: Vendor = Vendor {
    id: "litellm",
    name: "LiteLLM",
    api: ApiName::OpenaiCompletions,
    base_url: "http://127.0.0.1:4000/v1",
    sign_in: SignIn::OptionalKey,
    variables: &["LITELLM_API_KEY"],
    offers: Offers::OwnModels,
    first_model: None,
    quirks: &[Quirk::NoStore, Quirk::NoDeveloperRole],
    models: &[],
};
