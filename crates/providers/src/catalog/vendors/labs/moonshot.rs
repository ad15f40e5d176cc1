//! Moonshot AI, at its international address.
//!
//! The address for China is configured by those who live there.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Quirk, Vendor, VendorModel, model};

/// The makers of Kimi.
pub(in crate::catalog::vendors) const MOONSHOT: Vendor = Vendor {
    id: "moonshot",
    name: "Moonshot AI",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.moonshot.ai/v1",
    sign_in: SignIn::Key,
    variables: &["MOONSHOT_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("kimi-k2.5"),
    quirks: &[Quirk::NoDeveloperRole],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("kimi-k2.5", "Kimi K2.5", 256_000, 8_192).sees().costs(0.6, 3.0, 0.1, 0.0),
    model("kimi-k2-0905-preview", "Kimi K2 0905 Preview", 256_000, 8_192).costs(0.6, 2.5, 0.15, 0.0),
    model("kimi-k2-turbo-preview", "Kimi K2 Turbo", 256_000, 8_192).costs(2.4, 10.0, 0.6, 0.0),
    model("kimi-k2-thinking", "Kimi K2 Thinking", 256_000, 8_192).thinks_freely().costs(0.6, 2.5, 0.15, 0.0),
    model("kimi-k2-thinking-turbo", "Kimi K2 Thinking Turbo", 256_000, 8_192).thinks_freely().costs(1.15, 8.0, 0.15, 0.0),
];
