//! Understanding links in messages.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::ScopePolicy;
use crate::sections::value::Positive;

/// Understanding links in messages.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkTools {
    /// Whether it is done.
    pub enabled: Option<bool>,
    /// In which conversations.
    pub scope: Option<ScopePolicy>,
    /// How many links of a message.
    pub max_links: Option<Positive>,
    /// How long it may take, in seconds.
    pub timeout_seconds: Option<Positive>,
    /// Programs that read a link, in this order.
    pub models: Option<Vec<LinkModel>>,
}

/// A program that reads a link.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkModel {
    /// The kind; only programs exist.
    #[serde(rename = "type")]
    pub kind: Option<LinkModelType>,
    /// The program.
    #[schemars(length(min = 1))]
    pub command: String,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// How long it may take, in seconds.
    pub timeout_seconds: Option<Positive>,
}

/// What reads a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LinkModelType {
    /// A program.
    Cli,
}
