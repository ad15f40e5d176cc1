//! Sending messages to other conversations.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::Switch;

/// Sending messages.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageTool {
    /// Whether messages may go to any other conversation; the earlier form of `crossContext`.
    pub allow_cross_context_send: Option<bool>,
    /// Sending to other conversations.
    pub cross_context: Option<CrossContext>,
    /// Sending to several at once.
    pub broadcast: Option<Switch>,
}

/// Sending to conversations other than the present one.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrossContext {
    /// Whether on the same channel.
    pub allow_within_provider: Option<bool>,
    /// Whether on other channels.
    pub allow_across_providers: Option<bool>,
    /// What marks such messages.
    pub marker: Option<CrossContextMarker>,
}

/// What marks messages from another conversation.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrossContextMarker {
    /// Whether they are marked.
    pub enabled: Option<bool>,
    /// Put in front; `{channel}` stands for the origin.
    pub prefix: Option<String>,
    /// Put behind.
    pub suffix: Option<String>,
}
