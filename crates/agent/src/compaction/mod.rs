//! Keeps long conversations within what a model can read: older parts are replaced by a summary.
//!
//! `due` says when, `cut` where, `summarize` asks a model in the words of `prompts`, `checkpoint` does without one,
//! `files` and `serialise` prepare what is summed up, `compact` puts it into effect. `flush` is the turn that keeps
//! memories before, `oversized` cuts results that no model could read. Transcripts only ever grow.

mod checkpoint;
mod compact;
mod cut;
mod due;
mod files;
mod flush;
mod oversized;
mod prompts;
mod serialise;
mod summarize;

#[cfg(test)]
mod tests;

pub use compact::{
    CompactionCause, CompactionDone, CompactionHandles, CompactionResult, CompactionWork, compact,
};
pub(crate) use due::is_counted;
pub use due::{CompactionRoom, context_tokens, should_compact};
pub use flush::{FlushCase, FlushWords, WorkspaceWrites, flush_words, mark_flushed, should_flush};
pub use oversized::cut_oversized_results;
pub use summarize::SummaryBy;
