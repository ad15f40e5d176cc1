//! Mistral, at its own address.
//!
//! It refuses fields that it does not know, and ids of tool calls that are not nine letters and digits; `compat`
//! knows it by its address.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// The makers of Mistral.
pub(in crate::catalog::vendors) const MISTRAL: Vendor = Vendor {
    id: "mistral",
    name: "Mistral",
    api: ApiName::OpenaiCompletions,
    base_url: "https://api.mistral.ai/v1",
    sign_in: SignIn::Key,
    variables: &["MISTRAL_API_KEY"],
    offers: Offers::Relatives,
    first_model: Some("mistral-large-latest"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("codestral-latest", "Codestral", 256_000, 4_096).costs(0.3, 0.9, 0.0, 0.0),
    model("devstral-2512", "Devstral 2", 262_144, 262_144).costs(0.4, 2.0, 0.0, 0.0),
    model("devstral-medium-2507", "Devstral Medium", 128_000, 128_000).costs(0.4, 2.0, 0.0, 0.0),
    model("devstral-medium-latest", "Devstral 2", 262_144, 262_144).costs(0.4, 2.0, 0.0, 0.0),
    model("devstral-small-2505", "Devstral Small 2505", 128_000, 128_000).costs(0.1, 0.3, 0.0, 0.0),
    model("devstral-small-2507", "Devstral Small", 128_000, 128_000).costs(0.1, 0.3, 0.0, 0.0),
    model("labs-devstral-small-2512", "Devstral Small 2", 256_000, 256_000).sees().free(),
    model("magistral-medium-latest", "Magistral Medium", 128_000, 16_384).thinks_freely().costs(2.0, 5.0, 0.0, 0.0),
    model("magistral-small", "Magistral Small", 128_000, 128_000).thinks_freely().costs(0.5, 1.5, 0.0, 0.0),
    model("ministral-3b-latest", "Ministral 3B", 128_000, 128_000).costs(0.04, 0.04, 0.0, 0.0),
    model("ministral-8b-latest", "Ministral 8B", 128_000, 128_000).costs(0.1, 0.1, 0.0, 0.0),
    model("mistral-large-2411", "Mistral Large 2.1", 131_072, 16_384).costs(2.0, 6.0, 0.0, 0.0),
    model("mistral-large-2512", "Mistral Large 3", 262_144, 262_144).sees().costs(0.5, 1.5, 0.0, 0.0),
    model("mistral-large-latest", "Mistral Large", 262_144, 262_144).sees().costs(0.5, 1.5, 0.0, 0.0),
    model("mistral-medium-2505", "Mistral Medium 3", 131_072, 131_072).sees().costs(0.4, 2.0, 0.0, 0.0),
    model("mistral-medium-2508", "Mistral Medium 3.1", 262_144, 262_144).sees().costs(0.4, 2.0, 0.0, 0.0),
    model("mistral-medium-latest", "Mistral Medium", 128_000, 16_384).sees().costs(0.4, 2.0, 0.0, 0.0),
    model("mistral-nemo", "Mistral Nemo", 128_000, 128_000).costs(0.15, 0.15, 0.0, 0.0),
    model("mistral-small-2506", "Mistral Small 3.2", 128_000, 16_384).sees().costs(0.1, 0.3, 0.0, 0.0),
    model("mistral-small-latest", "Mistral Small", 128_000, 16_384).sees().costs(0.1, 0.3, 0.0, 0.0),
    model("open-mistral-7b", "Mistral 7B", 8_000, 8_000).costs(0.25, 0.25, 0.0, 0.0),
    model("open-mixtral-8x22b", "Mixtral 8x22B", 64_000, 64_000).costs(2.0, 6.0, 0.0, 0.0),
    model("open-mixtral-8x7b", "Mixtral 8x7B", 32_000, 32_000).costs(0.7, 0.7, 0.0, 0.0),
    model("pixtral-12b", "Pixtral 12B", 128_000, 128_000).sees().costs(0.15, 0.15, 0.0, 0.0),
    model("pixtral-large-latest", "Pixtral Large", 128_000, 128_000).sees().costs(2.0, 6.0, 0.0, 0.0),
];
