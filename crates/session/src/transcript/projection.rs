//! Turns a branch of a transcript into the messages that a model sees of it.
//!
//! Pure. The summary of the newest compaction comes first, then what it kept, then what came later. Calls of tools
//! without a result are left as they are: whoever sends the messages closes them.

use std::collections::HashSet;
use std::sync::Arc;

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{
    AssistantSource, EntryBody, EntryId, LineEntry, LineRecord, Message, ShellMessage, ToolCallId,
    UnixMillis, Visibility,
};

/// A message that a model sees, and the entry it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Projected {
    /// The entry.
    pub entry: Option<EntryId>,
    /// When the entry was written.
    pub at: Option<UnixMillis>,
    /// The message.
    pub message: Arc<Message>,
}

/// The messages that a model sees of a branch, oldest first. The branch reaches back to the newest compaction's oldest
/// kept entry, or further.
#[must_use]
pub fn project(branch: &[StoredEntry]) -> Vec<Projected> {
    let entries: Vec<&LineEntry> = branch.iter().filter_map(|stored| entry(stored)).collect();
    let newest = entries.iter().rposition(|entry| matches!(entry.body, EntryBody::Compaction(_)));
    let mut seen = Vec::with_capacity(entries.len());
    let Some(newest) = newest else {
        seen.extend(entries.iter().filter_map(|entry| shown(entry)));
        return results_first(without_lost_results(seen, 0));
    };
    let (before, after) = entries.split_at(newest);
    let Some((compaction, after)) = after.split_first() else { return seen };
    seen.extend(summary(compaction));
    seen.extend(kept(before, compaction).iter().filter_map(|entry| shown(entry)));
    seen.extend(after.iter().filter_map(|entry| shown(entry)));
    results_first(without_lost_results(seen, 1))
}

fn entry(stored: &StoredEntry) -> Option<&LineEntry> {
    match &stored.line.record {
        LineRecord::Entry(entry) => Some(entry),
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    }
}

fn summary(entry: &LineEntry) -> Option<Projected> {
    let EntryBody::Compaction(compaction) = &entry.body else { return None };
    let message = Message::CompactionSummary {
        summary: compaction.summary.clone(),
        tokens_before: compaction.tokens_before,
        at: entry.at,
    };
    Some(projected(entry, Arc::new(message)))
}

/// The entries before a compaction that it kept; none when the oldest of them is not in the branch.
fn kept<'a, 'b>(before: &'b [&'a LineEntry], compaction: &LineEntry) -> &'b [&'a LineEntry] {
    let EntryBody::Compaction(of) = &compaction.body else { return &[] };
    let first = of.first_kept.as_ref();
    match before.iter().position(|entry| entry.id.is_some() && entry.id.as_ref() == first) {
        Some(first) => &before[first..],
        None => &[],
    }
}

fn shown(entry: &LineEntry) -> Option<Projected> {
    let message = match &entry.body {
        EntryBody::Message(message) => match &**message {
            Message::Shell(ShellMessage { for_model: Visibility::Hidden, .. }) => return None,
            _ => Arc::clone(message),
        },
        EntryBody::CustomMessage(message) => Arc::new(Message::Custom(message.clone())),
        EntryBody::BranchSummary(of) if !of.summary.trim().is_empty() => Arc::new(Message::BranchSummary {
            summary: of.summary.clone(),
            from: of.from.clone(),
            at: entry.at,
        }),
        _ => return None,
    };
    Some(projected(entry, message))
}

fn projected(entry: &LineEntry, message: Arc<Message>) -> Projected {
    Projected { entry: entry.id.clone(), at: entry.at, message }
}

/// Lets what was put in between a call and its result stand behind the result: the gateway may speak while a tool works,
/// but models want the result of a call right behind it.
fn results_first(seen: Vec<Projected>) -> Vec<Projected> {
    if !seen.iter().any(|one| calls_of(&one.message).next().is_some()) {
        return seen;
    }
    let mut ordered = Vec::with_capacity(seen.len());
    let mut waiting: Vec<Projected> = Vec::new();
    let mut open: HashSet<ToolCallId> = HashSet::new();
    for one in seen {
        match &*one.message {
            Message::ToolResult(result) => {
                open.remove(&result.call);
            }
            Message::Assistant(message) if message.source() == AssistantSource::Model => {
                ordered.append(&mut waiting);
                open = message.tool_calls().map(|call| call.id.clone()).collect();
            }
            Message::Assistant(_) if !open.is_empty() => {
                waiting.push(one);
                continue;
            }
            _ => {}
        }
        ordered.push(one);
        if open.is_empty() {
            ordered.append(&mut waiting);
        }
    }
    ordered.append(&mut waiting);
    ordered
}

/// Takes away results at the start of the window whose calls lie before it. Models refuse a result without a call.
fn without_lost_results(mut seen: Vec<Projected>, start: usize) -> Vec<Projected> {
    let start = start.min(seen.len());
    let results: Vec<&ToolCallId> = seen[start..].iter().map_while(|one| result_of(&one.message)).collect();
    if results.is_empty() {
        return seen;
    }
    let calls: HashSet<&ToolCallId> = seen.iter().flat_map(|one| calls_of(&one.message)).collect();
    let lost = results.into_iter().take_while(|call| !calls.contains(call)).count();
    seen.drain(start..start + lost);
    seen
}

/// The call that a message is the result of.
fn result_of(message: &Message) -> Option<&ToolCallId> {
    match message {
        Message::ToolResult(result) => Some(&result.call),
        _ => None,
    }
}

/// The calls that a message of the model makes.
fn calls_of(message: &Message) -> impl Iterator<Item = &ToolCallId> {
    let answer = match message {
        Message::Assistant(answer) => Some(answer),
        _ => None,
    };
    answer.into_iter().flat_map(|answer| answer.tool_calls()).map(|call| &call.id)
}
