//! Qianfan, the model house of Baidu.
//!
//! It runs many more than are listed here.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// Models on Qianfan.
pub(in crate::catalog::vendors) const QIANFAN: Vendor = Vendor {
    id: "qianfan",
    name: "Qianfan",
    api: ApiName::OpenaiCompletions,
    base_url: "https://qianfan.baidubce.com/v2",
    sign_in: SignIn::Key,
    variables: &["QIANFAN_API_KEY"],
    offers: Offers::Anything,
    first_model: Some("deepseek-v3.2"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("deepseek-v3.2", "DeepSeek V3.2", 98_304, 32_768).thinks_freely(),
    model("ernie-5.0-thinking-preview", "ERNIE 5.0 Thinking Preview", 119_000, 64_000).sees().thinks_freely(),
];
