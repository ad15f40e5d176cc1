//! NVIDIA, which runs its own and other open models for trial.
//!
//! It runs many more than are listed here. Trials cost nothing: they are counted in credits.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor, VendorModel, model};

/// Open models on NVIDIA.
pub(in crate::catalog::vendors) const NVIDIA: Vendor = Vendor {
    id: "nvidia",
    name: "NVIDIA",
    api: ApiName::OpenaiCompletions,
    base_url: "https://integrate.api.nvidia.com/v1",
    sign_in: SignIn::Key,
    variables: &["NVIDIA_API_KEY"],
    offers: Offers::Anything,
    first_model: Some("nvidia/llama-3.1-nemotron-70b-instruct"),
    quirks: &[],
    models: MODELS,
};

#[rustfmt::skip]
const MODELS: &[VendorModel] = &[
    model("nvidia/llama-3.1-nemotron-70b-instruct", "NVIDIA Llama 3.1 Nemotron 70B Instruct", 131_072, 4_096).free(),
    model("meta/llama-3.3-70b-instruct", "Meta Llama 3.3 70B Instruct", 131_072, 4_096).free(),
    model("nvidia/mistral-nemo-minitron-8b-8k-instruct", "NVIDIA Mistral NeMo Minitron 8B Instruct", 8_192, 2_048).free(),
];
