//! How answers are cut, joined and paced on their way out.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, Positive};

/// How large the parts of an answer are.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockStreamingChunk {
    /// The least.
    pub min_chars: Option<Positive>,
    /// The most.
    pub max_chars: Option<Positive>,
    /// Where to cut.
    pub break_preference: Option<BreakPreference>,
}

/// How small parts are joined.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockStreamingCoalesce {
    /// Parts are collected up to this length.
    pub min_chars: Option<Positive>,
    /// The longest joined part.
    pub max_chars: Option<Positive>,
    /// The silence after which collected text is sent, in milliseconds.
    pub idle_ms: Option<Count>,
}

/// Pauses between parts, as a person would make.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HumanDelay {
    /// How long they are.
    pub mode: Option<HumanDelayMode>,
    /// The shortest, in milliseconds.
    pub min_ms: Option<Count>,
    /// The longest, in milliseconds.
    pub max_ms: Option<Count>,
}

/// When a part of an answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockBreak {
    /// When a text block ends.
    TextEnd,
    /// When the whole message ends.
    MessageEnd,
}

/// Where an answer is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum BreakPreference {
    /// Between paragraphs.
    Paragraph,
    /// Between lines.
    Newline,
    /// Between sentences.
    Sentence,
}

/// How long pauses are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HumanDelayMode {
    /// There are none.
    Off,
    /// Between 0.8 and 2.5 seconds.
    Natural,
    /// As the limits say.
    Custom,
}
