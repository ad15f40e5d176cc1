//! `gateway.auth`: how clients prove who they are.
//!
//! Raw form: `resolved::auth` decides the mode, chooses the secrets and fills in the limits.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::SecretText;

/// How clients prove who they are.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayAuth {
    /// What is asked for.
    pub mode: Option<AuthMode>,
    /// The shared token.
    pub token: Option<SecretText>,
    /// The shared password.
    pub password: Option<SecretText>,
    /// Whether Tailscale's word on who somebody is counts.
    pub allow_tailscale: Option<bool>,
    /// When guessing is stopped.
    pub rate_limit: Option<GatewayAuthRateLimit>,
    /// How a proxy names the person.
    pub trusted_proxy: Option<GatewayAuthTrustedProxy>,
}

/// When guessing is stopped.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayAuthRateLimit {
    /// Failed attempts that lead to a lockout.
    pub max_attempts: Option<f64>,
    /// The time in which attempts are counted, in milliseconds.
    pub window_ms: Option<f64>,
    /// How long a lockout lasts, in milliseconds.
    pub lockout_ms: Option<f64>,
    /// Whether programs on this machine are exempt; browsers never are.
    pub exempt_loopback: Option<bool>,
}

/// How a proxy names the person.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayAuthTrustedProxy {
    /// The header with the name.
    #[schemars(length(min = 1))]
    pub user_header: String,
    /// Headers that must be there.
    pub required_headers: Option<Vec<String>>,
    /// The only people let in.
    pub allow_users: Option<Vec<String>>,
}

/// What clients are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AuthMode {
    /// Nothing.
    None,
    /// The shared token.
    Token,
    /// The shared password.
    Password,
    /// The word of a proxy.
    TrustedProxy,
}
