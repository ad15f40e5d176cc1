//! Makes switches between models and sign-ins visible: keeps the last ones in the store, and tells each one on.
//!
//! The agent says what it switched; the gateway tells clients, the command line reads the store. Neither sees a secret:
//! a switch names models and sign-ins.

use std::sync::Arc;

use openclaw_agent::{Models, SwitchRecord, TriedModel};
use openclaw_ports::TaskScope;
use openclaw_ports::stores::{StateStore, StoreError};
use openclaw_protocol::events::{ModelTried, ModelsSwitchPayload};
use openclaw_stores::sqlite::StateDatabase;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::ModelRuntime;

/// Where the state store keeps them.
const NAMESPACE: &str = "models";
const KEY: &str = "switches";
/// How many are kept; the oldest go first.
const KEPT: usize = 64;

impl ModelRuntime {
    /// The last switches, oldest first, also those of earlier processes and of a gateway that runs now.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn recent_switches(&self) -> Result<Vec<ModelsSwitchPayload>, StoreError> {
        stored(self.store.as_ref()).await
    }
}

/// Follows the switches of `models` until it is gone or the tasks end. Gives where each is told once it is kept.
pub(super) fn follow(
    models: &Models,
    store: &Arc<StateDatabase>,
    tasks: &TaskScope,
) -> broadcast::Sender<ModelsSwitchPayload> {
    let told = broadcast::Sender::new(KEPT);
    // Nothing here may hold `models`: the end of its switches is what ends the task.
    let (mut switches, store, listeners) = (models.subscribe(), Arc::clone(store), told.clone());
    tasks.start_cancellable("model switches", async move {
        loop {
            let switch = match switches.recv().await {
                Ok(record) => payload(record),
                Err(RecvError::Lagged(count)) => {
                    tracing::warn!(
                        subsystem = "models",
                        "{count} switches of models came too fast to be kept"
                    );
                    continue;
                }
                Err(RecvError::Closed) => return,
            };
            if let Err(error) = keep(store.as_ref(), &switch).await {
                tracing::warn!(subsystem = "models", %error, "a switch of models could not be kept");
            }
            if listeners.receiver_count() > 0 && listeners.send(switch).is_err() {
                tracing::debug!(subsystem = "models", "the last listener to switches just left");
            }
        }
    });
    told
}

async fn keep(store: &dyn StateStore, switch: &ModelsSwitchPayload) -> Result<(), StoreError> {
    let mut switches = stored(store).await?;
    switches.push(switch.clone());
    let surplus = switches.len().saturating_sub(KEPT);
    store.put(NAMESPACE, KEY, json!(switches.split_off(surplus))).await
}

/// What is kept. Entries that cannot be read any more are left out: they only inform.
async fn stored(store: &dyn StateStore) -> Result<Vec<ModelsSwitchPayload>, StoreError> {
    let Some(Value::Array(entries)) = store.get(NAMESPACE, KEY).await? else { return Ok(Vec::new()) };
    Ok(entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect())
}

fn payload(record: SwitchRecord) -> ModelsSwitchPayload {
    ModelsSwitchPayload {
        ts: record.at,
        agent_id: record.agent.to_string(),
        session_key: record.session,
        from: tried(&record.from),
        to: tried(&record.to),
        reason: record.reason.as_str().to_owned(),
        message: record.message,
    }
}

fn tried(what: &TriedModel) -> ModelTried {
    ModelTried { model: what.model.to_string(), profile: what.profile.as_ref().map(ToString::to_string) }
}

#[cfg(test)]
mod tests;
