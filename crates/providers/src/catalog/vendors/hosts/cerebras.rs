//! Cerebras, which runs open models on its own chips.
//!
//! Only gpt-oss takes an effort there.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, THREE, Vendor, VendorModel, model};

/// Open models on Cerebras.
pub(in crate::catalog::vendors) const CEREBRAS: Vendor = Vendor {
    id: "cerebras",
    name: "Cerebras",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.cerebras.ai/v1",
    sign_in: SignIn::Key,
    variables: &["CEREBRAS_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("zai-glm-4.7"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("gpt-oss-120b", "GPT OSS 120B", 131_072, 32_768).thinks(THREE).costs(0.25, 0.69, 0.0, 0.0),
    model("llama3.1-8b", "Llama 3.1 8B", 32_000, 8_000).costs(0.1, 0.1, 0.0, 0.0),
    model("qwen-3-235b-a22b-instruct-2507", "Qwen 3 235B Instruct", 131_000, 32_000).costs(0.6, 1.2, 0.0, 0.0),
    model("zai-glm-4.7", "Z.AI GLM-4.7", 131_072, 40_000).costs(2.25, 2.75, 0.0, 0.0),
];
