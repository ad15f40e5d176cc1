//! MiniMax, at its international address, with a sign-in instead of a key.
//!
//! It speaks the protocol of Anthropic and takes its key as a bearer token.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{FOUR, Offers, Quirk, Vendor, VendorModel, model};

/// The makers of MiniMax.
pub(in crate::catalog::vendors) const MINIMAX_PORTAL: Vendor = Vendor {
    id: "minimax-portal",
    name: "MiniMax Portal",
    api: ApiName::AnthropicMessages,
    base_url: "https://api.minimax.io/anthropic",
    sign_in: SignIn::Oauth,
    variables: &["MINIMAX_OAUTH_TOKEN", "MINIMAX_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("MiniMax-M2.5"),
    quirks: &[Quirk::KeyAsBearer],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("MiniMax-M2.1", "MiniMax-M2.1", 204_800, 131_072).thinks(FOUR).costs(0.3, 1.2, 0.0, 0.0),
    model("MiniMax-M2.5", "MiniMax-M2.5", 204_800, 131_072).thinks(FOUR).costs(0.3, 1.2, 0.03, 0.375),
];
