//! `config.get` and `config.schema`.

use std::sync::OnceLock;

use openclaw_config::{ConfigIssue as Issue, config_schema, redact};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::NoParams;
use openclaw_protocol::methods::config::{ConfigGetResult, ConfigIssue};
use serde_json::json;

use super::off_thread;
use crate::methods::outcome::{JsonPayload, MethodOutcome};
use crate::methods::registry::Call;

/// Answers the file as it is now, secrets hidden.
pub(super) async fn get(call: Call, _: NoParams) -> Result<ConfigGetResult, ErrorShape> {
    let file = call.context.config_file.clone();
    off_thread(move || {
        let snapshot = file.read();
        let shown = redact(&snapshot);
        ConfigGetResult {
            path: snapshot.path.display().to_string(),
            exists: snapshot.exists,
            raw: shown.text,
            parsed: shown.parsed,
            resolved: shown.resolved,
            valid: snapshot.valid,
            config: shown.config,
            hash: snapshot.hash,
            issues: snapshot.issues.iter().map(issue).collect(),
            warnings: snapshot.warnings.iter().map(issue).collect(),
            legacy_issues: snapshot.legacy_issues.iter().map(issue).collect(),
        }
    })
    .await
}

/// Answers the schema. It does not change while the process runs, so it is written as text once.
pub(super) async fn schema(call: Call, _: NoParams) -> MethodOutcome {
    static WRITTEN: OnceLock<JsonPayload> = OnceLock::new();
    if let Some(payload) = WRITTEN.get() {
        return Ok(payload.clone());
    }
    let now = call.context.clock.now();
    let written = off_thread(move || {
        let schema = config_schema();
        let generated_at = jiff::Timestamp::from_millisecond(now.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        JsonPayload::of(&json!({
            "schema": schema.schema,
            "uiHints": schema.ui_hints,
            "version": schema.version,
            "generatedAt": generated_at.to_string(),
        }))
    })
    .await??;
    Ok(WRITTEN.get_or_init(|| written).clone())
}

/// An issue as clients show it: where, what, and what to do.
pub(super) fn issue(issue: &Issue) -> ConfigIssue {
    let message = match &issue.hint {
        Some(hint) => format!("{} ({hint})", issue.message),
        None => issue.message.clone(),
    };
    ConfigIssue { path: issue.path.clone(), message }
}
