//! Ollama, on this machine.
//!
//! Its models are found by `discover::ollama`.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor};

/// A server on this machine.
pub(in crate::catalog::vendors) const OLLAMA: Vendor = Vendor {
    id: "ollama",
    name: "Ollama",
    api: ApiName::Ollama,
    base_url: "http://127.0.0.1:11434",
    sign_in: SignIn::OptionalKey,
    variables: &["OLLAMA_API_KEY"],
    offers: Offers::OwnModels,
    first_model: None,
    quirks: &[],
    models: &[],
};
