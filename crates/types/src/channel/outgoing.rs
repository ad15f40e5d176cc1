//! What is sent to a platform: one piece at a time, each kept in the outbox before it is sent.

use serde::{Deserialize, Serialize};

use crate::{AccountId, ChannelId, MediaKind, MessageId, Panel, RichText, ThreadId};

/// Where something is sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendTarget {
    /// The platform.
    pub channel: ChannelId,
    /// Our login there.
    pub account: AccountId,
    /// The conversation, in the adapter's words: what `Place::to` said.
    pub to: String,
    /// The thread or topic inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
}

/// One piece to send. It fits into one message of the platform.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outgoing {
    /// Names the piece; the same on every attempt. Platforms that drop repeats are given it.
    pub key: String,
    /// Where to.
    pub target: SendTarget,
    /// What.
    pub payload: PiecePayload,
    /// The message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<ReplyPlace>,
    /// Whether nobody is to be woken by it.
    #[serde(default)]
    pub silent: bool,
    /// Whether links show a preview.
    #[serde(default)]
    pub link_preview: bool,
    /// Rows of buttons below it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Vec<Button>>,
}

/// The message a piece answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyPlace {
    /// Which one.
    pub message: MessageId,
    /// The part of it that is quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum PiecePayload {
    /// Words.
    Text {
        /// The words.
        text: RichText,
    },
    /// A file, with words below it.
    Media {
        /// The file.
        file: MediaFile,
        /// How it is shown.
        kind: MediaKind,
        /// The words; empty for none.
        caption: RichText,
    },
    /// Several files that are shown as one, with words below the first of them. Only where the platform has albums.
    Album {
        /// The files, two at least.
        items: Vec<AlbumItem>,
        /// The words; empty for none.
        caption: RichText,
    },
    /// A question with answers to choose from.
    Poll(Poll),
    /// Words with something to press, choose or fill in. Only where the platform has that.
    Panel(Panel),
}

impl PiecePayload {
    /// The files it carries.
    #[must_use]
    pub fn files(&self) -> Vec<&MediaFile> {
        match self {
            Self::Text { .. } | Self::Poll(_) | Self::Panel(_) => Vec::new(),
            Self::Media { file, .. } => vec![file],
            Self::Album { items, .. } => items.iter().map(|item| &item.file).collect(),
        }
    }
}

/// A file of an album.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AlbumItem {
    /// The file.
    pub file: MediaFile,
    /// How it is shown.
    pub kind: MediaKind,
}

/// A file to send. The bytes lie on our disk, copied there before the piece was written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MediaFile {
    /// Where the bytes are.
    pub path: String,
    /// The name people see.
    pub name: String,
    /// The media type, sniffed from the bytes.
    pub media_type: String,
}

/// A question with answers to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Poll {
    /// The question.
    pub question: String,
    /// The answers.
    pub options: Vec<String>,
    /// How many may be chosen.
    pub most: u32,
    /// How long it is open, in seconds; nothing said means as the platform does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Whether nobody sees who chose what; nothing said means as the platform does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anonymous: Option<bool>,
}

/// A button below a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Button {
    /// What it says.
    pub text: String,
    /// What comes back when it is pressed.
    pub data: String,
}

/// The platform took a piece.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The platform's name for the message.
    pub message: MessageId,
    /// The conversation it went to, where that is not the one that was asked for: a group that moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}
