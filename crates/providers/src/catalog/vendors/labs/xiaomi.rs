//! Xiaomi, at its own address.
//!
//! It speaks the protocol of Anthropic.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// The makers of MiMo.
pub(in crate::catalog::vendors) const XIAOMI: Vendor = Vendor {
    id: "xiaomi",
    name: "Xiaomi MiMo",
    api: ApiName::AnthropicMessages,
    base_url: "https://api.xiaomimimo.com/anthropic",
    sign_in: SignIn::Key,
    variables: &["XIAOMI_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("mimo-v2-flash"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("mimo-v2-flash", "Xiaomi MiMo V2 Flash", 262_144, 8_192).costs(0.1, 0.3, 0.01, 0.0),
];
