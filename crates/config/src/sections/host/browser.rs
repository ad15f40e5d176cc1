//! The `browser` section: the browser that tools steer.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, Port, SecretText};

/// The browser that tools steer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrowserSection {
    /// Whether browser tools exist.
    pub enabled: Option<bool>,
    /// Whether tools may run JavaScript in pages.
    pub evaluate_enabled: Option<bool>,
    /// The debugging address of a browser that already runs.
    pub cdp_url: Option<SecretText>,
    /// How long a remote browser may take to answer, in milliseconds.
    pub remote_cdp_timeout_ms: Option<Count>,
    /// How long connecting to a remote browser may take, in milliseconds.
    pub remote_cdp_handshake_timeout_ms: Option<Count>,
    /// The colour of the frame that marks a steered browser.
    pub color: Option<String>,
    /// The browser's program.
    pub executable_path: Option<String>,
    /// Whether it runs without a window.
    pub headless: Option<bool>,
    /// Whether it runs without its own sandbox, as some containers need.
    pub no_sandbox: Option<bool>,
    /// Whether a browser is only attached to and never started.
    pub attach_only: Option<bool>,
    /// The profile used when none is named.
    pub default_profile: Option<String>,
    /// How pages are described unless a call says otherwise.
    pub snapshot_defaults: Option<BrowserSnapshotDefaults>,
    /// Which addresses pages may be opened from.
    pub ssrf_policy: Option<BrowserSsrfPolicy>,
    /// Browser profiles by name.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "type": "string", "pattern": "^[a-z0-9-]+$" }))]
    pub profiles: BTreeMap<String, BrowserProfile>,
}

/// How pages are described unless a call says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrowserSnapshotDefaults {
    /// The form of the description.
    pub mode: Option<SnapshotMode>,
}

/// Which addresses pages may be opened from.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrowserSsrfPolicy {
    /// Whether private addresses may be opened; the earlier name of the next key.
    pub allow_private_network: Option<bool>,
    /// Whether private addresses may be opened. Pages can then reach machines behind your firewall.
    pub dangerously_allow_private_network: Option<bool>,
    /// Host names that may be opened although their address is private.
    pub allowed_hostnames: Option<Vec<String>>,
    /// The only host names that may be opened; a leading `*.` stands for any subdomain.
    pub hostname_allowlist: Option<Vec<String>>,
}

/// One browser with its own cookies and windows.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrowserProfile {
    /// The debugging port on this machine.
    pub cdp_port: Option<Port>,
    /// The debugging address when the browser runs elsewhere.
    pub cdp_url: Option<SecretText>,
    /// How the browser is steered.
    pub driver: Option<BrowserDriver>,
    /// The colour of its frame, as RRGGBB.
    #[schemars(regex(pattern = r"^#?[0-9a-fA-F]{6}$"))]
    pub color: String,
}

/// The form of a page's description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SnapshotMode {
    /// Short, for fewer tokens.
    Efficient,
}

/// How a browser is steered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum BrowserDriver {
    /// A browser that the program starts itself.
    Clawd,
    /// Your own browser, through the extension.
    Extension,
}
