//! The `commands` section: commands that people write in chats.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{SecretText, TextOrNumber, ToggleOrAuto, Whole};

/// Commands that people write in chats.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandsSection {
    /// Whether they are registered with platforms that have command menus.
    pub native: Option<ToggleOrAuto>,
    /// Whether skills are registered too.
    pub native_skills: Option<ToggleOrAuto>,
    /// Whether they work as plain text.
    pub text: Option<bool>,
    /// Whether `!` runs commands on the gateway's machine.
    pub bash: Option<bool>,
    /// When such a command moves to the background, in milliseconds.
    pub bash_foreground_ms: Option<Whole<0, 30_000>>,
    /// Whether `/config` reads and writes this file.
    pub config: Option<bool>,
    /// Whether `/debug` changes settings until the next start.
    pub debug: Option<bool>,
    /// Whether `/restart` restarts the gateway.
    pub restart: Option<bool>,
    /// Whether commands obey the channels' allow lists.
    pub use_access_groups: Option<bool>,
    /// Who owns the assistant.
    pub owner_allow_from: Option<Vec<TextOrNumber>>,
    /// How owners are named to the model.
    pub owner_display: Option<OwnerDisplay>,
    /// The key with which owners' ids are hidden.
    pub owner_display_secret: Option<SecretText>,
    /// Who may use commands, by channel; `*` for all channels.
    #[serde(default)]
    pub allow_from: BTreeMap<String, Vec<TextOrNumber>>,
}

/// How owners are named to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OwnerDisplay {
    /// By their id.
    Raw,
    /// By a hash of it.
    Hash,
}
