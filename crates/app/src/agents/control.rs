//! Steers the gateway from inside of it: reads and changes the configuration file, overrides settings, restarts.
//!
//! For the tool `gateway`, the commands of owners, and rooms that get another id; who may is decided there. The file, its checks and its
//! redaction belong to `config`; every answer is made of the redacted form. Every change is written into the audit
//! ledger by the paths it touched, never by its values.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_config::{
    BaseHash, ConfigFile, FileSnapshot, KeyPath, LiveConfig, WriteError, config_schema, redact,
};
use openclaw_gateway::{RestartNote, RestartRequest, changed_paths, leave_restart_note};
use openclaw_ports::Clock;
use openclaw_ports::stores::{AuditEntry, AuditLedger};
use openclaw_ports::tool::{ConfigText, ControlFault, ControlRequest, GatewayControl};
use openclaw_protocol::methods::config::SentinelKind;
use serde_json::{Value, json};

use super::overlay::Overlay;
use crate::restart::RestartLine;

#[cfg(test)]
mod tests;

/// Steers the gateway.
pub(crate) struct FileControl {
    config: LiveConfig,
    overlay: Arc<Overlay>,
    clock: Arc<dyn Clock>,
    audit: Arc<dyn AuditLedger>,
    /// Empty in a process without a gateway: nothing can be restarted there.
    restarts: OnceLock<Arc<RestartLine>>,
}

/// A change of the file.
enum Edit {
    Replace(ConfigText),
    Merge(ConfigText),
    Set(KeyPath, Value),
    Unset(KeyPath),
    Rename(KeyPath, String),
}

impl FileControl {
    pub(super) fn new(
        config: &LiveConfig,
        overlay: &Arc<Overlay>,
        clock: &Arc<dyn Clock>,
        audit: Arc<dyn AuditLedger>,
    ) -> Self {
        Self {
            config: config.clone(),
            overlay: Arc::clone(overlay),
            clock: Arc::clone(clock),
            audit,
            restarts: OnceLock::new(),
        }
    }

    /// Gives it the way to restart.
    pub(crate) fn fill(&self, restarts: &Arc<RestartLine>) {
        if self.restarts.set(Arc::clone(restarts)).is_err() {
            tracing::error!("the way to restart was given twice");
        }
    }

    fn restart(&self, reason: String, delay: Option<Duration>) -> Result<Value, ControlFault> {
        let Some(restarts) = self.restarts.get() else {
            return Err(fault("there is no gateway to restart in this process"));
        };
        let plan = restarts.request(RestartRequest { reason, delay });
        serde_json::to_value(plan).map_err(|error| fault(format!("the restart cannot be described: {error}")))
    }

    /// Changes the file and says what it holds now.
    async fn change(&self, action: &'static str, edit: Edit) -> Result<(String, Value), ControlFault> {
        let file = match edit {
            Edit::Replace(_) | Edit::Merge(_) | Edit::Set(..) => self.config.file().refusing_unknown_keys(),
            // These add nothing: what stands below the place moves or goes.
            Edit::Unset(_) | Edit::Rename(..) => self.config.file().clone(),
        };
        let (before, after) = off_thread(move || {
            let before = file.read();
            apply(&file, edit).map(|after| (before, after))
        })
        .await?
        .map_err(|error| fault(error.to_string()))?;
        let changed = changed_paths(&before.resolved, &after.resolved);
        tracing::info!(action, changed = changed.len(), "configuration changed");
        self.record(action, json!({ "changed": changed })).await;
        Ok((after.path.display().to_string(), redact(&after).config))
    }

    async fn change_and_restart(
        &self,
        action: &'static str,
        kind: SentinelKind,
        edit: Edit,
        text: ConfigText,
    ) -> Result<Value, ControlFault> {
        let (path, config) = self.change(action, edit).await?;
        let note = RestartNote {
            kind,
            method: action,
            session_key: text.session.map(|session| session.to_string()),
            note: text.note,
            config_path: path.clone(),
            at: self.clock.now(),
        };
        let folder = self.config.file().locations().state_dir.clone();
        let payload = note.payload();
        let kept = payload.clone();
        let left = off_thread(move || leave_restart_note(&folder, &kept)).await?;
        let restart = self.restart(action.to_owned(), text.restart_delay)?;
        Ok(json!({
            "ok": true,
            "path": path,
            "config": config,
            "restart": restart,
            "sentinel": { "path": left, "payload": payload },
        }))
    }

