//! The stream of what a gateway sends unasked, with the gaps named.
//!
//! Bounded: a reader that is too slow loses the oldest events and is told how many. A jump in the gateway's own
//! numbering is told as well; clients with few scopes see such jumps without anything being wrong.

use std::sync::Arc;

use openclaw_protocol::ServerEvent;
use tokio::sync::{broadcast, watch};

use crate::error::SessionEnd;

/// Something a reader of events should know.
#[derive(Debug, Clone)]
pub enum ClientNotice {
    /// The gateway sent an event.
    Event(Arc<ServerEvent>),
    /// The gateway's numbering jumped: events in between were not sent to us.
    Gap {
        /// The number that was due.
        expected: u64,
        /// The number that came.
        received: u64,
    },
    /// This reader was too slow and missed events.
    Dropped {
        /// How many.
        count: u64,
    },
    /// The reconnecting client has a new session; state may have changed in between.
    Reconnected,
}

/// A reader of events.
#[derive(Debug)]
pub struct EventStream {
    notices: broadcast::Receiver<ClientNotice>,
    ended: watch::Receiver<Option<SessionEnd>>,
}

impl EventStream {
    pub(crate) fn new(
        notices: broadcast::Receiver<ClientNotice>,
        ended: watch::Receiver<Option<SessionEnd>>,
    ) -> Self {
        Self { notices, ended }
    }

    /// The next notice, or how the connection ended once everything has been read.
    ///
    /// Dropping the future loses nothing.
    ///
    /// # Errors
    /// The ending, again and again, after the last notice.
    pub async fn next(&mut self) -> Result<ClientNotice, SessionEnd> {
        // Biased: what was sent before the end is read before the end is told. Neither branch loses anything.
        let received = tokio::select! {
            biased;
            received = self.notices.recv() => received,
            _ = self.ended.wait_for(Option::is_some) => match self.notices.try_recv() {
                Ok(notice) => Ok(notice),
                Err(broadcast::error::TryRecvError::Lagged(count)) => {
                    Err(broadcast::error::RecvError::Lagged(count))
                }
                Err(_) => Err(broadcast::error::RecvError::Closed),
            },
        };
        match received {
            Ok(notice) => Ok(notice),
            Err(broadcast::error::RecvError::Lagged(count)) => Ok(ClientNotice::Dropped { count }),
            Err(broadcast::error::RecvError::Closed) => Err(self.ending()),
        }
    }

    fn ending(&self) -> SessionEnd {
        self.ended.borrow().clone().unwrap_or(SessionEnd::ByUs)
    }
}
