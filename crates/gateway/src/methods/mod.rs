//! What each method does, one file for each family.
//!
//! `registry` binds handlers to the protocol's table; `outcome` is what they give back; `idempotency` keeps repeated
//! requests from having two effects. Rights are checked before a handler runs, so handlers do not ask again.

mod config;
mod devices;
mod health;
mod heartbeat;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the first method with an idempotency key arrives with agent runs")
)]
mod idempotency;
mod logs;
mod models;
mod outcome;
mod registry;
mod secrets;
mod status;
mod system;
mod system_events;
mod usage;

use std::sync::Arc;

pub(crate) use health::{
    HealthBoard, REFRESH_EVERY as HEALTH_REFRESH_EVERY, refresh as refresh_health,
    refresh_soon as refresh_health_soon,
};
pub(crate) use heartbeat::Heartbeats;
pub(crate) use idempotency::IdempotencyCache;
pub use models::ModelServices;
pub(crate) use outcome::{Outcome, Payload};
pub(crate) use registry::{Binding, Call, Registry, Work};
pub(crate) use system_events::SystemEvents;

impl Registry {
    /// Every method this gateway has. Those about models and money need somebody who knows.
    pub(crate) fn complete(models: Option<Arc<ModelServices>>) -> Self {
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
            usage::bind(&mut registry, &services);
        }
        registry
    }
}

#[cfg(test)]
mod tests;
