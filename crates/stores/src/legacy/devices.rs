//! The original's `devices/paired.json` and `devices/pending.json`, in and out.
//!
//! `parse` and `print` are pure; the functions here read and write the files and talk to the store. Import leaves
//! the files alone. Export keeps what this program does not model: an entry that still says the same stays as it
//! stands, a changed one keeps its unknown fields.

mod parse;
mod print;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use openclaw_ports::stores::{DeviceChange, DeviceStore, StateStore, StoreError};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

pub use parse::{DeviceImportFinding, ParsedDevices, parse_devices};

use crate::error::LegacyError;
use crate::files::{self, Existing};

const PAIRED: &str = "paired.json";
const PENDING: &str = "pending.json";

/// Where it is remembered that the import ran: a device that was removed later must not come back.
const MARK: (&str, &str) = ("legacy", "devices-imported");

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// How many devices were taken over.
    pub paired: usize,
    /// How many pairing requests were taken over.
    pub pending: usize,
    /// What could not be taken over, in whole or in part.
    pub findings: Vec<DeviceImportFinding>,
}

/// What an export did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportReport {
    /// How many devices were written.
    pub paired: usize,
    /// How many pairing requests were written.
    pub pending: usize,
    /// Entries that the files held before and the store does not know; they are gone from the files.
    pub dropped: Vec<String>,
}

/// Imports once in the life of a store, and only into a store without devices. Gives nothing when it did not run.
///
/// # Errors
/// When a file is there but cannot be read, or the store refuses. Broken entries are findings, not errors.
pub async fn import_devices_once(
    folder: &Path,
    devices: &dyn DeviceStore,
    state: &dyn StateStore,
) -> Result<Option<ImportReport>, LegacyError> {
    if state.get(MARK.0, MARK.1).await?.is_some() {
        return Ok(None);
    }
    let known = devices.load().await?;
    let report = if known.paired.is_empty() && known.pending.is_empty() {
        Some(import_devices(folder, devices).await?)
    } else {
        None
    };
    state.put(MARK.0, MARK.1, Value::Bool(true)).await?;
    Ok(report)
}

/// Imports the device files of `folder` (the `devices` folder of a state directory) into a store.
///
/// # Errors
/// When a file is there but cannot be read, or the store refuses. Broken entries are findings, not errors.
pub async fn import_devices(folder: &Path, store: &dyn DeviceStore) -> Result<ImportReport, LegacyError> {
    let folder = folder.to_owned();
    let parsed = off_thread(move || {
        let (paired, pending) = (read(&folder.join(PAIRED))?, read(&folder.join(PENDING))?);
        Ok(parse_devices(text(paired.as_ref()), text(pending.as_ref())))
    })
    .await?;
    let report = ImportReport {
        paired: parsed.records.paired.len(),
        pending: parsed.records.pending.len(),
        findings: parsed.findings,
    };
    let paired = parsed.records.paired.into_iter().map(DeviceChange::PutPaired);
    let pending = parsed.records.pending.into_iter().map(DeviceChange::PutPending);
    store.apply(paired.chain(pending).collect()).await?;
    Ok(report)
}

/// Writes a store's devices into `folder` in the original's form, private and each file in one step.
///
/// # Errors
/// When a file cannot be read or written, or the store refuses.
pub async fn export_devices(folder: &Path, store: &dyn DeviceStore) -> Result<ExportReport, LegacyError> {
    let records = store.load().await?;
    let folder = folder.to_owned();
    off_thread(move || {
        files::private_dir(&folder).map_err(|source| failed("make", &folder, source))?;
        let (old_paired, old_pending) =
            (read_object(&folder.join(PAIRED))?, read_object(&folder.join(PENDING))?);
        let paired = print::paired(&records.paired, &old_paired);
        let pending = print::pending(&records.pending, &old_pending);
        write(&folder.join(PAIRED), &paired)?;
        write(&folder.join(PENDING), &pending)?;
        let gone = |old: &Map<String, Value>, new: &Map<String, Value>| {
            old.keys().filter(|key| !new.contains_key(*key)).cloned().collect::<Vec<_>>()
        };
        let dropped = [gone(&old_paired, &paired), gone(&old_pending, &pending)].concat();
        Ok(ExportReport { paired: paired.len(), pending: pending.len(), dropped })
    })
    .await
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LegacyError> + Send + 'static,
) -> Result<T, LegacyError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|panicked| {
        let source = Box::new(panicked);
        Err(StoreError::Failed { action: "move device files", source }.into())
    })
}

fn text(bytes: Option<&Zeroizing<Vec<u8>>>) -> &[u8] {
    bytes.map_or(b"{}", |bytes| bytes.as_slice())
}

/// The whole file, or nothing when there is none.
fn read(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, LegacyError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(Zeroizing::new(bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed("read", path, source)),
    }
}

/// What a file held before it is replaced. A file that is no JSON object is not replaced: it may be all there is.
fn read_object(path: &Path) -> Result<Map<String, Value>, LegacyError> {
    let Some(bytes) = read(path)? else { return Ok(Map::new()) };
    serde_json::from_slice(&bytes).map_err(|error| {
        // The parser's own message could quote a token.
        let place = format!("not a JSON object (line {}, column {})", error.line(), error.column());
        failed("understand and so did not replace", path, io::Error::new(io::ErrorKind::InvalidData, place))
    })
}

fn write(path: &Path, entries: &Map<String, Value>) -> Result<(), LegacyError> {
    let text = Zeroizing::new(format!("{:#}", Value::Object(entries.clone())));
    files::write_whole(path, text.as_bytes(), Existing::Replace)
        .map_err(|source| failed("write", path, source))
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> LegacyError {
    LegacyError::Io { action, path: PathBuf::from(path), source }
}
