//! The `plugins` section: plugins and where they came from.
//!
//! A plugin's own settings (`entries.*.config`) stay raw; the plugin reads them. No defaults here.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::InstallRecord;
use crate::sections::value::Raw;

/// Plugins.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginsSection {
    /// Whether plugins are loaded.
    pub enabled: Option<bool>,
    /// The only ones that are loaded.
    pub allow: Option<Vec<String>>,
    /// Those that are never loaded.
    pub deny: Option<Vec<String>>,
    /// Where plugins are looked for.
    pub load: Option<PluginsLoad>,
    /// Which plugin does what only one can do.
    pub slots: Option<PluginsSlots>,
    /// Settings of plugins by name.
    #[serde(default)]
    pub entries: BTreeMap<String, PluginEntry>,
    /// Where installed plugins came from.
    #[serde(default)]
    pub installs: BTreeMap<String, InstallRecord>,
}

/// Where plugins are looked for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginsLoad {
    /// Further files and directories.
    pub paths: Option<Vec<String>>,
}

/// Which plugin does what only one can do.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginsSlots {
    /// Remembering; `none` for none.
    pub memory: Option<String>,
}

/// Settings of a plugin.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginEntry {
    /// Whether it is loaded.
    pub enabled: Option<bool>,
    /// Settings of its own, read by the plugin.
    #[serde(default)]
    pub config: BTreeMap<String, Raw>,
}
