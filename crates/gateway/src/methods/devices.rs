//! `device.pair.*` and `device.token.*`: letting devices in and putting them out.
//!
//! The registry decides and records; this file translates, tells the other clients, and ends the sockets of devices
//! that lost what they connected with.

use openclaw_ports::stores::{DeviceToken, PairedDevice as StoredDevice};
use openclaw_protocol::methods::NoParams;
use openclaw_protocol::methods::devices::{
    DevicePairApprove, DevicePairApproveParams, DevicePairApproveResult, DevicePairList,
    DevicePairListResult, DevicePairReject, DevicePairRejectParams, DevicePairRejectResult, DevicePairRemove,
    DevicePairRemoveParams, DevicePairRemoveResult, DeviceTokenRevoke, DeviceTokenRevokeParams,
    DeviceTokenRevokeResult, DeviceTokenRotate, DeviceTokenRotateParams, DeviceTokenRotateResult,
    DeviceTokenSummary, PairedDevice,
};
use openclaw_protocol::{Close, CloseCode, ErrorShape, SecretText};
use openclaw_types::{DeviceId, IdError, PairingRequestId, Role, Scope, ScopeSet, UnknownRole};

use super::registry::{Call, Registry};
use crate::broadcast::pending_device;
use crate::connection::Client;
use crate::pairing::{Affected, PairingRefusal, TokenRequest};

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry) {
    registry.bind::<DevicePairList, _, _>(list);
    registry.bind::<DevicePairApprove, _, _>(approve);
    registry.bind::<DevicePairReject, _, _>(reject);
    registry.bind::<DevicePairRemove, _, _>(remove);
    registry.bind::<DeviceTokenRotate, _, _>(rotate);
    registry.bind::<DeviceTokenRevoke, _, _>(revoke);
}

async fn list(call: Call, _: NoParams) -> Result<DevicePairListResult, ErrorShape> {
    let listing = call.context.devices.list().await;
    Ok(DevicePairListResult {
        pending: listing.pending.iter().map(pending_device).collect(),
        paired: listing.paired.iter().map(paired_device).collect(),
    })
}

async fn approve(call: Call, params: DevicePairApproveParams) -> Result<DevicePairApproveResult, ErrorShape> {
    let id = request_id(params.request_id.as_str())?;
    let approved = call.context.devices.approve(&call.client.principal, &id).await.map_err(refused)?;
    call.context.roster.announce_pairing(&approved.event);
    Ok(DevicePairApproveResult { request_id: id.to_string(), device: paired_device(&approved.device) })
}

async fn reject(call: Call, params: DevicePairRejectParams) -> Result<DevicePairRejectResult, ErrorShape> {
    let id = request_id(params.request_id.as_str())?;
    let rejected = call.context.devices.reject(&call.client.principal, &id).await.map_err(refused)?;
    call.context.roster.announce_pairing(&rejected.event);
    Ok(DevicePairRejectResult { request_id: id.to_string(), device_id: rejected.device_id.to_string() })
}

async fn remove(call: Call, params: DevicePairRemoveParams) -> Result<DevicePairRemoveResult, ErrorShape> {
    let device = device_id(params.device_id.as_str(), PairingRefusal::UnknownDevice)?;
    let affected = call.context.devices.remove(&call.client.principal, &device).await.map_err(refused)?;
    put_out(&call, &affected, "device removed");
    Ok(DevicePairRemoveResult { device_id: device.to_string() })
}

async fn rotate(call: Call, params: DeviceTokenRotateParams) -> Result<DeviceTokenRotateResult, ErrorShape> {
    let wanted = TokenRequest {
        device_id: device_id(params.device_id.as_str(), PairingRefusal::UnknownDeviceOrRole)?,
        role: role(params.role.as_str())?,
        scopes: params
            .scopes
            .map(|scopes| scope_set(scopes.iter().map(|scope| scope.as_str())))
            .transpose()?,
    };
    let device_id = wanted.device_id.to_string();
    let issued = call.context.devices.rotate(&call.client.principal, wanted).await.map_err(refused)?.issued;
    Ok(DeviceTokenRotateResult {
        device_id,
        role: issued.role.to_string(),
        token: SecretText::new(issued.token.reveal().clone()),
        scopes: names(&issued.scopes),
        rotated_at_ms: issued.issued_at,
    })
}

