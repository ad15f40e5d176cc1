//! What people can see of failover: how credentials fare, and the switches of late.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use openclaw_ports::model::FaultReason;
use openclaw_ports::stores::HealthRecord;
use openclaw_types::{AgentId, UnixMillis};
use tokio::sync::broadcast;

use super::call::TriedModel;

/// How many switches are remembered; the oldest go first.
const REMEMBERED: usize = 64;

/// The state of failover.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelsStatus {
    /// How credentials fare, as a whole and with single models. Moments in the past mean nothing any more.
    pub health: Vec<HealthRecord>,
    /// The last switches, oldest first.
    pub switches: Vec<SwitchRecord>,
}

/// One switch from something that failed to something else.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchRecord {
    /// When.
    pub at: UnixMillis,
    /// For whom.
    pub agent: AgentId,
    /// In which session.
    pub session: Option<String>,
    /// What failed.
    pub from: TriedModel,
    /// What was tried instead.
    pub to: TriedModel,
    /// Why.
    pub reason: FaultReason,
    /// The same for people.
    pub message: String,
}

/// Remembers the last switches and tells them to whoever listens.
#[derive(Debug)]
pub(super) struct Switches {
    ring: Mutex<VecDeque<SwitchRecord>>,
    listeners: broadcast::Sender<SwitchRecord>,
}

impl Default for Switches {
    fn default() -> Self {
        Self { ring: Mutex::default(), listeners: broadcast::Sender::new(REMEMBERED) }
    }
}

impl Switches {
    pub(super) fn add(&self, record: SwitchRecord) {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        // Told under the lock, so that everybody hears switches in the order they are listed in.
        if self.listeners.receiver_count() > 0 && self.listeners.send(record.clone()).is_err() {
            tracing::debug!(subsystem = "models", "the last listener to switches just left");
        }
        if ring.len() >= REMEMBERED {
            ring.pop_front();
        }
        ring.push_back(record);
    }

    pub(super) fn subscribe(&self) -> broadcast::Receiver<SwitchRecord> {
        self.listeners.subscribe()
    }

    pub(super) fn list(&self) -> Vec<SwitchRecord> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
