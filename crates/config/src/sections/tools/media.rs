//! Understanding pictures, sound and video.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::ScopePolicy;
use crate::sections::value::{Positive, Scalar, SecretText};

/// Understanding pictures, sound and video.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaTools {
    /// What can be asked, for all three.
    pub models: Option<Vec<MediaModel>>,
    /// How many attachments are looked at at once.
    pub concurrency: Option<Positive>,
    /// Pictures.
    pub image: Option<MediaUnderstanding>,
    /// Sound.
    pub audio: Option<MediaUnderstanding>,
    /// Video.
    pub video: Option<MediaUnderstanding>,
}

/// Something that understands media: a model or a program.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaModel {
    /// How it is asked.
    #[serde(flatten)]
    pub request: MediaRequest,
    /// The model's vendor.
    pub provider: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What it understands.
    pub capabilities: Option<Vec<MediaKind>>,
    /// Whether it is a model or a program.
    #[serde(rename = "type")]
    pub kind: Option<MediaModelType>,
    /// The program.
    pub command: Option<String>,
    /// The program's arguments.
    pub args: Option<Vec<String>>,
    /// The sign-in to use.
    pub profile: Option<String>,
    /// The sign-in to try first.
    pub preferred_profile: Option<String>,
}

/// How media are looked at.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaRequest {
    /// The largest attachment.
    pub max_bytes: Option<Positive>,
    /// The longest answer.
    pub max_chars: Option<Positive>,
    /// What is asked.
    pub prompt: Option<String>,
    /// How long it may take, in seconds.
    pub timeout_seconds: Option<Positive>,
    /// The language that is spoken.
    pub language: Option<String>,
    /// Options passed on as they are, by vendor.
    #[serde(default)]
    pub provider_options: BTreeMap<String, BTreeMap<String, Scalar>>,
    /// Options of Deepgram; better written under `providerOptions`.
    pub deepgram: Option<DeepgramOptions>,
    /// The server's address.
    pub base_url: Option<String>,
    /// Headers sent along.
    #[serde(default)]
    pub headers: BTreeMap<String, SecretText>,
}

/// Options of Deepgram.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeepgramOptions {
    /// Whether it finds out the language.
    pub detect_language: Option<bool>,
    /// Whether it sets punctuation.
    pub punctuate: Option<bool>,
    /// Whether it formats numbers and dates.
    pub smart_format: Option<bool>,
}

/// Understanding one kind of media.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaUnderstanding {
    /// How attachments are looked at.
    #[serde(flatten)]
    pub request: MediaRequest,
    /// Whether it is done.
    pub enabled: Option<bool>,
    /// In which conversations.
    pub scope: Option<ScopePolicy>,
    /// Which attachments of a message.
    pub attachments: Option<MediaAttachments>,
    /// What can be asked, in this order.
    pub models: Option<Vec<MediaModel>>,
}

/// Which attachments of a message are looked at.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaAttachments {
    /// One or all.
    pub mode: Option<AttachmentMode>,
    /// How many at most.
    pub max_attachments: Option<Positive>,
    /// Which come first.
    pub prefer: Option<AttachmentPreference>,
}

/// A kind of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MediaKind {
    /// Pictures.
    Image,
    /// Sound.
    Audio,
    /// Video.
    Video,
}

/// What understands media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MediaModelType {
    /// A model.
    Provider,
    /// A program.
    Cli,
}

/// How many attachments are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AttachmentMode {
    /// One.
    First,
    /// All.
    All,
}

/// Which attachments come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AttachmentPreference {
    /// The first ones.
    First,
    /// The last ones.
    Last,
    /// Those that are files.
    Path,
    /// Those that are addresses.
    Url,
}
