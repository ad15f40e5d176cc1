//! Houses that pass calls on to others.
//!
//! One file for each; `vendors` joins them into one list.

mod cloudflare_ai_gateway;
mod github_copilot;
mod huggingface;
mod kilocode;
mod litellm;
mod opencode;
mod openrouter;
mod vercel_ai_gateway;

use crate::catalog::vendor::Vendor;

/// All of them.
pub(super) const ALL: &[&Vendor] = &[
    &cloudflare_ai_gateway::CLOUDFLARE_AI_GATEWAY,
    &github_copilot::GITHUB_COPILOT,
    &huggingface::HUGGINGFACE,
    &kilocode::KILOCODE,
    &litellm::LITELLM,
    &opencode::OPENCODE,
    &openrouter::OPENROUTER,
    &vercel_ai_gateway::VERCEL_AI_GATEWAY,
];
