//! OpenCode Zen, a small choice of models that were tried for coding.
//!
//! Each model is spoken to in the protocol of its maker, at one of two addresses.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{BEYOND, FIVE, FOUR, Offers, THREE, TWO, UPPER, Vendor, VendorModel, model};

/// Models for coding behind one key.
pub(in crate::catalog::vendors) const OPENCODE: Vendor = Vendor {
    id: "opencode",
    name: "OpenCode Zen",
    api: ApiName::OpenaiCompletions,
    base_url: "https://opencode.ai/zen/v1",
    sign_in: SignIn::Key,
    variables: &["OPENCODE_API_KEY", "OPENCODE_ZEN_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("claude-opus-4-6"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("big-pickle", "Big Pickle", 200_000, 128_000).thinks(FOUR).free().at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("claude-3-5-haiku", "Claude Haiku 3.5", 200_000, 8_192).sees().costs(0.8, 4.0, 0.08, 1.0).at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000).sees().thinks(FOUR).costs(1.0, 5.0, 0.1, 1.25).at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("claude-opus-4-1", "Claude Opus 4.1", 200_000, 32_000).sees().thinks(FOUR).costs(15.0, 75.0, 1.5, 18.75).at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("claude-opus-4-5", "Claude Opus 4.5", 200_000, 64_000).sees().thinks(FOUR).costs(5.0, 25.0, 0.5, 6.25).at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("claude-opus-4-6", "Claude Opus 4.6", 200_000, 128_000).sees().thinks(FIVE).costs(5.0, 25.0, 0.5, 6.25).at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("claude-sonnet-4", "Claude Sonnet 4", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75).at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75).at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("claude-sonnet-4-6", "Claude Sonnet 4.6", 1_000_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75).at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("gemini-3-flash", "Gemini 3 Flash", 1_048_576, 65_536).sees().thinks(FOUR).costs(0.5, 3.0, 0.05, 0.0).at(ApiName::GoogleGenerativeAi, "https://opencode.ai/zen/v1"),
    model("gemini-3-pro", "Gemini 3 Pro", 1_048_576, 65_536).sees().thinks(TWO).costs(2.0, 12.0, 0.2, 0.0).at(ApiName::GoogleGenerativeAi, "https://opencode.ai/zen/v1"),
    model("gemini-3.1-pro", "Gemini 3.1 Pro Preview", 1_048_576, 65_536).sees().thinks(THREE).costs(2.0, 12.0, 0.2, 0.0).at(ApiName::GoogleGenerativeAi, "https://opencode.ai/zen/v1"),
    model("glm-4.6", "GLM-4.6", 204_800, 131_072).thinks_freely().costs(0.6, 2.2, 0.1, 0.0),
    model("glm-4.7", "GLM-4.7", 204_800, 131_072).thinks_freely().costs(0.6, 2.2, 0.1, 0.0),
    model("glm-5", "GLM-5", 204_800, 131_072).thinks_freely().costs(1.0, 3.2, 0.2, 0.0),
    model("gpt-5", "GPT-5", 400_000, 128_000).sees().thinks(FOUR).costs(1.07, 8.5, 0.107, 0.0).at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("gpt-5-codex", "GPT-5 Codex", 400_000, 128_000).sees().thinks(THREE).costs(1.07, 8.5, 0.107, 0.0).at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("gpt-5-nano", "GPT-5 Nano", 400_000, 128_000).sees().thinks(FOUR).free().at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("gpt-5.1", "GPT-5.1", 400_000, 128_000).sees().thinks(THREE).costs(1.07, 8.5, 0.107, 0.0).at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("gpt-5.1-codex", "GPT-5.1 Codex", 400_000, 128_000).sees().thinks(THREE).costs(1.07, 8.5, 0.107, 0.0).at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("gpt-5.1-codex-max", "GPT-5.1 Codex Max", 400_000, 128_000).sees().thinks(BEYOND).costs(1.25, 10.0, 0.125, 0.0).at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("gpt-5.1-codex-mini", "GPT-5.1 Codex Mini", 400_000, 128_000).sees().thinks(UPPER).costs(0.25, 2.0, 0.025, 0.0).at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("gpt-5.2", "GPT-5.2", 400_000, 128_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0).at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("gpt-5.2-codex", "GPT-5.2 Codex", 400_000, 128_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0).at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("gpt-5.3-codex", "GPT-5.3 Codex", 400_000, 128_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0).at(ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
    model("kimi-k2", "Kimi K2", 262_144, 262_144).costs(0.4, 2.5, 0.4, 0.0),
    model("kimi-k2-thinking", "Kimi K2 Thinking", 262_144, 262_144).thinks_freely().costs(0.4, 2.5, 0.4, 0.0),
    model("kimi-k2.5", "Kimi K2.5", 262_144, 65_536).sees().thinks_freely().costs(0.6, 3.0, 0.08, 0.0),
    model("minimax-m2.1", "MiniMax M2.1", 204_800, 131_072).thinks_freely().costs(0.3, 1.2, 0.1, 0.0),
    model("minimax-m2.5", "MiniMax M2.5", 204_800, 131_072).thinks_freely().costs(0.3, 1.2, 0.06, 0.0),
    model("minimax-m2.5-free", "MiniMax M2.5 Free", 204_800, 131_072).thinks(FOUR).free().at(ApiName::AnthropicMessages, "https://opencode.ai/zen"),
    model("trinity-large-preview-free", "Trinity Large Preview", 131_072, 131_072).free(),
];
