//! The `broadcast` section: conversations that several agents answer.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// Conversations that several agents answer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BroadcastSection {
    /// Whether they answer at once or in turn.
    pub strategy: Option<BroadcastStrategy>,
    /// The agents of a conversation, by its id.
    #[serde(flatten)]
    pub extra: BTreeMap<String, Vec<String>>,
}

/// How several agents answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum BroadcastStrategy {
    /// At once.
    Parallel,
    /// In turn.
    Sequential,
}
