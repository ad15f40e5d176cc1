//! The snapshot of the configuration file that clients see.
//!
//! The gateway's `config` methods call this. Which values are hidden is decided in `place`, which comments in
//! `comments`.

use std::path::PathBuf;

use serde_json::Value;

use super::comments::KnownTexts;
use super::place::redact_value;
use super::text::redact_text;
use crate::{ConfigIssue, FileSnapshot};

/// A snapshot that may be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct RedactedSnapshot {
    /// The file.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
    /// Its text with secrets hidden; nothing when there is none, or when it is not JSON5 and so cannot be hidden in.
    pub text: Option<String>,
    /// SHA-256 of the text as it is on disk.
    pub hash: String,
    /// The file as written.
    pub parsed: Value,
    /// With includes and variables resolved.
    pub resolved: Value,
    /// What the program runs on, with defaults.
    pub config: Value,
    /// Whether the program should run on it.
    pub valid: bool,
    /// What is wrong.
    pub issues: Vec<ConfigIssue>,
    /// What is odd but harmless.
    pub warnings: Vec<ConfigIssue>,
    /// Old keys that were understood.
    pub legacy_issues: Vec<ConfigIssue>,
}

/// Hides the secrets of a snapshot.
#[must_use]
pub fn redact(snapshot: &FileSnapshot) -> RedactedSnapshot {
    RedactedSnapshot {
        path: snapshot.path.clone(),
        exists: snapshot.exists,
        text: snapshot.text.as_deref().and_then(|text| redact_text(text, &KnownTexts::of(snapshot))),
        hash: snapshot.hash.clone(),
        parsed: redact_value(&snapshot.parsed),
        resolved: redact_value(&snapshot.resolved),
        config: redact_value(&snapshot.with_defaults()),
        valid: snapshot.valid,
        issues: snapshot.issues.clone(),
        warnings: snapshot.warnings.clone(),
        legacy_issues: snapshot.legacy_issues.clone(),
    }
}
