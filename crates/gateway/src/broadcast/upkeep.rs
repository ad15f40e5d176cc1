//! What happens by the clock: ticks, health refreshes, and forgetting old idempotency keys.

use std::sync::Arc;
use std::time::Duration;

use openclaw_protocol::TICK_INTERVAL_MS;

use crate::context::GatewayContext;
use crate::methods::{HEALTH_REFRESH_EVERY, refresh_health};

/// How often old idempotency keys are forgotten.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// Starts the clockwork. It ends with the gateway's tasks.
pub(crate) fn start(context: &Arc<GatewayContext>) {
    every(context, "tick", Duration::from_millis(TICK_INTERVAL_MS), |context| {
        let now = context.clock.now();
        context.roster.announce_tick(now);
        context.roster.copy_tick(&context.runs.subscribers.all(), now);
    });
    let refreshing = context.clone();
    context.tasks.start_cancellable("health", async move {
        loop {
            refreshing.clock.sleep(HEALTH_REFRESH_EVERY).await;
            if let Err(error) = refresh_health(&refreshing).await {
                tracing::error!(%error, "the state of health could not be refreshed");
            }
        }
    });
    every(context, "sweep", SWEEP_EVERY, |context| context.idempotency.sweep());
}

fn every(context: &Arc<GatewayContext>, name: &'static str, span: Duration, work: fn(&GatewayContext)) {
    let context = context.clone();
    context.clone().tasks.start_cancellable(name, async move {
        loop {
            context.clock.sleep(span).await;
            work(&context);
        }
    });
}
