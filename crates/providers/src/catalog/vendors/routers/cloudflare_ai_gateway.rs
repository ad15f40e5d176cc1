//! Cloudflare AI Gateway, which watches calls on their way to Anthropic.
//!
//! Account and gateway come from the environment; `catalog::places` fills them in.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{FOUR, Offers, Vendor, VendorModel, model};

/// Claude behind a gateway of one's own.
pub(in crate::catalog::vendors) const CLOUDFLARE_AI_GATEWAY: Vendor = Vendor {
    id: "cloudflare-ai-gateway",
    name: "Cloudflare AI Gateway",
    api: ApiName::AnthropicMessages,
    base_url: "https://gateway.ai.cloudflare.com/v1/{account}/{gateway}/anthropic",
    sign_in: SignIn::Key,
    variables: &["CLOUDFLARE_AI_GATEWAY_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("claude-sonnet-4-5"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, 64_000).sees().thinks(FOUR).costs(3.0, 15.0, 0.3, 3.75),
];
