//! `last-heartbeat` and `set-heartbeats`: the switch for all heartbeats and how the last one went.
//!
//! Both live in memory, as in the original: a restart switches heartbeats on again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use openclaw_protocol::methods::AnyParams;
use openclaw_protocol::methods::system::{
    HeartbeatEvent, LastHeartbeat, SetHeartbeats, SetHeartbeatsParams, SetHeartbeatsResult,
};
use openclaw_protocol::{ErrorShape, Yes};

use super::health::refresh_soon;
use super::registry::{Call, Registry};

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry) {
    registry.bind::<LastHeartbeat, _, _>(last_heartbeat);
    registry.bind::<SetHeartbeats, _, _>(set_heartbeats);
}

/// Whether heartbeats happen, and how the last one went.
#[derive(Debug)]
pub(crate) struct Heartbeats {
    enabled: AtomicBool,
    last: Mutex<Option<HeartbeatEvent>>,
}

impl Default for Heartbeats {
    fn default() -> Self {
        Self { enabled: AtomicBool::new(true), last: Mutex::new(None) }
    }
}

impl Heartbeats {
    /// Whether the switch for all heartbeats is on.
    pub(crate) fn are_on(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }
}

async fn last_heartbeat(call: Call, _: AnyParams) -> Result<Option<HeartbeatEvent>, ErrorShape> {
    Ok(call.context.heartbeats.last.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

async fn set_heartbeats(call: Call, params: SetHeartbeatsParams) -> Result<SetHeartbeatsResult, ErrorShape> {
    call.context.heartbeats.enabled.store(params.enabled, Ordering::Relaxed);
    tracing::info!(enabled = params.enabled, actor = call.client.principal.actor(), "heartbeats switched");
    refresh_soon(&call.context);
    Ok(SetHeartbeatsResult { ok: Yes, enabled: params.enabled })
}
