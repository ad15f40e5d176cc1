//! LM Studio, on this machine.
//!
//! Its models are found by `discover::lm_studio`.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Quirk, Vendor};

/// A server on this machine.
pub(in crate::catalog::vendors) const LMSTUDIO: Vendor = Vendor {
    id: "lmstudio",
    name: "LM Studio",
    api: ApiName::OpenaiCompletions,
    base_url: "http://127.0.0.1:1234/v1",
    sign_in: SignIn::OptionalKey,
    variables: &["LMSTUDIO_API_KEY"],
    offers: Offers::OwnModels,
    first_model: None,
    quirks: &[Quirk::NoDeveloperRole, Quirk::NoStore, Quirk::NoStrict, Quirk::MaxTokens],
    models: &[],
};
