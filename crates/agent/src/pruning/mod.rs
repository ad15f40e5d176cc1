//! Leaves old tool output out of a request when the vendor's cache has gone cold anyway.
//!
//! Pure and transient: transcripts are never touched. `decide` says which results are shortened or removed, `apply`
//! does it to the messages of one request. Whoever calls models asks when the last call is long ago, and keeps the
//! marks for as long as the session stays warm: applying the same marks gives the same bytes, so that caches hit.

mod apply;
mod decide;

#[cfg(test)]
mod tests;

pub use apply::apply_prune;
pub use decide::{CacheState, PruneMark, PruneMarks, ResultName, decide_prune, is_prunable_now};
