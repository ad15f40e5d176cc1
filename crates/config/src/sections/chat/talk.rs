//! The `talk` section: talking with the assistant by voice.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Raw, SecretText};

/// Talking with the assistant by voice.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TalkSection {
    /// The voice of the chosen service.
    #[serde(flatten)]
    pub voice: TalkVoice,
    /// The speech service.
    pub provider: Option<String>,
    /// Settings of speech services by name.
    #[serde(default)]
    pub providers: BTreeMap<String, TalkProvider>,
    /// Whether speaking stops the assistant.
    pub interrupt_on_speech: Option<bool>,
}

/// A voice.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TalkVoice {
    /// Which.
    pub voice_id: Option<String>,
    /// Names for voices.
    #[serde(default)]
    pub voice_aliases: BTreeMap<String, String>,
    /// The speech model.
    pub model_id: Option<String>,
    /// The sound format.
    pub output_format: Option<String>,
    /// The service's key.
    pub api_key: Option<SecretText>,
}

/// Settings of a speech service.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TalkProvider {
    /// The voice.
    #[serde(flatten)]
    pub voice: TalkVoice,
    /// Settings of its own.
    #[serde(flatten)]
    pub extra: BTreeMap<String, Raw>,
}
