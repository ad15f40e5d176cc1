//! What the gateway answers to a successful `connect`: `hello-ok` and the snapshot inside it.
//!
//! One type serves both dialects: the fields of protocol 4 are optional and left out for clients of protocol 3. Building
//! the answer is the business of `gateway`; our own client reads it leniently.

use std::collections::BTreeMap;

use openclaw_types::{Role, UnixMillis};
use serde_json::Value;

use crate::frame::StateVersion;
use crate::presence::PresenceEntry;
use crate::shape::{SecretText, choices, object};

/// Largest message a client may send, in bytes.
pub const MAX_PAYLOAD_BYTES: u64 = 26_214_400;
/// Most bytes that may wait for a slow client.
pub const MAX_BUFFERED_BYTES: u64 = 52_428_800;
/// Time between two ticks, in milliseconds.
pub const TICK_INTERVAL_MS: u64 = 30_000;
/// Time a client has to connect, in milliseconds.
pub const HANDSHAKE_TIMEOUT_MS: u64 = 10_000;

choices! {
    /// Marks the answer to a connect.
    HelloTag { HelloOk = "hello-ok" }
    /// How the gateway authenticates clients.
    AuthMode { None = "none", Token = "token", Password = "password", TrustedProxy = "trusted-proxy" }
}

object! {
    /// The answer to a connect.
    open HelloOk {
        "type" tag: HelloTag,
        protocol: u32,
        server: ServerInfo,
        features: Features,
        snapshot: Snapshot,
        /// Where the canvas is served (protocol 3).
        canvas_host_url?: String,
        /// Where plugins serve their pages, by name (protocol 4).
        plugin_surface_urls?: BTreeMap<String, String>,
        auth?: HelloAuth,
        policy: Policy,
    }
    /// The gateway itself.
    open ServerInfo {
        version: String,
        conn_id: String,
        build_id?: String,
        boot_id?: String,
    }
    /// What the gateway can do.
    #[derive(Default)]
    open Features {
        methods: Vec<String>,
        events: Vec<String>,
        capabilities?: Vec<String>,
    }
    /// The state at the moment of connecting.
    open Snapshot {
        /// Newest first, the gateway itself included.
        presence: Vec<PresenceEntry>,
        /// The last health result, or an empty object.
        health: Value,
        state_version: StateVersion,
        uptime_ms: u64,
        config_path?: String,
        state_dir?: String,
        session_defaults?: SessionDefaults,
        auth_mode?: AuthMode,
        update_available?: UpdateInfo,
        applied_config_hash?: Option<String>,
    }
    /// Where messages go when a client names no session.
    open SessionDefaults {
        default_agent_id: String,
        main_key: String,
        main_session_key: String,
        scope?: String,
        model_configured?: bool,
    }
    /// A newer release.
    open UpdateInfo {
        current_version: String,
        latest_version: String,
        channel: String,
    }
    /// What the client was recognised as. Protocol 3 sends it only with a device token.
    open HelloAuth {
        device_token?: SecretText,
        role: Role,
        scopes: Vec<String>,
        issued_at_ms?: UnixMillis,
        method?: String,
    }
    /// Limits the client should keep.
    open Policy {
        max_payload: u64,
        max_buffered_bytes: u64,
        tick_interval_ms: u64,
        attachments?: AttachmentPolicy,
    }
    /// Limits on attachments (protocol 4).
    open AttachmentPolicy {
        max_bytes: u64,
        max_image_bytes: u64,
    }
}

impl Policy {
    /// The limits of this implementation.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            max_payload: MAX_PAYLOAD_BYTES,
            max_buffered_bytes: MAX_BUFFERED_BYTES,
            tick_interval_ms: TICK_INTERVAL_MS,
            attachments: None,
        }
    }
}
