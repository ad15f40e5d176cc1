//! The `acp` section: coding agents that speak the Agent Client Protocol.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::Switch;
use crate::sections::value::{Count, Positive};

/// Coding agents that speak the Agent Client Protocol.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcpSection {
    /// Whether they can be used.
    pub enabled: Option<bool>,
    /// Whether messages may be handed to them.
    pub dispatch: Option<Switch>,
    /// The runtime that starts them.
    pub backend: Option<String>,
    /// The one used when none is named.
    pub default_agent: Option<String>,
    /// The only ones that may be used.
    pub allowed_agents: Option<Vec<String>>,
    /// How many sessions may run at once.
    pub max_concurrent_sessions: Option<Positive>,
    /// How their answers are cut into messages.
    pub stream: Option<AcpStream>,
    /// The runtime itself.
    pub runtime: Option<AcpRuntime>,
}

/// How answers are cut into messages.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcpStream {
    /// The silence after which collected text is sent, in milliseconds.
    pub coalesce_idle_ms: Option<Count>,
    /// The longest piece.
    pub max_chunk_chars: Option<Positive>,
}

/// The runtime that starts coding agents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcpRuntime {
    /// How long an idle session is kept, in minutes.
    pub ttl_minutes: Option<Positive>,
    /// The command that installs it.
    pub install_command: Option<String>,
}
