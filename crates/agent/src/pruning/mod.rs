//! Leaves old tool output out of a request when the vendor's cache has gone cold anyway, and pictures that were answered.
//!
//! Pure and transient: transcripts are never touched. `decide` says which results are shortened or removed, `apply`
//! does it to the messages of one request. Whoever calls models asks when the last call is long ago, and keeps the
//! marks for as long as the session stays warm: applying the same marks gives the same bytes, so that caches hit.

mod apply;
mod decide;
mod pictures;

#[cfg(test)]
mod tests;

pub use apply::apply_prune;
pub use decide::{CacheState, PruneMark, PruneMarks, ResultName, decide_prune, is_prunable_now};
pub(crate) use pictures::leave_out_answered_pictures;
