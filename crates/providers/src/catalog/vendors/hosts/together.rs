//! Together AI, which runs open models.
//!
//! It runs many more than are listed here.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// Open models on Together AI.
pub(in crate::catalog::vendors) const TOGETHER: Vendor = Vendor {
    id: "together",
    name: "Together AI",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.together.xyz/v1",
    sign_in: SignIn::Key,
    variables: &["TOGETHER_API_KEY"],
    offers: Offers::Anything,
    first_model: Some("moonshotai/Kimi-K2.5"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("zai-org/GLM-4.7", "GLM 4.7 Fp8", 202_752, 8_192).costs(0.45, 2.0, 0.45, 2.0),
    model("moonshotai/Kimi-K2.5", "Kimi K2.5", 262_144, 32_768).sees().thinks_freely().costs(0.5, 2.8, 0.5, 2.8),
    model("meta-llama/Llama-3.3-70B-Instruct-Turbo", "Llama 3.3 70B Instruct Turbo", 131_072, 8_192).costs(0.88, 0.88, 0.88, 0.88),
    model("meta-llama/Llama-4-Scout-17B-16E-Instruct", "Llama 4 Scout 17B 16E Instruct", 10_000_000, 32_768).sees().costs(0.18, 0.59, 0.18, 0.18),
    model("meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", "Llama 4 Maverick 17B 128E Instruct FP8", 20_000_000, 32_768).sees().costs(0.27, 0.85, 0.27, 0.27),
    model("deepseek-ai/DeepSeek-V3.1", "DeepSeek V3.1", 131_072, 8_192).costs(0.6, 1.25, 0.6, 0.6),
    model("deepseek-ai/DeepSeek-R1", "DeepSeek R1", 131_072, 8_192).thinks_freely().costs(3.0, 7.0, 3.0, 3.0),
    model("moonshotai/Kimi-K2-Instruct-0905", "Kimi K2-Instruct 0905", 262_144, 8_192).costs(1.0, 3.0, 1.0, 3.0),
];
