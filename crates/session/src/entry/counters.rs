//! The counters of a session after a run.
//!
//! `totalTokens` says how full the context is: what the last call read, from the cache or not. Sums over a whole run would
//! count the same context once for each call.

use openclaw_types::{AuthProfileId, ModelRef, SessionEntry, SessionFacts, UnixMillis, Usage};

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
    /// The credential it was called with.
    pub profile: Option<AuthProfileId>,
    /// Whether the run was stopped.
    pub aborted: bool,
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
    facts.compaction_count = Some(facts.compaction_count.unwrap_or(0));
    facts.aborted_last_run = Some(counts.aborted);
    facts.system_sent = Some(true);
    // `/context` measures by itself; an entry that carries a report is slow to read for everybody else.
    facts.system_prompt_report = None;
    note_sign_in(facts, signed_in(counts));
    entry.updated_at = entry.updated_at.max(counts.at);
}

/// The stored sign-in that a run was answered with. Keys of the environment and the configuration are nobody's choice.
fn signed_in(counts: &RunCounts) -> Option<&AuthProfileId> {
    let vendor = counts.model.as_ref()?.provider();
    let profile = counts.profile.as_ref()?;
    let (first, _) = profile.as_str().split_once(':')?;
    (first == vendor.as_str()).then_some(profile)
}

/// Notes which sign-in a session used last, so that it is tried first next time. What a person chose stays.
fn note_sign_in(facts: &mut SessionFacts, used: Option<&AuthProfileId>) {
    let Some(used) = used else { return };
    let chosen = facts.auth_profile_override.is_some()
        && facts.auth_profile_override_source.as_deref() != Some("auto");
    if !chosen {
        facts.auth_profile_override = Some(used.as_str().to_owned());
        facts.auth_profile_override_source = Some("auto".to_owned());
        facts.auth_profile_override_compaction_count = Some(facts.compaction_count.unwrap_or(0));
    }
}
