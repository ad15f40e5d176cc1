//! What went wrong on a platform, by what the host should do about it.

use std::time::Duration;

use openclaw_types::RichText;

/// Why a call to a platform did not succeed. Texts hold no secret and no address with one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// Too much at once. The host waits as long as the platform says.
    #[error("rate limited, try again in {after:?}")]
    RateLimited {
        /// How long to wait.
        after: Duration,
    },
    /// The line or the platform is down. The host tries again with growing pauses.
    #[error("the platform cannot be reached: {reason}")]
    Unreachable {
        /// What happened.
        reason: String,
        /// Whether the platform may have taken the call all the same.
        landed: Landed,
    },
    /// The credentials are wrong, expired or revoked. Trying again does not help; a person has to act.
    #[error("the platform does not accept the credentials: {reason}")]
    Unauthorized {
        /// What the platform said.
        reason: String,
    },
    /// The platform refuses this call for good: no such conversation, no right, too large.
    #[error("the platform refused: {reason}")]
    Refused {
        /// What it said.
        reason: String,
    },
    /// The platform does not like the markup; the host sends the plain words instead.
    #[error("the platform could not read the markup: {reason}")]
    Markup {
        /// What it said.
        reason: String,
    },
    /// The conversation has moved; the host sends the piece there. The adapter remembers it for those that follow.
    #[error("the conversation has moved to {to}")]
    Moved {
        /// Where to.
        to: String,
    },
    /// Somebody else uses the same login (another poller, another connection).
    #[error("another program uses this account: {reason}")]
    Conflict {
        /// What the platform said.
        reason: String,
    },
    /// What was asked makes no sense for the platform; the text says what would.
    #[error("{reason}")]
    Wrong {
        /// What is wrong.
        reason: String,
    },
}

/// Whether a call that failed may have had its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Landed {
    /// It was never sent.
    No,
    /// Nobody knows.
    Maybe,
}

impl ChannelError {
    /// The account is not signed in now; nothing was asked of the platform.
    #[must_use]
    pub fn line_down() -> Self {
        Self::Unreachable { reason: "the line is down".to_owned(), landed: Landed::No }
    }

    /// Whether trying the same again later can help.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Unreachable { .. } | Self::Conflict { .. })
    }
}

/// The plain form of words that a platform could not read.
#[must_use]
pub fn without_markup(text: &RichText) -> RichText {
    RichText::plain(text.text())
}
