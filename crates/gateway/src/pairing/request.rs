//! Requests for approval: made, widened, and turned into admitted devices.
//!
//! Pure: ids, tokens and time are passed in.

use openclaw_ports::stores::{DeviceToken, PairedDevice, PendingDevice};
use openclaw_types::{PairingRequestId, Role, UnixMillis};

use super::DeviceClaim;

/// A new request.
pub(super) fn new_request(
    id: PairingRequestId,
    claim: &DeviceClaim,
    known: Known,
    now: UnixMillis,
) -> PendingDevice {
    PendingDevice {
        request_id: id,
        device_id: claim.device_id.clone(),
        public_key: claim.public_key.clone(),
        display_name: claim.display_name.clone(),
        platform: claim.platform.clone(),
        device_family: claim.device_family.clone(),
        client_id: Some(claim.client_id.clone()),
        client_mode: Some(claim.client_mode.clone()),
        role: Some(claim.role),
        roles: vec![claim.role],
        scopes: claim.scopes.clone(),
        remote_ip: claim.remote_ip.map(|address| address.to_string()),
        silent: false,
        is_repair: known == Known::Before,
        requested_at: now,
    }
}

/// Whether a device was admitted before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// It was.
    Before,
    /// It was not.
    Never,
}

/// The waiting request of a device, with what it asks now laid over it. A device may come in two roles at once, as
/// two programs; the name and the program a person is shown are those of the role it asked for first.
pub(super) fn widened(waiting: &PendingDevice, claim: &DeviceClaim, known: Known) -> PendingDevice {
    let covered = waiting.scopes.covers_all(&claim.scopes);
    let scopes = if covered { waiting.scopes.clone() } else { waiting.scopes.union(&claim.scopes) };
    let first_role = waiting.role.is_none_or(|role| role == claim.role);
    let shown = if first_role {
        PendingDevice {
            display_name: claim.display_name.clone().or_else(|| waiting.display_name.clone()),
            client_id: Some(claim.client_id.clone()),
            client_mode: Some(claim.client_mode.clone()),
            ..waiting.clone()
        }
    } else {
        waiting.clone()
    };
    PendingDevice {
        public_key: claim.public_key.clone(),
        platform: claim.platform.clone().or_else(|| waiting.platform.clone()),
        device_family: claim.device_family.clone().or_else(|| waiting.device_family.clone()),
        role: waiting.role.or(Some(claim.role)),
        roles: with_role(&waiting.roles, claim.role),
        scopes,
        is_repair: known == Known::Before,
        ..shown
    }
}

/// The device after its request was approved. Tokens that still cover what was asked are kept, so that a device
/// which holds one is not locked out by its own approval; otherwise `fresh` takes the place of the role's token.
pub(super) fn admitted(
    existing: Option<&PairedDevice>,
    request: &PendingDevice,
    fresh: DeviceToken,
    now: UnixMillis,
) -> PairedDevice {
    let existing = existing.filter(|device| device.public_key == request.public_key);
    let role = request.role.unwrap_or(Role::Operator);
    let mut roles = existing.map(|device| device.roles.clone()).unwrap_or_default();
    for role in request.roles.iter().copied().chain([role]) {
        roles = with_role(&roles, role);
    }
    let approved = existing.map(|device| device.approved_scopes.clone()).unwrap_or_default();
    let mut tokens = existing.map(|device| device.tokens.clone()).unwrap_or_default();
    let kept = tokens
        .get(&role)
        .is_some_and(|token| token.revoked_at.is_none() && token.scopes.covers_all(&fresh.scopes));
    if !kept {
        tokens.insert(role, fresh);
    }
    PairedDevice {
        device_id: request.device_id.clone(),
        public_key: request.public_key.clone(),
        display_name: request.display_name.clone(),
        platform: request.platform.clone(),
        device_family: request.device_family.clone(),
        client_id: request.client_id.clone(),
        client_mode: request.client_mode.clone(),
        role,
        roles,
        approved_scopes: approved.union(&request.scopes),
        remote_ip: request.remote_ip.clone(),
        tokens,
        created_at: existing.map_or(now, |device| device.created_at),
        approved_at: now,
    }
}

fn with_role(roles: &[Role], role: Role) -> Vec<Role> {
    let mut roles = roles.to_vec();
    if !roles.contains(&role) {
        roles.push(role);
    }
    roles
}
