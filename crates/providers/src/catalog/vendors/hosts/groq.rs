//! Groq, which runs open models on its own chips.
//!
//! Only gpt-oss takes an effort there; the others refuse the words that we have.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, THREE, Vendor, VendorModel, model};

/// Open models on Groq.
pub(in crate::catalog::vendors) const GROQ: Vendor = Vendor {
    id: "groq",
    name: "Groq",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.groq.com/openai/v1",
    sign_in: SignIn::Key,
    variables: &["GROQ_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("openai/gpt-oss-120b"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("deepseek-r1-distill-llama-70b", "DeepSeek R1 Distill Llama 70B", 131_072, 8_192).thinks_freely().costs(0.75, 0.99, 0.0, 0.0),
    model("gemma2-9b-it", "Gemma 2 9B", 8_192, 8_192).costs(0.2, 0.2, 0.0, 0.0),
    model("llama-3.1-8b-instant", "Llama 3.1 8B Instant", 131_072, 131_072).costs(0.05, 0.08, 0.0, 0.0),
    model("llama-3.3-70b-versatile", "Llama 3.3 70B Versatile", 131_072, 32_768).costs(0.59, 0.79, 0.0, 0.0),
    model("llama3-70b-8192", "Llama 3 70B", 8_192, 8_192).costs(0.59, 0.79, 0.0, 0.0),
    model("llama3-8b-8192", "Llama 3 8B", 8_192, 8_192).costs(0.05, 0.08, 0.0, 0.0),
    model("meta-llama/llama-4-maverick-17b-128e-instruct", "Llama 4 Maverick 17B", 131_072, 8_192).sees().costs(0.2, 0.6, 0.0, 0.0),
    model("meta-llama/llama-4-scout-17b-16e-instruct", "Llama 4 Scout 17B", 131_072, 8_192).sees().costs(0.11, 0.34, 0.0, 0.0),
    model("mistral-saba-24b", "Mistral Saba 24B", 32_768, 32_768).costs(0.79, 0.79, 0.0, 0.0),
    model("moonshotai/kimi-k2-instruct", "Kimi K2 Instruct", 131_072, 16_384).costs(1.0, 3.0, 0.0, 0.0),
    model("moonshotai/kimi-k2-instruct-0905", "Kimi K2 Instruct 0905", 262_144, 16_384).costs(1.0, 3.0, 0.0, 0.0),
    model("openai/gpt-oss-120b", "GPT OSS 120B", 131_072, 65_536).thinks(THREE).costs(0.15, 0.6, 0.0, 0.0),
    model("openai/gpt-oss-20b", "GPT OSS 20B", 131_072, 65_536).thinks(THREE).costs(0.075, 0.3, 0.0, 0.0),
    model("qwen-qwq-32b", "Qwen QwQ 32B", 131_072, 16_384).thinks_freely().costs(0.29, 0.39, 0.0, 0.0),
    model("qwen/qwen3-32b", "Qwen3 32B", 131_072, 16_384).thinks_freely().costs(0.29, 0.59, 0.0, 0.0),
];
