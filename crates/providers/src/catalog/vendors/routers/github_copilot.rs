//! GitHub Copilot, which passes calls on for a subscription.
//!
//! The codec decides by the name which protocol a model speaks there. Only models of OpenAI can be told how hard to
//! think. Exchanged tokens name the address of the account.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{BEYOND, FOUR, Offers, THREE, UPPER, Vendor, VendorModel, model};

/// Several makers behind a subscription.
pub(in crate::catalog::vendors) const GITHUB_COPILOT: Vendor = Vendor {
    id: "github-copilot",
    name: "GitHub Copilot",
    api: ApiName::GithubCopilot,
    base_url: "https://api.individual.githubcopilot.com",
    sign_in: SignIn::Key,
    variables: &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
    offers: Offers::Relatives,
    first_model: Some("gpt-4o"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("claude-haiku-4.5", "Claude Haiku 4.5", 128_000, 32_000).sees().thinks_freely().free(),
    model("claude-opus-4.5", "Claude Opus 4.5", 128_000, 32_000).sees().thinks_freely().free(),
    model("claude-opus-4.6", "Claude Opus 4.6", 128_000, 64_000).sees().thinks_freely().free(),
    model("claude-sonnet-4", "Claude Sonnet 4", 128_000, 16_000).sees().thinks_freely().free(),
    model("claude-sonnet-4.5", "Claude Sonnet 4.5", 128_000, 32_000).sees().thinks_freely().free(),
    model("claude-sonnet-4.6", "Claude Sonnet 4.6", 128_000, 32_000).sees().thinks_freely().free(),
    model("gemini-2.5-pro", "Gemini 2.5 Pro", 128_000, 64_000).sees().free(),
    model("gemini-3-flash-preview", "Gemini 3 Flash", 128_000, 64_000).sees().thinks_freely().free(),
    model("gemini-3-pro-preview", "Gemini 3 Pro Preview", 128_000, 64_000).sees().thinks_freely().free(),
    model("gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview", 128_000, 64_000).sees().thinks_freely().free(),
    model("gpt-4.1", "GPT-4.1", 64_000, 16_384).sees().free(),
    model("gpt-4o", "GPT-4o", 64_000, 16_384).sees().free(),
    model("gpt-5", "GPT-5", 128_000, 128_000).sees().thinks(FOUR).free(),
    model("gpt-5-mini", "GPT-5-mini", 128_000, 64_000).sees().thinks(FOUR).free(),
    model("gpt-5.1", "GPT-5.1", 128_000, 64_000).sees().thinks(THREE).free(),
    model("gpt-5.1-codex", "GPT-5.1-Codex", 128_000, 128_000).sees().thinks(THREE).free(),
    model("gpt-5.1-codex-max", "GPT-5.1-Codex-max", 128_000, 128_000).sees().thinks(BEYOND).free(),
    model("gpt-5.1-codex-mini", "GPT-5.1-Codex-mini", 128_000, 128_000).sees().thinks(UPPER).free(),
    model("gpt-5.2", "GPT-5.2", 128_000, 64_000).sees().thinks(BEYOND).free(),
    model("gpt-5.2-codex", "GPT-5.2-Codex", 272_000, 128_000).sees().thinks(BEYOND).free(),
    model("grok-code-fast-1", "Grok Code Fast 1", 128_000, 64_000).thinks_freely().free(),
];
