//! Reads the device files into domain values. Pure.
//!
//! One broken entry never hides the others. What only narrows rights (an unknown scope, a broken token) is left out
//! and reported; what makes an identity doubtful drops the entry. A device without any role is dropped too: guessing
//! one would grant something.

use std::collections::BTreeMap;
use std::str::FromStr;

use openclaw_ports::stores::{DeviceRecords, DeviceToken, PairedDevice, PendingDevice};
use openclaw_types::{DeviceId, PairingRequestId, Role, Scope, ScopeSet};
use serde_json::Value;

use super::super::fields::{EntryProblem, LegacyFields};
use super::{PAIRED, PENDING};

/// What was read, and what was wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedDevices {
    /// The devices and requests that could be read.
    pub records: DeviceRecords,
    /// What could not be read, in whole or in part.
    pub findings: Vec<DeviceImportFinding>,
}

/// Something that could not be taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceImportFinding {
    /// The file, for example `paired.json`.
    pub file: &'static str,
    /// The entry's name in the file; empty for the file itself.
    pub entry: String,
    /// What is wrong.
    pub problem: EntryProblem,
}

/// Reads the content of `paired.json` and `pending.json`.
#[must_use]
pub fn parse_devices(paired: &[u8], pending: &[u8]) -> ParsedDevices {
    let mut findings = Vec::new();
    let paired = entries(PAIRED, paired, &mut findings, paired_device);
    let pending = entries(PENDING, pending, &mut findings, pending_device);
    ParsedDevices { records: DeviceRecords { pending, paired }, findings }
}

/// Reads every entry of a file with `read`.
fn entries<T>(
    file: &'static str,
    text: &[u8],
    findings: &mut Vec<DeviceImportFinding>,
    read: fn(&str, &Value, &mut Vec<EntryProblem>) -> Result<T, EntryProblem>,
) -> Vec<T> {
    let whole: Result<Value, _> = serde_json::from_slice(text)
        .map_err(|error| EntryProblem::NotJson { line: error.line(), column: error.column() });
    let whole = whole.and_then(|value| match &value {
        Value::Object(_) => Ok(value),
        _ => Err(EntryProblem::WrongKind { field: "the file", expected: "an object" }),
    });
    let mut found = Vec::new();
    match whole {
        Err(problem) => findings.push(DeviceImportFinding { file, entry: String::new(), problem }),
        Ok(whole) => {
            for (key, value) in whole.as_object().into_iter().flatten() {
                let mut problems = Vec::new();
                match read(key, value, &mut problems) {
                    Ok(value) => found.push(value),
                    Err(problem) => problems.push(problem),
                }
                let about = |problem| DeviceImportFinding { file, entry: key.clone(), problem };
                findings.extend(problems.into_iter().map(about));
            }
        }
    }
    found
}

/// Reads one device.
pub(super) fn paired_device(
    key: &str,
    value: &Value,
    problems: &mut Vec<EntryProblem>,
) -> Result<PairedDevice, EntryProblem> {
    let entry = LegacyFields::of(value, "the entry")?;
    let device_id = DeviceId::new(entry.required("deviceId")?)?;
    if device_id.as_str() != key {
        return Err(EntryProblem::Misfiled);
    }
    let tokens = tokens(entry, problems)?;
    let latest = entry.text("role")?.and_then(|name| known_role(name, problems));
    let listed = entry.texts("roles")?.map(|names| known_roles(&names, problems));
    let role = latest
        .or_else(|| listed.as_ref().and_then(|roles| roles.first().copied()))
        .or_else(|| tokens.keys().next().copied())
        .ok_or(EntryProblem::Missing { field: "role" })?;
    // Before scopes were approved one by one, the whole list counted as approved.
    let approved = entry.texts("approvedScopes")?.or(entry.texts("scopes")?).unwrap_or_default();
    Ok(PairedDevice {
        device_id,
        public_key: entry.required("publicKey")?.to_owned(),
        display_name: entry.owned("displayName")?,
        platform: entry.owned("platform")?,
        device_family: entry.owned("deviceFamily")?,
        client_id: entry.owned("clientId")?,
        client_mode: entry.owned("clientMode")?,
        role,
        roles: listed.unwrap_or_else(|| vec![role]),
        approved_scopes: known_scopes(&approved, problems),
        remote_ip: entry.owned("remoteIp")?,
        tokens,
        created_at: entry.required_moment("createdAtMs")?,
        approved_at: entry.required_moment("approvedAtMs")?,
    })
}

