//! Google, through Vertex AI with application credentials.
//!
//! Project and location come from the environment; `catalog::places` fills them in.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// Gemini inside a cloud project.
pub(in crate::catalog::vendors) const GOOGLE_VERTEX: Vendor = Vendor {
    id: "google-vertex",
    name: "Google Vertex AI",
    api: ApiName::GoogleGenerativeAi,
    base_url: "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/google",
    sign_in: SignIn::GoogleApplication,
    variables: &[],
    offers: Offers::Relatives,
    first_model: Some("gemini-3-pro-preview"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("gemini-1.5-flash", "Gemini 1.5 Flash (Vertex)", 1_000_000, 8_192).sees().costs(0.075, 0.3, 0.01875, 0.0),
    model("gemini-1.5-flash-8b", "Gemini 1.5 Flash-8B (Vertex)", 1_000_000, 8_192).sees().costs(0.0375, 0.15, 0.01, 0.0),
    model("gemini-1.5-pro", "Gemini 1.5 Pro (Vertex)", 1_000_000, 8_192).sees().costs(1.25, 5.0, 0.3125, 0.0),
    model("gemini-2.0-flash", "Gemini 2.0 Flash (Vertex)", 1_048_576, 8_192).sees().costs(0.15, 0.6, 0.0375, 0.0),
    model("gemini-2.0-flash-lite", "Gemini 2.0 Flash Lite (Vertex)", 1_048_576, 65_536).sees().thinks_freely().costs(0.075, 0.3, 0.01875, 0.0),
    model("gemini-2.5-flash", "Gemini 2.5 Flash (Vertex)", 1_048_576, 65_536).sees().thinks_freely().costs(0.3, 2.5, 0.03, 0.0),
    model("gemini-2.5-flash-lite", "Gemini 2.5 Flash Lite (Vertex)", 1_048_576, 65_536).sees().thinks_freely().costs(0.1, 0.4, 0.01, 0.0),
    model("gemini-2.5-flash-lite-preview-09-2025", "Gemini 2.5 Flash Lite Preview 09-25 (Vertex)", 1_048_576, 65_536).sees().thinks_freely().costs(0.1, 0.4, 0.01, 0.0),
    model("gemini-2.5-pro", "Gemini 2.5 Pro (Vertex)", 1_048_576, 65_536).sees().thinks_freely().costs(1.25, 10.0, 0.125, 0.0),
    model("gemini-3-flash-preview", "Gemini 3 Flash Preview (Vertex)", 1_048_576, 65_536).sees().thinks_freely().costs(0.5, 3.0, 0.05, 0.0),
    model("gemini-3-pro-preview", "Gemini 3 Pro Preview (Vertex)", 1_000_000, 64_000).sees().thinks_freely().costs(2.0, 12.0, 0.2, 0.0),
    model("gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview (Vertex)", 1_048_576, 65_536).sees().thinks_freely().costs(2.0, 12.0, 0.2, 0.0),
];
