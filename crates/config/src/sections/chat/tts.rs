//! `messages.tts`: speaking answers aloud.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::AutoOnOff;
use crate::sections::value::{Positive, SecretText, Whole};

/// Speaking answers aloud.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tts {
    /// Which answers.
    pub auto: Option<TtsAuto>,
    /// Whether answers are spoken; the earlier form of `auto`.
    pub enabled: Option<bool>,
    /// Which parts of an answer.
    pub mode: Option<TtsMode>,
    /// The speech service.
    pub provider: Option<TtsProvider>,
    /// The model that shortens long answers.
    pub summary_model: Option<String>,
    /// What the model may decide about its voice.
    pub model_overrides: Option<TtsOverrides>,
    /// Settings of ElevenLabs.
    pub elevenlabs: Option<TtsElevenlabs>,
    /// Settings of OpenAI.
    pub openai: Option<TtsOpenai>,
    /// Settings of Edge.
    pub edge: Option<TtsEdge>,
    /// The file of people's own choices.
    pub prefs_path: Option<String>,
    /// The longest text that is spoken.
    pub max_text_length: Option<Positive>,
    /// How long speaking may take, in milliseconds.
    pub timeout_ms: Option<Whole<1000, 120_000>>,
}

/// What the model may decide about its voice.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TtsOverrides {
    /// Whether it may decide anything.
    pub enabled: Option<bool>,
    /// Speaking other text than it writes.
    pub allow_text: Option<bool>,
    /// The service.
    pub allow_provider: Option<bool>,
    /// The voice.
    pub allow_voice: Option<bool>,
    /// The speech model.
    pub allow_model_id: Option<bool>,
    /// How the voice sounds.
    pub allow_voice_settings: Option<bool>,
    /// How numbers are spoken.
    pub allow_normalization: Option<bool>,
    /// The seed.
    pub allow_seed: Option<bool>,
}

/// Settings of ElevenLabs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TtsElevenlabs {
    /// Its key.
    pub api_key: Option<SecretText>,
    /// Its address.
    pub base_url: Option<String>,
    /// The voice.
    pub voice_id: Option<String>,
    /// The speech model.
    pub model_id: Option<String>,
    /// A seed for repeatable results.
    pub seed: Option<Whole<0, 4_294_967_295>>,
    /// Whether numbers are spelled out.
    pub apply_text_normalization: Option<AutoOnOff>,
    /// The language, as two letters.
    pub language_code: Option<String>,
    /// How the voice sounds.
    pub voice_settings: Option<TtsVoiceSettings>,
}

/// How a voice sounds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TtsVoiceSettings {
    /// How even it is.
    #[schemars(range(min = 0, max = 1))]
    pub stability: Option<f64>,
    /// How close to the original.
    #[schemars(range(min = 0, max = 1))]
    pub similarity_boost: Option<f64>,
    /// How expressive.
    #[schemars(range(min = 0, max = 1))]
    pub style: Option<f64>,
    /// Whether the speaker is made clearer.
    pub use_speaker_boost: Option<bool>,
    /// How fast.
    #[schemars(range(min = 0.5, max = 2))]
    pub speed: Option<f64>,
}

/// Settings of OpenAI.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TtsOpenai {
    /// Its key.
    pub api_key: Option<SecretText>,
    /// The speech model.
    pub model: Option<String>,
    /// The voice.
    pub voice: Option<String>,
}

/// Settings of Edge.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TtsEdge {
    /// Whether it may be used.
    pub enabled: Option<bool>,
    /// The voice.
    pub voice: Option<String>,
    /// The language.
    pub lang: Option<String>,
    /// The sound format.
    pub output_format: Option<String>,
    /// How high, as a percentage.
    pub pitch: Option<String>,
    /// How fast, as a percentage.
    pub rate: Option<String>,
    /// How loud, as a percentage.
    pub volume: Option<String>,
    /// Whether subtitles are kept beside the sound.
    pub save_subtitles: Option<bool>,
    /// A proxy on the way.
    pub proxy: Option<SecretText>,
    /// How long it may take, in milliseconds.
    pub timeout_ms: Option<Whole<1000, 120_000>>,
}

/// Which answers are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TtsAuto {
    /// None.
    Off,
    /// All.
    Always,
    /// Answers to voice messages.
    Inbound,
    /// Those the model marks.
    Tagged,
}

/// Which parts of an answer are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TtsMode {
    /// The last one.
    Final,
    /// All.
    All,
}

/// A speech service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TtsProvider {
    /// ElevenLabs.
    Elevenlabs,
    /// OpenAI.
    Openai,
    /// Edge, which needs no key.
    Edge,
}
