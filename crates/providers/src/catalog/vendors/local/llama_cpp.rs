//! The server of llama.cpp, on this machine.
//!
//! Its model is found by `discover::llama_cpp`.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Quirk, Vendor};

/// A server on this machine.
pub(in crate::catalog::vendors) const LLAMA_CPP: Vendor = Vendor {
    id: "llama.cpp",
    name: "llama.cpp",
    api: ApiName::OpenaiCompletions,
    base_url: "http://127.0.0.1:8080/v1",
    sign_in: SignIn::OptionalKey,
    variables: &["LLAMA_API_KEY"],
    offers: Offers::OwnModels,
    first_model: None,
    quirks: &[Quirk::NoDeveloperRole, Quirk::NoStore, Quirk::NoStrict, Quirk::MaxTokens],
    models: &[],
};
