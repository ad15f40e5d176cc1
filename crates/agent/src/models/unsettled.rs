//! Books that could not be closed when a call ended, because the store was busy or the disk full.
//!
//! Money stays set aside for them, so they are closed before the next call is paid for and when the gateway stops.
//! Closing twice changes nothing, so that two callers may close the same.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use openclaw_ports::stores::{HoldId, StoreError, UsageLedger, UsageRecord};

/// How many are remembered; beyond that the oldest stay open until the next start, which counts what was sent.
const REMEMBERED: usize = 1_024;

/// How a reservation ends.
#[derive(Debug, Clone)]
pub(super) enum Closing {
    /// With what the call took.
    Settle(HoldId, Box<UsageRecord>),
    /// With nothing.
    Release(HoldId),
}

/// Reservations of calls that have ended.
#[derive(Debug, Default)]
pub(super) struct Unsettled(Mutex<VecDeque<Closing>>);

impl Unsettled {
    /// Ends a reservation, now or with the next `retry`.
    pub(super) async fn close(&self, ledger: &dyn UsageLedger, closing: Closing) {
        if let Err(fault) = closing.carry_out(ledger).await {
            tracing::error!(subsystem = "models", %fault, "what a model call took could not be entered into the books; it is tried again");
            let mut open = self.lock();
            if open.len() >= REMEMBERED {
                open.pop_front();
            }
            open.push_back(closing);
        }
    }

    /// Ends what could not be ended before, as far as the store takes it now.
    pub(super) async fn retry(&self, ledger: &dyn UsageLedger) {
        while let Some(closing) = self.first() {
            if let Err(fault) = closing.carry_out(ledger).await {
                tracing::warn!(subsystem = "models", %fault, "what model calls took can still not be entered into the books");
                return;
            }
            // Only now, as the caller may be gone while the store works.
            self.lock().retain(|open| open.hold() != closing.hold());
        }
    }

    fn first(&self) -> Option<Closing> {
        self.lock().front().cloned()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Closing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Closing {
    fn hold(&self) -> HoldId {
        match self {
            Self::Settle(hold, _) | Self::Release(hold) => *hold,
        }
    }

    async fn carry_out(&self, ledger: &dyn UsageLedger) -> Result<(), StoreError> {
        match self {
            Self::Settle(hold, record) => ledger.settle(*hold, record.as_ref().clone()).await,
            Self::Release(hold) => ledger.release(*hold).await,
        }
    }
}
