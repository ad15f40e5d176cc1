//! What went wrong with a model, by what can be done about it.
//!
//! Failover looks at the reason alone. The message is for people and logs: it never holds a credential, and it is cut
//! to a sensible length before it gets here.

use std::fmt;
use std::time::Duration;

/// A call that gave no whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFault {
    /// What kind of trouble.
    pub reason: FaultReason,
    /// What the server said, or what we saw.
    pub message: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl ModelFault {
    /// A fault without a status.
    pub fn new(reason: FaultReason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), status: None, retry_after: None }
    }
}

impl fmt::Display for ModelFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.reason.as_str(), self.message)
    }
}

impl std::error::Error for ModelFault {}

/// The kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultReason {
    /// Too many calls; another key or a while later can work.
    RateLimit,
    /// The credential is wrong, expired or not allowed to do this.
    Auth,
    /// There is no money left.
    Billing,
    /// The server is overloaded or broken.
    Overloaded,
    /// The conversation does not fit the model.
    ContextOverflow,
    /// The server does not accept this request; sending it again cannot help.
    Format,
    /// The server does not have this model.
    ModelNotFound,
    /// The vendor refused to answer this.
    Refused,
    /// Nothing came in time.
    Timeout,
    /// The connection could not be made or broke.
    Network,
    /// The stream ended before the answer did.
    Truncated,
    /// The stream was not what the protocol says.
    Malformed,
    /// The answer was empty.
    Empty,
    /// The stream was larger than we take.
    TooLarge,
    /// We stopped it.
    Cancelled,
    /// Something else.
    Unknown,
}

impl FaultReason {
    /// The reason as it stands in events and stores.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Auth => "auth",
            Self::Billing => "billing",
            Self::Overloaded => "overloaded",
            Self::ContextOverflow => "context_overflow",
            Self::Format => "format",
            Self::ModelNotFound => "model_not_found",
            Self::Refused => "refused",
            Self::Timeout => "timeout",
            Self::Network => "network",
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::Empty => "empty",
            Self::TooLarge => "too_large",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
        }
    }
}
