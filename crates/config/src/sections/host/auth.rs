//! The `auth` section: sign-ins to model vendors.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// Sign-ins to model vendors. The secrets themselves are kept elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthSection {
    /// Sign-ins by name.
    #[serde(default)]
    pub profiles: BTreeMap<String, AuthProfile>,
    /// Which sign-ins are tried, by vendor.
    #[serde(default)]
    pub order: BTreeMap<String, Vec<String>>,
    /// How long a failing sign-in is left alone.
    pub cooldowns: Option<AuthCooldowns>,
}

/// One sign-in.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthProfile {
    /// The vendor.
    pub provider: String,
    /// How it signs in.
    pub mode: AuthProfileMode,
    /// The account's address, for people.
    pub email: Option<String>,
}

/// How long a failing sign-in is left alone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthCooldowns {
    /// After the first billing failure, in hours.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub billing_backoff_hours: Option<f64>,
    /// The same by vendor.
    #[serde(default)]
    #[schemars(extend("additionalProperties" = { "type": "number", "exclusiveMinimum": 0 }))]
    pub billing_backoff_hours_by_provider: BTreeMap<String, f64>,
    /// The longest pause after billing failures, in hours.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub billing_max_hours: Option<f64>,
    /// How long a failure is remembered, in hours.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub failure_window_hours: Option<f64>,
}

/// How a sign-in works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuthProfileMode {
    /// With a key.
    ApiKey,
    /// In the browser, renewed by itself.
    Oauth,
    /// With a fixed token.
    Token,
}
