//! The model that answers when nothing is set up: one of a server on this machine.
//!
//! Only while no model is chosen and nobody is signed in at the vendor of the default one. It goes away by itself as
//! soon as a person sets something up.

use openclaw_agent::ModelNames;
use openclaw_ports::model::{Credentials as _, ModelCatalog, ProviderOrigin};
use openclaw_types::ModelRef;

use super::ModelDesk;

impl ModelDesk {
    /// Looks whether a model of this machine should answer, and says so when that changes.
    pub async fn choose_stand_in(&self) {
        let chosen = self.stand_in().await;
        let before = self.stand_in.load_full();
        if before.as_deref() == chosen.as_ref() {
            return;
        }
        match &chosen {
            Some(model) => tracing::info!(
                subsystem = "models",
                "no model is set up, so {model} on this machine answers; choose another with `openclaw models set`"
            ),
            None => tracing::info!(subsystem = "models", "the model of this machine no longer stands in"),
        }
        self.stand_in.store(chosen.map(std::sync::Arc::new));
    }

    async fn stand_in(&self) -> Option<ModelRef> {
        let config = (self.settings)().config.clone();
        let catalog = self.catalog();
        let names = ModelNames::new(&config, &catalog);
        if names.configured_primary().is_some() {
            return None;
        }
        let agent = &config.agents.default_agent;
        let usual = names.primary();
        match self.credentials.profiles(agent, usual.provider()).await {
            Ok(profiles) if profiles.is_empty() => local_model(&catalog),
            Ok(_) => None,
            Err(error) => {
                tracing::debug!(subsystem = "models", %error, "sign-ins cannot be listed");
                None
            }
        }
    }
}

/// The first model of the first server that was found.
fn local_model(catalog: &ModelCatalog) -> Option<ModelRef> {
    let found = catalog.providers.values().find(|vendor| vendor.origin == ProviderOrigin::Discovered)?;
    let model = found.models.first()?;
    ModelRef::new(found.id.clone(), &model.id).ok()
}
