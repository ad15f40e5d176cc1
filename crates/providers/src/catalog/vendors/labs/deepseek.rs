//! DeepSeek, at its own address.
//!
//! The two names stand for one model that answers at once or thinks first. Numbers as in its price list of December
//! 2025 (https://api-docs.deepseek.com/quick_start/pricing).
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Quirk, Vendor, VendorModel, model};

/// The makers of DeepSeek.
pub(in crate::catalog::vendors) const DEEPSEEK: Vendor = Vendor {
    id: "deepseek",
    name: "DeepSeek",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.deepseek.com",
    sign_in: SignIn::Key,
    variables: &["DEEPSEEK_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("deepseek-chat"),
    quirks: &[Quirk::MaxTokens, Quirk::NoEffort],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("deepseek-chat", "DeepSeek Chat", 128_000, 8_192).costs(0.28, 0.42, 0.028, 0.0),
    model("deepseek-reasoner", "DeepSeek Reasoner", 128_000, 65_536).thinks_freely().costs(0.28, 0.42, 0.028, 0.0),
];
