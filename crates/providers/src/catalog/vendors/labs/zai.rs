//! Z.AI, at the address of its coding plan.
//!
//! Thinking is on unless it is switched off, and has no steps.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Quirk, SWITCH, Vendor, VendorModel, model};

/// The makers of GLM.
pub(in crate::catalog::vendors) const ZAI: Vendor = Vendor {
    id: "zai",
    name: "Z.AI",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.z.ai/api/coding/paas/v4",
    sign_in: SignIn::Key,
    variables: &["ZAI_API_KEY", "Z_AI_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("glm-5"),
    quirks: &[Quirk::NoDeveloperRole, Quirk::NoEffort, Quirk::ThinkingObject],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("glm-4.5", "GLM-4.5", 131_072, 98_304).thinks(SWITCH).costs(0.6, 2.2, 0.11, 0.0),
    model("glm-4.5-air", "GLM-4.5-Air", 131_072, 98_304).thinks(SWITCH).costs(0.2, 1.1, 0.03, 0.0),
    model("glm-4.5-flash", "GLM-4.5-Flash", 131_072, 98_304).thinks(SWITCH).free(),
    model("glm-4.5v", "GLM-4.5V", 64_000, 16_384).sees().thinks(SWITCH).costs(0.6, 1.8, 0.0, 0.0),
    model("glm-4.6", "GLM-4.6", 204_800, 131_072).thinks(SWITCH).costs(0.6, 2.2, 0.11, 0.0),
    model("glm-4.6v", "GLM-4.6V", 128_000, 32_768).sees().thinks(SWITCH).costs(0.3, 0.9, 0.0, 0.0),
    model("glm-4.7", "GLM-4.7", 204_800, 131_072).thinks(SWITCH).costs(0.6, 2.2, 0.11, 0.0),
    model("glm-4.7-flash", "GLM-4.7-Flash", 200_000, 131_072).thinks(SWITCH).free(),
    model("glm-5", "GLM-5", 204_800, 131_072).thinks(SWITCH).costs(1.0, 3.2, 0.2, 0.0),
];
