//! Orders about devices from a person: approve, reject, remove, rotate, revoke.
//!
//! Each order carries the principal that gives it. Nobody can approve or mint more than they may do themselves, and
//! nobody can mint for a device more than was approved for it. What an order makes invalid is told back as `Affected`,
//! so that the server can end the sockets concerned.

use openclaw_ports::stores::{DeviceChange, PairedDevice};
use openclaw_types::{DeviceId, PairingRequestId, Role, Scope, ScopeSet, UnixMillis};
use serde_json::json;

use super::registry::{DeviceRegistry, resolved};
use super::request::admitted;
use super::token::{IssuedToken, mint};
use super::{PairingDecision, PairingEvent, PairingRefusal};
use crate::auth::Principal;

/// A device that lost something; its sockets should end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Affected {
    /// The device.
    pub(crate) device_id: DeviceId,
    /// The role that is no longer good; all of them when `None`.
    pub(crate) role: Option<Role>,
}

/// An approved request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApprovedDevice {
    /// The device as it stands now.
    pub(crate) device: PairedDevice,
    /// What to tell the others.
    pub(crate) event: PairingEvent,
}

/// A rejected request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RejectedRequest {
    /// The device that had asked.
    pub(crate) device_id: DeviceId,
    /// What to tell the others.
    pub(crate) event: PairingEvent,
}

/// Which token to replace, and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenRequest {
    /// The device.
    pub(crate) device_id: DeviceId,
    /// The role the token is for.
    pub(crate) role: Role,
    /// What the new token should allow; what the old one allowed when `None`.
    pub(crate) scopes: Option<ScopeSet>,
}

/// A replaced token. The old one is no longer good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RotatedToken {
    /// The new token.
    pub(crate) issued: IssuedToken,
}

/// A token that was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RevokedToken {
    /// When.
    pub(crate) revoked_at: UnixMillis,
    /// Whose sockets should end.
    pub(crate) affected: Affected,
}

impl DeviceRegistry {
    /// Admits the device of a waiting request.
    ///
    /// # Errors
    /// The request is unknown or expired, asks for more than the caller has, or cannot be stored.
    pub(crate) async fn approve(
        &self,
        caller: &Principal,
        id: &PairingRequestId,
    ) -> Result<ApprovedDevice, PairingRefusal> {
        require(caller, Scope::Pairing)?;
        let now = self.clock.now();
        let mut devices = self.lock().await;
        let request = devices.live_request(id, now).ok_or(PairingRefusal::UnknownRequest)?.clone();
        require_all(caller, &request.scopes)?;
        let existing = devices.paired.get(&request.device_id);
        let role = request.role.unwrap_or(Role::Operator);
        let scopes = if role == Role::Node { ScopeSet::none() } else { request.scopes.clone() };
        let fresh = mint(existing.and_then(|device| device.tokens.get(&role)), scopes, now)?;
        let device = admitted(existing, &request, fresh, now);
        let changes = vec![DeviceChange::DropPending(id.clone()), DeviceChange::PutPaired(device.clone())];
        self.write(&mut devices, changes, now).await?;
        let detail = json!({"requestId": id, "roles": request.roles, "scopes": request.scopes});
        self.record(&caller.actor(), "device.pair.approve", &request.device_id, detail).await;
        Ok(ApprovedDevice { device, event: resolved(&request, PairingDecision::Approved, now) })
    }

    /// Turns a waiting request down.
    ///
    /// # Errors
    /// The request is unknown or expired, or the decision cannot be stored.
    pub(crate) async fn reject(
        &self,
        caller: &Principal,
        id: &PairingRequestId,
    ) -> Result<RejectedRequest, PairingRefusal> {
        require(caller, Scope::Pairing)?;
        let now = self.clock.now();
        let mut devices = self.lock().await;
        let request = devices.live_request(id, now).ok_or(PairingRefusal::UnknownRequest)?.clone();
        self.write(&mut devices, vec![DeviceChange::DropPending(id.clone())], now).await?;
        self.record(&caller.actor(), "device.pair.reject", &request.device_id, json!({"requestId": id}))
            .await;
        let event = resolved(&request, PairingDecision::Rejected, now);
        Ok(RejectedRequest { device_id: request.device_id, event })
    }

