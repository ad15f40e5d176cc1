//! What the process does for the gateway inside it: restart when a method asks for it, read secrets anew.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_config::Offered;
use openclaw_flow::Flow;
use openclaw_gateway::{Host, HostFault, RestartRequest};
use openclaw_protocol::methods::config::RestartPlan;

use crate::models::ModelRuntime;
use crate::reload::Reload;
use crate::restart::RestartLine;
use crate::stages::channels;

/// The process around the gateway.
pub(crate) struct ProcessHost {
    pub(crate) restarts: Arc<RestartLine>,
    pub(crate) reload: Arc<Reload>,
    pub(crate) models: Arc<ModelRuntime>,
    pub(crate) flow: Flow,
}

#[async_trait]
impl Host for ProcessHost {
    fn request_restart(&self, request: RestartRequest) -> RestartPlan {
        self.restarts.request(request)
    }

    async fn reload_if_changed(&self) {
        self.reload.reload_if_changed().await;
    }

    async fn reload_secrets(&self) -> Result<u64, HostFault> {
        self.models.credentials.reload();
        let reload = Arc::clone(&self.reload);
        let offered = tokio::task::spawn_blocking(move || reload.read_again())
            .await
            .map_err(|error| HostFault(format!("reading the configuration was cut off: {error}")))?;
        match offered {
            Offered::Unchanged | Offered::Off | Offered::Taken(_) => {
                // A token may stand in a file of its own, which changes without the configuration.
                channels::apply(&self.flow).await;
                Ok(self.reload.secret_warnings())
            }
            Offered::Refused { issues } => Err(HostFault(format!(
                "the configuration has {} problem(s), so the old secrets stay in use; `openclaw config validate` lists them",
                issues.len()
            ))),
        }
    }
}
