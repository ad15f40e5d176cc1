//! The `wizard` section: what the set-up wizard did last.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::RunMode;

/// What the set-up wizard did last.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WizardSection {
    /// When it ran.
    pub last_run_at: Option<String>,
    /// The version it ran in.
    pub last_run_version: Option<String>,
    /// The commit it was built from.
    pub last_run_commit: Option<String>,
    /// The command that started it.
    pub last_run_command: Option<String>,
    /// Whether it set up a gateway here or the use of one elsewhere.
    pub last_run_mode: Option<RunMode>,
}
