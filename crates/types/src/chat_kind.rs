//! The three kinds of conversation a platform knows.
//!
//! Threads are no kind of their own: they hang below a group or a channel, see `session_key::SessionThread`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of conversation a message belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatKind {
    /// One person and us.
    #[serde(alias = "dm")]
    Direct,
    /// Several people who were invited.
    Group,
    /// A room that people join by themselves.
    Channel,
}

impl ChatKind {
    /// The kind as it stands in keys and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Group => "group",
            Self::Channel => "channel",
        }
    }

    /// Reads a kind from a config file or a key; `dm` is the older word for `direct`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "direct" | "dm" => Some(Self::Direct),
            "group" => Some(Self::Group),
            "channel" => Some(Self::Channel),
            _ => None,
        }
    }
}

impl fmt::Display for ChatKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