/// Reads one pairing request.
pub(super) fn pending_device(
    key: &str,
    value: &Value,
    problems: &mut Vec<EntryProblem>,
) -> Result<PendingDevice, EntryProblem> {
    let entry = LegacyFields::of(value, "the entry")?;
    let request_id = PairingRequestId::new(entry.required("requestId")?)?;
    if request_id.as_str() != key {
        return Err(EntryProblem::Misfiled);
    }
    let role = entry.text("role")?.and_then(|name| known_role(name, problems));
    let roles = entry.texts("roles")?.map(|names| known_roles(&names, problems));
    Ok(PendingDevice {
        request_id,
        device_id: DeviceId::new(entry.required("deviceId")?)?,
        public_key: entry.required("publicKey")?.to_owned(),
        display_name: entry.owned("displayName")?,
        platform: entry.owned("platform")?,
        device_family: entry.owned("deviceFamily")?,
        client_id: entry.owned("clientId")?,
        client_mode: entry.owned("clientMode")?,
        role,
        roles: roles.unwrap_or_else(|| role.into_iter().collect()),
        scopes: known_scopes(&entry.texts("scopes")?.unwrap_or_default(), problems),
        remote_ip: entry.owned("remoteIp")?,
        silent: entry.flag("silent")?,
        is_repair: entry.flag("isRepair")?,
        requested_at: entry.required_moment("ts")?,
    })
}

fn tokens(
    entry: LegacyFields<'_>,
    problems: &mut Vec<EntryProblem>,
) -> Result<BTreeMap<Role, DeviceToken>, EntryProblem> {
    let Some(value) = entry.value("tokens") else { return Ok(BTreeMap::new()) };
    let mut tokens = BTreeMap::new();
    for (name, value) in LegacyFields::of(value, "tokens")?.iter() {
        let Some(role) = known_role(name, problems) else { continue };
        match token(value, problems) {
            Ok(token) => {
                tokens.insert(role, token);
            }
            Err(problem) => {
                problems.push(EntryProblem::Token { role: name.clone(), problem: Box::new(problem) });
            }
        }
    }
    Ok(tokens)
}

fn token(value: &Value, problems: &mut Vec<EntryProblem>) -> Result<DeviceToken, EntryProblem> {
    let entry = LegacyFields::of(value, "the token")?;
    Ok(DeviceToken {
        token: entry.secret("token")?,
        scopes: known_scopes(&entry.texts("scopes")?.unwrap_or_default(), problems),
        created_at: entry.required_moment("createdAtMs")?,
        rotated_at: entry.moment("rotatedAtMs")?,
        revoked_at: entry.moment("revokedAtMs")?,
        last_used_at: entry.moment("lastUsedAtMs")?,
    })
}

fn known_role(name: &str, problems: &mut Vec<EntryProblem>) -> Option<Role> {
    let role = Role::from_str(name.trim());
    role.map_err(|unknown| problems.push(EntryProblem::UnknownRole(unknown.0))).ok()
}

fn known_roles(names: &[&str], problems: &mut Vec<EntryProblem>) -> Vec<Role> {
    names.iter().filter_map(|name| known_role(name, problems)).collect()
}

fn known_scopes(names: &[&str], problems: &mut Vec<EntryProblem>) -> ScopeSet {
    let known = names.iter().filter_map(|name| {
        let scope = Scope::from_str(name.trim());
        scope.map_err(|unknown| problems.push(EntryProblem::UnknownScope(unknown.0))).ok()
    });
    known.collect()
}
