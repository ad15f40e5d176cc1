//! Decides what becomes of one session of the original, and stores it.
//!
//! What is newer here is never overwritten. A session that somebody touched here before its past could be taken over
//! gets its past all the same: a transcript is an append-only tree whose root has no parent, so what was written here is
//! copied behind the last line of the old transcript, which becomes the current one; the short transcript is removed.
//! Where a person began the session anew here, the old transcript becomes an archived one of that session instead.
//! Repeating any of this after a crash changes nothing more.

use std::collections::HashSet;

use openclaw_ports::stores::{Append, Archive, ArchiveReason, Flush, StoreError, StoredEntry};
use openclaw_types::{
    AgentId, EntryId, LineRecord, RunId, SessionEntry, SessionId, SessionKey, TranscriptLine,
};
use serde_json::{Value, json};

use super::import::{LegacyParts, SkippedCause};

/// How many lines are stored at once.
const BATCH: usize = 500;

/// A session of the list.
#[derive(Clone, Copy)]
pub(super) struct ListedSession<'a> {
    pub(super) agent: &'a AgentId,
    pub(super) key: &'a SessionKey,
    /// As it is there.
    pub(super) entry: &'a SessionEntry,
    /// What is stored of its transcript already.
    pub(super) stored: &'a [StoredEntry],
    /// Whether it was taken before, in an older state.
    pub(super) imported_before: bool,
}

/// What became of a session. Everything is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Merged {
    /// It is as it was there, with what came here since.
    Current,
    /// It began anew here. What was said there is an archived transcript.
    ArchivedAsPast,
    /// It went on here, and holds everything that was said there.
    Covered,
    /// Nothing.
    Skipped(SkippedCause),
}

/// Stores a session unless what is here is newer.
pub(super) async fn merge_session(
    parts: &LegacyParts,
    listed: ListedSession<'_>,
    lines: Vec<TranscriptLine>,
) -> Result<Merged, StoreError> {
    let ListedSession { agent, key, entry, imported_before, .. } = listed;
    let here = parts.store.entry(agent, key).await?;
    match here.as_deref() {
        Some(here) if here.session_id != entry.session_id && !imported_before => {
            prepend_past(parts, listed, lines, here).await
        }
        Some(here) if here.session_id != entry.session_id && here.updated_at > entry.updated_at => {
            Ok(Merged::Skipped(SkippedCause::Newer))
        }
        here => replace(parts, listed, lines, here).await,
    }
}

/// Makes the session what it is there.
async fn replace(
    parts: &LegacyParts,
    listed: ListedSession<'_>,
    lines: Vec<TranscriptLine>,
    here: Option<&SessionEntry>,
) -> Result<Merged, StoreError> {
    let ListedSession { agent, entry, stored, .. } = listed;
    let (stored, written) = (ids(stored.iter().map(|stored| &*stored.line)), ids(lines.iter()));
    match (stored.is_subset(&written), written.is_subset(&stored)) {
        (true, _) => {}
        (false, true) => return Ok(Merged::Covered),
        (false, false) => return Ok(Merged::Skipped(SkippedCause::Diverged)),
    }
    if let Some(here) = here.filter(|here| here.session_id != entry.session_id) {
        archive(parts, listed, &here.session_id).await?;
    }
    // Before the lines: their commit brings the entry to the disk as well.
    if !change(parts, listed, here, entry.clone()).await? {
        return Ok(Merged::Skipped(SkippedCause::Newer));
    }
    append(parts, (agent, &entry.session_id), lines).await?;
    Ok(Merged::Current)
}

/// Gives a session its past that somebody touched here before it was taken over.
async fn prepend_past(
    parts: &LegacyParts,
    listed: ListedSession<'_>,
    lines: Vec<TranscriptLine>,
    here: &SessionEntry,
) -> Result<Merged, StoreError> {
    let ListedSession { agent, key, entry, stored, .. } = listed;
    let store = &parts.store;
    let ours = store.transcript(agent, &here.session_id).await?;
    let archived = store.archived(agent).await?;
    let began_anew =
        archived.iter().any(|one| one.archive.key == *key && one.archive.session != here.session_id);
    let (ours_ids, written) = (ids(ours.iter().map(|stored| &*stored.line)), ids(lines.iter()));
    // Ids are made by chance: two transcripts that share one stay apart.
    if began_anew || !ours_ids.is_disjoint(&written) {
        if here.updated_at < entry.updated_at {
            return replace(parts, listed, lines, Some(here)).await;
        }
        append(parts, (agent, &entry.session_id), lines).await?;
        archive(parts, listed, &entry.session_id).await?;
        return Ok(Merged::ArchivedAsPast);
    }
    let unfinished = store.unfinished(agent).await?;
    if unfinished.iter().any(|run| run.start.session == here.session_id) {
        return Ok(Merged::Skipped(SkippedCause::UnderWay));
    }
    // An import that was cut off may have copied some of ours already.
    let mut expected = stored.iter().filter_map(|stored| id_of(&stored.line));
    if !expected.all(|id| written.contains(id) || ours_ids.contains(id)) {
        return Ok(Merged::Skipped(SkippedCause::Diverged));
    }
    let last = lines.iter().rev().find_map(id_of).cloned();
    append(parts, (agent, &entry.session_id), lines).await?;
    copy_behind(parts, listed, last, &ours).await?;
    if let Some(leaf) = store.leaf(agent, &here.session_id).await? {
        store.set_leaf(agent, &entry.session_id, &leaf).await?;
    }
    if !change(parts, listed, Some(here), merged_entry(entry, here)).await? {
        return Ok(Merged::Skipped(SkippedCause::Newer));
    }
    append(parts, (agent, &entry.session_id), Vec::new()).await?;
    // All of it stands behind the old transcript now, which is durable.
    store.erase(agent, &here.session_id).await?;
    Ok(Merged::Current)
}

