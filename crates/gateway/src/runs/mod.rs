//! What clients see of runs: each run has an encoder, and `run_events` sends what they produce.

mod approvals;
mod dialect;
mod encoder;
mod run_events;
mod run_text;
mod subscribers;

#[cfg(test)]
mod tests;

pub use approvals::ApprovalFace;
pub(crate) use approvals::wire_decision;
pub(crate) use run_events::{FlowBroadcaster, RunEvents};
pub(crate) use run_text::{RunTextReader, TextChunk};
pub(crate) use subscribers::Followed;
