//! The original's `credentials/<channel>-pairing.json` and `credentials/<channel>[-<account>]-allowFrom.json`: strangers
//! who wait, and people who were let in.
//!
//! Each file is taken over once and stays as it is. A list without an account is the default account's. What cannot be
//! read is left out and counted.

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use openclaw_ports::stores::{RequestChange, SenderRequest, SenderStore, StateStore};
use openclaw_types::{AccountId, ChannelId, UnixMillis};
use serde_json::Value;

use crate::error::LegacyError;

/// Where it is remembered which files were taken over: somebody who was put out later must not come back.
const MARKS: &str = "legacy/senders";
/// The account of a list that names none.
const DEFAULT: &str = "default";
/// The longest file that is read, in bytes.
const LONGEST: u64 = 4 * 1024 * 1024;

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SenderImport {
    /// How many people who were let in were taken over.
    pub allowed: usize,
    /// How many requests were taken over.
    pub requests: usize,
    /// Entries and files that could not be read.
    pub left_out: usize,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Holds {
    Requests,
    Allowed(AccountId),
}

/// A file to take over.
struct Found {
    name: String,
    path: PathBuf,
    channel: ChannelId,
    holds: Holds,
}

/// Takes over the files of these channels that were not before. `reach` says where somebody is told things, by channel
/// and id.
///
/// # Errors
/// The folder cannot be listed, or a store refuses.
pub async fn import_senders_once(
    folder: &Path,
    channels: &[&str],
    reach: &(dyn Fn(&ChannelId, &str) -> String + Sync),
    stores: (&dyn SenderStore, &dyn StateStore),
) -> Result<SenderImport, LegacyError> {
    let (senders, state) = stores;
    let mut report = SenderImport::default();
    for found in files(folder, channels)? {
        if state.get(MARKS, &found.name).await?.is_some() {
            continue;
        }
        match read(&found.path) {
            Some(content) => take(&found, &content, reach, senders, &mut report).await?,
            None => report.left_out += 1,
        }
        state.put(MARKS, &found.name, Value::Bool(true)).await?;
    }
    Ok(report)
}

async fn take(
    found: &Found,
    content: &Value,
    reach: &(dyn Fn(&ChannelId, &str) -> String + Sync),
    senders: &dyn SenderStore,
    report: &mut SenderImport,
) -> Result<(), LegacyError> {
    let field = match found.holds {
        Holds::Requests => "requests",
        Holds::Allowed(_) => "allowFrom",
    };
    let entries = content.get(field).and_then(Value::as_array).into_iter().flatten();
    for entry in entries {
        match &found.holds {
            Holds::Requests => match request(&found.channel, entry, reach) {
                Some(request) => {
                    senders.change_requests(&found.channel, RequestChange::Put(request)).await?;
                    report.requests += 1;
                }
                None => report.left_out += 1,
            },
            Holds::Allowed(account) => match person(&found.channel, entry) {
                // Everybody was never let in by a code.
                Some(id) if id != "*" => {
                    report.allowed += usize::from(senders.allow(&found.channel, account, &id).await?);
                }
                _ => report.left_out += 1,
            },
        }
    }
    Ok(())
}

/// The files of these channels, by name. Which part of a name is the channel is known by the channels there are.
fn files(folder: &Path, channels: &[&str]) -> Result<Vec<Found>, LegacyError> {
    let failed = |source| LegacyError::Io { action: "list", path: folder.to_owned(), source };
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut found = Vec::new();
    // A channel's name may begin with another's.
    let mut channels = channels.to_vec();
    channels.sort_by_key(|channel| std::cmp::Reverse(channel.len()));
    for entry in listed {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some((channel, holds)) = channels.iter().find_map(|channel| meaning(&name, channel)) {
            found.push(Found { name, path: entry.path(), channel, holds });
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn meaning(name: &str, channel: &str) -> Option<(ChannelId, Holds)> {
    let rest = name.strip_prefix(channel)?;
    let holds = match rest {
        "-pairing.json" => Holds::Requests,
        "-allowFrom.json" => Holds::Allowed(AccountId::new(DEFAULT).ok()?),
        _ => {
            let account = rest.strip_prefix('-')?.strip_suffix("-allowFrom.json")?;
            Holds::Allowed(AccountId::new(account.to_lowercase()).ok()?)
        }
    };
    Some((ChannelId::new(channel).ok()?, holds))
}

fn read(path: &Path) -> Option<Value> {
    let facts = fs::metadata(path).ok().filter(|facts| facts.is_file() && facts.len() <= LONGEST)?;
    let text = fs::read_to_string(path).map_err(|error| {
        tracing::warn!(path = %path.display(), size = facts.len(), %error, "a file of an earlier installation cannot be read");
    });
    serde_json::from_str(&text.ok()?).ok()
}

fn request(
    channel: &ChannelId,
    entry: &Value,
    reach: &(dyn Fn(&ChannelId, &str) -> String + Sync),
) -> Option<SenderRequest> {
    let sender = person(channel, entry.get("id")?)?;
    let code = entry.get("code")?.as_str()?.trim().to_uppercase();
    let created_at = moment(entry.get("createdAt")?)?;
    let meta = entry.get("meta").and_then(Value::as_object);
    let account = meta.and_then(|meta| meta.get("accountId")).and_then(Value::as_str);
    let account = account.map(str::trim).filter(|id| !id.is_empty()).unwrap_or(DEFAULT).to_lowercase();
    let facts = meta.into_iter().flatten().filter(|(key, _)| *key != "accountId");
    let words = |value: &Value| value.as_str().map(str::to_owned);
    Some(SenderRequest {
        channel: channel.clone(),
        account: AccountId::new(account).ok()?,
        to: reach(channel, &sender),
        sender,
        code,
        created_at,
        seen_at: entry.get("lastSeenAt").and_then(moment).unwrap_or(created_at),
        facts: facts.filter_map(|(key, value)| Some((key.clone(), words(value)?))).collect(),
    })
}

/// An id without the channel's name before it; numbers are ids too.
fn person(channel: &ChannelId, entry: &Value) -> Option<String> {
    let text = match entry {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let prefix = format!("{channel}:");
    let bare = text.strip_prefix(&prefix).unwrap_or(&text).trim();
    (!bare.is_empty()).then(|| bare.to_owned())
}

fn moment(value: &Value) -> Option<UnixMillis> {
    match value {
        Value::String(text) => text.parse::<jiff::Timestamp>().ok().map(|at| UnixMillis(at.as_millisecond())),
        Value::Number(number) => number.as_i64().map(UnixMillis),
        _ => None,
    }
}
