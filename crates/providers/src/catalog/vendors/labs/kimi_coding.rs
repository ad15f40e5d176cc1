//! Kimi, behind its subscription for coding.
//!
//! It speaks the protocol of Anthropic and is paid by the month.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{FOUR, Offers, Vendor, VendorModel, model};

/// Kimi with a subscription.
pub(in crate::catalog::vendors) const KIMI_CODING: Vendor = Vendor {
    id: "kimi-coding",
    name: "Kimi Coding",
    api: ApiName::AnthropicMessages,
    base_url: "https://api.kimi.com/coding",
    sign_in: SignIn::Key,
    variables: &["KIMI_API_KEY", "KIMICODE_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("k2p5"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("k2p5", "Kimi K2.5", 262_144, 32_768).sees().thinks(FOUR).free(),
    model("kimi-k2-thinking", "Kimi K2 Thinking", 262_144, 32_768).thinks(FOUR).free(),
];
