//! Stage: puts the gateway together and lets it listen.

use std::sync::Arc;

use openclaw_config::LiveConfig;
use openclaw_gateway::{Gateway, GatewayLimits, GatewayParts, Host, ListenPlan, ModelServices};
use openclaw_ports::{Clock, TaskScope};
use openclaw_session::GatedStore;
use openclaw_stores::sqlite::StateDatabase;

use crate::agents::AgentRuntime;
use crate::models::ModelRuntime;

/// What earlier stages made.
pub(crate) struct ListenStageParts<'a> {
    pub(crate) config: &'a LiveConfig,
    pub(crate) store: &'a Arc<StateDatabase>,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) tasks: &'a TaskScope,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) models: &'a ModelRuntime,
    pub(crate) agents: &'a AgentRuntime,
}

/// Starts the gateway.
///
/// # Errors
/// Why it cannot listen, and what to do about it.
pub(crate) async fn start(parts: ListenStageParts<'_>, version: &str) -> anyhow::Result<Gateway> {
    let models = parts.models.services();
    let ledger = GatedStore::new(parts.agents.import_gate.clone(), models.ledger);
    let plan = ListenPlan::of(&parts.config.current().gateway);
    let gateway = GatewayParts {
        config: parts.config.clone(),
        devices: parts.store.clone(),
        audit: parts.store.clone(),
        clock: Arc::clone(parts.clock),
        tasks: parts.tasks.child("gateway"),
        host: parts.host,
        version: version.to_owned(),
        limits: GatewayLimits::default(),
        models: Some(ModelServices { ledger: Arc::new(ledger), ..models }),
        agents: Some(parts.agents.services()),
    };
    Ok(openclaw_gateway::start(gateway, plan).await?)
}
