//! Transcripts: writing to their end, and what a model sees of a branch.
//!
//! `journal` is the one writer of entries; `projection` is pure. Where transcripts are kept is the store's business.

mod journal;
mod projection;

#[cfg(test)]
mod tests;

pub(crate) use journal::session_id;
pub use journal::{Finish, Journal, Writing, Written};
pub use projection::{Projected, project};
