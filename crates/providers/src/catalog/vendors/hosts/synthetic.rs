//! Synthetic, which runs open models behind the protocol of Anthropic.
//!
//! Names begin with `hf:` for models that it has from Hugging Face. It is paid by the month or by use; the
//! prices are those by use, the same for what is read from a cache.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{FOUR, Offers, Vendor, VendorModel, model};

/// Open models on Synthetic.
pub(in crate::catalog::vendors) const SYNTHETIC: Vendor = Vendor {
    id: "synthetic",
    name: "Synthetic",
    api: ApiName::AnthropicMessages,
    base_url: "https://api.synthetic.new/anthropic",
    sign_in: SignIn::Key,
    variables: &["SYNTHETIC_API_KEY"],
    offers: Offers::Anything,
    first_model: Some("hf:MiniMaxAI/MiniMax-M2.1"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("hf:MiniMaxAI/MiniMax-M2.1", "MiniMax M2.1", 192_000, 65_536).costs(0.55, 2.19, 0.55, 0.55),
    model("hf:moonshotai/Kimi-K2-Thinking", "Kimi K2 Thinking", 256_000, 8_192).thinks(FOUR).costs(0.55, 2.19, 0.55, 0.55),
    model("hf:zai-org/GLM-4.7", "GLM-4.7", 198_000, 128_000).costs(0.45, 2.19, 0.45, 0.45),
    model("hf:deepseek-ai/DeepSeek-R1-0528", "DeepSeek R1 0528", 128_000, 8_192).costs(3.0, 8.0, 3.0, 3.0),
    model("hf:deepseek-ai/DeepSeek-V3-0324", "DeepSeek V3 0324", 128_000, 8_192).costs(1.2, 1.2, 1.2, 1.2),
    model("hf:deepseek-ai/DeepSeek-V3.1", "DeepSeek V3.1", 128_000, 8_192).costs(0.56, 1.68, 0.56, 0.56),
    model("hf:deepseek-ai/DeepSeek-V3.1-Terminus", "DeepSeek V3.1 Terminus", 128_000, 8_192).costs(1.2, 1.2, 1.2, 1.2),
    model("hf:deepseek-ai/DeepSeek-V3.2", "DeepSeek V3.2", 159_000, 8_192).costs(0.56, 1.68, 0.56, 0.56),
    model("hf:meta-llama/Llama-3.3-70B-Instruct", "Llama 3.3 70B Instruct", 128_000, 8_192).costs(0.9, 0.9, 0.9, 0.9),
    model("hf:meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", "Llama 4 Maverick 17B 128E Instruct FP8", 524_000, 8_192).costs(0.22, 0.88, 0.22, 0.22),
    model("hf:moonshotai/Kimi-K2-Instruct-0905", "Kimi K2 Instruct 0905", 256_000, 8_192).costs(1.2, 1.2, 1.2, 1.2),
    model("hf:moonshotai/Kimi-K2.5", "Kimi K2.5", 256_000, 8_192).sees().thinks(FOUR).costs(0.45, 3.4, 0.45, 0.45),
    model("hf:openai/gpt-oss-120b", "GPT OSS 120B", 128_000, 8_192).costs(0.1, 0.1, 0.1, 0.1),
    model("hf:Qwen/Qwen3-235B-A22B-Instruct-2507", "Qwen3 235B A22B Instruct 2507", 256_000, 8_192).costs(0.22, 0.88, 0.22, 0.22),
    model("hf:Qwen/Qwen3-Coder-480B-A35B-Instruct", "Qwen3 Coder 480B A35B Instruct", 256_000, 8_192).costs(0.45, 1.8, 0.45, 0.45),
    model("hf:Qwen/Qwen3-VL-235B-A22B-Instruct", "Qwen3 VL 235B A22B Instruct", 250_000, 8_192).sees().costs(0.22, 0.88, 0.22, 0.22),
    model("hf:zai-org/GLM-4.5", "GLM-4.5", 128_000, 128_000).costs(0.55, 2.19, 0.55, 0.55),
    model("hf:zai-org/GLM-4.6", "GLM-4.6", 198_000, 128_000).costs(0.55, 2.19, 0.55, 0.55),
    model("hf:zai-org/GLM-5", "GLM-5", 256_000, 128_000).sees().thinks(FOUR).costs(1.0, 6.0, 1.0, 1.0),
    model("hf:deepseek-ai/DeepSeek-V3", "DeepSeek V3", 128_000, 8_192).costs(1.25, 1.25, 1.25, 1.25),
    model("hf:Qwen/Qwen3-235B-A22B-Thinking-2507", "Qwen3 235B A22B Thinking 2507", 256_000, 8_192).thinks(FOUR).costs(0.65, 3.0, 0.65, 0.65),
];
