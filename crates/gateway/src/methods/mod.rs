//! What each method does, one file for each family.
//!
//! `registry` binds handlers to the protocol's table; `outcome` is what they give back; `idempotency` keeps repeated
//! requests from having two effects. Rights are checked before a handler runs, so handlers do not ask again.

mod agents;
mod approvals;
mod channels;
mod chat;
mod config;
mod devices;
mod health;
mod heartbeat;
mod idempotency;
mod logs;
mod models;
mod nodes;
mod outcome;
mod registry;
mod run;
mod secrets;
mod sessions;
mod status;
mod system;
mod usage;

use std::sync::Arc;

pub use agents::{AgentRemoval, AgentServices};
pub use config::{RestartNote, changed_paths, leave_restart_note};
pub(crate) use health::{
    HealthBoard, REFRESH_EVERY as HEALTH_REFRESH_EVERY, refresh as refresh_health,
    refresh_soon as refresh_health_soon,
};
pub(crate) use heartbeat::Heartbeats;
pub(crate) use idempotency::IdempotencyCache;
pub use models::ModelServices;
pub(crate) use outcome::{JsonPayload, MethodOutcome};
pub(crate) use registry::{Binding, Call, Registry, Work};
pub use run::agent_outcome;

impl Registry {
    /// Every method this gateway has. Those about models and money need somebody who knows, those about chats, runs,
    /// sessions and agents somebody who answers.
    pub(crate) fn complete(models: Option<Arc<ModelServices>>, agents: Option<&Arc<AgentServices>>) -> Self {
        let mut registry = Self::default();
        health::bind(&mut registry);
        status::bind(&mut registry);
        system::bind(&mut registry);
        heartbeat::bind(&mut registry);
        logs::bind(&mut registry);
        config::bind(&mut registry);
        devices::bind(&mut registry);
        secrets::bind(&mut registry);
        if let Some(services) = models {
            models::bind(&mut registry, &services);
            usage::bind(&mut registry, &services, agents);
        }
        if let Some(services) = agents {
            chat::bind(&mut registry, services);
            run::bind(&mut registry, services);
            sessions::bind(&mut registry, services);
            agents::bind(&mut registry, services);
            approvals::bind(&mut registry, services);
            channels::bind(&mut registry, services);
            nodes::bind(&mut registry, services);
        }
        registry
    }
}

#[cfg(test)]
mod tests;
