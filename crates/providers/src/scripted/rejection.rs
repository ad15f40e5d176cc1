//! How a scripted server rejects a call: with a status before the answer, or with an error in the middle of it.

use std::time::Duration;

use openclaw_ports::model::{FaultReason, ModelFault};

/// A call that is rejected.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// What is wrong. A server says it in the words and codes of its vendor.
    pub reason: FaultReason,
    /// The status; the vendor's usual one when absent.
    pub status: Option<u16>,
    /// The words for people; the vendor's usual ones when absent.
    pub message: Option<String>,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl Rejection {
    /// A rejection as the vendor usually says it.
    #[must_use]
    pub fn new(reason: FaultReason) -> Self {
        Self { reason, status: None, message: None, retry_after: None }
    }

    /// A rejection with a status, for the reason that the status stands for.
    #[must_use]
    pub fn with_status(status: u16) -> Self {
        Self { status: Some(status), ..Self::new(reason_of(status)) }
    }

    /// The same, in these words.
    #[must_use]
    pub fn saying(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }

    /// The same, asking to be left alone for a while.
    #[must_use]
    pub fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// What a caller makes of it.
    #[must_use]
    pub fn fault(&self) -> ModelFault {
        let message = self.message.clone().unwrap_or_else(|| {
            format!("the script rejects this call with the reason {}", self.reason.as_str())
        });
        ModelFault { reason: self.reason, message, status: self.status, retry_after: self.retry_after }
    }
}

fn reason_of(status: u16) -> FaultReason {
    match status {
        401 | 403 => FaultReason::Auth,
        402 => FaultReason::Billing,
        404 => FaultReason::ModelNotFound,
        408 | 504 => FaultReason::Timeout,
        413 => FaultReason::ContextOverflow,
        429 => FaultReason::RateLimit,
        400..=499 => FaultReason::Format,
        500..=599 => FaultReason::Overloaded,
        _ => FaultReason::Unknown,
    }
}
