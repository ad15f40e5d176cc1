//! The note a restart leaves for the gateway that starts next, in the original's file and form.
//!
//! The next gateway reads and removes it; losing it costs a message, so trouble here never stops a change.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use openclaw_protocol::methods::config::{SentinelKind, SentinelPayload};
use openclaw_types::UnixMillis;
use serde_json::json;

/// The note's file in the state directory.
const FILE: &str = "restart-sentinel.json";

/// What the note about a restart says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestartNote {
    /// What was done before.
    pub kind: SentinelKind,
    /// The method that did it.
    pub method: &'static str,
    /// The session that is told.
    pub session_key: Option<String>,
    /// What it is told.
    pub note: Option<String>,
    /// The configuration file.
    pub config_path: String,
    /// When.
    pub at: UnixMillis,
}

impl RestartNote {
    /// The note as it stands in the file and in the answer.
    #[must_use]
    pub fn payload(&self) -> SentinelPayload {
        let words = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        SentinelPayload {
            kind: self.kind,
            status: "ok".to_owned(),
            ts: self.at,
            session_key: words(&self.session_key),
            delivery_context: None,
            thread_id: None,
            message: Some(words(&self.note)),
            doctor_hint: Some(Some(
                "If something is wrong, run: openclaw doctor --non-interactive".to_owned(),
            )),
            stats: Some(Some(json!({"mode": self.method, "root": self.config_path}))),
        }
    }
}

/// Writes the note about a restart; says where, or nothing when it could not be written.
#[must_use]
pub fn leave_restart_note(state_dir: &Path, payload: &SentinelPayload) -> Option<String> {
    let path = state_dir.join(FILE);
    match write(&path, payload) {
        Ok(()) => Some(path.display().to_string()),
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "the note about the restart could not be written");
            None
        }
    }
}

fn write(path: &Path, payload: &SentinelPayload) -> std::io::Result<()> {
    let text = serde_json::to_string_pretty(&json!({"version": 1, "payload": payload}))?;
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")
}
