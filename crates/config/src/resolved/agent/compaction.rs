//! When and how older parts of a conversation are summed up, with every default filled in.
//!
//! The numbers are in tokens and are not yet fitted to a model: a small window caps them, which is decided where the
//! window is known.

use crate::sections::{CompactionMode, Count, MemoryFlush, Positive, RawConfig};

#[cfg(test)]
mod tests;

/// How much is kept free for an answer.
const RESERVE: u64 = 16_384;
/// The least that is kept free, whatever is written above.
const RESERVE_FLOOR: u64 = 20_000;
/// How much of the latest conversation stays word for word.
const KEEP_RECENT: u64 = 20_000;
/// How much of the window the conversation may take when it is summed up in parts.
const HISTORY_SHARE: f64 = 0.5;
/// How long before a compaction memories are written.
const FLUSH_BEFORE: u64 = 4_000;

/// How long conversations are summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct CompactionSettings {
    /// At once, or in parts.
    pub mode: CompactionMode,
    /// How much is kept free for the answer, the floor applied.
    pub reserve_tokens: u64,
    /// The least that is kept free.
    pub reserve_floor: u64,
    /// How much of the latest conversation stays word for word.
    pub keep_recent_tokens: u64,
    /// The largest share of the window that the conversation may take.
    pub max_history_share: f64,
    /// Writing memories first; nothing when it is switched off.
    pub memory_flush: Option<MemoryFlushSettings>,
}

/// Writing down what matters before a conversation is summed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFlushSettings {
    /// How long before the compaction, in tokens.
    pub soft_threshold_tokens: u64,
    /// What the agent is asked, when not the usual question.
    pub prompt: Option<String>,
    /// What is added to the system prompt, when not the usual words.
    pub system_prompt: Option<String>,
}

impl CompactionSettings {
    /// Reads `agents.defaults.compaction`.
    #[must_use]
    pub fn of(raw: &RawConfig) -> Self {
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
        let section = defaults.and_then(|defaults| defaults.compaction.clone()).unwrap_or_default();
        let reserve_floor = section.reserve_tokens_floor.map_or(RESERVE_FLOOR, Count::get);
        Self {
            mode: section.mode.unwrap_or(CompactionMode::Safeguard),
            reserve_tokens: section.reserve_tokens.map_or(RESERVE, Count::get).max(reserve_floor),
            reserve_floor,
            keep_recent_tokens: section.keep_recent_tokens.map_or(KEEP_RECENT, Positive::get),
            max_history_share: section.max_history_share.unwrap_or(HISTORY_SHARE).clamp(0.1, 0.9),
            memory_flush: flush(section.memory_flush.unwrap_or_default()),
        }
    }
}

fn flush(section: MemoryFlush) -> Option<MemoryFlushSettings> {
    let words =
        |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    section.enabled.unwrap_or(true).then(|| MemoryFlushSettings {
        soft_threshold_tokens: section.soft_threshold_tokens.map_or(FLUSH_BEFORE, Count::get),
        prompt: words(section.prompt),
        system_prompt: words(section.system_prompt),
    })
}
