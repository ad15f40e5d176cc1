//! What people on platforms see of an answer while it is made: blocks that are messages of their own, or one draft that
//! grows.
//!
//! `execute` reads a run's events through `Live`. Everything that stays is kept in the outbox under keys that say how
//! much of the answer has left with it (`left`), so that neither the end of the run nor a run that is resumed after a
//! crash says it again. What is shown and when is decided in `delivery`.

mod blocks;
mod draft;
mod follow;
mod outlet;
mod sent;
mod settings;

#[cfg(test)]
mod tests;

pub(crate) use follow::{Before, Live};
pub(crate) use sent::{SentSoFar, Whole};
