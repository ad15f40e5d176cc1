//! Reads secrets from a file: one value, or places in a JSON object.
//!
//! The file is opened once and judged through its handle, so that what is read is what was judged.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openclaw_ports::{Clock, Deadline, TimedOut};
use openclaw_types::Secret;
use serde_json::Value;
use zeroize::Zeroizing;

use super::trust::{self, Facts};
use crate::Environment;
use crate::error::SecretError;
use crate::sections::{FileSecrets, SecretFileMode};

/// The one id that a file with a single value answers to.
const SINGLE_VALUE: &str = "value";
const DEFAULT_TIMEOUT_MS: u64 = 5_000;
const DEFAULT_MAX_BYTES: u64 = 1024 * 1024;

/// Looks up ids in a file.
pub(super) async fn look_up(
    clock: &dyn Clock,
    environment: &Environment,
    (provider, settings): (&str, &FileSecrets),
    ids: &[String],
) -> Result<BTreeMap<String, Secret<String>>, SecretError> {
    let path = environment.user_path(&settings.path);
    let most = settings.max_bytes.map_or(DEFAULT_MAX_BYTES, |limit| limit.get());
    let limit = Duration::from_millis(settings.timeout_ms.map_or(DEFAULT_TIMEOUT_MS, |limit| limit.get()));
    // A network file system may hang: the thread is left behind then, the caller is not.
    let reading = tokio::task::spawn_blocking({
        let path = path.clone();
        move || read(&path, most)
    });
    let bytes = match Deadline::after(clock, limit).bound(clock, reading).await {
        Err(TimedOut) => {
            return Err(SecretError::TimedOut { provider: provider.to_owned(), limit, setting: "timeoutMs" });
        }
        Ok(Err(_panicked)) => {
            return Err(unusable(provider, "could not be read; look at the gateway's log"));
        }
        Ok(Ok(bytes)) => bytes?,
    };
    let text =
        std::str::from_utf8(&bytes).map_err(|_not_text| unusable(provider, "does not hold UTF-8 text"))?;
    match settings.mode.unwrap_or(SecretFileMode::Json) {
        SecretFileMode::SingleValue => single(provider, text, ids),
        SecretFileMode::Json => places(provider, text, ids),
    }
}

fn single(
    provider: &str,
    text: &str,
    ids: &[String],
) -> Result<BTreeMap<String, Secret<String>>, SecretError> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    ids.iter()
        .map(|id| match id.as_str() {
            SINGLE_VALUE => Ok((id.clone(), Secret::new(text.to_owned()))),
            _ => Err(unusable(provider, "holds a single value; refer to it with the id \"value\"")),
        })
        .collect()
}

fn places(
    provider: &str,
    text: &str,
    ids: &[String],
) -> Result<BTreeMap<String, Secret<String>>, SecretError> {
    // The parser's error may quote the file, and the file holds secrets.
    let mut whole: Value =
        serde_json::from_str(text).map_err(|_error| unusable(provider, "does not hold valid JSON"))?;
    let found = if whole.is_object() {
        ids.iter().map(|id| Ok((id.clone(), place(provider, &whole, id)?))).collect()
    } else {
        Err(unusable(provider, "does not hold a JSON object"))
    };
    wipe(&mut whole);
    found
}

fn place(provider: &str, whole: &Value, id: &str) -> Result<Secret<String>, SecretError> {
    if !id.starts_with('/') {
        return Err(unusable(provider, "needs ids that are JSON pointers, such as /vendors/main/key"));
    }
    match whole.pointer(id) {
        Some(Value::String(text)) => Ok(Secret::new(text.clone())),
        Some(_) => Err(missing(provider, id, "is not a text there")),
        None => Err(missing(provider, id, "is not in the file")),
    }
}

fn read(path: &Path, most: u64) -> Result<Zeroizing<Vec<u8>>, SecretError> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = match std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) => return Err(not_opened(path, error)),
    };
    let failed = |source| SecretError::Unreadable { path: path.to_owned(), source };
    let metadata = file.metadata().map_err(failed)?;
    trust::judge_file(path, Facts::of(&metadata), rustix::process::geteuid().as_raw())
        .map_err(|distrust| distrusted(path, distrust))?;
    if metadata.len() > most {
        return Err(SecretError::TooLarge {
            what: path.display().to_string(),
            limit: most,
            setting: "maxBytes",
        });
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default()));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(SecretError::TooLarge {
            what: path.display().to_string(),
            limit: most,
            setting: "maxBytes",
        });
    }
    Ok(bytes)
}

/// Opening a link says no more than "too many links"; we say what it is.
fn not_opened(path: &Path, source: std::io::Error) -> SecretError {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            match trust::judge_file(path, Facts::of(&metadata), rustix::process::geteuid().as_raw()) {
                Err(distrust) => distrusted(path, distrust),
                Ok(()) => SecretError::Unreadable { path: path.to_owned(), source },
            }
        }
        _ => SecretError::Unreadable { path: path.to_owned(), source },
    }
}

pub(super) fn distrusted(path: &Path, distrust: trust::Distrust) -> SecretError {
    SecretError::Unsafe { path: PathBuf::from(path), problem: distrust.problem, fix: distrust.fix }
}

fn unusable(provider: &str, problem: &str) -> SecretError {
    SecretError::Unusable { provider: provider.to_owned(), problem: format!("its file {problem}") }
}

fn missing(provider: &str, id: &str, why: &str) -> SecretError {
    SecretError::Unusable { provider: provider.to_owned(), problem: format!("{id} {why}") }
}

/// Overwrites every text of a JSON value before its memory is given back.
pub(super) fn wipe(value: &mut Value) {
    use zeroize::Zeroize;
    match value {
        Value::String(text) => text.zeroize(),
        Value::Array(items) => items.iter_mut().for_each(wipe),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, value)| wipe(value)),
        _ => {}
    }
}
