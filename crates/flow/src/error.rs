//! Why the flow did not take a message.

use openclaw_ports::stores::StoreError;
use openclaw_session::SessionError;

/// Why a message was not taken. Nothing of it was kept.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// There is nothing in it.
    #[error("message or attachment required")]
    Empty,
    /// The session may not be written to.
    #[error("send blocked by session policy")]
    Blocked,
    /// What was asked for does not make sense. Says what would.
    #[error("{0}")]
    Wrong(String),
    /// The gateway is stopping, or so many messages wait that no more are taken. Trying again later can help.
    #[error("{0}")]
    Busy(String),
    /// What must survive a crash could not be stored.
    #[error("the message could not be stored, so it was not accepted")]
    Store(#[from] StoreError),
    /// The session could not be read or changed.
    #[error(transparent)]
    Session(#[from] SessionError),
}
