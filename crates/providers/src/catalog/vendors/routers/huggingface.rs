//! Hugging Face, which passes calls on to hosts of open models.
//!
//! A name may end in `:cheapest`, `:fastest` or `:` and a host.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Quirk, Vendor, VendorModel, model};

/// Open models behind one key.
pub(in crate::catalog::vendors) const HUGGINGFACE: Vendor = Vendor {
    id: "huggingface",
    name: "Hugging Face",
    api: ApiName::OpenaiCompletions,
    base_url: "https://router.huggingface.co/v1",
    sign_in: SignIn::Key,
    variables: &["HUGGINGFACE_HUB_TOKEN", "HF_TOKEN"],
    offers: Offers::Anything,
    first_model: Some("deepseek-ai/DeepSeek-R1"),
    quirks: &[Quirk::NoDeveloperRole],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("MiniMaxAI/MiniMax-M2.1", "MiniMax-M2.1", 204_800, 131_072).thinks_freely().costs(0.3, 1.2, 0.0, 0.0),
    model("MiniMaxAI/MiniMax-M2.5", "MiniMax-M2.5", 204_800, 131_072).thinks_freely().costs(0.3, 1.2, 0.03, 0.0),
    model("Qwen/Qwen3-235B-A22B-Thinking-2507", "Qwen3-235B-A22B-Thinking-2507", 262_144, 131_072).thinks_freely().costs(0.3, 3.0, 0.0, 0.0),
    model("Qwen/Qwen3-Coder-480B-A35B-Instruct", "Qwen3-Coder-480B-A35B-Instruct", 262_144, 66_536).costs(2.0, 2.0, 0.0, 0.0),
    model("Qwen/Qwen3-Coder-Next", "Qwen3-Coder-Next", 262_144, 65_536).costs(0.2, 1.5, 0.0, 0.0),
    model("Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen3-Next-80B-A3B-Instruct", 262_144, 66_536).costs(0.25, 1.0, 0.0, 0.0),
    model("Qwen/Qwen3-Next-80B-A3B-Thinking", "Qwen3-Next-80B-A3B-Thinking", 262_144, 131_072).costs(0.3, 2.0, 0.0, 0.0),
    model("Qwen/Qwen3.5-397B-A17B", "Qwen3.5-397B-A17B", 262_144, 32_768).sees().thinks_freely().costs(0.6, 3.6, 0.0, 0.0),
    model("XiaomiMiMo/MiMo-V2-Flash", "MiMo-V2-Flash", 262_144, 4_096).thinks_freely().costs(0.1, 0.3, 0.0, 0.0),
    model("deepseek-ai/DeepSeek-R1-0528", "DeepSeek-R1-0528", 163_840, 163_840).thinks_freely().costs(3.0, 5.0, 0.0, 0.0),
    model("deepseek-ai/DeepSeek-V3.2", "DeepSeek-V3.2", 163_840, 65_536).thinks_freely().costs(0.28, 0.4, 0.0, 0.0),
    model("moonshotai/Kimi-K2-Instruct", "Kimi-K2-Instruct", 131_072, 16_384).costs(1.0, 3.0, 0.0, 0.0),
    model("moonshotai/Kimi-K2-Instruct-0905", "Kimi-K2-Instruct-0905", 262_144, 16_384).costs(1.0, 3.0, 0.0, 0.0),
    model("moonshotai/Kimi-K2-Thinking", "Kimi-K2-Thinking", 262_144, 262_144).thinks_freely().costs(0.6, 2.5, 0.15, 0.0),
    model("moonshotai/Kimi-K2.5", "Kimi-K2.5", 262_144, 262_144).sees().thinks_freely().costs(0.6, 3.0, 0.1, 0.0),
    model("zai-org/GLM-4.7", "GLM-4.7", 204_800, 131_072).thinks_freely().costs(0.6, 2.2, 0.11, 0.0),
    model("zai-org/GLM-4.7-Flash", "GLM-4.7-Flash", 200_000, 128_000).thinks_freely(),
    model("zai-org/GLM-5", "GLM-5", 202_752, 131_072).thinks_freely().costs(1.0, 3.2, 0.2, 0.0),
    model("deepseek-ai/DeepSeek-R1", "DeepSeek R1", 131_072, 8_192).thinks_freely().costs(3.0, 7.0, 3.0, 3.0),
    model("deepseek-ai/DeepSeek-V3.1", "DeepSeek V3.1", 131_072, 8_192).costs(0.6, 1.25, 0.6, 0.6),
    model("meta-llama/Llama-3.3-70B-Instruct-Turbo", "Llama 3.3 70B Instruct Turbo", 131_072, 8_192).costs(0.88, 0.88, 0.88, 0.88),
    model("openai/gpt-oss-120b", "GPT-OSS 120B", 131_072, 8_192),
];
