//! Why a person's order about devices was not carried out.
//!
//! The texts go to clients as they are; the first three are the ones original clients know.

use openclaw_ports::stores::StoreError;
use openclaw_types::Scope;

/// An order about devices that was refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PairingRefusal {
    /// No such request waits; it may have expired.
    #[error("unknown requestId")]
    UnknownRequest,
    /// No such device is paired.
    #[error("unknown deviceId")]
    UnknownDevice,
    /// No such device is paired in that role.
    #[error("unknown deviceId/role")]
    UnknownDeviceOrRole,
    /// The device was never approved for this scope.
    #[error("scope not approved for this device: {scope}")]
    NotApproved {
        /// The scope in question.
        scope: Scope,
    },
    /// The caller would give what it does not have.
    #[error("missing scope: {scope}")]
    CallerLacks {
        /// The scope in question.
        scope: Scope,
    },
    /// The decision could not be stored, so it was not made.
    #[error("the devices cannot be changed right now; try again")]
    Store(#[from] StoreError),
}
