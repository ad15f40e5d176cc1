//! `device.pair.*` and `device.token.*`: which devices may connect, and with what token.
//!
//! Only the shapes: who is admitted is decided in the gateway's handshake and by people. Pending devices are also the
//! payload of an event.

use openclaw_types::UnixMillis;

use super::NoParams;
use crate::method::methods;
use crate::shape::{NonEmpty, SecretText, choices, object};

methods! {
    /// Lists devices that wait and devices that are paired.
    DevicePairList = "device.pair.list": NoParams => DevicePairListResult;
    /// Admits a device that waits.
    DevicePairApprove = "device.pair.approve": DevicePairApproveParams => DevicePairApproveResult;
    /// Turns a device away.
    DevicePairReject = "device.pair.reject": DevicePairRejectParams => DevicePairRejectResult;
    /// Forgets a paired device.
    DevicePairRemove = "device.pair.remove": DevicePairRemoveParams => DevicePairRemoveResult;
    /// Gives a device a new token for a role.
    DeviceTokenRotate = "device.token.rotate": DeviceTokenRotateParams => DeviceTokenRotateResult;
    /// Takes a device's token for a role away.
    DeviceTokenRevoke = "device.token.revoke": DeviceTokenRevokeParams => DeviceTokenRevokeResult;
}

choices! {
    /// How a pairing request ended.
    PairingDecision { Approved = "approved", Rejected = "rejected" }
}

object! {
    /// Result of `device.pair.list`.
    open DevicePairListResult {
        pending: Vec<PendingDevice>,
        paired: Vec<PairedDevice>,
    }
    /// A device that waits; also the payload of `device.pair.requested`.
    #[derive(Eq)]
    open PendingDevice {
        request_id: String,
        device_id: String,
        public_key: String,
        display_name?: String,
        platform?: String,
        device_family?: String,
        client_id?: String,
        client_mode?: String,
        role?: String,
        roles?: Vec<String>,
        scopes?: Vec<String>,
        remote_ip?: String,
        silent?: bool,
        /// The device was paired before, with another key or fewer rights.
        is_repair?: bool,
        ts: UnixMillis,
    }
    /// A device that may connect.
    #[derive(Eq)]
    open PairedDevice {
        device_id: String,
        public_key: String,
        display_name?: String,
        platform?: String,
        device_family?: String,
        client_id?: String,
        client_mode?: String,
        role?: String,
        roles?: Vec<String>,
        scopes?: Vec<String>,
        remote_ip?: String,
        tokens?: Vec<DeviceTokenSummary>,
        created_at_ms: UnixMillis,
        approved_at_ms: UnixMillis,
    }
    /// A device token without the token.
    #[derive(Eq)]
    open DeviceTokenSummary {
        role: String,
        scopes: Vec<String>,
        created_at_ms: UnixMillis,
        rotated_at_ms?: UnixMillis,
        revoked_at_ms?: UnixMillis,
        last_used_at_ms?: UnixMillis,
    }
    /// Params of `device.pair.approve`.
    #[derive(Eq)]
    closed DevicePairApproveParams {
        request_id: NonEmpty,
    }
    /// Result of `device.pair.approve`.
    #[derive(Eq)]
    open DevicePairApproveResult {
        request_id: String,
        device: PairedDevice,
    }
    /// Params of `device.pair.reject`.
    #[derive(Eq)]
    closed DevicePairRejectParams {
        request_id: NonEmpty,
    }
    /// Result of `device.pair.reject`.
    #[derive(Eq)]
    open DevicePairRejectResult {
        request_id: String,
        device_id: String,
    }
    /// Params of `device.pair.remove`.
    #[derive(Eq)]
    closed DevicePairRemoveParams {
        device_id: NonEmpty,
    }
    /// Result of `device.pair.remove`.
    #[derive(Eq)]
    open DevicePairRemoveResult {
        device_id: String,
    }
    /// Params of `device.token.rotate`.
    #[derive(Eq)]
    closed DeviceTokenRotateParams {
        device_id: NonEmpty,
        role: NonEmpty,
        /// Must lie within the approved scopes.
        scopes?: Vec<NonEmpty>,
    }
    /// Result of `device.token.rotate`.
    #[derive(Eq)]
    open DeviceTokenRotateResult {
        device_id: String,
        role: String,
        token: SecretText,
        scopes: Vec<String>,
        rotated_at_ms: UnixMillis,
    }
    /// Params of `device.token.revoke`.
    #[derive(Eq)]
    closed DeviceTokenRevokeParams {
        device_id: NonEmpty,
        role: NonEmpty,
    }
    /// Result of `device.token.revoke`.
    #[derive(Eq)]
    open DeviceTokenRevokeResult {
        device_id: String,
        role: String,
        revoked_at_ms: UnixMillis,
    }
}
