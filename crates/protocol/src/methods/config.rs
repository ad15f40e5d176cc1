//! `config.*`: reading, changing and describing the configuration.
//!
//! Only the shapes: reading, checking and writing the file is done in `config`. Restarts that follow a change are
//! described here too, because `update.run` answers with the same plan.

use std::collections::BTreeMap;

use openclaw_types::UnixMillis;
use serde_json::Value;

use super::NoParams;
use crate::method::methods;
use crate::shape::{Natural, NonEmpty, Yes, choices, object};

methods! {
    /// Answers the configuration file, its parsed and resolved forms and its problems, secrets hidden.
    ConfigGet = "config.get": NoParams => ConfigGetResult;
    /// Answers the schema of the configuration with hints for forms.
    ConfigSchema = "config.schema": NoParams => ConfigSchemaResult;
    /// Replaces the configuration file.
    ConfigSet = "config.set": ConfigSetParams => ConfigSetResult;
    /// Replaces the configuration file and restarts.
    ConfigApply = "config.apply": ConfigApplyParams => ConfigApplyResult;
    /// Merges a patch into the configuration file and restarts.
    ConfigPatch = "config.patch": ConfigApplyParams => ConfigApplyResult;
}

choices! {
    /// How a restart is brought about.
    RestartMode { Emit = "emit", Signal = "signal" }
    /// What a restart was asked for.
    SentinelKind { ConfigApply = "config-apply", ConfigPatch = "config-patch", Update = "update", Restart = "restart" }
}

object! {
    /// Result of `config.get`.
    open ConfigGetResult {
        path: String,
        exists: bool,
        /// The file's text.
        raw: Option<String>,
        /// The text as JSON, before includes and variables.
        parsed: Value,
        /// With includes and variables resolved.
        resolved: Value,
        valid: bool,
        /// With defaults filled in.
        config: Value,
        /// To be sent back as `baseHash` with a change.
        hash: String,
        issues: Vec<ConfigIssue>,
        warnings: Vec<ConfigIssue>,
        legacy_issues: Vec<ConfigIssue>,
    }
    /// A problem and its place.
    #[derive(Eq)]
    open ConfigIssue {
        path: String,
        message: String,
    }
    /// Result of `config.schema`.
    open ConfigSchemaResult {
        schema: Value,
        ui_hints: BTreeMap<String, ConfigUiHint>,
        version: String,
        /// ISO 8601.
        generated_at: String,
    }
    /// How a form shows one setting.
    #[derive(Default)]
    open ConfigUiHint {
        label?: String,
        help?: String,
        tags?: Vec<String>,
        group?: String,
        order?: i64,
        advanced?: bool,
        sensitive?: bool,
        placeholder?: String,
        item_template?: Value,
    }
    /// Params of `config.set`.
    #[derive(Eq)]
    closed ConfigSetParams {
        /// The whole file as JSON5 text.
        raw: NonEmpty,
        base_hash?: NonEmpty,
    }
    /// Result of `config.set`.
    open ConfigSetResult {
        ok: Yes,
        path: String,
        config: Value,
    }
    /// Params of `config.apply` and `config.patch`.
    #[derive(Eq)]
    closed ConfigApplyParams {
        /// The whole file, or the merge patch, as JSON5 text.
        raw: NonEmpty,
        base_hash?: NonEmpty,
        session_key?: String,
        note?: String,
        restart_delay_ms?: Natural,
    }
    /// Result of `config.apply` and `config.patch`.
    open ConfigApplyResult {
        ok: Yes,
        path: String,
        config: Value,
        restart: RestartPlan,
        sentinel: Sentinel,
    }
    /// A restart that was scheduled.
    open RestartPlan {
        ok: bool,
        pid: u32,
        signal: String,
        delay_ms: u64,
        reason?: String,
        mode: RestartMode,
        coalesced: bool,
        cooldown_ms_applied: u64,
    }
    /// A note left for the gateway that starts next.
    open Sentinel {
        path: Option<String>,
        payload: SentinelPayload,
    }
    /// What the next gateway tells about the restart.
    open SentinelPayload {
        kind: SentinelKind,
        status: String,
        ts: UnixMillis,
        session_key?: String,
        delivery_context?: Value,
        thread_id?: String,
        message?: Option<String>,
        doctor_hint?: Option<String>,
        stats?: Option<Value>,
    }
}
