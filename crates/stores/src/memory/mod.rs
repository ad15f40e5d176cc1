//! Stores that forget with the process: twins of the SQLite ones for tests and for throw-away gateways.
//!
//! One map behind one lock for each aggregate. They pass the same conformance suite as `sqlite`; "durable" here
//! means as long as the value lives.

mod audit;
mod devices;
mod grants;
mod health;
mod inbox;
mod outbox;
mod profiles;
mod senders;
mod sessions;
mod state;
mod subagents;
mod usage;

pub use audit::MemoryAuditLedger;
pub use devices::MemoryDeviceStore;
pub use grants::MemoryGrantStore;
pub use health::MemoryHealthStore;
pub use inbox::MemoryInbox;
pub use outbox::MemoryOutbox;
pub use profiles::MemoryProfileStore;
pub use senders::MemorySenderStore;
pub use sessions::MemorySessionStore;
pub use state::MemoryStateStore;
pub use subagents::MemorySubagentStore;
pub use usage::MemoryUsageLedger;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes the lock. A panic of another holder leaves whole values behind, since every change is one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
