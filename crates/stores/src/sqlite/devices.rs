//! Paired devices, their sealed tokens, and pairing requests in SQLite.
//!
//! Rows are turned into domain values here and nowhere else. A row that cannot be understood is reported by its id,
//! never with its content.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::stores::{
    DeviceChange, DeviceRecords, DeviceStore, DeviceToken, PairedDevice, PendingDevice, StoreError,
};
use openclaw_types::{DeviceId, PairingRequestId, Role, UnixMillis};
use rusqlite::{Connection, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::state_database::StateDatabase;
use crate::error::Fault;
use crate::seal::{RowIdentity, Sealer};

#[async_trait]
impl DeviceStore for StateDatabase {
    async fn load(&self) -> Result<DeviceRecords, StoreError> {
        let sealer = Arc::clone(&self.sealer);
        self.database
            .read("read the devices", move |connection| {
                let mut tokens = load_tokens(connection, &sealer)?;
                Ok(DeviceRecords {
                    pending: load_pending(connection)?,
                    paired: load_paired(connection, &mut tokens)?,
                })
            })
            .await
    }

    async fn apply(&self, changes: Vec<DeviceChange>) -> Result<(), StoreError> {
        let sealer = Arc::clone(&self.sealer);
        self.database
            .write("save the devices", move |connection| {
                changes.iter().try_for_each(|change| apply(connection, &sealer, change))
            })
            .await
    }
}

fn apply(connection: &Connection, sealer: &Sealer, change: &DeviceChange) -> Result<(), Fault> {
    match change {
        DeviceChange::PutPending(pending) => put_pending(connection, pending),
        DeviceChange::DropPending(request) => {
            connection
                .prepare_cached("DELETE FROM pending_devices WHERE request_id = ?1")?
                .execute([request.as_str()])?;
            Ok(())
        }
        DeviceChange::PutPaired(device) => put_paired(connection, sealer, device),
        DeviceChange::DropPaired(device) => drop_paired(connection, device),
    }
}

fn put_pending(connection: &Connection, pending: &PendingDevice) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO pending_devices
             (request_id, device_id, public_key, display_name, platform, device_family, client_id, client_mode,
              role, roles, scopes, remote_ip, silent, is_repair, requested_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute(params![
            pending.request_id.as_str(),
            pending.device_id.as_str(),
            pending.public_key,
            pending.display_name,
            pending.platform,
            pending.device_family,
            pending.client_id,
            pending.client_mode,
            pending.role.map(Role::as_str),
            json(&pending.roles)?,
            json(&pending.scopes)?,
            pending.remote_ip,
            pending.silent,
            pending.is_repair,
            pending.requested_at.0,
        ])?;
    Ok(())
}

fn drop_paired(connection: &Connection, device: &DeviceId) -> Result<(), Fault> {
    // The tokens go with the device, by their foreign key.
    connection
        .prepare_cached("DELETE FROM paired_devices WHERE device_id = ?1")?
        .execute([device.as_str()])?;
    Ok(())
}

fn put_paired(connection: &Connection, sealer: &Sealer, device: &PairedDevice) -> Result<(), Fault> {
    drop_paired(connection, &device.device_id)?;
    connection
        .prepare_cached(
            "INSERT INTO paired_devices
             (device_id, public_key, display_name, platform, device_family, client_id, client_mode,
              role, roles, approved_scopes, remote_ip, created_at, approved_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            device.device_id.as_str(),
            device.public_key,
            device.display_name,
            device.platform,
            device.device_family,
            device.client_id,
            device.client_mode,
            device.role.as_str(),
            json(&device.roles)?,
            json(&device.approved_scopes)?,
            device.remote_ip,
            device.created_at.0,
            device.approved_at.0,
        ])?;
    device.tokens.iter().try_for_each(|(role, token)| put_token(connection, sealer, (device, *role), token))
}

fn put_token(
    connection: &Connection,
    sealer: &Sealer,
    (device, role): (&PairedDevice, Role),
    token: &DeviceToken,
) -> Result<(), Fault> {
    let key = [device.device_id.as_str(), role.as_str()];
    let sealed = sealer.seal(token_row(&key), &token.token).map_err(|error| Fault::Refused(error.into()))?;
    connection
        .prepare_cached(
            "INSERT INTO device_tokens
             (device_id, role, sealed_token, scopes, created_at, rotated_at, revoked_at, last_used_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            key[0],
            key[1],
            sealed,
            json(&token.scopes)?,
            token.created_at.0,
            token.rotated_at.map(|at| at.0),
            token.revoked_at.map(|at| at.0),
            token.last_used_at.map(|at| at.0),
        ])?;
    Ok(())
}

fn token_row<'a>(key: &'a [&'a str]) -> RowIdentity<'a> {
    RowIdentity { table: "device_tokens", key }
}

fn load_pending(connection: &Connection) -> Result<Vec<PendingDevice>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT request_id, device_id, public_key, display_name, platform, device_family, client_id, client_mode,
                role, roles, scopes, remote_ip, silent, is_repair, requested_at
         FROM pending_devices ORDER BY request_id",
    )?;
    let mut rows = statement.query([])?;
    let mut pending = Vec::new();
    while let Some(row) = rows.next()? {
        pending.push(pending_from(row)?);
    }
    Ok(pending)
}

