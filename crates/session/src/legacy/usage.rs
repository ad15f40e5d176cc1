//! Reads from a transcript what its calls of models took. Pure.
//!
//! The original keeps no ledger: tokens and money stand in the messages. Each becomes a record of our ledger with the
//! time it really had, so that pages about usage go on where they were. Limits count it as well, on that day and no
//! other: what was spent earlier today with the original is money spent today.

use std::collections::HashSet;

use openclaw_ports::stores::{ImportedCall, UsageRecord};
use openclaw_types::{
    AgentId, AssistantMessage, AssistantSource, EntryBody, EntryId, LineEntry, LineRecord, Message, ModelRef,
    Money, ProviderId, RunId, StopReason, TranscriptLine, UnixMillis, Usage,
};

/// What stands for a vendor or a model that a message does not name.
const UNKNOWN: &str = "unknown";

/// The calls of a transcript, without those of our own runs, which are in the ledger already. `session` is what the
/// ledger calls the session: its key, or its id where it has none.
pub(super) fn billed_calls(
    agent: &AgentId,
    session: &str,
    lines: &[TranscriptLine],
    ours: &HashSet<EntryId>,
) -> Vec<ImportedCall> {
    let entries = lines.iter().filter_map(|line| match &line.record {
        LineRecord::Entry(entry) => Some(&**entry),
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    });
    let theirs = entries.filter(|entry| entry.id.as_ref().is_some_and(|id| !ours.contains(id)));
    theirs.filter_map(|entry| call(agent, session, entry)).collect()
}

fn call(agent: &AgentId, session: &str, entry: &LineEntry) -> Option<ImportedCall> {
    let EntryBody::Message(message) = &entry.body else { return None };
    let Message::Assistant(said) = &**message else { return None };
    let usage = said.usage.filter(took_anything)?;
    if said.source() != AssistantSource::Model {
        return None;
    }
    let (id, at) = (entry.id.as_ref()?, said.at.or(entry.at)?);
    let model = model(said)?;
    let record = UsageRecord {
        run: RunId::new(format!("imported-{id}")).ok()?,
        agent: agent.clone(),
        session: Some(session.to_owned()),
        profile: None,
        at,
        // A message bears the time its call was sent, its line the time it was whole.
        duration_ms: entry.at.map_or(0, |whole| millis_between(at, whole)),
        usage: Usage { total_tokens: usage.total_tokens.max(usage.sum()), ..usage },
        cost: usage.cost.map(|cost| Money::from_dollars(cost.total)),
        outcome: outcome(said).to_owned(),
        model,
    };
    // Without the session: a conversation that was forked holds the same calls in several transcripts.
    let dedup_key = format!("{agent}/{id}/{}/{}", at.0, record.model);
    Some(ImportedCall { dedup_key, record })
}

fn took_anything(usage: &Usage) -> bool {
    usage.sum() > 0 || usage.total_tokens > 0 || usage.cost.is_some_and(|cost| cost.total > 0.0)
}

fn model(said: &AssistantMessage) -> Option<ModelRef> {
    let provider = said.provider.clone().or_else(|| ProviderId::new(UNKNOWN).ok())?;
    ModelRef::new(provider, said.model.as_deref().unwrap_or(UNKNOWN)).ok()
}

fn millis_between(from: UnixMillis, to: UnixMillis) -> u64 {
    u64::try_from(to.0.saturating_sub(from.0)).unwrap_or(0)
}

/// How a call ended, in the ledger's words.
fn outcome(said: &AssistantMessage) -> &'static str {
    match said.stop {
        Some(StopReason::Error) => "error",
        Some(StopReason::Aborted) => "aborted",
        _ => "done",
    }
}
