//! Houses that run models of others.
//!
//! One file for each; `vendors` joins them into one list.

mod amazon_bedrock;
mod azure_openai;
mod byteplus;
mod byteplus_plan;
mod cerebras;
mod groq;
mod nvidia;
mod qianfan;
mod synthetic;
mod together;
mod venice;
mod volcengine;
mod volcengine_plan;

use crate::catalog::vendor::Vendor;

/// All of them.
pub(super) const ALL: &[&Vendor] = &[
    &amazon_bedrock::AMAZON_BEDROCK,
    &azure_openai::AZURE_OPENAI,
    &byteplus::BYTEPLUS,
    &byteplus_plan::BYTEPLUS_PLAN,
    &cerebras::CEREBRAS,
    &groq::GROQ,
    &nvidia::NVIDIA,
    &qianfan::QIANFAN,
    &synthetic::SYNTHETIC,
    &together::TOGETHER,
    &venice::VENICE,
    &volcengine::VOLCENGINE,
    &volcengine_plan::VOLCENGINE_PLAN,
];
