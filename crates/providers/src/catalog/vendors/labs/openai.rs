//! OpenAI, at its own address, paid by use.
//!
//! Efforts differ by generation: `minimal` came with 5.0 and left with 5.1, `xhigh` came with 5.1 Codex Max.
//! Models for conversation and research know one effort only.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{
    BEYOND, FOUR, MIDDLE, MUCH, Offers, THREE, UPPER, UPPER_BEYOND, Vendor, VendorModel, model,
};

/// The makers of GPT.
pub(in crate::catalog::vendors) const OPENAI: Vendor = Vendor {
    id: "openai",
    name: "OpenAI",
    api: ApiName::OpenaiResponses,
    base_url: "https://api.openai.com/v1",
    sign_in: SignIn::Key,
    variables: &["OPENAI_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("gpt-5.2"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("codex-mini-latest", "Codex Mini", 200_000, 100_000).thinks(THREE).costs(1.5, 6.0, 0.375, 0.0),
    model("gpt-4", "GPT-4", 8_192, 8_192).costs(30.0, 60.0, 0.0, 0.0),
    model("gpt-4-turbo", "GPT-4 Turbo", 128_000, 4_096).sees().costs(10.0, 30.0, 0.0, 0.0),
    model("gpt-4.1", "GPT-4.1", 1_047_576, 32_768).sees().costs(2.0, 8.0, 0.5, 0.0),
    model("gpt-4.1-mini", "GPT-4.1 mini", 1_047_576, 32_768).sees().costs(0.4, 1.6, 0.1, 0.0),
    model("gpt-4.1-nano", "GPT-4.1 nano", 1_047_576, 32_768).sees().costs(0.1, 0.4, 0.03, 0.0),
    model("gpt-4o", "GPT-4o", 128_000, 16_384).sees().costs(2.5, 10.0, 1.25, 0.0),
    model("gpt-4o-2024-05-13", "GPT-4o (2024-05-13)", 128_000, 4_096).sees().costs(5.0, 15.0, 0.0, 0.0),
    model("gpt-4o-2024-08-06", "GPT-4o (2024-08-06)", 128_000, 16_384).sees().costs(2.5, 10.0, 1.25, 0.0),
    model("gpt-4o-2024-11-20", "GPT-4o (2024-11-20)", 128_000, 16_384).sees().costs(2.5, 10.0, 1.25, 0.0),
    model("gpt-4o-mini", "GPT-4o mini", 128_000, 16_384).sees().costs(0.15, 0.6, 0.08, 0.0),
    model("gpt-5", "GPT-5", 400_000, 128_000).sees().thinks(FOUR).costs(1.25, 10.0, 0.125, 0.0),
    model("gpt-5-chat-latest", "GPT-5 Chat Latest", 128_000, 16_384).sees().costs(1.25, 10.0, 0.125, 0.0),
    model("gpt-5-codex", "GPT-5-Codex", 400_000, 128_000).sees().thinks(THREE).costs(1.25, 10.0, 0.125, 0.0),
    model("gpt-5-mini", "GPT-5 Mini", 400_000, 128_000).sees().thinks(FOUR).costs(0.25, 2.0, 0.025, 0.0),
    model("gpt-5-nano", "GPT-5 Nano", 400_000, 128_000).sees().thinks(FOUR).costs(0.05, 0.4, 0.005, 0.0),
    model("gpt-5-pro", "GPT-5 Pro", 400_000, 272_000).sees().thinks(MUCH).costs(15.0, 120.0, 0.0, 0.0),
    model("gpt-5.1", "GPT-5.1", 400_000, 128_000).sees().thinks(THREE).costs(1.25, 10.0, 0.13, 0.0),
    model("gpt-5.1-chat-latest", "GPT-5.1 Chat", 128_000, 16_384).sees().thinks(MIDDLE).costs(1.25, 10.0, 0.125, 0.0),
    model("gpt-5.1-codex", "GPT-5.1 Codex", 400_000, 128_000).sees().thinks(THREE).costs(1.25, 10.0, 0.125, 0.0),
    model("gpt-5.1-codex-max", "GPT-5.1 Codex Max", 400_000, 128_000).sees().thinks(BEYOND).costs(1.25, 10.0, 0.125, 0.0),
    model("gpt-5.1-codex-mini", "GPT-5.1 Codex mini", 400_000, 128_000).sees().thinks(UPPER).costs(0.25, 2.0, 0.025, 0.0),
    model("gpt-5.2", "GPT-5.2", 400_000, 128_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0),
    model("gpt-5.2-chat-latest", "GPT-5.2 Chat", 128_000, 16_384).sees().thinks(MIDDLE).costs(1.75, 14.0, 0.175, 0.0),
    model("gpt-5.2-codex", "GPT-5.2 Codex", 400_000, 128_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0),
    model("gpt-5.2-pro", "GPT-5.2 Pro", 400_000, 128_000).sees().thinks(UPPER_BEYOND).costs(21.0, 168.0, 0.0, 0.0),
    model("gpt-5.3-codex", "GPT-5.3 Codex", 400_000, 128_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0),
    model("gpt-5.3-codex-spark", "GPT-5.3 Codex Spark", 128_000, 32_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0),
    model("o1", "o1", 200_000, 100_000).sees().thinks(THREE).costs(15.0, 60.0, 7.5, 0.0),
    model("o1-pro", "o1-pro", 200_000, 100_000).sees().thinks(THREE).costs(150.0, 600.0, 0.0, 0.0),
    model("o3", "o3", 200_000, 100_000).sees().thinks(THREE).costs(2.0, 8.0, 0.5, 0.0),
    model("o3-deep-research", "o3-deep-research", 200_000, 100_000).sees().thinks(MIDDLE).costs(10.0, 40.0, 2.5, 0.0),
    model("o3-mini", "o3-mini", 200_000, 100_000).thinks(THREE).costs(1.1, 4.4, 0.55, 0.0),
    model("o3-pro", "o3-pro", 200_000, 100_000).sees().thinks(THREE).costs(20.0, 80.0, 0.0, 0.0),
    model("o4-mini", "o4-mini", 200_000, 100_000).sees().thinks(THREE).costs(1.1, 4.4, 0.28, 0.0),
    model("o4-mini-deep-research", "o4-mini-deep-research", 200_000, 100_000).sees().thinks(MIDDLE).costs(2.0, 8.0, 0.5, 0.0),
];
