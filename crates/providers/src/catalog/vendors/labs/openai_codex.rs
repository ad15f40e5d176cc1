//! OpenAI, behind the sign-in of a ChatGPT subscription.
//!
//! The protocol is that of responses; the codec knows this endpoint by its address. Prices are those of the public
//! interface: they tell what a call would have cost.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{BEYOND, Offers, THREE, UPPER, Vendor, VendorModel, model};

/// Codex with a subscription.
pub(in crate::catalog::vendors) const OPENAI_CODEX: Vendor = Vendor {
    id: "openai-codex",
    name: "OpenAI Codex",
    api: ApiName::OpenaiResponses,
    base_url: "https://chatgpt.com/backend-api",
    sign_in: SignIn::Oauth,
    variables: &[],
    offers: Offers::Relatives,
    first_model: Some("gpt-5.3-codex"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("gpt-5.1", "GPT-5.1", 272_000, 128_000).sees().thinks(THREE).costs(1.25, 10.0, 0.125, 0.0),
    model("gpt-5.1-codex-max", "GPT-5.1 Codex Max", 272_000, 128_000).sees().thinks(BEYOND).costs(1.25, 10.0, 0.125, 0.0),
    model("gpt-5.1-codex-mini", "GPT-5.1 Codex Mini", 272_000, 128_000).sees().thinks(UPPER).costs(0.25, 2.0, 0.025, 0.0),
    model("gpt-5.2", "GPT-5.2", 272_000, 128_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0),
    model("gpt-5.2-codex", "GPT-5.2 Codex", 272_000, 128_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0),
    model("gpt-5.3-codex", "GPT-5.3 Codex", 272_000, 128_000).sees().thinks(BEYOND).costs(1.75, 14.0, 0.175, 0.0),
    model("gpt-5.3-codex-spark", "GPT-5.3 Codex Spark", 128_000, 128_000).thinks(BEYOND).free(),
];
