//! ByteDance, at its address for China, paid by use.
//!
//! Prices depend on the length of a request there, so none are written down.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// Models of ByteDance and others.
pub(in crate::catalog::vendors) const VOLCENGINE: Vendor = Vendor {
    id: "volcengine",
    name: "Volcano Engine",
    api: ApiName::OpenaiCompletions,
    base_url: "https://ark.cn-beijing.volces.com/api/v3",
    sign_in: SignIn::Key,
    variables: &["VOLCANO_ENGINE_API_KEY"],
    offers: Offers::Anything,
    first_model: Some("doubao-seed-1-8-251228"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("doubao-seed-code-preview-251028", "doubao-seed-code-preview-251028", 256_000, 4_096).sees(),
    model("doubao-seed-1-8-251228", "Doubao Seed 1.8", 256_000, 4_096).sees(),
    model("kimi-k2-5-260127", "Kimi K2.5", 256_000, 4_096).sees(),
    model("glm-4-7-251222", "GLM 4.7", 200_000, 4_096).sees(),
    model("deepseek-v3-2-251201", "DeepSeek V3.2", 128_000, 4_096).sees(),
];
