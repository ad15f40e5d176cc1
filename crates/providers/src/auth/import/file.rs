//! The whole files: `auth-profiles.json`, and the two older ones.

use std::collections::BTreeMap;

use openclaw_ports::stores::{HealthKey, HealthRecord, StoredProfile};
use openclaw_types::{AgentId, AuthProfileId, ProviderId, Secret, UnixMillis};
use serde_json::{Map, Value, json};

use super::entry::{self, Untyped};
use super::fared;

/// The version that is written.
const VERSION: u64 = 1;
/// Larger texts are not read.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What a file of sign-ins says, for one agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuthFile {
    /// The sign-ins, ordered by id.
    pub profiles: Vec<StoredProfile>,
    /// The order a person wants, by vendor.
    pub order: BTreeMap<ProviderId, Vec<AuthProfileId>>,
    /// How they fared, ordered by profile.
    pub health: Vec<HealthRecord>,
    /// What else stands in the file and should be written back. Never secret.
    pub rest: FileRest,
    /// What could not be understood.
    pub problems: Vec<ImportProblem>,
}

/// What a file says beyond what we have a place for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileRest {
    /// Statistics of profiles, by profile.
    statistics: BTreeMap<String, Map<String, Value>>,
}

/// One thing in a file that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProblem {
    /// The entry's name.
    pub entry: String,
    /// What is wrong with it, without what it holds.
    pub problem: &'static str,
}

/// A text is no file of sign-ins at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The file is broken. Restore it from a backup, or sign in again.
    #[error("the file of sign-ins is not valid JSON; restore it from a backup or sign in again")]
    NotJson,
    /// The file is something else.
    #[error("this file holds no sign-ins")]
    NoSignIns,
    /// The file is larger than anything sensible.
    #[error("the file of sign-ins is too large")]
    TooLarge,
}

/// Reads `auth-profiles.json`.
///
/// # Errors
/// When the text is no such file. Single entries that cannot be understood are in `problems`.
pub fn read_auth_profiles(text: &str, agent: &AgentId) -> Result<AuthFile, ImportError> {
    let fields = object(text)?;
    let Some(profiles) = fields.get("profiles").and_then(Value::as_object) else {
        return Err(ImportError::NoSignIns);
    };
    let mut file = AuthFile::default();
    for (id, value) in profiles {
        file.take(id, entry::read(id, value, None, Untyped::Unknown));
    }
    file.profiles.sort_by(|one, other| one.id.cmp(&other.id));
    file.order = order(fields.get("order"));
    let mut records: BTreeMap<String, HealthRecord> = BTreeMap::new();
    for (id, value) in fields.get("usageStats").and_then(Value::as_object).into_iter().flatten() {
        let read = key(agent, id).and_then(|key| fared::read(key, value));
        match read {
            Some((record, rest)) => {
                records.insert(id.clone(), record);
                if !rest.is_empty() {
                    file.rest.statistics.insert(id.clone(), rest);
                }
            }
            None => file.problem(id, "has statistics nobody understands"),
        }
    }
    for (provider, id) in fields.get("lastGood").and_then(Value::as_object).into_iter().flatten() {
        let Some((id, key)) = id.as_str().and_then(|id| Some((id, key(agent, id)?))) else {
            file.problem(provider, "has a last good profile that is no name");
            continue;
        };
        let record = records.entry(id.to_owned()).or_insert_with(|| HealthRecord::new(key));
        // The file does not say when; that it was last used then is the best guess.
        record.last_good = Some(record.last_used.unwrap_or(UnixMillis(0)));
    }
    file.health = records.into_values().collect();
    Ok(file)
}

/// Reads the older `auth.json`: credentials by vendor.
///
/// # Errors
/// When the text is no such file.
pub fn read_auth_map(text: &str) -> Result<AuthFile, ImportError> {
    by_vendor(text, Untyped::Unknown)
}

/// Reads the older `credentials/oauth.json`: tokens by vendor.
///
/// # Errors
/// When the text is no such file.
pub fn read_oauth_file(text: &str) -> Result<AuthFile, ImportError> {
    by_vendor(text, Untyped::Oauth)
}

