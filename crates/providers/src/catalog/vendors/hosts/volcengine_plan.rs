//! ByteDance, at its address for China, with a coding plan.
//!
//! Prices depend on the length of a request there, so none are written down.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// Models of ByteDance and others.
pub(in crate::catalog::vendors) const VOLCENGINE_PLAN: Vendor = Vendor {
    id: "volcengine-plan",
    name: "Volcano Engine Coding Plan",
    api: ApiName::OpenaiCompletions,
    base_url: "https://ark.cn-beijing.volces.com/api/coding/v3",
    sign_in: SignIn::Key,
    variables: &["VOLCANO_ENGINE_API_KEY"],
    offers: Offers::Anything,
    first_model: Some("ark-code-latest"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("ark-code-latest", "Ark Coding Plan", 256_000, 4_096),
    model("doubao-seed-code", "Doubao Seed Code", 256_000, 4_096),
    model("glm-4.7", "GLM 4.7 Coding", 200_000, 4_096),
    model("kimi-k2-thinking", "Kimi K2 Thinking", 256_000, 4_096),
    model("kimi-k2.5", "Kimi K2.5 Coding", 256_000, 4_096),
    model("doubao-seed-code-preview-251028", "Doubao Seed Code Preview", 256_000, 4_096),
];
