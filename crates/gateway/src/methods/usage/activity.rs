//! What a transcript says about a session: messages by role, tools, failures and waiting times, by day.
//!
//! Pure: stored lines go in, counts come out. Tokens and money are not counted here; the ledger has them.

use std::collections::BTreeMap;
use std::ops::Range;

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{EntryBody, LineRecord, Message, StopReason, ToolOutcome, UnixMillis};

use super::latency::Durations;
use super::range::DayLabeler;

/// What was said in a session within a stretch of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Activity {
    /// The counts of each day on which something was said.
    pub(super) days: BTreeMap<String, DayActivity>,
    /// The first and the last message.
    pub(super) span: Option<(UnixMillis, UnixMillis)>,
}

/// What was said on one day.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DayActivity {
    pub(super) user: u64,
    pub(super) assistant: u64,
    pub(super) tool_results: u64,
    /// Tool results that report a failure.
    pub(super) failed_tools: u64,
    /// Answers that ended with an error or were stopped.
    pub(super) failed_answers: u64,
    /// LedgerCalls by the name of the tool.
    pub(super) tools: BTreeMap<String, u64>,
    /// From a person's message to each answer that follows it.
    pub(super) waits: Durations,
}

/// Counts the lines of transcripts.
pub(super) struct ActivityCounter {
    within: Range<UnixMillis>,
    names: DayLabeler,
    /// When the last message of a person came in the transcript that is being read.
    asked_at: Option<UnixMillis>,
    has_messages: bool,
    activity: Activity,
}

impl ActivityCounter {
    /// A counter for what was said within a stretch of time.
    pub(super) fn new(within: Range<UnixMillis>, names: DayLabeler) -> Self {
        Self { within, names, asked_at: None, has_messages: false, activity: Activity::default() }
    }

    /// Counts a whole transcript, its lines in the order in which they were written.
    pub(super) fn add_transcript(&mut self, lines: &[StoredEntry]) {
        self.asked_at = None;
        for (at, message) in lines.iter().filter_map(message_of) {
            self.has_messages = true;
            if self.within.contains(&at) {
                self.add(at, message);
            }
        }
    }

    /// What was counted; nothing when no transcript held any message, at whatever time.
    pub(super) fn finish(self) -> Option<Activity> {
        self.has_messages.then_some(self.activity)
    }

    fn add(&mut self, at: UnixMillis, message: &Message) {
        if !matches!(message, Message::User(_) | Message::Assistant(_) | Message::ToolResult(_)) {
            return;
        }
        let (first, last) = self.activity.span.unwrap_or((at, at));
        self.activity.span = Some((first.min(at), last.max(at)));
        let name = self.names.of(at);
        if !self.activity.days.contains_key(name) {
            self.activity.days.insert(name.to_owned(), DayActivity::default());
        }
        let Some(day) = self.activity.days.get_mut(name) else { return };
        match message {
            Message::User(_) => {
                day.user += 1;
                self.asked_at = Some(at);
            }
            Message::Assistant(answer) => {
                day.assistant += 1;
                day.failed_answers += u64::from(answer.stop.as_ref().is_some_and(is_failure));
                for call in answer.tool_calls() {
                    match day.tools.get_mut(&call.name) {
                        Some(count) => *count += 1,
                        None => {
                            day.tools.insert(call.name.clone(), 1);
                        }
                    }
                }
                if let Some(asked_at) = self.asked_at {
                    day.waits.add(u64::try_from(at.0.saturating_sub(asked_at.0)).unwrap_or(0));
                }
            }
            Message::ToolResult(result) => {
                day.tool_results += 1;
                day.failed_tools += u64::from(result.outcome == ToolOutcome::Failed);
            }
            _ => {}
        }
    }
}

/// The message that a line holds and when it was said; nothing where the line does not say when.
pub(super) fn message_of(line: &StoredEntry) -> Option<(UnixMillis, &Message)> {
    let LineRecord::Entry(entry) = &line.line.record else { return None };
    let EntryBody::Message(message) = &entry.body else { return None };
    Some((entry.at.or_else(|| message.at())?, message))
}

/// Whether an answer that ended like this is counted as an error.
fn is_failure(stop: &StopReason) -> bool {
    match stop {
        StopReason::Error | StopReason::Aborted => true,
        StopReason::Other(word) => &**word == "timeout",
        StopReason::Stop | StopReason::Length | StopReason::ToolUse => false,
    }
}

#[cfg(test)]
mod tests;
