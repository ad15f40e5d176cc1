//! The rules of sessions: when one begins anew, whether it may send. Which one a conversation has is decided by routing.
//!
//! Pure decisions over resolved settings. `service` and `flow` act on them.

mod freshness;
mod send;
mod triggers;
mod zone;

#[cfg(test)]
mod tests;

pub use freshness::{Freshness, StaleCause, freshness, session_kind};
pub use send::{SendCase, send_verdict};
pub use triggers::{ResetTrigger, reset_trigger};
pub use zone::Zone;
