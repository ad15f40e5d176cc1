//! vLLM, on this machine.
//!
//! Its models are found by `discover::vllm`.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Quirk, Vendor};

/// A server on this machine.
pub(in crate::catalog::vendors) const VLLM: Vendor = Vendor {
    id: "vllm",
    name: "vLLM",
    api: ApiName::OpenaiCompletions,
    base_url: "http://127.0.0.1:8000/v1",
    sign_in: SignIn::OptionalKey,
    variables: &["VLLM_API_KEY"],
    offers: Offers::OwnModels,
    first_model: None,
    quirks: &[Quirk::NoDeveloperRole, Quirk::NoStore, Quirk::NoStrict],
    models: &[],
};
