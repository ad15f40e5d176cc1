//! Shows people what waits to be sent, and does with it what they say.

use std::sync::Arc;

use openclaw_ports::stores::{OutboxChange, OutboxId, OutboxQuery, OutboxRow, OutboxState, StoreError};

use super::lanes;
use crate::flow::Inner;

/// Why nothing was done with a piece.
#[derive(Debug, thiserror::Error)]
pub enum OutboxFault {
    /// There is no such piece.
    #[error("there is no such message in the outbox; `openclaw outbox list` shows those there are")]
    Unknown,
    /// It was sent.
    #[error("the message was sent already")]
    Sent,
    /// The outbox failed.
    #[error("the outbox failed: {0}")]
    Store(#[from] StoreError),
}

/// Shows and changes what waits to be sent.
#[derive(Clone)]
pub struct OutboxAdmin(pub(crate) Arc<Inner>);

impl OutboxAdmin {
    /// Pieces, newest first.
    ///
    /// # Errors
    /// The outbox cannot be read.
    pub async fn list(&self, query: OutboxQuery) -> Result<Vec<OutboxRow>, OutboxFault> {
        Ok(self.0.parts.outbox.list(query).await?)
    }

    /// Tries a piece again that was given up or dropped, or waits.
    ///
    /// # Errors
    /// There is no such piece, or it was sent.
    pub async fn retry(&self, id: OutboxId) -> Result<(), OutboxFault> {
        self.open(id).await?;
        self.0.parts.outbox.settle(id, OutboxChange::Retry { at: self.0.now() }).await?;
        lanes::resume(&self.0, id).await?;
        self.0.mail.nudge();
        Ok(())
    }

    /// Drops a piece: it is not sent.
    ///
    /// # Errors
    /// There is no such piece, or it was sent.
    pub async fn drop(&self, id: OutboxId) -> Result<(), OutboxFault> {
        self.open(id).await?;
        self.0.parts.outbox.settle(id, OutboxChange::Dropped { at: self.0.now() }).await?;
        // What waits behind it in its conversation need not wait for its moment.
        self.0.mail.nudge();
        Ok(())
    }

    /// Removes files that came with messages or were sent with them, once they are old; says how many.
    ///
    /// # Errors
    /// The outbox cannot be read.
    pub async fn sweep_files(&self) -> Result<usize, OutboxFault> {
        Ok(super::sweep(&self.0).await?)
    }

    async fn open(&self, id: OutboxId) -> Result<OutboxRow, OutboxFault> {
        let row = self.0.parts.outbox.find(id).await?.ok_or(OutboxFault::Unknown)?;
        if row.state == OutboxState::Sent {
            return Err(OutboxFault::Sent);
        }
        Ok(row)
    }
}
