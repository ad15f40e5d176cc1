//! Writing memories down before a conversation is summed up: whether it is time, and the words for it.
//!
//! Pure. The run does it as a silent turn of its own, once between two compactions, and notes that it did.

use openclaw_config::{CompactionSettings, MemoryFlushSettings};
use openclaw_types::{SessionEntry, UnixMillis};

use super::due::CompactionRoom;

/// What an agent says when there is nothing to say.
const SILENT: &str = "NO_REPLY";
/// Stands for the day in words that people wrote.
const DAY: &str = "YYYY-MM-DD";

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub struct FlushCase<'a> {
    /// The session.
    pub entry: &'a SessionEntry,
    /// How full its context is, in tokens.
    pub tokens: u64,
    /// How much the model reads and writes together.
    pub window: u64,
    /// What is configured.
    pub settings: &'a CompactionSettings,
    /// Whether the agent can write to its workspace.
    pub workspace: WorkspaceWrites,
}

/// Whether an agent can write to its workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkspaceWrites {
    /// It can.
    Possible,
    /// It cannot: the sandbox only lets it look, or has another workspace.
    Impossible,
}

/// What the agent is told and asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlushWords {
    /// What it is asked.
    pub prompt: String,
    /// What is added to its system prompt.
    pub system: String,
}

/// Whether memories are written now: shortly before the next compaction, once, and only where they can be kept.
#[must_use]
pub fn should_flush(case: FlushCase<'_>) -> bool {
    let Some(flush) = &case.settings.memory_flush else { return false };
    let facts = &case.entry.facts;
    let done = facts.memory_flush_compaction_count == Some(facts.compaction_count.unwrap_or(0));
    let reserve = CompactionRoom::of(case.settings, case.window).reserve;
    let threshold = case.window.saturating_sub(reserve).saturating_sub(flush.soft_threshold_tokens);
    case.workspace == WorkspaceWrites::Possible && !done && threshold > 0 && case.tokens >= threshold
}

/// Notes in a session that memories were written.
pub fn mark_flushed(entry: &mut SessionEntry, at: UnixMillis) {
    entry.facts.memory_flush_at = Some(at);
    entry.facts.memory_flush_compaction_count = Some(entry.facts.compaction_count.unwrap_or(0));
}

/// The words for it, on a day written as year, month and day.
#[must_use]
pub fn flush_words(settings: &MemoryFlushSettings, day: &str) -> FlushWords {
    let prompt = settings.prompt.clone().unwrap_or_else(|| {
        format!(
            "This conversation will soon be summed up, and details will be lost. Write down now what must outlast \
             it: facts about people, decisions and their reasons, promises, and where unfinished work stands. Put it \
             into memory/{DAY}.md, making the folder if there is none. If the file exists, add to its end and leave \
             what is there as it is. Then answer {SILENT}, and answer {SILENT} at once if nothing is worth keeping."
        )
    });
    let system = settings.system_prompt.clone().unwrap_or_else(|| {
        format!(
            "This turn only keeps memories before older messages are replaced by a summary. Nobody waits for an \
             answer: unless a person must know something, the answer is {SILENT}."
        )
    });
    let finished = |text: String| {
        let text = text.replace(DAY, day);
        match text.contains(SILENT) {
            true => text,
            false => format!("{text}\n\nAnswer {SILENT} when there is nothing to tell."),
        }
    };
    FlushWords { prompt: finished(prompt), system: finished(system) }
}