/// Writes `auth-profiles.json`. The text holds every secret.
#[must_use]
pub fn write_auth_profiles(file: &AuthFile) -> Secret<String> {
    let profiles: Map<String, Value> =
        file.profiles.iter().map(|profile| (profile.id.to_string(), entry::write(profile))).collect();
    let mut whole = json!({ "version": VERSION, "profiles": profiles });
    if !file.order.is_empty() {
        let order: Map<String, Value> =
            file.order.iter().map(|(provider, ids)| (provider.to_string(), json!(ids))).collect();
        whole["order"] = Value::Object(order);
    }
    let last_good = last_good(file);
    if !last_good.is_empty() {
        whole["lastGood"] = Value::Object(last_good);
    }
    let statistics = statistics(file);
    if !statistics.is_empty() {
        whole["usageStats"] = Value::Object(statistics);
    }
    let mut text = format!("{whole:#}");
    text.push('\n');
    wipe(&mut whole);
    Secret::new(text)
}

impl AuthFile {
    fn take(&mut self, name: &str, read: Result<StoredProfile, &'static str>) {
        match read {
            Ok(profile) => self.profiles.push(profile),
            Err(problem) => self.problem(name, problem),
        }
    }

    fn problem(&mut self, entry: &str, problem: &'static str) {
        self.problems.push(ImportProblem { entry: entry.chars().take(200).collect(), problem });
    }
}

fn by_vendor(text: &str, untyped: Untyped) -> Result<AuthFile, ImportError> {
    let fields = object(text)?;
    if fields.contains_key("profiles") {
        return Err(ImportError::NoSignIns);
    }
    let mut file = AuthFile::default();
    for (provider, value) in &fields {
        file.take(provider, entry::read(&format!("{provider}:default"), value, Some(provider), untyped));
    }
    file.profiles.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(file)
}

fn object(text: &str) -> Result<Map<String, Value>, ImportError> {
    if text.len() > MAX_BYTES {
        return Err(ImportError::TooLarge);
    }
    // The parser's error may quote the text, and the text holds secrets.
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(ImportError::NoSignIns),
        Err(_quotes) => Err(ImportError::NotJson),
    }
}

fn order(value: Option<&Value>) -> BTreeMap<ProviderId, Vec<AuthProfileId>> {
    let entries = value.and_then(Value::as_object).into_iter().flatten();
    entries
        .filter_map(|(provider, ids)| {
            let ids: Vec<AuthProfileId> = ids
                .as_array()?
                .iter()
                .filter_map(|id| AuthProfileId::new(id.as_str()?.trim()).ok())
                .collect();
            Some((ProviderId::new(provider).ok()?, ids)).filter(|(_, ids)| !ids.is_empty())
        })
        .collect()
}

fn key(agent: &AgentId, profile: &str) -> Option<HealthKey> {
    Some(HealthKey { agent: agent.clone(), profile: AuthProfileId::new(profile).ok()?, model: None })
}

/// The profile of each vendor that was good last.
fn last_good(file: &AuthFile) -> Map<String, Value> {
    let mut best: BTreeMap<&ProviderId, (UnixMillis, &AuthProfileId)> = BTreeMap::new();
    for record in file.health.iter().filter(|record| record.key.model.is_none()) {
        let provider = file.profiles.iter().find(|profile| profile.id == record.key.profile);
        let (Some(profile), Some(at)) = (provider, record.last_good) else { continue };
        let found = best.entry(&profile.provider).or_insert((at, &profile.id));
        if at > found.0 {
            *found = (at, &profile.id);
        }
    }
    best.into_iter().map(|(provider, (_, id))| (provider.to_string(), json!(id))).collect()
}

/// The statistics of credentials as a whole: the original knows none by model.
fn statistics(file: &AuthFile) -> Map<String, Value> {
    file.health
        .iter()
        .filter(|record| record.key.model.is_none())
        .filter_map(|record| {
            let id = record.key.profile.as_str();
            let fields = fared::write(record, file.rest.statistics.get(id));
            (!fields.is_empty()).then(|| (id.to_owned(), Value::Object(fields)))
        })
        .collect()
}

/// Overwrites every text before its memory is given back.
fn wipe(value: &mut Value) {
    use zeroize::Zeroize;
    match value {
        Value::String(text) => text.zeroize(),
        Value::Array(items) => items.iter_mut().for_each(wipe),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, value)| wipe(value)),
        _ => {}
    }
}
