//! The `web` section: the connection of linked chat accounts.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, Positive};

/// The connection of chat accounts that are linked like a web client.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebSection {
    /// Whether it is kept.
    pub enabled: Option<bool>,
    /// How often a sign of life is sent, in seconds.
    pub heartbeat_seconds: Option<Positive>,
    /// How a lost connection is made again.
    pub reconnect: Option<WebReconnect>,
}

/// How a lost connection is made again.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebReconnect {
    /// The first pause, in milliseconds.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub initial_ms: Option<f64>,
    /// The longest pause, in milliseconds.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_ms: Option<f64>,
    /// How much longer each pause is.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub factor: Option<f64>,
    /// The random share of a pause.
    #[schemars(range(min = 0, max = 1))]
    pub jitter: Option<f64>,
    /// How many attempts; 0 means without end.
    pub max_attempts: Option<Count>,
}
