//! Paired devices, their tokens, and requests that wait for approval.
//!
//! The gateway decides; this store remembers. All changes of one decision go in one `apply`, so that approving a
//! request and admitting its device can never come apart.

use std::collections::BTreeMap;

use async_trait::async_trait;
use openclaw_types::{DeviceId, PairingRequestId, Role, ScopeSet, Secret, UnixMillis};

use super::StoreError;

/// Keeps devices across restarts.
#[async_trait]
pub trait DeviceStore: Send + Sync {
    /// Reads everything, requests ordered by request id and devices by device id: called once, at start.
    async fn load(&self) -> Result<DeviceRecords, StoreError>;

    /// Makes all changes or none, and returns when they are durable.
    async fn apply(&self, changes: Vec<DeviceChange>) -> Result<(), StoreError>;
}

/// Everything the store knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceRecords {
    /// Requests that wait for a person.
    pub pending: Vec<PendingDevice>,
    /// Admitted devices.
    pub paired: Vec<PairedDevice>,
}

/// One change of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceChange {
    /// Adds or replaces a request.
    PutPending(PendingDevice),
    /// Forgets a request; nothing happens when it is not there.
    DropPending(PairingRequestId),
    /// Adds or replaces a device.
    PutPaired(PairedDevice),
    /// Forgets a device; nothing happens when it is not there.
    DropPaired(DeviceId),
}

/// A device that asked to be admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingDevice {
    /// Names the request.
    pub request_id: PairingRequestId,
    /// The device that asked.
    pub device_id: DeviceId,
    /// Its raw Ed25519 key, base64url without padding.
    pub public_key: String,
    /// The name its owner gave it.
    pub display_name: Option<String>,
    /// Its operating system.
    pub platform: Option<String>,
    /// Its hardware family.
    pub device_family: Option<String>,
    /// The program that connected.
    pub client_id: Option<String>,
    /// The way that program was run.
    pub client_mode: Option<String>,
    /// The role of the latest attempt.
    pub role: Option<Role>,
    /// Every role asked for so far.
    pub roles: Vec<Role>,
    /// Every scope asked for so far.
    pub scopes: ScopeSet,
    /// Where it connected from.
    pub remote_ip: Option<String>,
    /// Whether no person needs to be bothered about it.
    pub silent: bool,
    /// Whether the device was known before.
    pub is_repair: bool,
    /// When it last asked.
    pub requested_at: UnixMillis,
}

/// A device that was admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedDevice {
    /// Names the device.
    pub device_id: DeviceId,
    /// Its raw Ed25519 key, base64url without padding.
    pub public_key: String,
    /// The name its owner gave it.
    pub display_name: Option<String>,
    /// Its operating system, pinned when it was admitted.
    pub platform: Option<String>,
    /// Its hardware family, pinned when it was admitted.
    pub device_family: Option<String>,
    /// The program that connected last.
    pub client_id: Option<String>,
    /// The way that program was run.
    pub client_mode: Option<String>,
    /// The role of the latest approval.
    pub role: Role,
    /// Every role it was admitted in.
    pub roles: Vec<Role>,
    /// Every scope a person, or the local rule, approved.
    pub approved_scopes: ScopeSet,
    /// Where it last connected from.
    pub remote_ip: Option<String>,
    /// One token for each role.
    pub tokens: BTreeMap<Role, DeviceToken>,
    /// When it first paired.
    pub created_at: UnixMillis,
    /// When it was last approved.
    pub approved_at: UnixMillis,
}

/// What a device shows instead of the shared secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceToken {
    /// The token itself; sealed at rest.
    pub token: Secret<String>,
    /// What it allows.
    pub scopes: ScopeSet,
    /// When it was first made.
    pub created_at: UnixMillis,
    /// When it was last replaced.
    pub rotated_at: Option<UnixMillis>,
    /// When it was taken back.
    pub revoked_at: Option<UnixMillis>,
    /// When it was last shown to us.
    pub last_used_at: Option<UnixMillis>,
}
