//! Venice, which runs open models without keeping what was said, and passes other calls on without names.
//!
//! Names with a maker in front are passed on.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{FOUR, Offers, Quirk, Vendor, VendorModel, model};

/// Private models on Venice.
pub(in crate::catalog::vendors) const VENICE: Vendor = Vendor {
    id: "venice",
    name: "Venice",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.venice.ai/api/v1",
    sign_in: SignIn::Key,
    variables: &["VENICE_API_KEY"],
    offers: Offers::Anything,
    first_model: Some("llama-3.3-70b"),
    quirks: &[Quirk::NoDeveloperRole, Quirk::NoStore],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("llama-3.3-70b", "Llama 3.3 70B", 131_072, 8_192),
    model("llama-3.2-3b", "Llama 3.2 3B", 131_072, 8_192),
    model("hermes-3-llama-3.1-405b", "Hermes 3 Llama 3.1 405B", 131_072, 8_192),
    model("qwen3-235b-a22b-thinking-2507", "Qwen3 235B Thinking", 131_072, 8_192).thinks_freely(),
    model("qwen3-235b-a22b-instruct-2507", "Qwen3 235B Instruct", 131_072, 8_192),
    model("qwen3-coder-480b-a35b-instruct", "Qwen3 Coder 480B", 262_144, 8_192),
    model("qwen3-next-80b", "Qwen3 Next 80B", 262_144, 8_192),
    model("qwen3-vl-235b-a22b", "Qwen3 VL 235B (Vision)", 262_144, 8_192).sees(),
    model("qwen3-4b", "Venice Small (Qwen3 4B)", 32_768, 8_192).thinks_freely(),
    model("deepseek-v3.2", "DeepSeek V3.2", 163_840, 8_192).thinks_freely(),
    model("venice-uncensored", "Venice Uncensored (Dolphin-Mistral)", 32_768, 8_192),
    model("mistral-31-24b", "Venice Medium (Mistral)", 131_072, 8_192).sees(),
    model("google-gemma-3-27b-it", "Google Gemma 3 27B Instruct", 202_752, 8_192).sees(),
    model("openai-gpt-oss-120b", "OpenAI GPT OSS 120B", 131_072, 8_192),
    model("zai-org-glm-4.7", "GLM 4.7", 202_752, 8_192).thinks_freely(),
    model("claude-opus-45", "Claude Opus 4.5 (via Venice)", 202_752, 8_192).sees().thinks(FOUR),
    model("claude-sonnet-45", "Claude Sonnet 4.5 (via Venice)", 202_752, 8_192).sees().thinks(FOUR),
    model("openai-gpt-52", "GPT-5.2 (via Venice)", 262_144, 8_192).thinks_freely(),
    model("openai-gpt-52-codex", "GPT-5.2 Codex (via Venice)", 262_144, 8_192).sees().thinks_freely(),
    model("gemini-3-pro-preview", "Gemini 3 Pro (via Venice)", 202_752, 8_192).sees().thinks_freely(),
    model("gemini-3-flash-preview", "Gemini 3 Flash (via Venice)", 262_144, 8_192).sees().thinks_freely(),
    model("grok-41-fast", "Grok 4.1 Fast (via Venice)", 262_144, 8_192).sees().thinks_freely(),
    model("grok-code-fast-1", "Grok Code Fast 1 (via Venice)", 262_144, 8_192).thinks_freely(),
    model("kimi-k2-thinking", "Kimi K2 Thinking (via Venice)", 262_144, 8_192).thinks_freely(),
    model("minimax-m21", "MiniMax M2.1 (via Venice)", 202_752, 8_192).thinks_freely(),
];
