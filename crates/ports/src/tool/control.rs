//! Steering the gateway itself, for the `gateway` tool and for the commands of owners.

use std::time::Duration;

use async_trait::async_trait;
use openclaw_types::SessionKey;
use serde_json::Value;

/// Restarts the gateway and changes its configuration.
#[async_trait]
pub trait GatewayControl: Send + Sync {
    /// Does what is asked and says what came of it, secrets redacted.
    async fn act(&self, request: ControlRequest) -> Result<Value, ControlFault>;
}

/// What the gateway is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub enum ControlRequest {
    /// Start anew.
    Restart {
        /// How long to wait first.
        delay: Option<Duration>,
        /// Why.
        reason: Option<String>,
    },
    /// Show the configuration.
    ConfigGet,
    /// Show what a configuration may hold.
    ConfigSchema,
    /// Replace the configuration.
    ConfigApply(ConfigText),
    /// Change parts of the configuration.
    ConfigPatch(ConfigText),
    /// Set one value of the configuration, without a restart of its own.
    ConfigSet {
        /// Where, such as `agents.list[0].id`.
        path: String,
        /// What.
        value: Value,
    },
    /// Remove one value of the configuration, without a restart of its own.
    ConfigUnset {
        /// Where.
        path: String,
    },
    /// Give one entry of the configuration another name, without a restart of its own. Its value stays as written.
    ConfigRename {
        /// Where.
        path: String,
        /// The new name of its last key.
        name: String,
    },
    /// Show what is overridden until the next start: an object of paths and values.
    OverridesGet,
    /// Override a setting until the next start, without writing it.
    OverrideSet {
        /// Where.
        path: String,
        /// What.
        value: Value,
    },
    /// Take one override back.
    OverrideUnset {
        /// Where.
        path: String,
    },
    /// Take every override back.
    OverridesClear,
}

/// Text for the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigText {
    /// JSON5.
    pub raw: String,
    /// The hash of what it was made from.
    pub base_hash: Option<String>,
    /// The session that is told when the gateway is back.
    pub session: Option<SessionKey>,
    /// What it is told.
    pub note: Option<String>,
    /// How long to wait before a restart.
    pub restart_delay: Option<Duration>,
}

/// Why the gateway did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ControlFault(pub String);
