//! Anthropic, at its own address.
//!
//! Claude 4.6 decides itself how long it thinks and is steered by an effort; Opus has one step more than the others.
//! Older ones get a budget of tokens for each level.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{FIVE, FOUR, Offers, Vendor, VendorModel, model};

/// The makers of Claude.
pub(in crate::catalog::vendors) const ANTHROPIC: Vendor = Vendor {
    id: "anthropic",
    name: "Anthropic",
    api: ApiName::AnthropicMessages,
    base_url: "https://api.anthropic.com",
    sign_in: SignIn::Key,
    variables: &["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("claude-opus-4-6"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("claude-3-5-haiku-20241022", "Claude Haiku 3.5", 200_000, 8_192).sees().costs(0.8, 4.0, 0.08, 1.0),
    model("claude-3-5-haiku-latest", "Claude Haiku 3.5 (latest)", 200_000, 8_192).sees().costs(0.8, 4.0, 0.08, 1.0),
    model("claude-3-5-sonnet-20240620", "Claude Sonnet 3.5", 200_000, 8_192).sees().costs(3.0, 15.0, 0.3, 3.75),
    model("claude-3-5-sonnet-20241022", "Claude Sonnet 3.5 v2", 200_000, 8_192).sees().costs(3.0, 15.0, 0.3, 3.75),
    model("claude-3-7-sonnet-20250219", "Claude Sonnet 3.7", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75),
    model("claude-3-7-sonnet-latest", "Claude Sonnet 3.7 (latest)", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75),
    model("claude-3-haiku-20240307", "Claude Haiku 3", 200_000, 4_096).sees().costs(0.25, 1.25, 0.03, 0.3),
    model("claude-3-opus-20240229", "Claude Opus 3", 200_000, 4_096).sees().costs(15.0, 75.0, 1.5, 18.75),
    model("claude-3-sonnet-20240229", "Claude Sonnet 3", 200_000, 4_096).sees().costs(3.0, 15.0, 0.3, 0.3),
    model("claude-haiku-4-5", "Claude Haiku 4.5 (latest)", 200_000, 64_000).sees().thinks(FOUR).costs(1.0, 5.0, 0.1, 1.25),
    model("claude-haiku-4-5-20251001", "Claude Haiku 4.5", 200_000, 64_000).sees().thinks(FOUR).costs(1.0, 5.0, 0.1, 1.25),
    model("claude-opus-4-0", "Claude Opus 4 (latest)", 200_000, 32_000).sees().thinks(FOUR).costs(15.0, 75.0, 1.5, 18.75),
    model("claude-opus-4-1", "Claude Opus 4.1 (latest)", 200_000, 32_000).sees().thinks(FOUR).costs(15.0, 75.0, 1.5, 18.75),
    model("claude-opus-4-1-20250805", "Claude Opus 4.1", 200_000, 32_000).sees().thinks(FOUR).costs(15.0, 75.0, 1.5, 18.75),
    model("claude-opus-4-20250514", "Claude Opus 4", 200_000, 32_000).sees().thinks(FOUR).costs(15.0, 75.0, 1.5, 18.75),
    model("claude-opus-4-5", "Claude Opus 4.5 (latest)", 200_000, 64_000).sees().thinks(FOUR).costs(5.0, 25.0, 0.5, 6.25),
    model("claude-opus-4-5-20251101", "Claude Opus 4.5", 200_000, 64_000).sees().thinks(FOUR).costs(5.0, 25.0, 0.5, 6.25),
    model("claude-opus-4-6", "Claude Opus 4.6", 200_000, 128_000).sees().thinks(FIVE).costs(5.0, 25.0, 0.5, 6.25),
    model("claude-sonnet-4-0", "Claude Sonnet 4 (latest)", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75),
    model("claude-sonnet-4-20250514", "Claude Sonnet 4", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75),
    model("claude-sonnet-4-5", "Claude Sonnet 4.5 (latest)", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75),
    model("claude-sonnet-4-5-20250929", "Claude Sonnet 4.5", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75),
    model("claude-sonnet-4-6", "Claude Sonnet 4.6", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75),
];
