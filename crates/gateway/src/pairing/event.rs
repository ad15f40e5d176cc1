//! What other clients hear about pairing.
//!
//! Plain facts; the server turns them into `device.pair.requested` and `device.pair.resolved` and decides who hears.

use openclaw_ports::stores::PendingDevice;
use openclaw_types::{DeviceId, PairingRequestId, UnixMillis};

/// Something happened to a pairing request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PairingEvent {
    /// A device waits for a person.
    Requested(Box<PendingDevice>),
    /// A request was decided.
    Resolved {
        /// The request.
        request_id: PairingRequestId,
        /// The device that had asked.
        device_id: DeviceId,
        /// What was decided.
        decision: PairingDecision,
        /// When.
        at: UnixMillis,
    },
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairingDecision {
    /// The device is in.
    Approved,
    /// It is not.
    Rejected,
}
