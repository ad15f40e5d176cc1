//! The counters of a session after a run.
//!
//! `totalTokens` says how full the context is: what the last call read, from the cache or not. Sums over a whole run would
//! count the same context once for each call.

use openclaw_types::{ModelRef, SessionEntry, UnixMillis, Usage};

/// What a run took.
#[derive(Debug, Clone, PartialEq)]
pub struct RunCounts {
    /// All calls of the run together.
    pub whole: Usage,
    /// The last call alone; nothing when no call gave an answer.
    pub last_call: Option<Usage>,
    /// The model that answered last.
    pub model: Option<ModelRef>,
    /// How much it can read.
    pub context_window: Option<u64>,
    /// How often older parts were summed up during the run.
    pub compactions: u64,
    /// When the run ended.
    pub at: UnixMillis,
}

/// Writes the counts of a run into its session.
pub fn count_run(entry: &mut SessionEntry, counts: &RunCounts) {
    let facts = &mut entry.facts;
    if let Some(model) = &counts.model {
        facts.model_provider = Some(model.provider().as_str().to_owned());
        facts.model = Some(model.model().to_owned());
    }
    facts.context_tokens = counts.context_window.or(facts.context_tokens);
    facts.input_tokens = Some(counts.whole.input);
    facts.output_tokens = Some(counts.whole.output);
    match &counts.last_call {
        Some(last) => {
            facts.total_tokens = Some(last.sum().saturating_sub(last.output));
            facts.total_tokens_fresh = Some(true);
            facts.cache_read = Some(last.cache_read);
            facts.cache_write = Some(last.cache_write);
            facts.last_cache_touch_at = Some(counts.at);
        }
        None => facts.total_tokens_fresh = facts.total_tokens.map(|_| false),
    }
    let before = facts.compaction_count.unwrap_or(0);
    facts.compaction_count = Some(before.saturating_add(counts.compactions));
    entry.updated_at = entry.updated_at.max(counts.at);
}
