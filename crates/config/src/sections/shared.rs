//! Shapes that several sections repeat: switches, allow and deny lists, scope rules, install records.
//!
//! Each shape is written once, so that the sections cannot drift apart. Values smaller than a shape are in `value`.
//! Only the sections of this folder use it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::Positive;

/// Something that is on or off.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Switch {
    /// Whether it is on.
    pub enabled: Option<bool>,
}

/// Names that are allowed and names that are not.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllowDeny {
    /// What is allowed.
    pub allow: Option<Vec<String>>,
    /// What is refused, even when it is allowed above.
    pub deny: Option<Vec<String>>,
}

/// How the assistant behaves in groups.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupChat {
    /// Regular expressions that count as addressing the assistant.
    pub mention_patterns: Option<Vec<String>>,
    /// How many earlier messages of the group the model sees.
    pub history_limit: Option<Positive>,
}

/// Rules on where something applies.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScopePolicy {
    /// What holds when no rule fits.
    pub default: Option<ScopeAction>,
    /// The rules; the first one that fits decides.
    pub rules: Option<Vec<ScopeRule>>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScopeRule {
    /// What it decides.
    pub action: ScopeAction,
    /// Which conversations it is about; all when left out.
    #[serde(rename = "match")]
    pub matching: Option<ScopeMatch>,
}

/// Which conversations a rule is about; everything given must fit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScopeMatch {
    /// The channel.
    pub channel: Option<String>,
    /// The kind of conversation.
    pub chat_type: Option<ChatType>,
    /// How the session key begins, without the agent.
    pub key_prefix: Option<String>,
    /// How the whole session key begins.
    pub raw_key_prefix: Option<String>,
}

/// Where something installed came from.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallRecord {
    /// The kind of place.
    pub source: InstallSource,
    /// What was asked for.
    pub spec: Option<String>,
    /// The file or directory it was installed from.
    pub source_path: Option<String>,
    /// The directory it is in.
    pub install_path: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The package's own name.
    pub resolved_name: Option<String>,
    /// The version that was found.
    pub resolved_version: Option<String>,
    /// The exact package that was found.
    pub resolved_spec: Option<String>,
    /// The checksum that the registry promised.
    pub integrity: Option<String>,
    /// The checksum of the archive.
    pub shasum: Option<String>,
    /// When it was found.
    pub resolved_at: Option<String>,
    /// When it was installed.
    pub installed_at: Option<String>,
}

/// Where the gateway runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RunMode {
    /// On this machine.
    Local,
    /// Elsewhere.
    Remote,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnOff {
    /// On.
    On,
    /// Off.
    Off,
}

/// When the assistant shows that it is typing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TypingMode {
    /// Never.
    Never,
    /// As soon as a message arrives.
    Instant,
    /// When the model begins to think.
    Thinking,
    /// When the answer begins.
    Message,
}

/// What a rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ScopeAction {
    /// It applies.
    Allow,
    /// It does not.
    Deny,
}

/// The kind of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChatType {
    /// With one person.
    Direct,
    /// With several people.
    Group,
    /// In a room or broadcast channel.
    Channel,
    /// With one person; the earlier word.
    Dm,
}

/// On, off, or decided by the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AutoOnOff {
    /// Decided by the program.
    Auto,
    /// On.
    On,
    /// Off.
    Off,
}

/// What Tailscale publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TailscaleMode {
    /// Nothing.
    Off,
    /// Inside the tailnet.
    Serve,
    /// To the whole internet.
    Funnel,
}

/// The kind of place something was installed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum InstallSource {
    /// The package registry.
    Npm,
    /// An archive file.
    Archive,
    /// A directory.
    Path,
}
