//! Azure, which runs models of OpenAI inside a customer's resource.
//!
//! A model is called by the name of its deployment, which people choose; the listed names are the usual ones. The
//! resource comes from the environment; `catalog::places` fills it in.
//! Data alone: `catalog::assemble` makes facts of it.

use openclaw_ports::model::{ApiName, SignIn};

use crate::catalog::vendor::{Offers, Vendor};
use crate::catalog::vendors::labs::openai::OPENAI;

/// Models of OpenAI inside Azure.
pub(in crate::catalog::vendors) const AZURE_OPENAI: Vendor = Vendor {
    id: "azure-openai",
    name: "Azure OpenAI",
    api: ApiName::OpenaiResponses,
    base_url: "https://{resource}.openai.azure.com/openai/v1",
    sign_in: SignIn::Key,
    variables: &["AZURE_OPENAI_API_KEY"],
    offers: Offers::OwnModels,
    first_model: Some("gpt-5.2"),
    quirks: &[],
    models: OPENAI.models,
};
