//! Takes over the sign-ins of an earlier installation from the original's files.
//!
//! The files are left as they are: a person may go back. Each sign-in is taken over once; what was removed here does
//! not come back. When the original writes a file again, what is new in it is taken over as well, but never over what
//! a person stored here since: `fingerprint` tells whether a sign-in is still the one that was taken over.

mod fingerprint;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use openclaw_ports::stores::{
    HealthStore, OauthTokens, ProfileStore, StateStore, StoreError, StoredCredential, StoredProfile,
};
use openclaw_providers::{
    AuthFile, ImportError, ImportProblem, read_auth_map, read_auth_profiles, read_oauth_file,
};
use openclaw_types::AgentId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use zeroize::Zeroizing;

use self::fingerprint::Fingerprints;
use super::ModelRuntime;

/// Where the state store remembers what was taken over.
const NAMESPACE: &str = "imported-sign-ins";
/// A file of sign-ins is small; anything larger is something else.
const LARGEST_FILE: u64 = 4 * 1024 * 1024;

/// What became of one file.
#[derive(Debug)]
pub struct Imported {
    /// The file.
    pub file: PathBuf,
    /// Whose sign-ins it holds.
    pub agent: AgentId,
    /// How many were taken over now.
    pub taken: usize,
    /// What in it could not be understood.
    pub problems: Vec<ImportProblem>,
    /// Why nothing of it could be used.
    pub fault: Option<ImportFault>,
}

/// Why a file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ImportFault {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is not what its name says.
    #[error(transparent)]
    NotUnderstood(#[from] ImportError),
    /// It is far too large.
    #[error("it is larger than any file of sign-ins")]
    TooLarge,
}

/// What is remembered of a file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    /// Its size and time when it was last read.
    stamp: String,
    /// The sign-ins that were seen in it, with the fingerprint of what was taken over; empty where nothing was, since
    /// there was another one of that name here.
    seen: BTreeMap<String, String>,
}

/// One file that may hold sign-ins.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    file: &'a Path,
    agent: &'a AgentId,
    form: Form,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Profiles,
    Map,
    Oauth,
}

/// The files that sign-ins were taken over from and that are still there, with everything in plain text.
///
/// # Errors
/// The store cannot be read.
pub async fn files_taken_over(store: &dyn StateStore) -> Result<BTreeSet<PathBuf>, StoreError> {
    let mut files = BTreeSet::new();
    for (key, value) in store.list(NAMESPACE).await? {
        let remembered: Remembered = serde_json::from_value(value).unwrap_or_default();
        let Some((_agent, file)) = key.split_once(':') else { continue };
        if !remembered.seen.is_empty() && Path::new(file).is_file() {
            files.insert(PathBuf::from(file));
        }
    }
    Ok(files)
}

impl ModelRuntime {
    /// Looks for files of the original that are new or changed since the last look, and takes over what is in them.
    ///
    /// # Errors
    /// The store could not be written; nothing of the file it happened in is remembered as taken over then.
    pub async fn import_sign_ins(&self) -> Result<Vec<Imported>, StoreError> {
        let mut reports = Vec::new();
        for (file, agent, form) in self.candidates() {
            let Some(stamp) = stamp(&file) else { continue };
            let key = format!("{agent}:{}", file.display());
            let before: Remembered = StateStore::get(self.store.as_ref(), NAMESPACE, &key)
                .await?
                .and_then(|value| serde_json::from_value(value).ok())
                .unwrap_or_default();
            if before.stamp == stamp {
                continue;
            }
            let prints = Fingerprints::of(self.store.as_ref()).await?;
            let place = Place { file: &file, agent: &agent, form };
            let (report, seen) = self.import(place, &prints, before.seen).await?;
            StateStore::put(self.store.as_ref(), NAMESPACE, &key, json!(Remembered { stamp, seen })).await?;
            reports.push(report);
        }
        Ok(reports)
    }

    /// The files that may hold sign-ins, with the agent they belong to.
    fn candidates(&self) -> Vec<(PathBuf, AgentId, Form)> {
        let config = &(self.settings)().config;
        let (state, places) = (&self.locations.state_dir, &config.places);
        let mut files = Vec::new();
        for agent in &config.agents.list {
            // The original lets every agent use what is in the usual folder of `main`, so that one counts as well.
            let former = places.former_agent_dir(state, &agent.id).filter(|_| agent.id == AgentId::main());
            for dir in [Some(places.agent_dir(state, &agent.id)), former].into_iter().flatten() {
                files.push((dir.join("auth-profiles.json"), agent.id.clone(), Form::Profiles));
                files.push((dir.join("auth.json"), agent.id.clone(), Form::Map));
            }
        }
        let default = &config.agents.default_agent;
        files.push((state.join("agent").join("auth-profiles.json"), default.clone(), Form::Profiles));
        files.push((self.locations.credentials_dir().join("oauth.json"), default.clone(), Form::Oauth));
        files
    }

