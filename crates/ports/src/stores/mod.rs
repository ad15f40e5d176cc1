//! Store contracts: one narrow trait for each aggregate, plain data in and out.
//!
//! What a call that returned `Ok` changed outlasts the process, however that ends. What people and models said, and what
//! protects them, outlasts a loss of power as well; notes about it do so from the next such change on (`Flush`), and
//! whoever reads them treats a missing note as after a crash. Implementations live in the `stores` crate; `testkit` holds the one
//! conformance suite that all of them pass.

mod audit;
mod credentials;
mod devices;
mod grants;
mod health;
mod inbox;
mod outbox;
mod senders;
mod sessions;
mod state;
mod subagents;
mod usage;

pub use audit::{AuditEntry, AuditLedger, AuditQuery, AuditRecord, ChainReport};
pub use credentials::{OauthTokens, ProfileStore, StoredCredential, StoredProfile, StoredSecret};
pub use devices::{DeviceChange, DeviceRecords, DeviceStore, DeviceToken, PairedDevice, PendingDevice};
pub use grants::{ArgumentPattern, Grant, GrantStore, GrantedVariables};
pub use health::{HealthKey, HealthRecord, HealthStore};
pub use inbox::{Acceptance, Inbox, InboxEnd, InboxId, InboxKey, InboxMessage, InboxRow};
pub use outbox::{NewPiece, Outbox, OutboxChange, OutboxId, OutboxQuery, OutboxRow, OutboxState};
pub use senders::{RequestChange, SenderRequest, SenderStore};
pub use sessions::{
    Append, Archive, ArchiveReason, Archived, BranchQuery, BranchReach, EntryChange, RunEnded, RunFinish,
    RunRecord, RunStart, SessionStore, StoredEntry,
};
pub use state::StateStore;
pub use subagents::{Cleanup, SpawnMode, Subagent, SubagentOutcome, SubagentStore};
pub use usage::{
    BudgetScope, BudgetWindow, Hold, HoldId, ImportedCall, Limit, Reservation, Spending, UsageGroup,
    UsageLedger, UsageQuery, UsageRecord, UsageSum,
};

/// How a write gets to the disk. Either way it is with the system when the caller is answered, and outlasts the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flush {
    /// At once: it outlasts a loss of power.
    Now,
    /// With the next write that is flushed at once, which comes after it on the disk as well.
    WithNext,
}

/// What went wrong in a store, by what the caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Too much is waiting already. Trying again later can help.
    #[error("the store is busy; try again in a moment")]
    Busy,
    /// Sessions of an earlier installation are still being imported. Trying again later helps.
    #[error("sessions of an earlier installation are still being imported; try again in a moment")]
    Importing,
    /// The store has been closed, the process is stopping.
    #[error("the store is closed")]
    Closed,
    /// What is stored cannot be understood. A person has to look; `doctor` says how.
    #[error("stored data cannot be read: {detail}")]
    Corrupt {
        /// What was found, without the data itself.
        detail: String,
    },
    /// The disk or the database refused.
    #[error("the store could not {action}")]
    Failed {
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl StoreError {
    /// Whether the same call may succeed in a moment.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy | Self::Importing)
    }
}
