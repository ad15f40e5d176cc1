//! Messages: what was said in a conversation, by whom, and what it cost.
//!
//! Neutral domain types that engines, providers and stores share. They follow no file or wire format; reading and
//! writing transcript files is the business of `transcript`, vendors' wire shapes that of their codecs.

mod content;
mod role;
mod stop;
mod usage;

#[cfg(test)]
mod tests;

pub use content::{Content, Image, ImageData, OtherContent, RedactedThinking, Text, Thinking, ToolCall};
pub use role::{
    AbortMark, AssistantMessage, AssistantSource, CustomMessage, Message, OtherMessage, Provenance,
    ProvenanceKind, ShellMessage, ToolOutcome, ToolResultMessage, UserMessage, Visibility,
};
pub use stop::StopReason;
pub use usage::{Cost, Usage};
