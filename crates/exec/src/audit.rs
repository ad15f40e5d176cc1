//! What the audit ledger is told about commands: who ran what kind of thing under which rule, never the text itself.
//!
//! A command line can hold secrets, so it is written down as a fingerprint that proves later which one it was.

use openclaw_ports::stores::AuditEntry;
use openclaw_ports::tool::ToolContext;
use openclaw_types::UnixMillis;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::command_line::{Located, Opaque};

/// The hash of a command line, in hex.
pub(crate) fn fingerprint(command: &str) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(command)))
}

/// A decision of the policy.
pub(crate) struct Decided<'a> {
    pub(crate) at: UnixMillis,
    pub(crate) command: &'a str,
    /// The names of the variables that the call adds.
    pub(crate) env_keys: &'a [String],
    pub(crate) reading: &'a Result<Located, Opaque>,
    pub(crate) outcome: &'static str,
    pub(crate) why: String,
}

/// The entry for a decision.
pub(crate) fn entry(context: &ToolContext, decided: &Decided<'_>) -> AuditEntry {
    let line = decided.reading.as_ref();
    let programs: Vec<String> = line
        .map(|line| {
            let found = line.steps.iter().filter_map(|step| step.executable.as_ref());
            found.map(|program| program.real.display().to_string()).collect()
        })
        .unwrap_or_default();
    AuditEntry {
        at: decided.at,
        actor: format!("agent:{}", context.agent),
        action: format!("exec.{}", decided.outcome),
        subject: Some(context.session.to_string()),
        detail: json!({
            "run": context.run.to_string(),
            "programs": programs,
            "envKeys": decided.env_keys,
            "why": decided.why,
            "command": fingerprint(decided.command),
        }),
    }
}
