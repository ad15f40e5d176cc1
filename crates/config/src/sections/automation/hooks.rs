//! The `hooks` section: webhooks for other programs, and reactions to events inside.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::{InstallRecord, TailscaleMode};
use crate::sections::value::{Positive, Raw, SecretText};

/// Doors for other programs, and reactions to what happens inside.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HooksSection {
    /// Whether webhooks are accepted.
    pub enabled: Option<bool>,
    /// Where they are below the gateway's address.
    pub path: Option<String>,
    /// The token programs must show.
    pub token: Option<SecretText>,
    /// The session used when none is named.
    pub default_session_key: Option<String>,
    /// Whether programs may name a session.
    pub allow_request_session_key: Option<bool>,
    /// How such sessions must begin.
    pub allowed_session_key_prefixes: Option<Vec<String>>,
    /// The only agents they may address.
    pub allowed_agent_ids: Option<Vec<String>>,
    /// The largest request.
    pub max_body_bytes: Option<Positive>,
    /// Ready-made mappings by name.
    pub presets: Option<Vec<String>>,
    /// The directory of transforming modules.
    pub transforms_dir: Option<String>,
    /// What requests turn into.
    pub mappings: Option<Vec<HookMapping>>,
    /// Mail that arrives.
    pub gmail: Option<GmailHook>,
    /// Reactions to what happens inside.
    pub internal: Option<InternalHooks>,
}

/// What a request turns into.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookMapping {
    /// Its name.
    pub id: Option<String>,
    /// Which requests.
    #[serde(rename = "match")]
    pub matching: Option<HookMatch>,
    /// What happens.
    pub action: Option<HookAction>,
    /// When the agent wakes.
    pub wake_mode: Option<WakeMode>,
    /// The hook's name for people.
    pub name: Option<String>,
    /// The agent.
    pub agent_id: Option<String>,
    /// The session.
    pub session_key: Option<SecretText>,
    /// The message; `{{field}}` stands for a field of the request.
    pub message_template: Option<String>,
    /// The text of a wake-up, in the same way.
    pub text_template: Option<String>,
    /// Whether the answer is sent to a chat.
    pub deliver: Option<bool>,
    /// Whether the request reaches the model without being marked as foreign. Unsafe.
    pub allow_unsafe_external_content: Option<bool>,
    /// The channel the answer goes to; `last` for the last one used.
    pub channel: Option<String>,
    /// Whom it goes to.
    pub to: Option<String>,
    /// The model that answers.
    pub model: Option<String>,
    /// How much it thinks.
    pub thinking: Option<String>,
    /// How long it may take, in seconds.
    pub timeout_seconds: Option<Positive>,
    /// A module that changes the request first.
    pub transform: Option<HookTransform>,
}

/// Which requests a mapping is for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookMatch {
    /// The path below the hooks' own.
    pub path: Option<String>,
    /// The `source` field of the request.
    pub source: Option<String>,
}

/// A module that changes a request.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookTransform {
    /// The module, below the directory of transforms.
    pub module: String,
    /// The function in it.
    pub export: Option<String>,
}

/// Mail that arrives.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GmailHook {
    /// The mail address.
    pub account: Option<String>,
    /// The label that is watched.
    pub label: Option<String>,
    /// The notification topic.
    pub topic: Option<String>,
    /// The subscription to it.
    pub subscription: Option<String>,
    /// The token that notifications must carry.
    pub push_token: Option<SecretText>,
    /// Where mails are handed to.
    pub hook_url: Option<String>,
    /// Whether the text of a mail is handed on.
    pub include_body: Option<bool>,
    /// How much of it.
    pub max_bytes: Option<Positive>,
    /// How often watching is renewed, in minutes.
    pub renew_every_minutes: Option<Positive>,
    /// Whether mails reach the model without being marked as foreign. Unsafe.
    pub allow_unsafe_external_content: Option<bool>,
    /// Where notifications are received.
    pub serve: Option<GmailServe>,
    /// How notifications get in.
    pub tailscale: Option<GmailTailscale>,
    /// The model that reads mails.
    pub model: Option<String>,
    /// How much it thinks.
    pub thinking: Option<HookThinking>,
}

/// Where notifications are received.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GmailServe {
    /// The address.
    pub bind: Option<String>,
    /// The port.
    pub port: Option<Positive>,
    /// The path.
    pub path: Option<String>,
}

/// How notifications get in through Tailscale.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GmailTailscale {
    /// What is published.
    pub mode: Option<TailscaleMode>,
    /// The published path.
    pub path: Option<String>,
    /// What it leads to.
    pub target: Option<String>,
}

/// Reactions to what happens inside.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InternalHooks {
    /// Whether there are any.
    pub enabled: Option<bool>,
    /// Modules that react; the earlier form of hook directories.
    pub handlers: Option<Vec<InternalHandler>>,
    /// Settings of hooks by name.
    #[serde(default)]
    pub entries: BTreeMap<String, InternalHookEntry>,
    /// Where hooks are looked for.
    pub load: Option<ExtraDirs>,
    /// Where installed hooks came from.
    #[serde(default)]
    pub installs: BTreeMap<String, HookInstall>,
}

/// A module that reacts.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InternalHandler {
    /// What it reacts to.
    pub event: String,
    /// The module.
    pub module: String,
    /// The function in it.
    pub export: Option<String>,
}

/// Settings of a hook.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InternalHookEntry {
    /// Whether it reacts.
    pub enabled: Option<bool>,
    /// Variables it is given.
    #[serde(default)]
    pub env: BTreeMap<String, SecretText>,
    /// Settings of its own.
    #[serde(flatten)]
    pub extra: BTreeMap<String, Raw>,
}

/// Further places.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtraDirs {
    /// Further directories.
    pub extra_dirs: Option<Vec<String>>,
}

/// Where installed hooks came from.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookInstall {
    /// What is recorded of everything installed.
    #[serde(flatten)]
    pub record: InstallRecord,
    /// The hooks in the package.
    pub hooks: Option<Vec<String>>,
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HookAction {
    /// It wakes the main session.
    Wake,
    /// It is answered in a session.
    Agent,
}

/// When an agent wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WakeMode {
    /// At once.
    Now,
    /// At its next heartbeat.
    NextHeartbeat,
}

/// How much a model thinks about a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HookThinking {
    /// Not at all.
    Off,
    /// As little as it can.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}
