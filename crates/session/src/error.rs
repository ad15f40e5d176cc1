//! What can go wrong with sessions, by what the caller should do.
//!
//! The gateway turns these into answers for clients; none of them holds what a person wrote.

use std::path::PathBuf;

use openclaw_ports::stores::StoreError;
use openclaw_types::{IdError, SessionKey};

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such session. Ask for one of the list.
    #[error("no session found: {what}")]
    Missing {
        /// What was asked for.
        what: String,
    },
    /// The request does not make sense. Correct it.
    #[error("{reason}")]
    Refused {
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// The main session stays. Reset it instead.
    #[error("the main session ({key}) cannot be deleted; reset it instead")]
    MainStays {
        /// The session.
        key: SessionKey,
    },
    /// The session became another one while it was looked at. Try again.
    #[error("the session changed meanwhile; try again")]
    Moved,
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A name that was made here was refused: a fault of ours.
    #[error("a new name could not be made")]
    Name(#[from] IdError),
    /// A file of an older layout could not be read or written.
    #[error("{path} could not be {action}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
}

impl SessionError {
    /// Whether the same request may succeed in a moment.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Moved => true,
            Self::Store(error) => error.is_retryable(),
            _ => false,
        }
    }

    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into() }
    }
}
