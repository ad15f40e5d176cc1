//! What is kept about a session beside its transcript, and every change of it.
//!
//! Pure: entries in, entries out. `service` makes these changes inside the store's transactions.

mod anew;
mod counters;
mod levels;
mod patch;
mod route;

#[cfg(test)]
mod tests;

pub use anew::AnewReason;
pub(crate) use anew::begin_anew;
pub use counters::{RunCounts, count_run};
pub use levels::{
    elevated_word, exec_ask_word, exec_host_word, exec_security_word, group_activation_word, reasoning_word,
    response_usage_word, send_policy_word, thinking_word, verbose_word,
};
pub use patch::{FieldChange, ModelPick, PatchBounds, SessionPatch};
pub(crate) use patch::{apply, wanted_label};
pub(crate) use route::{FORKED, group_name};
pub use route::{GroupSighting, Replies, Sighting, dock, update_route};
