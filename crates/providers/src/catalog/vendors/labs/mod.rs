//! Makers of models, at their own addresses.
//!
//! One file for each; `vendors` joins them into one list.

mod anthropic;
mod deepseek;
mod google;
mod google_gemini_cli;
mod google_vertex;
mod kimi_coding;
mod minimax;
mod minimax_cn;
mod minimax_portal;
mod mistral;
mod moonshot;
pub(super) mod openai;
mod openai_codex;
mod qwen_portal;
mod xai;
mod xiaomi;
mod zai;

use crate::catalog::vendor::Vendor;

/// All of them.
pub(super) const ALL: &[&Vendor] = &[
    &anthropic::ANTHROPIC,
    &deepseek::DEEPSEEK,
    &google::GOOGLE,
    &google_gemini_cli::GOOGLE_GEMINI_CLI,
    &google_vertex::GOOGLE_VERTEX,
    &kimi_coding::KIMI_CODING,
    &minimax::MINIMAX,
    &minimax_cn::MINIMAX_CN,
    &minimax_portal::MINIMAX_PORTAL,
    &mistral::MISTRAL,
    &moonshot::MOONSHOT,
    &openai::OPENAI,
    &openai_codex::OPENAI_CODEX,
    &qwen_portal::QWEN_PORTAL,
    &xai::XAI,
    &xiaomi::XIAOMI,
    &zai::ZAI,
];