    /// Forgets a device and all its tokens.
    ///
    /// # Errors
    /// The device is unknown, or the decision cannot be stored.
    pub(crate) async fn remove(
        &self,
        caller: &Principal,
        device: &DeviceId,
    ) -> Result<Affected, PairingRefusal> {
        require(caller, Scope::Pairing)?;
        let now = self.clock.now();
        let mut devices = self.lock().await;
        if !devices.paired.contains_key(device) {
            return Err(PairingRefusal::UnknownDevice);
        }
        self.write(&mut devices, vec![DeviceChange::DropPaired(device.clone())], now).await?;
        self.record(&caller.actor(), "device.pair.remove", device, json!({})).await;
        Ok(Affected { device_id: device.clone(), role: None })
    }

    /// Replaces a device's token.
    ///
    /// # Errors
    /// The device is not paired in that role, the scopes go beyond what was approved or beyond the caller's, or the
    /// new token cannot be stored.
    pub(crate) async fn rotate(
        &self,
        caller: &Principal,
        wanted: TokenRequest,
    ) -> Result<RotatedToken, PairingRefusal> {
        require(caller, Scope::Pairing)?;
        let now = self.clock.now();
        let mut devices = self.lock().await;
        let device =
            devices.paired.get(&wanted.device_id).filter(|device| device.roles.contains(&wanted.role));
        let mut device = device.ok_or(PairingRefusal::UnknownDeviceOrRole)?.clone();
        let previous = device.tokens.get(&wanted.role);
        let scopes = match (wanted.role, wanted.scopes) {
            (Role::Operator, None) => {
                previous.map_or_else(|| device.approved_scopes.clone(), |old| old.scopes.clone())
            }
            (Role::Node, None) => ScopeSet::none(),
            (_, Some(scopes)) => scopes,
        };
        let approved =
            if wanted.role == Role::Node { ScopeSet::none() } else { device.approved_scopes.clone() };
        if let Some(scope) = scopes.iter().find(|scope| !approved.covers(*scope)) {
            return Err(PairingRefusal::NotApproved { scope });
        }
        require_all(caller, &scopes)?;
        let mut token = mint(previous, scopes.clone(), now)?;
        token.rotated_at = Some(now);
        let issued = IssuedToken::of(wanted.role, &token);
        device.tokens.insert(wanted.role, token);
        self.write(&mut devices, vec![DeviceChange::PutPaired(device)], now).await?;
        let detail = json!({"role": wanted.role, "scopes": scopes});
        self.record(&caller.actor(), "device.token.rotate", &wanted.device_id, detail).await;
        Ok(RotatedToken { issued })
    }

    /// Takes a device's token back.
    ///
    /// # Errors
    /// The device has no token for that role, or the decision cannot be stored.
    pub(crate) async fn revoke(
        &self,
        caller: &Principal,
        device_id: &DeviceId,
        role: Role,
    ) -> Result<RevokedToken, PairingRefusal> {
        require(caller, Scope::Pairing)?;
        let now = self.clock.now();
        let mut devices = self.lock().await;
        let mut device = devices.paired.get(device_id).ok_or(PairingRefusal::UnknownDeviceOrRole)?.clone();
        device.tokens.get_mut(&role).ok_or(PairingRefusal::UnknownDeviceOrRole)?.revoked_at = Some(now);
        self.write(&mut devices, vec![DeviceChange::PutPaired(device)], now).await?;
        self.record(&caller.actor(), "device.token.revoke", device_id, json!({"role": role})).await;
        Ok(RevokedToken {
            revoked_at: now,
            affected: Affected { device_id: device_id.clone(), role: Some(role) },
        })
    }
}

fn require(caller: &Principal, scope: Scope) -> Result<(), PairingRefusal> {
    if caller.may(scope) { Ok(()) } else { Err(PairingRefusal::CallerLacks { scope }) }
}

fn require_all(caller: &Principal, scopes: &ScopeSet) -> Result<(), PairingRefusal> {
    scopes.iter().try_for_each(|scope| require(caller, scope))
}
