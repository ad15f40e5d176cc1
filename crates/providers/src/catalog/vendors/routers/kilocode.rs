//! Kilo, which passes calls on like OpenRouter.
//!
//! Names begin with the maker.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{FIVE, FOUR, Offers, Vendor, VendorModel, model};

/// Many models behind one key.
pub(in crate::catalog::vendors) const KILOCODE: Vendor = Vendor {
    id: "kilocode",
    name: "Kilo Gateway",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.kilo.ai/api/gateway",
    sign_in: SignIn::Key,
    variables: &["KILOCODE_API_KEY"],
    offers: Offers::Anything,
    first_model: Some("anthropic/claude-opus-4.6"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("anthropic/claude-opus-4.6", "Claude Opus 4.6", 1_000_000, 128_000).sees().thinks(FOUR),
    model("z-ai/glm-5:free", "GLM-5 (Free)", 202_800, 131_072).thinks(FOUR).free(),
    model("minimax/minimax-m2.5:free", "MiniMax M2.5 (Free)", 204_800, 131_072).thinks(FOUR).free(),
    model("anthropic/claude-sonnet-4.5", "Claude Sonnet 4.5", 1_000_000, 64_000).sees().thinks(FOUR),
    model("openai/gpt-5.2", "GPT-5.2", 400_000, 128_000).sees().thinks(FIVE),
    model("google/gemini-3-pro-preview", "Gemini 3 Pro Preview", 1_048_576, 65_536).sees().thinks(FOUR),
    model("google/gemini-3-flash-preview", "Gemini 3 Flash Preview", 1_048_576, 65_535).sees().thinks(FOUR),
    model("x-ai/grok-code-fast-1", "Grok Code Fast 1", 256_000, 10_000).thinks(FOUR),
    model("moonshotai/kimi-k2.5", "Kimi K2.5", 262_144, 65_535).sees().thinks(FOUR),
];