    async fn record(&self, action: &str, detail: Value) {
        let entry = AuditEntry {
            at: self.clock.now(),
            actor: "chat".to_owned(),
            action: action.to_owned(),
            subject: None,
            detail,
        };
        if let Err(error) = self.audit.append(entry).await {
            tracing::error!(%error, action, "an act is missing from the audit ledger");
        }
    }
}

#[async_trait]
impl GatewayControl for FileControl {
    async fn act(&self, request: ControlRequest) -> Result<Value, ControlFault> {
        match request {
            ControlRequest::Restart { delay, reason } => {
                let plan = self.restart(reason.unwrap_or_else(|| "asked in a chat".to_owned()), delay)?;
                self.record("gateway.restart", json!({})).await;
                Ok(plan)
            }
            ControlRequest::ConfigGet => {
                let file = self.config.file().clone();
                off_thread(move || shown(&file.read())).await
            }
            ControlRequest::ConfigSchema => {
                off_thread(|| {
                    let schema = config_schema();
                    json!({ "schema": schema.schema, "uiHints": schema.ui_hints, "version": schema.version })
                })
                .await
            }
            ControlRequest::ConfigApply(text) => {
                let edit = Edit::Replace(text.clone());
                self.change_and_restart("config.apply", SentinelKind::ConfigApply, edit, text).await
            }
            ControlRequest::ConfigPatch(text) => {
                let edit = Edit::Merge(text.clone());
                self.change_and_restart("config.patch", SentinelKind::ConfigPatch, edit, text).await
            }
            ControlRequest::ConfigSet { path, value } => {
                let (path, config) = self.change("config.set", Edit::Set(key_path(&path)?, value)).await?;
                Ok(json!({ "ok": true, "path": path, "config": config }))
            }
            ControlRequest::ConfigUnset { path } => {
                let (path, config) = self.change("config.unset", Edit::Unset(key_path(&path)?)).await?;
                Ok(json!({ "ok": true, "path": path, "config": config }))
            }
            ControlRequest::ConfigRename { path, name } => {
                let edit = Edit::Rename(key_path(&path)?, name);
                let (path, config) = self.change("config.rename", edit).await?;
                Ok(json!({ "ok": true, "path": path, "config": config }))
            }
            ControlRequest::OverridesGet => Ok(self.overlay.shown()),
            ControlRequest::OverrideSet { path, value } => {
                self.overlay.set(&key_path(&path)?, value).map_err(fault)?;
                self.record("config.override.set", json!({ "changed": [path] })).await;
                Ok(self.overlay.shown())
            }
            ControlRequest::OverrideUnset { path } => {
                if !self.overlay.unset(&key_path(&path)?) {
                    return Err(fault(format!("{path} is not overridden")));
                }
                self.record("config.override.unset", json!({ "changed": [path] })).await;
                Ok(self.overlay.shown())
            }
            ControlRequest::OverridesClear => {
                self.overlay.clear();
                self.record("config.override.clear", json!({})).await;
                Ok(self.overlay.shown())
            }
        }
    }
}

fn apply(file: &ConfigFile, edit: Edit) -> Result<FileSnapshot, WriteError> {
    match edit {
        Edit::Replace(text) => file.write_text(&text.raw, &BaseHash::from_request(text.base_hash)),
        Edit::Merge(text) => file.patch(&text.raw, &BaseHash::from_request(text.base_hash)),
        Edit::Set(path, value) => file.set_value(&path, value),
        Edit::Unset(path) => file.unset(&path),
        Edit::Rename(path, name) => file.rename(&path, &name),
    }
}

fn shown(snapshot: &FileSnapshot) -> Value {
    let redacted = redact(snapshot);
    let issues = |issues: &[openclaw_config::ConfigIssue]| -> Vec<Value> {
        issues.iter().map(|issue| json!({ "path": issue.path, "message": issue.message })).collect()
    };
    json!({
        "path": snapshot.path.display().to_string(),
        "exists": snapshot.exists,
        "raw": redacted.text,
        "parsed": redacted.parsed,
        "valid": snapshot.valid,
        "config": redacted.config,
        "hash": snapshot.hash,
        "issues": issues(&snapshot.issues),
        "warnings": issues(&snapshot.warnings),
    })
}

fn key_path(text: &str) -> Result<KeyPath, ControlFault> {
    text.parse().map_err(|error: openclaw_config::KeyPathError| fault(error.to_string()))
}

fn fault(message: impl Into<String>) -> ControlFault {
    ControlFault(message.into())
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ControlFault> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "file work did not end");
        fault("the configuration file could not be worked on; see the gateway log")
    })
}
