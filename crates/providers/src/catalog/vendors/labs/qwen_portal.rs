//! Qwen, behind its free sign-in.
//!
//! The two names stand for whatever the vendor serves at the moment.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// Qwen with a personal account.
pub(in crate::catalog::vendors) const QWEN_PORTAL: Vendor = Vendor {
    id: "qwen-portal",
    name: "Qwen Portal",
    api: ApiName::OpenaiCompletions,
    base_url: "https://portal.qwen.ai/v1",
    sign_in: SignIn::Oauth,
    variables: &["QWEN_OAUTH_TOKEN", "QWEN_PORTAL_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("coder-model"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("coder-model", "Qwen Coder", 128_000, 8_192).free(),
    model("vision-model", "Qwen Vision", 128_000, 8_192).sees().free(),
];
