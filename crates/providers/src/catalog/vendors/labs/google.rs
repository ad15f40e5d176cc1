//! Google, through the Gemini interface with a key.
//!
//! Generation 2.5 has budgets, the third has levels, and 3 Pro only two of them.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{FOUR, Offers, THREE, TWO, Vendor, VendorModel, model};

/// The makers of Gemini.
pub(in crate::catalog::vendors) const GOOGLE: Vendor = Vendor {
    id: "google",
    name: "Google Gemini",
    api: ApiName::GoogleGenerativeAi,
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    sign_in: SignIn::Key,
    variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("gemini-3-pro-preview"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("gemini-1.5-flash", "Gemini 1.5 Flash", 1_000_000, 8_192).sees().costs(0.075, 0.3, 0.01875, 0.0),
    model("gemini-1.5-flash-8b", "Gemini 1.5 Flash-8B", 1_000_000, 8_192).sees().costs(0.0375, 0.15, 0.01, 0.0),
    model("gemini-1.5-pro", "Gemini 1.5 Pro", 1_000_000, 8_192).sees().costs(1.25, 5.0, 0.3125, 0.0),
    model("gemini-2.0-flash", "Gemini 2.0 Flash", 1_048_576, 8_192).sees().costs(0.1, 0.4, 0.025, 0.0),
    model("gemini-2.0-flash-lite", "Gemini 2.0 Flash Lite", 1_048_576, 8_192).sees().costs(0.075, 0.3, 0.0, 0.0),
    model("gemini-2.5-flash", "Gemini 2.5 Flash", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.3, 2.5, 0.075, 0.0),
    model("gemini-2.5-flash-lite", "Gemini 2.5 Flash Lite", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.1, 0.4, 0.025, 0.0),
    model("gemini-2.5-flash-lite-preview-06-17", "Gemini 2.5 Flash Lite Preview 06-17", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.1, 0.4, 0.025, 0.0),
    model("gemini-2.5-flash-lite-preview-09-2025", "Gemini 2.5 Flash Lite Preview 09-25", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.1, 0.4, 0.025, 0.0),
    model("gemini-2.5-flash-preview-04-17", "Gemini 2.5 Flash Preview 04-17", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.15, 0.6, 0.0375, 0.0),
    model("gemini-2.5-flash-preview-05-20", "Gemini 2.5 Flash Preview 05-20", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.15, 0.6, 0.0375, 0.0),
    model("gemini-2.5-flash-preview-09-2025", "Gemini 2.5 Flash Preview 09-25", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.3, 2.5, 0.075, 0.0),
    model("gemini-2.5-pro", "Gemini 2.5 Pro", 1_048_576, 65_536).sees().thinks(FOUR).costs(1.25, 10.0, 0.31, 0.0),
    model("gemini-2.5-pro-preview-05-06", "Gemini 2.5 Pro Preview 05-06", 1_048_576, 65_536).sees().thinks(FOUR).costs(1.25, 10.0, 0.31, 0.0),
    model("gemini-2.5-pro-preview-06-05", "Gemini 2.5 Pro Preview 06-05", 1_048_576, 65_536).sees().thinks(FOUR).costs(1.25, 10.0, 0.31, 0.0),
    model("gemini-3-flash-preview", "Gemini 3 Flash Preview", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.5, 3.0, 0.05, 0.0),
    model("gemini-3-pro-preview", "Gemini 3 Pro Preview", 1_000_000, 64_000).sees().thinks(TWO).costs(2.0, 12.0, 0.2, 0.0),
    model("gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview", 1_048_576, 65_536).sees().thinks(THREE).costs(2.0, 12.0, 0.2, 0.0),
    model("gemini-3.1-pro-preview-customtools", "Gemini 3.1 Pro Preview Custom Tools", 1_048_576, 65_536).sees().thinks(THREE).costs(2.0, 12.0, 0.2, 0.0),
    model("gemini-flash-latest", "Gemini Flash Latest", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.3, 2.5, 0.075, 0.0),
    model("gemini-flash-lite-latest", "Gemini Flash-Lite Latest", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.1, 0.4, 0.025, 0.0),
    model("gemini-live-2.5-flash", "Gemini Live 2.5 Flash", 128_000, 8_000).sees().thinks(FOUR).costs(0.5, 2.0, 0.0, 0.0),
    model("gemini-live-2.5-flash-preview-native-audio", "Gemini Live 2.5 Flash Preview Native Audio", 131_072, 65_536).thinks(FOUR).costs(0.5, 2.0, 0.0, 0.0),
];