async fn revoke(call: Call, params: DeviceTokenRevokeParams) -> Result<DeviceTokenRevokeResult, ErrorShape> {
    let device = device_id(params.device_id.as_str(), PairingRefusal::UnknownDeviceOrRole)?;
    let role = role(params.role.as_str())?;
    let revoked =
        call.context.devices.revoke(&call.client.principal, &device, role).await.map_err(refused)?;
    put_out(&call, &revoked.affected, "device token revoked");
    Ok(DeviceTokenRevokeResult {
        device_id: device.to_string(),
        role: role.to_string(),
        revoked_at_ms: revoked.revoked_at,
    })
}

/// Ends the sockets of a device that lost its right to be here, each after the answers it still waits for.
fn put_out(call: &Call, affected: &Affected, words: &str) {
    let close = Close::because(CloseCode::Policy, words);
    let concerns = |client: &Client| affected.role.is_none_or(|role| client.principal.role == role);
    let ended = call.context.roster.end_device(&affected.device_id, &close, concerns);
    if ended > 0 {
        tracing::info!(device = %affected.device_id, ended, reason = words, "sockets ended");
    }
}

fn refused(refusal: PairingRefusal) -> ErrorShape {
    match &refusal {
        PairingRefusal::Store(error) => {
            tracing::error!(%error, "devices could not be changed");
            ErrorShape::unavailable(refusal.to_string())
        }
        PairingRefusal::CallerLacks { scope } => ErrorShape::missing_scope(*scope),
        PairingRefusal::UnknownRequest
        | PairingRefusal::UnknownDevice
        | PairingRefusal::UnknownDeviceOrRole
        | PairingRefusal::NotApproved { .. } => ErrorShape::invalid_request(refusal.to_string()),
    }
}

fn request_id(text: &str) -> Result<PairingRequestId, ErrorShape> {
    // What is no id cannot be the id of a request.
    PairingRequestId::new(text).map_err(|_not_an_id: IdError| refused(PairingRefusal::UnknownRequest))
}

fn device_id(text: &str, unknown: PairingRefusal) -> Result<DeviceId, ErrorShape> {
    DeviceId::new(text.trim()).map_err(|_not_an_id: IdError| refused(unknown))
}

fn role(text: &str) -> Result<Role, ErrorShape> {
    text.trim().parse().map_err(|_unknown: UnknownRole| refused(PairingRefusal::UnknownDeviceOrRole))
}

fn scope_set<'a>(texts: impl Iterator<Item = &'a str>) -> Result<ScopeSet, ErrorShape> {
    texts
        .map(|text| text.parse::<Scope>().map_err(|unknown| ErrorShape::invalid_request(unknown.to_string())))
        .collect::<Result<Vec<_>, _>>()
        .map(ScopeSet::from_iter)
}

fn names(scopes: &ScopeSet) -> Vec<String> {
    scopes.iter().map(|scope| scope.to_string()).collect()
}

fn paired_device(device: &StoredDevice) -> PairedDevice {
    PairedDevice {
        device_id: device.device_id.to_string(),
        public_key: device.public_key.clone(),
        display_name: device.display_name.clone(),
        platform: device.platform.clone(),
        device_family: device.device_family.clone(),
        client_id: device.client_id.clone(),
        client_mode: device.client_mode.clone(),
        role: Some(device.role.to_string()),
        roles: Some(device.roles.iter().map(|role| role.to_string()).collect()),
        scopes: Some(names(&device.approved_scopes)),
        remote_ip: device.remote_ip.clone(),
        tokens: Some(device.tokens.iter().map(|(role, token)| token_summary(*role, token)).collect()),
        created_at_ms: device.created_at,
        approved_at_ms: device.approved_at,
    }
}

fn token_summary(role: Role, token: &DeviceToken) -> DeviceTokenSummary {
    DeviceTokenSummary {
        role: role.to_string(),
        scopes: names(&token.scopes),
        created_at_ms: token.created_at,
        rotated_at_ms: token.rotated_at,
        revoked_at_ms: token.revoked_at,
        last_used_at_ms: token.last_used_at,
    }
}
