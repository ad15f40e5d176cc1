//! Google, behind the sign-in of Gemini CLI.
//!
//! A personal account pays nothing within its quota. The codec knows this endpoint by its address.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Quirk, Vendor, VendorModel, model};

/// Gemini with a personal account.
pub(in crate::catalog::vendors) const GOOGLE_GEMINI_CLI: Vendor = Vendor {
    id: "google-gemini-cli",
    name: "Google Gemini CLI",
    api: ApiName::GoogleGenerativeAi,
    base_url: "https://cloudcode-pa.googleapis.com",
    sign_in: SignIn::Oauth,
    variables: &[],
    offers: Offers::Relatives,
    first_model: Some("gemini-3-pro-preview"),
    quirks: &[Quirk::KeyAsBearer],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("gemini-2.0-flash", "Gemini 2.0 Flash (Cloud Code Assist)", 1_048_576, 8_192).sees().free(),
    model("gemini-2.5-flash", "Gemini 2.5 Flash (Cloud Code Assist)", 1_048_576, 65_535).sees().thinks_freely().free(),
    model("gemini-2.5-pro", "Gemini 2.5 Pro (Cloud Code Assist)", 1_048_576, 65_535).sees().thinks_freely().free(),
    model("gemini-3-flash-preview", "Gemini 3 Flash Preview (Cloud Code Assist)", 1_048_576, 65_535).sees().thinks_freely().free(),
    model("gemini-3-pro-preview", "Gemini 3 Pro Preview (Cloud Code Assist)", 1_048_576, 65_535).sees().thinks_freely().free(),
    model("gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview (Cloud Code Assist)", 1_048_576, 65_535).sees().thinks_freely().free(),
];
