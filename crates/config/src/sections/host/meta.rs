//! The `meta` section: bookkeeping that the program writes itself.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::Raw;

/// Bookkeeping that the program writes itself.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetaSection {
    /// The version that last wrote the file.
    pub last_touched_version: Option<String>,
    /// When the file was last written.
    pub last_touched_at: Option<Raw>,
}
