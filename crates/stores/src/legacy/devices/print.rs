//! Writes domain values in the form of the device files. Pure.
//!
//! Field order follows the original, absent values are left out. An old entry that reads back as the same value is
//! kept as it stands; in a changed one, fields this program does not know are kept behind the known ones.

use openclaw_ports::stores::{DeviceToken, PairedDevice, PendingDevice};
use openclaw_types::Role;
use serde_json::{Map, Value, json};

use super::parse;

/// The fields of a device that this program writes; any other field of an old entry is carried along.
const PAIRED_FIELDS: &[&str] = &[
    "deviceId",
    "publicKey",
    "displayName",
    "platform",
    "deviceFamily",
    "clientId",
    "clientMode",
    "role",
    "roles",
    "scopes",
    "approvedScopes",
    "remoteIp",
    "tokens",
    "createdAtMs",
    "approvedAtMs",
];

/// The same for a pairing request.
const PENDING_FIELDS: &[&str] = &[
    "requestId",
    "deviceId",
    "publicKey",
    "displayName",
    "platform",
    "deviceFamily",
    "clientId",
    "clientMode",
    "role",
    "roles",
    "scopes",
    "remoteIp",
    "silent",
    "isRepair",
    "ts",
];

/// The content of `paired.json`.
pub(super) fn paired(devices: &[PairedDevice], old: &Map<String, Value>) -> Map<String, Value> {
    let new = devices.iter().map(|device| {
        let key = device.device_id.as_str();
        let kept = old.get(key).filter(|value| {
            parse::paired_device(key, value, &mut Vec::new()).is_ok_and(|before| before == *device)
        });
        let entry = kept.cloned();
        (key, entry.unwrap_or_else(|| with_unknown(paired_entry(device), old.get(key), PAIRED_FIELDS)))
    });
    in_old_order(new.collect(), old)
}

/// The content of `pending.json`.
pub(super) fn pending(requests: &[PendingDevice], old: &Map<String, Value>) -> Map<String, Value> {
    let new = requests.iter().map(|request| {
        let key = request.request_id.as_str();
        let kept = old.get(key).filter(|value| {
            parse::pending_device(key, value, &mut Vec::new()).is_ok_and(|before| before == *request)
        });
        let entry = kept.cloned();
        (key, entry.unwrap_or_else(|| with_unknown(pending_entry(request), old.get(key), PENDING_FIELDS)))
    });
    in_old_order(new.collect(), old)
}

/// Entries that were there before keep their place; new ones follow.
fn in_old_order(new: Vec<(&str, Value)>, old: &Map<String, Value>) -> Map<String, Value> {
    let (mut stayed, added): (Vec<_>, Vec<_>) = new.into_iter().partition(|(key, _)| old.contains_key(*key));
    stayed.sort_by_key(|(key, _)| old.keys().position(|old_key| old_key == key));
    stayed.into_iter().chain(added).map(|(key, value)| (key.to_owned(), value)).collect()
}

fn with_unknown(mut entry: Map<String, Value>, old: Option<&Value>, known: &[&str]) -> Value {
    for (field, value) in old.and_then(Value::as_object).into_iter().flatten() {
        if !known.contains(&field.as_str()) {
            entry.insert(field.clone(), value.clone());
        }
    }
    Value::Object(entry)
}

fn paired_entry(device: &PairedDevice) -> Map<String, Value> {
    let tokens = device.tokens.iter().map(|(role, token)| (role.to_string(), token_entry(*role, token)));
    present([
        ("deviceId", json!(device.device_id)),
        ("publicKey", json!(device.public_key)),
        ("displayName", json!(device.display_name)),
        ("platform", json!(device.platform)),
        ("deviceFamily", json!(device.device_family)),
        ("clientId", json!(device.client_id)),
        ("clientMode", json!(device.client_mode)),
        ("role", json!(device.role)),
        ("roles", json!(device.roles)),
        ("scopes", json!(device.approved_scopes)),
        ("approvedScopes", json!(device.approved_scopes)),
        ("remoteIp", json!(device.remote_ip)),
        ("tokens", Value::Object(tokens.collect())),
        ("createdAtMs", json!(device.created_at)),
        ("approvedAtMs", json!(device.approved_at)),
    ])
}

fn token_entry(role: Role, token: &DeviceToken) -> Value {
    Value::Object(present([
        ("token", json!(token.token.reveal())),
        ("role", json!(role)),
        ("scopes", json!(token.scopes)),
        ("createdAtMs", json!(token.created_at)),
        ("rotatedAtMs", json!(token.rotated_at)),
        ("revokedAtMs", json!(token.revoked_at)),
        ("lastUsedAtMs", json!(token.last_used_at)),
    ]))
}

fn pending_entry(request: &PendingDevice) -> Map<String, Value> {
    present([
        ("requestId", json!(request.request_id)),
        ("deviceId", json!(request.device_id)),
        ("publicKey", json!(request.public_key)),
        ("displayName", json!(request.display_name)),
        ("platform", json!(request.platform)),
        ("deviceFamily", json!(request.device_family)),
        ("clientId", json!(request.client_id)),
        ("clientMode", json!(request.client_mode)),
        ("role", json!(request.role)),
        ("roles", json!(request.roles)),
        ("scopes", json!(request.scopes)),
        ("remoteIp", json!(request.remote_ip)),
        ("silent", json!(request.silent)),
        ("isRepair", json!(request.is_repair)),
        ("ts", json!(request.requested_at)),
    ])
}

fn present<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    let present = fields.into_iter().filter(|(_, value)| !value.is_null());
    present.map(|(field, value)| (field.to_owned(), value)).collect()
}
