//! Why a tool did not do what was asked, and how the host is told. Used by every tool of this crate.

use openclaw_ports::tool::{ToolOutput, ToolReply};

use crate::arguments::WrongArgument;

/// Why a tool stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stop {
    /// A rule forbids it. The text names the rule and what would be allowed.
    #[error("{0}")]
    Refused(String),
    /// It was tried and did not work. The text says what to do next.
    #[error("{0}")]
    Failed(String),
}

impl Stop {
    /// It did not work.
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// A rule forbids it.
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }
}

impl From<WrongArgument> for Stop {
    fn from(wrong: WrongArgument) -> Self {
        Self::Failed(wrong.0)
    }
}

/// Adds what a call was about to a result that says it did not work, as successful ones have it.
pub(crate) fn with_subject(
    subject: impl Into<String>,
    result: Result<ToolOutput, Stop>,
) -> Result<ToolOutput, Stop> {
    match result {
        Err(Stop::Failed(text)) => Ok(ToolOutput::failed(text).with_meta(subject)),
        other => other,
    }
}

/// What the host is told.
pub(crate) fn reply(result: Result<ToolOutput, Stop>) -> ToolReply {
    match result {
        Ok(output) => ToolReply::Output(output),
        Err(Stop::Failed(text)) => ToolReply::Output(ToolOutput::failed(text)),
        Err(Stop::Refused(text)) => ToolReply::Refused(text),
    }
}
