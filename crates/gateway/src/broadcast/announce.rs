//! The events the gateway itself sends: presence, health, pairing, switches of models, tick and shutdown.
//!
//! Each function builds one event and hands it to the roster. What happens to slow clients stands in the protocol's
//! table, not here.

use openclaw_ports::stores::PendingDevice as StoredRequest;
use openclaw_protocol::events::{
    Agent, Chat, ConnectChallenge, DevicePairRequested, DevicePairResolved, DevicePairResolvedPayload,
    ExecApprovalRequested, ExecApprovalResolved, Health, ModelsSwitch, ModelsSwitchPayload, Presence,
    PresencePayload, Shutdown, ShutdownPayload, Tick, TickPayload,
};
use openclaw_protocol::methods::devices::{PairingDecision as WireDecision, PendingDevice};
use openclaw_protocol::{EncodeError, Event, EventText, PresenceEntry, StateVersion};
use openclaw_types::{ConnectionId, UnixMillis};
use serde_json::value::RawValue;

use super::roster::{Announcement, Roster};
use crate::pairing::{PairingDecision, PairingEvent};

/// The events of runs and of questions about commands, which come once somebody answers people.
pub(crate) const SENT_WITH_AGENTS: [&str; 4] =
    [Agent::NAME, Chat::NAME, ExecApprovalRequested::NAME, ExecApprovalResolved::NAME];

/// The events every gateway sends.
pub(crate) const SENT: [&str; 8] = [
    ConnectChallenge::NAME,
    Presence::NAME,
    Tick::NAME,
    Shutdown::NAME,
    Health::NAME,
    DevicePairRequested::NAME,
    DevicePairResolved::NAME,
    ModelsSwitch::NAME,
];

impl Roster {
    /// Tells everybody who is here now.
    pub(crate) fn announce_presence(&self, presence: Vec<PresenceEntry>, version: StateVersion) {
        self.announce(Presence::text(&PresencePayload { presence }), Some(version));
    }

    /// Tells everybody how the gateway is, with a payload that is text already.
    pub(crate) fn announce_health(&self, health: &RawValue, version: StateVersion) {
        self.announce(EventText::new(Health::NAME, health), Some(version));
    }

    /// Tells everybody that the gateway is alive.
    pub(crate) fn announce_tick(&self, now: UnixMillis) {
        self.announce(Tick::text(&TickPayload { ts: now }), None);
    }

    /// Gives those who follow sessions a copy of how the gateway is, without a number.
    pub(crate) fn copy_health(&self, to: &[ConnectionId], health: &RawValue) {
        self.copy(to, EventText::new(Health::NAME, health));
    }

    /// Gives those who follow sessions a copy of a tick, without a number.
    pub(super) fn copy_tick(&self, to: &[ConnectionId], now: UnixMillis) {
        self.copy(to, Tick::text(&TickPayload { ts: now }));
    }

    fn copy(&self, to: &[ConnectionId], text: Result<EventText, EncodeError>) {
        if to.is_empty() {
            return;
        }
        match text {
            Ok(event) => self.send_to(to, &Announcement::of(event)),
            Err(error) => tracing::error!(%error, "a copy of an event could not be written"),
        }
    }

    /// Tells that a model or a sign-in failed and another one was tried instead.
    pub(super) fn announce_switch(&self, switch: &ModelsSwitchPayload) {
        self.announce(ModelsSwitch::text(switch), None);
    }

    /// Tells everybody that the gateway goes away, and when it is expected back.
    pub(crate) fn announce_shutdown(&self, reason: &str, back_in_ms: Option<u64>) {
        let payload = ShutdownPayload { reason: reason.to_owned(), restart_expected_ms: back_in_ms };
        self.announce(Shutdown::text(&payload), None);
    }

    /// Tells those who may decide about devices what happened to a request.
    pub(crate) fn announce_pairing(&self, event: &PairingEvent) {
        let text = match event {
            PairingEvent::Requested(request) => DevicePairRequested::text(&pending_device(request)),
            PairingEvent::Resolved { request_id, device_id, decision, at } => {
                DevicePairResolved::text(&DevicePairResolvedPayload {
                    request_id: request_id.to_string(),
                    device_id: device_id.to_string(),
                    decision: match decision {
                        PairingDecision::Approved => WireDecision::Approved,
                        PairingDecision::Rejected => WireDecision::Rejected,
                    },
                    ts: *at,
                })
            }
        };
        self.announce(text, None);
    }

    fn announce(&self, text: Result<EventText, EncodeError>, state_version: Option<StateVersion>) {
        match text {
            Ok(event) => self.broadcast(&Announcement { state_version, ..Announcement::of(event) }),
            Err(error) => tracing::error!(%error, "an event could not be written"),
        }
    }
}

/// A waiting request as clients see it.
pub(crate) fn pending_device(request: &StoredRequest) -> PendingDevice {
    PendingDevice {
        request_id: request.request_id.to_string(),
        device_id: request.device_id.to_string(),
        public_key: request.public_key.clone(),
        display_name: request.display_name.clone(),
        platform: request.platform.clone(),
        device_family: request.device_family.clone(),
        client_id: request.client_id.clone(),
        client_mode: request.client_mode.clone(),
        role: request.role.map(|role| role.to_string()),
        roles: Some(request.roles.iter().map(|role| role.to_string()).collect()),
        scopes: Some(request.scopes.iter().map(|scope| scope.to_string()).collect()),
        remote_ip: request.remote_ip.clone(),
        silent: Some(request.silent),
        is_repair: Some(request.is_repair),
        ts: request.requested_at,
    }
}
