//! The `channels` section: what holds for all platforms, and the settings of each.
//!
//! A platform's settings stay raw: their form is its owner's (`ChannelKind::form`), which the validator asks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::sections::value::Raw;

/// The platforms by name, and what holds for all of them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelsSection {
    /// What holds where a platform says nothing itself.
    pub defaults: Option<ChannelDefaults>,
    /// The model for a conversation, by platform and the conversation's id.
    pub model_by_channel: Option<BTreeMap<String, BTreeMap<String, String>>>,
    /// The settings of a platform.
    #[serde(flatten)]
    pub platforms: BTreeMap<String, Raw>,
}

/// What holds where a platform says nothing itself.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelDefaults {
    /// Who may talk in groups.
    pub group_policy: Option<GroupPolicyWord>,
    /// What people see of heartbeats.
    pub heartbeat: Option<HeartbeatVisibility>,
}

/// Who may talk in groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GroupPolicyWord {
    /// Everybody.
    Open,
    /// Nobody.
    Disabled,
    /// Those who are listed.
    Allowlist,
}

/// What people see of heartbeats.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatVisibility {
    /// Whether they are told that all is well.
    pub show_ok: Option<bool>,
    /// Whether they are told what needs them.
    pub show_alerts: Option<bool>,
    /// Whether clients show a sign.
    pub use_indicator: Option<bool>,
}

impl ChannelsSection {
    /// The settings of a platform, as written.
    #[must_use]
    pub fn get(&self, platform: &str) -> Option<&Raw> {
        self.platforms.get(platform)
    }

    /// The settings of a platform with what holds for all filled in.
    #[must_use]
    pub fn meant(&self, platform: &str) -> Option<Value> {
        let mut section = self.get(platform)?.value().clone();
        let policy = self.defaults.as_ref().and_then(|defaults| defaults.group_policy);
        if let (Some(policy), Some(keys)) = (policy, section.as_object_mut()) {
            keys.entry("groupPolicy").or_insert_with(|| policy.as_str().into());
        }
        Some(section)
    }
}

impl GroupPolicyWord {
    fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Disabled => "disabled",
            Self::Allowlist => "allowlist",
        }
    }
}
