//! The pieces a message is made of: text, thinking, tool calls, images.
//!
//! Signatures are opaque proofs that a vendor wants back unchanged. A piece of a kind we do not know is kept as it is.

use serde_json::Value;

use crate::ToolCallId;

/// One piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Words for people.
    Text(Text),
    /// The model's thoughts.
    Thinking(Thinking),
    /// Thoughts that the vendor sealed; only it can read them.
    RedactedThinking(RedactedThinking),
    /// The model asks for a tool.
    ToolCall(ToolCall),
    /// A picture.
    Image(Image),
    /// A kind we do not know.
    Other(OtherContent),
}

impl Content {
    /// Plain words without a signature.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text { text: text.into(), signature: None })
    }

    /// The words, when this piece is words for people.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            _ => None,
        }
    }

    /// The tool call, when this piece is one.
    #[must_use]
    pub fn as_tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::ToolCall(call) => Some(call),
            _ => None,
        }
    }
}

/// Words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The words.
    pub text: String,
    /// The vendor's proof for this piece.
    pub signature: Option<String>,
}

/// The model's thoughts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinking {
    /// The thoughts, or the vendor's summary of them.
    pub text: String,
    /// The vendor's proof for this piece.
    pub signature: Option<String>,
}

/// Thoughts that the vendor sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactedThinking {
    /// The sealed thoughts, to be sent back as they are.
    pub data: String,
}

/// The model asks for a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Joins the call with its result.
    pub id: ToolCallId,
    /// The tool's name.
    pub name: String,
    /// The arguments: an object, unless the model wrote something else.
    pub arguments: Value,
    /// The vendor's proof for the thought that led here.
    pub signature: Option<String>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The media type, for example `image/png`, where it is known.
    pub media_type: Option<String>,
    /// Where the picture is.
    pub data: ImageData,
}

/// Where a picture is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageData {
    /// Here, in Base64.
    Inline(String),
    /// At this address.
    Url(String),
    /// Left out to save space; its size in bytes where it is known.
    Omitted {
        /// How large the picture was.
        bytes: Option<u64>,
    },
}

/// A piece of a kind we do not know.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherContent {
    /// The piece as it was found.
    pub value: Value,
}
