//! The `nodeHost` section: what this machine offers when it is a node.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

/// What this machine offers when it is a node.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeHostSection {
    /// Letting the gateway steer this machine's browser.
    pub browser_proxy: Option<NodeBrowserProxy>,
}

/// Letting the gateway steer this machine's browser.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeBrowserProxy {
    /// Whether it may.
    pub enabled: Option<bool>,
    /// The only browser profiles it may use.
    pub allow_profiles: Option<Vec<String>>,
}
