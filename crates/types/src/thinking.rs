//! How hard a model is asked to think.
//!
//! Which model supports which level is known to the model catalog, not here.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A level of thinking, from none to the most there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    /// No thinking.
    Off,
    /// As little as the model allows.
    Minimal,
    /// A little.
    Low,
    /// The middle.
    Medium,
    /// Much.
    High,
    /// More than high, where a model has it.
    XHigh,
}

impl ThinkingLevel {
    /// Every level, lowest first.
    pub const ALL: [Self; 6] = [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::XHigh];

    /// The level as it stands in transcripts and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
        }
    }

    /// Reads a word as people and programs write it.
    #[must_use]
    pub fn from_typed(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        let joined: String = word.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).collect();
        match joined.as_str() {
            "xhigh" | "extrahigh" => Some(Self::XHigh),
            "off" => Some(Self::Off),
            "think" | "min" | "minimal" => Some(Self::Minimal),
            "on" | "enable" | "enabled" | "low" | "thinkhard" => Some(Self::Low),
            "mid" | "med" | "medium" | "thinkharder" | "harder" => Some(Self::Medium),
            "high" | "ultra" | "ultrathink" | "thinkhardest" | "highest" | "max" => Some(Self::High),
            _ => None,
        }
    }

    /// Reads the exact word, as transcripts hold it.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }
}

impl fmt::Display for ThinkingLevel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
