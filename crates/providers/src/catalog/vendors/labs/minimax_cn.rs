//! MiniMax, at its address for China.
//!
//! It speaks the protocol of Anthropic and takes its key as a bearer token.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{FOUR, Offers, Quirk, Vendor, VendorModel, model};

/// The makers of MiniMax.
pub(in crate::catalog::vendors) const MINIMAX_CN: Vendor = Vendor {
    id: "minimax-cn",
    name: "MiniMax (China)",
    api: ApiName::AnthropicMessages,
    base_url: "https://api.minimaxi.com/anthropic",
    sign_in: SignIn::Key,
    variables: &["MINIMAX_CN_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("MiniMax-M2.5"),
    quirks: &[Quirk::KeyAsBearer],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("MiniMax-M2", "MiniMax-M2", 196_608, 128_000).thinks(FOUR).costs(0.3, 1.2, 0.0, 0.0),
    model("MiniMax-M2.1", "MiniMax-M2.1", 204_800, 131_072).thinks(FOUR).costs(0.3, 1.2, 0.0, 0.0),
    model("MiniMax-M2.5", "MiniMax-M2.5", 204_800, 131_072).thinks(FOUR).costs(0.3, 1.2, 0.03, 0.375),
    model("MiniMax-M2.5-highspeed", "MiniMax-M2.5-highspeed", 204_800, 131_072).thinks(FOUR).costs(0.6, 2.4, 0.06, 0.375),
];
