//! ByteDance, at its international address, paid by use.
//!
//! Prices depend on the length of a request there, so none are written down.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// Models of ByteDance and others.
pub(in crate::catalog::vendors) const BYTEPLUS: Vendor = Vendor {
    id: "byteplus",
    name: "BytePlus",
    api: ApiName::OpenaiCompletions,
    base_url: "https://ark.ap-southeast.bytepluses.com/api/v3",
    sign_in: SignIn::Key,
    variables: &["BYTEPLUS_API_KEY"],
    offers: Offers::Anything,
    first_model: Some("seed-1-8-251228"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("seed-1-8-251228", "Seed 1.8", 256_000, 4_096).sees(),
    model("kimi-k2-5-260127", "Kimi K2.5", 256_000, 4_096).sees(),
    model("glm-4-7-251222", "GLM 4.7", 200_000, 4_096).sees(),
];
