//! Everybody who is connected, and the one way to tell all of them something.
//!
//! `seq` is one counter for the whole process and moves only while somebody is connected; giving it out and queueing
//! the event happen under one lock, so every client sees rising numbers. An event is serialised once and shared.
//! Events for selected connections carry no `seq`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_protocol::{
    Close, Dialect, EventSpec, EventStamp, EventText, StateVersion, WhenSlow, find_event,
};
use openclaw_types::{ConnectionId, DeviceId};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::connection::{Client, Leftovers, Pace, Pushed};
use crate::http::Meters;

/// Something to tell clients.
#[derive(Debug)]
pub(crate) struct Announcement {
    /// The event with its payload as text.
    pub(crate) event: EventText,
    /// The same event for clients of protocol 4, where they are told more.
    pub(crate) newer: Option<EventText>,
    /// The state counters, for `presence` and `health`.
    pub(crate) state_version: Option<StateVersion>,
    /// Whether a client that lags behind may miss it.
    pub(crate) missing: Missing,
}

/// Whether a client that lags behind may miss an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// As the protocol's table says.
    ByTable,
    /// It may: the next one says all of it again.
    Allowed,
}

impl Announcement {
    /// An event that is the same for everybody.
    pub(crate) fn of(event: EventText) -> Self {
        Self { event, newer: None, state_version: None, missing: Missing::ByTable }
    }
}

/// The connected clients.
#[derive(Debug)]
pub(crate) struct Roster {
    meters: Arc<Meters>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seq: u64,
    clients: Vec<Arc<Client>>,
}

impl Roster {
    /// Nobody is connected yet.
    pub(crate) fn new(meters: Arc<Meters>) -> Self {
        Self { meters, state: Mutex::default() }
    }

    /// Adds a client; it sees every event from now on.
    pub(crate) fn join(&self, client: Arc<Client>) {
        self.state().clients.push(client);
    }

    /// Removes a client.
    pub(crate) fn leave(&self, id: &ConnectionId) {
        self.state().clients.retain(|client| client.id != *id);
    }

    /// How many clients are connected.
    pub(crate) fn len(&self) -> usize {
        self.state().clients.len()
    }

    /// Whether somebody is connected who speaks protocol 4.
    pub(crate) fn has_newer(&self) -> bool {
        self.state().clients.iter().any(|client| client.dialect == Dialect::V4)
    }

    /// Whether somebody is connected for whom this holds.
    pub(crate) fn any(&self, holds: impl Fn(&Client) -> bool) -> bool {
        self.state().clients.iter().any(|client| holds(client))
    }

    /// Tells everybody who may know. Does nothing while nobody is connected.
    pub(crate) fn broadcast(&self, announcement: &Announcement) {
        let mut state = self.state();
        if state.clients.is_empty() {
            return;
        }
        state.seq += 1;
        let stamp = EventStamp { seq: Some(state.seq), state_version: announcement.state_version };
        let Some(outgoing) = Outgoing::new(announcement, stamp) else { return };
        for client in &state.clients {
            self.push(client, &outgoing);
        }
    }

    /// Tells selected connections, without a `seq`.
    pub(crate) fn send_to(&self, targets: &[ConnectionId], announcement: &Announcement) {
        let stamp = EventStamp { seq: None, state_version: announcement.state_version };
        let Some(outgoing) = Outgoing::new(announcement, stamp) else { return };
        let state = self.state();
        for client in state.clients.iter().filter(|client| targets.contains(&client.id)) {
            self.push(client, &outgoing);
        }
    }

    /// Tells those who speak protocol 4, without a `seq`.
    pub(crate) fn send_newer(&self, announcement: &Announcement) {
        let stamp = EventStamp { seq: None, state_version: announcement.state_version };
        let Some(outgoing) = Outgoing::new(announcement, stamp) else { return };
        let state = self.state();
        for client in state.clients.iter().filter(|client| client.dialect == Dialect::V4) {
            self.push(client, &outgoing);
        }
    }

    /// Ends every connection, after what waits has been written.
    pub(crate) fn end_all(&self, close: &Close) {
        for client in &self.state().clients {
            client.outbound.end(close.clone(), Leftovers::Write);
        }
    }

    /// Ends the connections of one device that `chosen` picks; says how many.
    pub(crate) fn end_device(
        &self,
        device: &DeviceId,
        close: &Close,
        chosen: impl Fn(&Client) -> bool,
    ) -> usize {
        let state = self.state();
        let of_device = state
            .clients
            .iter()
            .filter(|client| client.principal.device.as_ref() == Some(device) && chosen(client));
        of_device.map(|client| client.leave_when_answered(close.clone())).count()
    }

    fn push(&self, client: &Client, outgoing: &Outgoing) {
        let principal = &client.principal;
        if !outgoing.spec.reaches(client.dialect, principal.role, &principal.scopes) {
            return;
        }
        match client.outbound.event(outgoing.text(client.dialect), outgoing.pace) {
            Pushed::Queued => self.meters.events_sent.add(1),
            Pushed::Dropped => self.meters.events_dropped.add(1),
            Pushed::SlowConsumer => {
                self.meters.slow_consumers.add(1);
                tracing::warn!(connection = %client.id, "a client does not read its events; closing it");
            }
            Pushed::Closed => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event ready to be queued: its text and its row in the protocol's table.
struct Outgoing {
    spec: &'static EventSpec,
    text: Utf8Bytes,
    newer: Option<Utf8Bytes>,
    pace: Pace,
}

impl Outgoing {
    fn new(announcement: &Announcement, stamp: EventStamp) -> Option<Self> {
        let event = &announcement.event;
        let Some(spec) = find_event(event.name()) else {
            tracing::error!(
                event = event.name(),
                "an event without a row in the protocol's table is not sent"
            );
            return None;
        };
        let framed = |event: &EventText| match event.frame(stamp) {
            Ok(text) => Some(Utf8Bytes::from(text)),
            Err(error) => {
                tracing::error!(%error, event = event.name(), "an event could not be written");
                None
            }
        };
        let newer = match &announcement.newer {
            Some(newer) => Some(framed(newer)?),
            None => None,
        };
        Some(Self { spec, text: framed(event)?, newer, pace: pace(spec, announcement.missing) })
    }

    fn text(&self, dialect: Dialect) -> Utf8Bytes {
        match (dialect, &self.newer) {
            (Dialect::V4, Some(newer)) => newer.clone(),
            _ => self.text.clone(),
        }
    }
}

fn pace(spec: &EventSpec, missing: Missing) -> Pace {
    match (spec.when_slow, missing) {
        (WhenSlow::Drop, _) | (_, Missing::Allowed) => Pace::Droppable,
        (WhenSlow::DropDeltas | WhenSlow::Disconnect, Missing::ByTable) => Pace::Required,
    }
}
