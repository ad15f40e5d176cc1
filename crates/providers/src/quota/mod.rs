//! How much of their allowance vendors say is used, for those that have an address to ask at.
//!
//! One file for each vendor: what is asked, and what the answer means, both pure. `desk` asks all of them at once,
//! through the transport and with the credentials of an agent; `reading` holds what the readers share. Surfaces call
//! it through `ports::model::Quotas`.

mod anthropic;
mod desk;
mod gemini_cli;
mod github_copilot;
mod minimax;
mod openai_codex;
mod reading;
mod vendor;
mod zai;

pub use desk::{QuotaParts, VendorQuotas};

use vendor::QuotaVendor;

/// The vendors that tell, ordered by name.
const VENDORS: [QuotaVendor; 6] = [
    anthropic::VENDOR,
    github_copilot::VENDOR,
    gemini_cli::VENDOR,
    minimax::VENDOR,
    openai_codex::VENDOR,
    zai::VENDOR,
];

#[cfg(test)]
mod tests;