fn pending_from(row: &Row<'_>) -> Result<PendingDevice, Fault> {
    let request_id: String = row.get(0)?;
    let what = |field| format!("{field} of pairing request {request_id}");
    let role: Option<String> = row.get(8)?;
    Ok(PendingDevice {
        request_id: parsed::<PairingRequestId>(&request_id, || what("the id"))?,
        device_id: parsed::<DeviceId>(&row.get::<_, String>(1)?, || what("the device"))?,
        public_key: row.get(2)?,
        display_name: row.get(3)?,
        platform: row.get(4)?,
        device_family: row.get(5)?,
        client_id: row.get(6)?,
        client_mode: row.get(7)?,
        role: role.map(|role| parsed(&role, || what("the role"))).transpose()?,
        roles: from_json(row, 9, || what("the roles"))?,
        scopes: from_json(row, 10, || what("the scopes"))?,
        remote_ip: row.get(11)?,
        silent: row.get(12)?,
        is_repair: row.get(13)?,
        requested_at: UnixMillis(row.get(14)?),
    })
}

fn load_paired(connection: &Connection, tokens: &mut Tokens) -> Result<Vec<PairedDevice>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT device_id, public_key, display_name, platform, device_family, client_id, client_mode,
                role, roles, approved_scopes, remote_ip, created_at, approved_at
         FROM paired_devices ORDER BY device_id",
    )?;
    let mut rows = statement.query([])?;
    let mut paired = Vec::new();
    while let Some(row) = rows.next()? {
        paired.push(paired_from(row, tokens)?);
    }
    Ok(paired)
}

fn paired_from(row: &Row<'_>, tokens: &mut Tokens) -> Result<PairedDevice, Fault> {
    let device_id: String = row.get(0)?;
    let what = |field| format!("{field} of device {device_id}");
    Ok(PairedDevice {
        device_id: parsed::<DeviceId>(&device_id, || what("the id"))?,
        public_key: row.get(1)?,
        display_name: row.get(2)?,
        platform: row.get(3)?,
        device_family: row.get(4)?,
        client_id: row.get(5)?,
        client_mode: row.get(6)?,
        role: parsed(&row.get::<_, String>(7)?, || what("the role"))?,
        roles: from_json(row, 8, || what("the roles"))?,
        approved_scopes: from_json(row, 9, || what("the scopes"))?,
        remote_ip: row.get(10)?,
        tokens: tokens.remove(&device_id).unwrap_or_default(),
        created_at: UnixMillis(row.get(11)?),
        approved_at: UnixMillis(row.get(12)?),
    })
}

/// Tokens by the text of their device's id.
type Tokens = BTreeMap<String, BTreeMap<Role, DeviceToken>>;

fn load_tokens(connection: &Connection, sealer: &Sealer) -> Result<Tokens, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT device_id, role, sealed_token, scopes, created_at, rotated_at, revoked_at, last_used_at
         FROM device_tokens",
    )?;
    let mut rows = statement.query([])?;
    let mut tokens = Tokens::new();
    while let Some(row) = rows.next()? {
        let device_id: String = row.get(0)?;
        let (role, token) = token_from(row, &device_id, sealer)?;
        tokens.entry(device_id).or_default().insert(role, token);
    }
    Ok(tokens)
}

fn token_from(row: &Row<'_>, device_id: &str, sealer: &Sealer) -> Result<(Role, DeviceToken), Fault> {
    let role: String = row.get(1)?;
    let what = || format!("the {role} token of device {device_id}");
    let sealed: Vec<u8> = row.get(2)?;
    let key = [device_id, role.as_str()];
    let token = sealer
        .open(token_row(&key), &sealed)
        .map_err(|why| Fault::Corrupt(format!("{} cannot be opened: {why}", what())))?;
    let moment = |column| Ok::<_, Fault>(row.get::<_, Option<i64>>(column)?.map(UnixMillis));
    let token = DeviceToken {
        token,
        scopes: from_json(row, 3, what)?,
        created_at: UnixMillis(row.get(4)?),
        rotated_at: moment(5)?,
        revoked_at: moment(6)?,
        last_used_at: moment(7)?,
    };
    Ok((parsed(&role, what)?, token))
}

fn json(value: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| Fault::Refused(error.into()))
}

fn from_json<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
    what: impl Fn() -> String,
) -> Result<T, Fault> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| Fault::Corrupt(format!("{}: {error}", what())))
}

fn parsed<T>(text: &str, what: impl Fn() -> String) -> Result<T, Fault>
where
    T: FromStr,
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error| Fault::Corrupt(format!("{}: {error}", what())))
}
