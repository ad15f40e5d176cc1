//! What clients see of runs: each run has a voice, and the board lets all of them be heard.

mod approvals;
mod board;
mod dialect;
mod ear;
mod subscribers;
mod voice;

#[cfg(test)]
mod tests;

pub use approvals::ApprovalFace;
pub(crate) use approvals::wire_decision;
pub(crate) use board::{Crier, RunBoard};
pub(crate) use ear::{Heard, Listener};
pub(crate) use subscribers::Followed;
