//! The `update` section: where new versions come from and when they are installed.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

/// Where new versions come from and when they are installed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateSection {
    /// Which versions are offered.
    pub channel: Option<UpdateChannel>,
    /// Whether a new version is looked for at start.
    pub check_on_start: Option<bool>,
    /// Updates without asking.
    pub auto: Option<UpdateAuto>,
}

/// Updates without asking.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateAuto {
    /// Whether they are installed.
    pub enabled: Option<bool>,
    /// How old a stable version must be, in hours.
    #[schemars(range(min = 0, max = 168))]
    pub stable_delay_hours: Option<f64>,
    /// The longest random delay on top, in hours.
    #[schemars(range(min = 0, max = 168))]
    pub stable_jitter_hours: Option<f64>,
    /// How often a beta version is looked for, in hours.
    #[schemars(range(max = 24))]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub beta_check_interval_hours: Option<f64>,
}

/// Which versions are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UpdateChannel {
    /// Released versions.
    Stable,
    /// Previews.
    Beta,
    /// The newest code.
    Dev,
}
