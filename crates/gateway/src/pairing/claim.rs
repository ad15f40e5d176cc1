//! What a device that has proved its key asks for.
//!
//! Built by `handshake` from a verified connect; nothing in it is believed before the registry has decided.

use std::net::IpAddr;

use openclaw_types::{DeviceId, Role, ScopeSet};

/// A device with a proven key, and what it wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceClaim {
    /// Names the device.
    pub(crate) device_id: DeviceId,
    /// Its raw key, base64url without padding.
    pub(crate) public_key: String,
    /// The role it wants to play.
    pub(crate) role: Role,
    /// The scopes it asks for; empty for nodes.
    pub(crate) scopes: ScopeSet,
    /// The name its owner gave it.
    pub(crate) display_name: Option<String>,
    /// Its operating system.
    pub(crate) platform: Option<String>,
    /// Its hardware family.
    pub(crate) device_family: Option<String>,
    /// The program that connects.
    pub(crate) client_id: String,
    /// The way that program runs.
    pub(crate) client_mode: String,
    /// Where it connects from, when that is known and not this machine.
    pub(crate) remote_ip: Option<IpAddr>,
}
