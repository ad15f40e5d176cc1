//! The `bindings` section: which agent answers where.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::ChatType;

/// Which agent answers where. The most specific binding decides.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Binding {
    /// The agent.
    pub agent_id: String,
    /// A note for people.
    pub comment: Option<String>,
    /// Where it answers.
    #[serde(rename = "match")]
    pub matching: BindingMatch,
}

/// Where an agent answers; everything given must fit.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BindingMatch {
    /// The channel.
    pub channel: String,
    /// Our login there; `*` means any.
    pub account_id: Option<String>,
    /// The conversation.
    pub peer: Option<BindingPeer>,
    /// The server the conversation is on.
    pub guild_id: Option<String>,
    /// The team it is in.
    pub team_id: Option<String>,
    /// Roles of the person, any of them.
    pub roles: Option<Vec<String>>,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BindingPeer {
    /// Its kind.
    pub kind: ChatType,
    /// The platform's id of it.
    pub id: String,
}
