//! `exec-approvals.json` on disk: read with its hash, replaced in one step, readable by its owner alone.
//!
//! A file that cannot be read or understood is never overwritten by a note of use, and counts as `deny` for security:
//! what a person wrote there might have been stricter than the defaults.

use std::io::Write;
use std::path::{Path, PathBuf};

use openclaw_config::sections::ExecSecurity;
use openclaw_types::AgentId;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

use super::document::{Document, EntryUse};
use crate::policy::FileRules;

/// The approvals file of a gateway.
#[derive(Debug)]
pub struct ApprovalsFile {
    path: PathBuf,
    /// Held while the file is read and written again.
    writing: Mutex<()>,
}

/// The file at one moment, as `exec.approvals.get` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalsSnapshot {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
    /// The hash of its bytes, in hex.
    pub hash: String,
    /// Its content in today's form, without the secret of the socket.
    pub file: Value,
}

/// What a writer knows about the file it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseHash {
    /// It has read the file with this hash.
    Read(String),
    /// It does not say. Fine only when there is no file yet.
    Unknown,
}

/// Why the file was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalsError {
    /// There is a file, and the writer does not say which state of it was read.
    #[error("say which version is replaced: read exec.approvals.get and send its hash as baseHash")]
    HashNeeded,
    /// The file changed after the writer read it.
    #[error("the approvals changed in the meantime: read exec.approvals.get again and retry")]
    Changed,
    /// What is to be written is no approvals file of version 1.
    #[error("this is no approvals file of version 1")]
    Invalid,
    /// The disk refused.
    #[error("the approvals file {path} could not be {action}")]
    Disk {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
}

struct Stored {
    raw: Option<String>,
    document: Option<Document>,
}

impl ApprovalsFile {
    /// The file at a path. Nothing is read or made.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, writing: Mutex::new(()) }
    }

    /// The file as it is now.
    ///
    /// # Errors
    /// The disk refused.
    pub async fn snapshot(&self) -> Result<ApprovalsSnapshot, ApprovalsError> {
        let stored = self.load().await?;
        Ok(self.shown(&stored))
    }

    /// Replaces the file. The secret of the socket is kept.
    ///
    /// # Errors
    /// The file changed since it was read, what is to be written is no such file, or the disk refused.
    pub async fn replace(&self, file: Value, base: &BaseHash) -> Result<ApprovalsSnapshot, ApprovalsError> {
        let _writing = self.writing.lock().await;
        let stored = self.load().await?;
        match base {
            BaseHash::Unknown if stored.raw.is_some() => return Err(ApprovalsError::HashNeeded),
            BaseHash::Read(hash) if *hash != hash_of(stored.raw.as_deref()) => {
                return Err(ApprovalsError::Changed);
            }
            BaseHash::Unknown | BaseHash::Read(_) => {}
        }
        let mut document = Document::read(file).ok_or(ApprovalsError::Invalid)?;
        if let Some(before) = &stored.document {
            document.keep_socket_of(before);
        }
        let raw = self.save(&document).await?;
        Ok(self.shown(&Stored { raw: Some(raw), document: Some(document) }))
    }

    /// What the file says about an agent.
    pub(crate) async fn rules(&self, agent: &AgentId) -> FileRules {
        match self.load().await {
            Ok(Stored { raw: None, .. }) => Document::empty().rules(agent),
            Ok(Stored { document: Some(document), .. }) => document.rules(agent),
            Ok(Stored { document: None, .. }) => {
                tracing::error!(path = %self.path.display(), "the approvals file cannot be understood; commands are refused until it is repaired");
                closed()
            }
            Err(error) => {
                tracing::error!(path = %self.path.display(), %error, "the approvals file cannot be read; commands are refused until it can");
                closed()
            }
        }
    }

    /// Notes that entries were used. Trouble is logged: it must not stop a command that may run.
    pub(crate) async fn note_uses(&self, agent: &AgentId, uses: &[EntryUse]) {
        if uses.is_empty() {
            return;
        }
        let _writing = self.writing.lock().await;
        let noted = async {
            let stored = self.load().await?;
            let Some(mut document) = stored.document else { return Ok(()) };
            uses.iter().for_each(|usage| document.note_use(agent, usage));
            self.save(&document).await.map(drop)
        };
        let noted: Result<(), ApprovalsError> = noted.await;
        if let Err(error) = noted {
            tracing::warn!(%error, "the use of an allow-list entry could not be noted");
        }
    }

    fn shown(&self, stored: &Stored) -> ApprovalsSnapshot {
        ApprovalsSnapshot {
            path: self.path.clone(),
            exists: stored.raw.is_some(),
            hash: hash_of(stored.raw.as_deref()),
            file: stored.document.as_ref().map_or_else(|| Document::empty().shown(), Document::shown),
        }
    }

    async fn load(&self) -> Result<Stored, ApprovalsError> {
        let raw = match tokio::fs::read_to_string(&self.path).await {
            Ok(raw) => raw,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Stored { raw: None, document: None });
            }
            Err(source) => return Err(self.disk("read", source)),
        };
        let value: Option<Value> = match serde_json::from_str(&raw) {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::warn!(line = error.line(), "the approvals file is no JSON");
                None
            }
        };
        Ok(Stored { document: value.and_then(Document::read), raw: Some(raw) })
    }

    async fn save(&self, document: &Document) -> Result<String, ApprovalsError> {
        let mut raw = serde_json::to_string_pretty(&document.0)
            .map_err(|error| self.disk("written", std::io::Error::other(error)))?;
        raw.push('\n');
        let (path, bytes) = (self.path.clone(), raw.clone());
        let written = tokio::task::spawn_blocking(move || write_in_one_step(&path, bytes.as_bytes())).await;
        match written {
            Ok(Ok(())) => Ok(raw),
            Ok(Err(source)) => Err(self.disk("written", source)),
            Err(error) => Err(self.disk("written", std::io::Error::other(error))),
        }
    }

    fn disk(&self, action: &'static str, source: std::io::Error) -> ApprovalsError {
        ApprovalsError::Disk { path: self.path.clone(), action, source }
    }
}

fn closed() -> FileRules {
    FileRules {
        security: Some(ExecSecurity::Deny),
        ask: None,
        ask_fallback: ExecSecurity::Deny,
        allow: Vec::new(),
    }
}

fn hash_of(raw: Option<&str>) -> String {
    hex::encode(Sha256::digest(raw.unwrap_or_default()))
}

fn write_in_one_step(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let aside = folder.join(format!(".exec-approvals.{}.tmp", uuid::Uuid::new_v4()));
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&aside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&aside, path));
    if written.is_err()
        && let Err(error) = std::fs::remove_file(&aside)
    {
        tracing::debug!(%error, "a half-written approvals file stays behind");
    }
    written
}
