//! Presence, system events, heartbeats, waking, secrets, memory diagnosis and updates.
//!
//! Only the shapes of the methods that concern the gateway as a whole. The last heartbeat is also the payload of the
//! `heartbeat` event; presence entries are declared in `presence`.

use openclaw_types::UnixMillis;
use serde_json::Value;

use super::config::{RestartPlan, Sentinel};
use super::{AnyParams, Done};
use crate::method::methods;
use crate::presence::PresenceEntry;
use crate::shape::{Natural, NonEmpty, Num, Positive, Yes, choices, object};

methods! {
    /// Lists who is connected, newest first.
    SystemPresence = "system-presence": AnyParams => Vec<PresenceEntry>;
    /// Tells the gateway something: a presence beacon or a note for the main session.
    SystemEvent = "system-event": SystemEventParams => Done;
    /// Answers how the last heartbeat went, if there was one.
    LastHeartbeat = "last-heartbeat": AnyParams => Option<HeartbeatEvent>;
    /// Switches heartbeats on or off until the next start.
    SetHeartbeats = "set-heartbeats": SetHeartbeatsParams => SetHeartbeatsResult;
    /// Queues a note for the main session and may start a heartbeat at once.
    Wake = "wake": WakeParams => WakeResult;
    /// Answers whether memory search works.
    DoctorMemoryStatus = "doctor.memory.status": AnyParams => MemoryStatus;
    /// Reads the secrets anew.
    SecretsReload = "secrets.reload": AnyParams => SecretsReloadResult;
    /// Updates the installation and restarts.
    UpdateRun = "update.run": UpdateRunParams => UpdateRunResult;
}

choices! {
    /// When a wake takes effect.
    WakeMode { Now = "now", NextHeartbeat = "next-heartbeat" }
    /// How a heartbeat ended.
    HeartbeatStatusWord { Sent = "sent", OkEmpty = "ok-empty", OkToken = "ok-token", Skipped = "skipped", Failed = "failed" }
    /// The colour a heartbeat is shown in.
    HeartbeatIndicator { Ok = "ok", Alert = "alert", Error = "error" }
    /// How an update ended.
    UpdateStatus { Ok = "ok", Error = "error", Skipped = "skipped" }
}

object! {
    /// Params of `system-event`.
    open SystemEventParams {
        text: NonEmpty,
        device_id?: String,
        instance_id?: String,
        host?: String,
        ip?: String,
        mode?: String,
        version?: String,
        platform?: String,
        device_family?: String,
        model_identifier?: String,
        last_input_seconds?: Num,
        reason?: String,
        roles?: Vec<String>,
        scopes?: Vec<String>,
        tags?: Vec<String>,
    }
    /// Params of `set-heartbeats`.
    #[derive(Eq)]
    open SetHeartbeatsParams {
        enabled: bool,
    }
    /// Result of `set-heartbeats`.
    #[derive(Eq)]
    open SetHeartbeatsResult {
        ok: Yes,
        enabled: bool,
    }
    /// How a heartbeat went; also the payload of the `heartbeat` event.
    open HeartbeatEvent {
        ts: UnixMillis,
        status: HeartbeatStatusWord,
        to?: String,
        account_id?: String,
        preview?: String,
        duration_ms?: u64,
        has_media?: bool,
        reason?: String,
        channel?: String,
        silent?: bool,
        indicator_type?: HeartbeatIndicator,
    }
    /// Params of `wake`.
    closed WakeParams {
        mode: WakeMode,
        text: NonEmpty,
    }
    /// Result of `wake`.
    #[derive(Eq)]
    open WakeResult {
        ok: bool,
    }
    /// Result of `doctor.memory.status`.
    open MemoryStatus {
        agent_id: String,
        provider?: String,
        embedding: EmbeddingStatus,
    }
    /// Whether texts can be embedded.
    open EmbeddingStatus {
        ok: bool,
        error?: String,
    }
    /// Result of `secrets.reload`.
    #[derive(Eq)]
    open SecretsReloadResult {
        ok: Yes,
        warning_count: u64,
    }
    /// Params of `update.run`.
    closed UpdateRunParams {
        session_key?: String,
        note?: String,
        restart_delay_ms?: Natural,
        timeout_ms?: Positive,
    }
    /// Result of `update.run`.
    open UpdateRunResult {
        ok: bool,
        result: UpdateOutcome,
        restart: Option<RestartPlan>,
        sentinel: Sentinel,
    }
    /// What an update did.
    open UpdateOutcome {
        status: UpdateStatus,
        mode: String,
        root?: String,
        before?: Value,
        after?: Value,
        reason?: String,
        steps: Vec<UpdateStep>,
        duration_ms: u64,
    }
    /// One command of an update.
    open UpdateStep {
        name: String,
        command: String,
        cwd: String,
        duration_ms: u64,
        stdout_tail?: Option<String>,
        stderr_tail?: Option<String>,
        exit_code?: Option<i64>,
    }
}
