//! An admitted client: who it is, what it speaks, and the queue of what it is sent.
//!
//! Shared between its own connection task, the roster that broadcasts, and the requests it has running.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use openclaw_protocol::{Close, Dialect};
use openclaw_types::ConnectionId;

use super::outbound::{Leftovers, Outbound};
use crate::auth::Principal;

/// How many requests of one client run at the same time; further ones are not read until one is answered.
pub(crate) const MAX_IN_FLIGHT: usize = 64;

/// An admitted client.
#[derive(Debug)]
pub(crate) struct Client {
    /// Names the connection.
    pub(crate) id: ConnectionId,
    /// Who it is and what it may do.
    pub(crate) principal: Principal,
    /// Which protocol it speaks.
    pub(crate) dialect: Dialect,
    /// Which program it is, such as `cli`, for logs and the audit ledger.
    pub(crate) program: String,
    /// What kind of program it says it is, such as `webchat`.
    pub(crate) mode: String,
    /// What it can do with what it is told.
    pub(crate) caps: Vec<String>,
    /// What waits to be written to it.
    pub(crate) outbound: Outbound,
    /// Requests that have not been answered yet.
    pub(crate) in_flight: AtomicUsize,
    /// Why it has to leave once its requests are answered.
    pub(crate) farewell: OnceLock<Close>,
}

impl Client {
    /// Whether it wants to see what tools do.
    pub(crate) fn shows_tools(&self) -> bool {
        self.caps.iter().any(|cap| cap == "tool-events")
    }

    /// Whether another request may be read.
    pub(crate) fn has_room(&self) -> bool {
        self.farewell.get().is_none() && self.in_flight.load(Ordering::Acquire) < MAX_IN_FLIGHT
    }

    /// Ends the connection as soon as no request waits for an answer; no further request is read.
    pub(crate) fn leave_when_answered(&self, close: Close) {
        self.farewell.get_or_init(|| close);
        self.leave_if_answered();
    }

    /// Ends the connection when it has to leave and nothing waits for an answer.
    pub(crate) fn leave_if_answered(&self) {
        if let Some(close) = self.farewell.get()
            && self.in_flight.load(Ordering::Acquire) == 0
        {
            self.outbound.end(close.clone(), Leftovers::Write);
        }
    }
}
