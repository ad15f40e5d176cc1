//! Why a model stopped writing.
//!
//! Vendors and older transcripts spell the same reason in many ways; `from_word` knows them all, `as_str` writes ours.

use std::fmt;

/// Why a model stopped writing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// It was done.
    Stop,
    /// It reached the limit of tokens.
    Length,
    /// It waits for tools.
    ToolUse,
    /// Something went wrong, refusals by the vendor included.
    Error,
    /// Someone stopped it.
    Aborted,
    /// A reason we do not know, as it was written.
    Other(Box<str>),
}

impl StopReason {
    /// Reads a reason in any known spelling.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "stop" | "end_turn" | "endTurn" | "end" | "stop_sequence" | "stopSequence" | "pause_turn"
            | "completed" | "STOP" => Self::Stop,
            "length" | "max_tokens" | "maxTokens" | "max_output_tokens" | "MAX_TOKENS" => Self::Length,
            "toolUse" | "tool_use" | "tool_calls" | "toolCalls" | "tool_call" | "function_call" => {
                Self::ToolUse
            }
            "error" | "refusal" | "content_filter" | "sensitive" | "failed" => Self::Error,
            "aborted" | "abort" | "cancelled" | "canceled" => Self::Aborted,
            other => Self::Other(other.into()),
        }
    }

    /// The reason as we write it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolUse => "toolUse",
            Self::Error => "error",
            Self::Aborted => "aborted",
            Self::Other(word) => word,
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
