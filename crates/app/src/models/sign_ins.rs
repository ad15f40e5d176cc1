//! Takes over the sign-ins of an earlier installation from the original's files.
//!
//! The files are left as they are: a person may go back. Each sign-in is taken over once; what was removed here does
//! not come back. When the original writes a file again, new and renewed sign-ins in it are taken over as well.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use openclaw_ports::stores::{
    HealthStore, ProfileStore, StateStore, StoreError, StoredCredential, StoredProfile,
};
use openclaw_providers::{
    AuthFile, ImportError, ImportProblem, read_auth_map, read_auth_profiles, read_oauth_file,
};
use openclaw_types::AgentId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use zeroize::Zeroizing;

use super::{ModelDesk, agent_dir};

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
    /// The names that were taken over from it.
    taken: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Profiles,
    Map,
    Oauth,
}

impl ModelDesk {
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
            let report = self.import(&file, &agent, form, before.taken.clone()).await?;
            let taken: BTreeSet<String> = before.taken.union(&report.1).cloned().collect();
            StateStore::put(self.store.as_ref(), NAMESPACE, &key, json!(Remembered { stamp, taken })).await?;
            reports.push(report.0);
        }
        Ok(reports)
    }

    /// The files that may hold sign-ins, with the agent they belong to.
    fn candidates(&self) -> Vec<(PathBuf, AgentId, Form)> {
        let config = &(self.settings)().config;
        let mut files = Vec::new();
        for agent in &config.agents.list {
            let dir = agent_dir(&self.locations, &agent.id);
            files.push((dir.join("auth-profiles.json"), agent.id.clone(), Form::Profiles));
            files.push((dir.join("auth.json"), agent.id.clone(), Form::Map));
        }
        let default = &config.agents.default_agent;
        let state = &self.locations.state_dir;
        files.push((state.join("agent").join("auth-profiles.json"), default.clone(), Form::Profiles));
        files.push((state.join("credentials").join("oauth.json"), default.clone(), Form::Oauth));
        files
    }

    async fn import(
        &self,
        path: &Path,
        agent: &AgentId,
        form: Form,
        before: BTreeSet<String>,
    ) -> Result<(Imported, BTreeSet<String>), StoreError> {
        let mut report =
            Imported { file: path.to_owned(), agent: agent.clone(), taken: 0, problems: Vec::new(), fault: None };
        let read = match read(path, agent, form) {
            Ok(read) => read,
            Err(fault) => {
                report.fault = Some(fault);
                return Ok((report, BTreeSet::new()));
            }
        };
        let there = ProfileStore::list(self.store.as_ref(), agent).await?;
        let mut names = BTreeSet::new();
        for profile in read.profiles {
            names.insert(profile.id.to_string());
            let present = there.iter().find(|stored| stored.id == profile.id);
            let known = before.contains(profile.id.as_str());
            if wanted(&profile, present, known) {
                self.credentials.keep(agent, profile).await?;
                report.taken += 1;
            }
        }
        if before.is_empty() {
            for (provider, order) in read.order {
                self.store.set_order(agent, &provider, order).await?;
            }
            HealthStore::put(self.store.as_ref(), read.health).await?;
        }
        report.problems = read.problems;
        Ok((report, names))
    }
}

/// Whether a sign-in of a file should be taken over.
fn wanted(profile: &StoredProfile, present: Option<&StoredProfile>, known: bool) -> bool {
    match present {
        // Taken over once and gone since: a person removed it here.
        None => !known,
        Some(stored) => match (&profile.credential, &stored.credential) {
            // The vendor gives new tokens at each renewal; the later ones are the good ones.
            (StoredCredential::Oauth(theirs), StoredCredential::Oauth(ours)) => theirs.expires > ours.expires,
            (theirs, ours) => known && theirs != ours,
        },
    }
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
