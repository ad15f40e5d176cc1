//! xAI, at its own address.
//!
//! Its thinking models refuse an effort; they think as long as they like.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// The makers of Grok.
pub(in crate::catalog::vendors) const XAI: Vendor = Vendor {
    id: "xai",
    name: "xAI",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.x.ai/v1",
    sign_in: SignIn::Key,
    variables: &["XAI_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("grok-4"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("grok-2", "Grok 2", 131_072, 8_192).costs(2.0, 10.0, 2.0, 0.0),
    model("grok-2-1212", "Grok 2 (1212)", 131_072, 8_192).costs(2.0, 10.0, 2.0, 0.0),
    model("grok-2-latest", "Grok 2 Latest", 131_072, 8_192).costs(2.0, 10.0, 2.0, 0.0),
    model("grok-2-vision", "Grok 2 Vision", 8_192, 4_096).sees().costs(2.0, 10.0, 2.0, 0.0),
    model("grok-2-vision-1212", "Grok 2 Vision (1212)", 8_192, 4_096).sees().costs(2.0, 10.0, 2.0, 0.0),
    model("grok-2-vision-latest", "Grok 2 Vision Latest", 8_192, 4_096).sees().costs(2.0, 10.0, 2.0, 0.0),
    model("grok-3", "Grok 3", 131_072, 8_192).costs(3.0, 15.0, 0.75, 0.0),
    model("grok-3-fast", "Grok 3 Fast", 131_072, 8_192).costs(5.0, 25.0, 1.25, 0.0),
    model("grok-3-fast-latest", "Grok 3 Fast Latest", 131_072, 8_192).costs(5.0, 25.0, 1.25, 0.0),
    model("grok-3-latest", "Grok 3 Latest", 131_072, 8_192).costs(3.0, 15.0, 0.75, 0.0),
    model("grok-3-mini", "Grok 3 Mini", 131_072, 8_192).thinks_freely().costs(0.3, 0.5, 0.075, 0.0),
    model("grok-3-mini-fast", "Grok 3 Mini Fast", 131_072, 8_192).thinks_freely().costs(0.6, 4.0, 0.15, 0.0),
    model("grok-3-mini-fast-latest", "Grok 3 Mini Fast Latest", 131_072, 8_192).thinks_freely().costs(0.6, 4.0, 0.15, 0.0),
    model("grok-3-mini-latest", "Grok 3 Mini Latest", 131_072, 8_192).thinks_freely().costs(0.3, 0.5, 0.075, 0.0),
    model("grok-4", "Grok 4", 256_000, 64_000).thinks_freely().costs(3.0, 15.0, 0.75, 0.0),
    model("grok-4-1-fast", "Grok 4.1 Fast", 2_000_000, 30_000).sees().thinks_freely().costs(0.2, 0.5, 0.05, 0.0),
    model("grok-4-1-fast-non-reasoning", "Grok 4.1 Fast (Non-Reasoning)", 2_000_000, 30_000).sees().costs(0.2, 0.5, 0.05, 0.0),
    model("grok-4-fast", "Grok 4 Fast", 2_000_000, 30_000).sees().thinks_freely().costs(0.2, 0.5, 0.05, 0.0),
    model("grok-4-fast-non-reasoning", "Grok 4 Fast (Non-Reasoning)", 2_000_000, 30_000).sees().costs(0.2, 0.5, 0.05, 0.0),
    model("grok-beta", "Grok Beta", 131_072, 4_096).costs(5.0, 15.0, 5.0, 0.0),
    model("grok-code-fast-1", "Grok Code Fast 1", 256_000, 10_000).thinks_freely().costs(0.2, 1.5, 0.02, 0.0),
    model("grok-vision-beta", "Grok Vision Beta", 8_192, 4_096).sees().costs(5.0, 15.0, 5.0, 0.0),
];