/// Copies what was written here behind the last line of the old transcript, under the same ids and runs.
async fn copy_behind(
    parts: &LegacyParts,
    listed: ListedSession<'_>,
    last: Option<EntryId>,
    ours: &[StoredEntry],
) -> Result<(), StoreError> {
    for written in ours.chunk_by(|one, next| one.run == next.run) {
        let lines = written.iter().filter(|stored| !matches!(stored.line.record, LineRecord::Header(_)));
        let lines = lines.map(|stored| reparented(&stored.line, last.as_ref())).collect();
        let run = written.first().and_then(|stored| stored.run.clone());
        let session = listed.entry.session_id.clone();
        append_of(parts, Append { run, ..empty(listed.agent, &session) }, lines).await?;
    }
    Ok(())
}

/// The same line; one that followed nothing follows that entry.
fn reparented(line: &TranscriptLine, last: Option<&EntryId>) -> TranscriptLine {
    let mut line = line.clone();
    if let LineRecord::Entry(entry) = &mut line.record
        && entry.parent.is_none()
    {
        entry.parent = last.cloned();
    }
    line
}

/// What is imported_before of a session from there and from here; what changed last counts. It goes on in the old transcript.
fn merged_entry(there: &SessionEntry, here: &SessionEntry) -> SessionEntry {
    let (older, newer) = if here.updated_at < there.updated_at { (here, there) } else { (there, here) };
    let (Value::Object(mut fields), Value::Object(changed)) = (json!(older), json!(newer)) else {
        return there.clone();
    };
    fields.extend(changed);
    let mut entry = serde_json::from_value(Value::Object(fields)).unwrap_or_else(|_unfit| newer.clone());
    entry.session_id = there.session_id.clone();
    // The conversation is at least as long as its longer part.
    entry.facts.total_tokens = there.facts.total_tokens.max(here.facts.total_tokens);
    entry
}

/// Stores an entry unless somebody changed it meanwhile. Says whether it goes on in the old transcript now.
async fn change(
    parts: &LegacyParts,
    listed: ListedSession<'_>,
    here: Option<&SessionEntry>,
    next: SessionEntry,
) -> Result<bool, StoreError> {
    let (expected, session) = (here.cloned(), next.session_id.clone());
    let change = Box::new(move |stored: Option<SessionEntry>| match stored {
        // Somebody wrote here meanwhile, or what is here is newer: that stays.
        Some(stored) if Some(&stored) != expected.as_ref() || stored.updated_at > next.updated_at => {
            Some(stored)
        }
        _ => Some(next),
    });
    let stored = parts.store.change(listed.agent, listed.key, change).await?;
    Ok(stored.is_some_and(|stored| stored.session_id == session))
}

/// Notes that a transcript is of the session's past. One that was never written to is no past.
async fn archive(
    parts: &LegacyParts,
    listed: ListedSession<'_>,
    session: &SessionId,
) -> Result<(), StoreError> {
    let ListedSession { agent, key, .. } = listed;
    if parts.store.leaf(agent, session).await?.is_none() {
        return Ok(());
    }
    let (agent, session, key) = (agent.clone(), session.clone(), key.clone());
    let at = parts.clock.now();
    parts.store.archive(Archive { agent, session, key, reason: ArchiveReason::Reset, at }).await
}

/// Appends lines of no run.
async fn append(
    parts: &LegacyParts,
    (agent, session): (&AgentId, &SessionId),
    lines: Vec<TranscriptLine>,
) -> Result<(), StoreError> {
    append_of(parts, empty(agent, session), lines).await
}

/// Appends lines, a few at a time. Without any, what was changed before is brought to the disk.
async fn append_of(parts: &LegacyParts, to: Append, lines: Vec<TranscriptLine>) -> Result<(), StoreError> {
    let mut lines = lines.into_iter();
    loop {
        let batch: Vec<TranscriptLine> = lines.by_ref().take(BATCH).collect();
        parts.store.append(Append { lines: batch, ..to.clone() }).await?;
        if lines.len() == 0 {
            return Ok(());
        }
    }
}

fn empty(agent: &AgentId, session: &SessionId) -> Append {
    Append {
        agent: agent.clone(),
        session: session.clone(),
        run: None::<RunId>,
        begins: None,
        flush: Flush::Now,
        lines: Vec::new(),
    }
}

/// The ids of entries that a run of ours wrote.
pub(super) fn entries_of_own_runs(stored: &[StoredEntry]) -> HashSet<EntryId> {
    ids(stored.iter().filter(|stored| stored.run.is_some()).map(|stored| &*stored.line))
}

fn ids<'a>(lines: impl Iterator<Item = &'a TranscriptLine>) -> HashSet<EntryId> {
    lines.filter_map(|line| id_of(line).cloned()).collect()
}

fn id_of(line: &TranscriptLine) -> Option<&EntryId> {
    match &line.record {
        LineRecord::Entry(entry) => entry.id.as_ref(),
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    }
}
