//! The devices as they stand in memory, equal to what the store holds.
//!
//! Pure. Every change is a `DeviceChange`, so that memory and store go through the same list. A connect can be cut off
//! while its change is being written; what it was writing is kept and made whole by whoever comes next.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::stores::{DeviceChange, DeviceRecords, PairedDevice, PendingDevice};
use openclaw_types::{DeviceId, PairingRequestId, UnixMillis};

/// How long a request waits for a person.
pub(super) const PENDING_LIFE: Duration = Duration::from_secs(300);

/// All requests and devices.
#[derive(Debug, Default)]
pub(super) struct Devices {
    pub(super) pending: BTreeMap<PairingRequestId, PendingDevice>,
    pub(super) paired: BTreeMap<DeviceId, PairedDevice>,
    /// What is being written right now. Still here when the lock is taken again, the writer was cut off half way.
    in_flight: Vec<DeviceChange>,
    /// What a writer that was cut off may or may not have stored; written again with the next change.
    unconfirmed: Vec<DeviceChange>,
}

impl Devices {
    pub(super) fn from_records(records: DeviceRecords) -> Self {
        Self {
            pending: records
                .pending
                .into_iter()
                .map(|request| (request.request_id.clone(), request))
                .collect(),
            paired: records.paired.into_iter().map(|device| (device.device_id.clone(), device)).collect(),
            ..Self::default()
        }
    }

    /// Takes up what a writer left behind that was cut off: its decision stands.
    pub(super) fn take_up(&mut self) {
        let left = std::mem::take(&mut self.in_flight);
        self.unconfirmed.extend(left.iter().cloned());
        self.apply(left);
    }

    /// Everything the store has to be told with these changes. Changes name whole records, so that telling the store
    /// twice does no harm.
    pub(super) fn begin(&mut self, changes: Vec<DeviceChange>, now: UnixMillis) -> Vec<DeviceChange> {
        let mut all = self.unconfirmed.clone();
        all.extend(self.expiry(now));
        all.extend(changes);
        self.in_flight = all.clone();
        all
    }

    /// The store has taken the changes: they count.
    pub(super) fn commit(&mut self) {
        let changes = std::mem::take(&mut self.in_flight);
        self.unconfirmed.clear();
        self.apply(changes);
    }

    /// The store has refused the changes: they were never made.
    pub(super) fn abandon(&mut self) {
        self.in_flight.clear();
    }

    /// The request that waits for a device, if one still does.
    pub(super) fn pending_of(&self, device: &DeviceId, now: UnixMillis) -> Option<&PendingDevice> {
        self.pending.values().find(|request| request.device_id == *device && !is_expired(request, now))
    }

    /// A request by its name, unless it has expired.
    pub(super) fn live_request(&self, id: &PairingRequestId, now: UnixMillis) -> Option<&PendingDevice> {
        self.pending.get(id).filter(|request| !is_expired(request, now))
    }

    /// Changes that forget expired requests; added to whatever is written next.
    fn expiry(&self, now: UnixMillis) -> Vec<DeviceChange> {
        let expired = self.pending.values().filter(|request| is_expired(request, now));
        expired.map(|request| DeviceChange::DropPending(request.request_id.clone())).collect()
    }

    fn apply(&mut self, changes: Vec<DeviceChange>) {
        for change in changes {
            match change {
                DeviceChange::PutPending(request) => {
                    self.pending.insert(request.request_id.clone(), request);
                }
                DeviceChange::DropPending(id) => {
                    self.pending.remove(&id);
                }
                DeviceChange::PutPaired(device) => {
                    self.paired.insert(device.device_id.clone(), device);
                }
                DeviceChange::DropPaired(id) => {
                    self.paired.remove(&id);
                }
            }
        }
    }
}

/// Whether a request has waited too long.
pub(super) fn is_expired(request: &PendingDevice, now: UnixMillis) -> bool {
    now.since(request.requested_at) > PENDING_LIFE
}
