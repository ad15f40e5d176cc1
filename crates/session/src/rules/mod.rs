//! The rules of sessions: which one a conversation has, when it begins anew, whether it may send.
//!
//! Pure decisions over resolved settings. `service` and `flow` act on them.

mod freshness;
mod place;
mod send;
mod triggers;
mod zone;

#[cfg(test)]
mod tests;

pub use freshness::{Freshness, StaleCause, freshness, session_kind};
pub use place::{Conversation, Place, session_key};
pub use send::{SendCase, send_verdict};
pub use triggers::{ResetTrigger, reset_trigger};
pub use zone::Zone;
