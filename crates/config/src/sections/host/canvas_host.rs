//! The `canvasHost` section: pages that agents make.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::Positive;

/// Pages that agents make.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CanvasHostSection {
    /// Whether they are served.
    pub enabled: Option<bool>,
    /// Their directory.
    pub root: Option<String>,
    /// A port of their own.
    pub port: Option<Positive>,
    /// Whether open pages follow changes.
    pub live_reload: Option<bool>,
}
