//! Passes on to clients that a model or a sign-in failed and another one was tried instead.

use std::sync::Arc;

use openclaw_protocol::events::ModelsSwitchPayload;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::context::GatewayContext;

/// Tells clients every switch. Ends with the gateway's tasks, or when no more switches can come.
pub(crate) fn follow(context: &Arc<GatewayContext>, mut switches: broadcast::Receiver<ModelsSwitchPayload>) {
    let context = context.clone();
    context.clone().tasks.start_cancellable("model switches", async move {
        loop {
            match switches.recv().await {
                Ok(switch) => context.roster.announce_switch(&switch),
                Err(RecvError::Lagged(count)) => {
                    tracing::warn!(
                        subsystem = "models",
                        "clients did not hear of {count} switches of models"
                    );
                }
                Err(RecvError::Closed) => return,
            }
        }
    });
}
