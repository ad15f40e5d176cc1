//! The `discovery` section: how the gateway is found.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::Switch;

/// How the gateway is found.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscoverySection {
    /// Through a DNS zone.
    pub wide_area: Option<Switch>,
    /// On the local network.
    pub mdns: Option<DiscoveryMdns>,
}

/// How the gateway is found on the local network.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscoveryMdns {
    /// What it tells.
    pub mode: Option<MdnsMode>,
}

/// What the gateway tells on the local network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MdnsMode {
    /// Nothing.
    Off,
    /// That it is there.
    Minimal,
    /// Where its programs and its SSH are, too.
    Full,
}
