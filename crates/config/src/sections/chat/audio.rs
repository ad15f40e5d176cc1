//! The `audio` section: voice messages.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::Positive;

/// Voice messages.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AudioSection {
    /// A program that writes them down.
    pub transcription: Option<AudioTranscription>,
}

/// A program that writes down voice messages.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AudioTranscription {
    /// The program and its arguments; `{{MediaPath}}` stands for the file.
    pub command: Vec<String>,
    /// How long it may take, in seconds.
    pub timeout_seconds: Option<Positive>,
}
