//! `config.set`, `config.apply` and `config.patch`.
//!
//! A change names the version it was made against and is refused when the file has moved on. `apply` and `patch` ask
//! the host for a restart and leave a note for the gateway that starts next.

use std::time::Duration;

use openclaw_config::{BaseHash, ConfigFile, FileSnapshot, WriteError, redact};
use openclaw_protocol::methods::config::{
    ConfigApplyParams, ConfigApplyResult, ConfigSetParams, ConfigSetResult, Sentinel, SentinelKind,
};
use openclaw_protocol::{ErrorShape, NonEmpty, Yes};
use serde_json::{Value, json};

use super::off_thread;
use super::read::issue;
use super::sentinel;
use crate::host::RestartRequest;
use crate::methods::registry::Call;

/// What is done with the text a client sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    /// It replaces the file.
    Replace,
    /// It is merged into the file.
    Merge,
}

/// A change as a client asks for it.
struct Change {
    method: &'static str,
    edit: Edit,
    raw: NonEmpty,
    base: BaseHash,
}

/// What a change led to.
struct Written {
    path: String,
    config: Value,
}

/// Replaces the file.
pub(super) async fn set(call: Call, params: ConfigSetParams) -> Result<ConfigSetResult, ErrorShape> {
    let base = BaseHash::from_request(params.base_hash.map(NonEmpty::into_string));
    let change = Change { method: "config.set", edit: Edit::Replace, raw: params.raw, base };
    let written = write(&call, change).await?;
    Ok(ConfigSetResult { ok: Yes, path: written.path, config: written.config })
}

/// Replaces the file and restarts.
pub(super) async fn apply(call: Call, params: ConfigApplyParams) -> Result<ConfigApplyResult, ErrorShape> {
    write_and_restart(&call, "config.apply", SentinelKind::ConfigApply, params).await
}

/// Merges a patch into the file and restarts.
pub(super) async fn patch(call: Call, params: ConfigApplyParams) -> Result<ConfigApplyResult, ErrorShape> {
    write_and_restart(&call, "config.patch", SentinelKind::ConfigPatch, params).await
}

async fn write_and_restart(
    call: &Call,
    method: &'static str,
    kind: SentinelKind,
    params: ConfigApplyParams,
) -> Result<ConfigApplyResult, ErrorShape> {
    let base = BaseHash::from_request(params.base_hash.map(NonEmpty::into_string));
    let edit = if kind == SentinelKind::ConfigPatch { Edit::Merge } else { Edit::Replace };
    let written = write(call, Change { method, edit, raw: params.raw, base }).await?;
    let note = sentinel::RestartNote {
        kind,
        method,
        session_key: params.session_key,
        note: params.note,
        config_path: written.path.clone(),
        at: call.context.clock.now(),
    };
    let payload = note.payload();
    let folder = call.context.config_file.locations().state_dir.clone();
    let kept = payload.clone();
    let path = off_thread(move || sentinel::leave_restart_note(&folder, &kept)).await?;
    let delay =
        params.restart_delay_ms.map(|delay| Duration::from_millis(u64::try_from(delay.get()).unwrap_or(0)));
    let restart = call.context.host.request_restart(RestartRequest { reason: method.to_owned(), delay });
    Ok(ConfigApplyResult {
        ok: Yes,
        path: written.path,
        config: written.config,
        restart,
        sentinel: Sentinel { path, payload },
    })
}

async fn write(call: &Call, change: Change) -> Result<Written, ErrorShape> {
    let file = call.context.config_file.refusing_unknown_keys();
    let Change { method, edit, raw, base } = change;
    let (before, after) = off_thread(move || -> Result<_, WriteError> {
        let before = file.read();
        let after = edit_file(&file, edit, raw.as_str(), &base)?;
        Ok((before, after))
    })
    .await?
    .map_err(refused)?;
    let changed = changed_paths(&before.resolved, &after.resolved);
    tracing::info!(
        method,
        actor = call.client.principal.actor(),
        changed = changed.len(),
        "configuration changed"
    );
    call.context.record(&call.client, method, json!({"changed": changed})).await;
    Ok(Written { path: after.path.display().to_string(), config: redact(&after).config })
}

fn edit_file(file: &ConfigFile, edit: Edit, raw: &str, base: &BaseHash) -> Result<FileSnapshot, WriteError> {
    match edit {
        Edit::Replace => file.write_text(raw, base),
        Edit::Merge => file.patch(raw, base),
    }
}

/// Why the file was not written, for the client.
pub(in crate::methods) fn refused(error: WriteError) -> ErrorShape {
    match error {
        WriteError::Invalid { issues } => {
            let issues: Vec<_> = issues.iter().map(issue).collect();
            ErrorShape::invalid_request("invalid config").with_details(json!({"issues": issues}))
        }
        WriteError::Busy => ErrorShape::unavailable(error.to_string()).retry_after(1000),
        WriteError::Io { .. } => {
            tracing::error!(%error, "the configuration could not be written");
            ErrorShape::unavailable(error.to_string())
        }
        WriteError::HashRequired
        | WriteError::ChangedSince
        | WriteError::Unusable { .. }
        | WriteError::NothingBehindRedaction { .. }
        | WriteError::InIncludedFile { .. }
        | WriteError::NothingThere { .. }
        | WriteError::TooLarge { .. } => ErrorShape::invalid_request(error.to_string()),
    }
}

/// The dotted paths whose values differ between two configurations, without the values: any may be a secret.
#[must_use]
pub fn changed_paths(before: &Value, after: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    collect_changes(before, after, "", &mut paths);
    paths
}

fn collect_changes(before: &Value, after: &Value, path: &str, paths: &mut Vec<String>) {
    if before == after {
        return;
    }
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        paths.push(path.to_owned());
        return;
    };
    let added = new.keys().filter(|key| !old.contains_key(*key));
    for key in old.keys().chain(added) {
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        collect_changes(
            old.get(key).unwrap_or(&Value::Null),
            new.get(key).unwrap_or(&Value::Null),
            &inner,
            paths,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_paths_of_changed_values_are_named() {
        let before = json!({"gateway": {"port": 1, "auth": {"token": "old"}}, "same": [1], "gone": true});
        let after = json!({"gateway": {"port": 1, "auth": {"token": "new"}}, "same": [1], "new": {"a": 1}});
        assert_eq!(changed_paths(&before, &after), ["gateway.auth.token", "gone", "new"]);
        assert_eq!(changed_paths(&before, &before), [] as [&str; 0]);
    }
}
