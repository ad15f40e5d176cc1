//! What the audit ledger is told about commands: who ran what kind of thing under which rule, never the text itself.
//!
//! A command line can hold secrets, so it is written down as a fingerprint that proves later which one it was.

use openclaw_ports::stores::AuditEntry;
use openclaw_ports::tool::ToolContext;
use openclaw_types::UnixMillis;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::command_line::Located;

/// The hash of a command line, in hex.
pub(crate) fn fingerprint(command: &str) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(command)))
}

/// A command that was decided about.
#[derive(Clone, Copy)]
pub(crate) struct AuditedCommand<'a> {
    pub(crate) context: &'a ToolContext,
    pub(crate) command: &'a str,
    /// The names of the variables that the call adds.
    pub(crate) env_keys: &'a [String],
    /// What it would run, where that was found out.
    pub(crate) line: Option<&'a Located>,
}

/// The entry for a decision.
pub(crate) fn entry(
    at: UnixMillis,
    subject: &AuditedCommand<'_>,
    outcome: &'static str,
    why: &str,
) -> AuditEntry {
    let steps = subject.line.into_iter().flat_map(|line| &line.steps);
    let found = steps.filter_map(|step| step.executable.as_ref());
    let programs: Vec<String> = found.map(|program| program.real.display().to_string()).collect();
    let context = subject.context;
    AuditEntry {
        at,
        actor: format!("agent:{}", context.agent),
        action: format!("exec.{outcome}"),
        subject: Some(context.session.to_string()),
        detail: json!({
            "run": context.run.to_string(),
            "programs": programs,
            "envKeys": subject.env_keys,
            "why": why,
            "command": fingerprint(subject.command),
        }),
    }
}