    /// Takes over what is wanted of a file. Gives what is to be remembered of it, starting from what was before.
    async fn import(
        &self,
        place: Place<'_>,
        prints: &Fingerprints,
        mut seen: BTreeMap<String, String>,
    ) -> Result<(Imported, BTreeMap<String, String>), StoreError> {
        let Place { file, agent, form } = place;
        let mut report = Imported {
            file: file.to_owned(),
            agent: agent.clone(),
            taken: 0,
            problems: Vec::new(),
            fault: None,
        };
        let read = match read(file, agent, form) {
            Ok(read) => read,
            Err(fault) => {
                report.fault = Some(fault);
                return Ok((report, seen));
            }
        };
        let there = ProfileStore::list(self.store.as_ref(), agent).await?;
        let first_look = seen.is_empty();
        for profile in read.profiles {
            let name = profile.id.to_string();
            let present = there.iter().find(|stored| stored.id == profile.id);
            let print = prints.print(&profile.credential);
            let standing = Standing::of(present, seen.get(&name).map(String::as_str), prints);
            let same = present.is_some_and(|stored| stored.credential == profile.credential);
            if !same && wanted(&profile, standing) {
                self.credentials.keep(agent, profile).await?;
                report.taken += 1;
                seen.insert(name, print);
            } else if same {
                seen.insert(name, print);
            } else {
                seen.entry(name).or_default();
            }
        }
        if first_look {
            for (provider, order) in read.order {
                self.store.set_order(agent, &provider, order).await?;
            }
            HealthStore::put(self.store.as_ref(), read.health).await?;
        }
        report.problems = read.problems;
        Ok((report, seen))
    }
}

/// How a sign-in of a file stands here.
#[derive(Debug, Clone, Copy)]
enum Standing<'a> {
    /// It was never seen.
    New,
    /// It was seen and is gone since: a person removed it here.
    Removed,
    /// What is here is what was taken over.
    AsTakenOver,
    /// Something else of that name is here: renewed here, or stored by a person.
    Ours(&'a StoredProfile),
}

impl<'a> Standing<'a> {
    fn of(present: Option<&'a StoredProfile>, seen: Option<&str>, prints: &Fingerprints) -> Self {
        match (present, seen) {
            (None, None) => Self::New,
            (None, Some(_)) => Self::Removed,
            (Some(stored), Some(print)) if prints.print(&stored.credential) == print => Self::AsTakenOver,
            (Some(stored), _) => Self::Ours(stored),
        }
    }
}

/// Whether a sign-in of a file that differs from what is here should be taken over.
fn wanted(profile: &StoredProfile, standing: Standing<'_>) -> bool {
    match standing {
        Standing::New | Standing::AsTakenOver => true,
        Standing::Removed => false,
        Standing::Ours(stored) => match (&profile.credential, &stored.credential) {
            // Renewed on both sides: the later tokens are the good ones.
            (StoredCredential::Oauth(theirs), StoredCredential::Oauth(ours)) => {
                is_same_sign_in(theirs, ours) && theirs.expires > ours.expires
            }
            _ => false,
        },
    }
}

/// Whether both come from one sign-in, as far as can be told: a person may have signed in here with another account.
fn is_same_sign_in(theirs: &OauthTokens, ours: &OauthTokens) -> bool {
    let same_account = theirs.account_id.is_some() && theirs.account_id == ours.account_id;
    let same_root = theirs.refresh.is_some() && theirs.refresh == ours.refresh;
    same_account || same_root
}

fn read(path: &Path, agent: &AgentId, form: Form) -> Result<AuthFile, ImportFault> {
    if fs::metadata(path)?.len() > LARGEST_FILE {
        return Err(ImportFault::TooLarge);
    }
    let text = Zeroizing::new(fs::read_to_string(path)?);
    Ok(match form {
        Form::Profiles => read_auth_profiles(&text, agent)?,
        Form::Map => read_auth_map(&text)?,
        Form::Oauth => read_oauth_file(&text)?,
    })
}

/// Changes whenever the file does; nothing when there is no file.
fn stamp(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let changed = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}-{}", found.len(), changed.as_nanos()))
}
