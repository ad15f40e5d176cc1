//! `sessions.compact`: a long conversation is made shorter.
//!
//! Models see no more than the newest lines; no model is asked, unlike by `/compact`. Nothing is erased: people still find
//! all of it.

use std::sync::Arc;

use openclaw_flow::Whose;
use openclaw_ports::stores::{BranchQuery, BranchReach, StoredEntry};
use openclaw_protocol::methods::sessions::{SessionsCompactParams, SessionsCompactResult};
use openclaw_protocol::{ErrorShape, Yes};
use openclaw_types::{
    Compaction, EntryBody, EntryId, LineRecord, Message, SessionEntry, SessionKey, SummaryAuthor,
};

use super::{quiet, session_fault};
use crate::methods::agents::AgentServices;

/// How many lines models see afterwards where nobody says.
const USUAL_LINES: usize = 400;

/// Shortens a session.
pub(super) async fn compact(
    services: Arc<AgentServices>,
    params: SessionsCompactParams,
) -> Result<SessionsCompactResult, ErrorShape> {
    let key = services.key(params.key.as_str())?;
    let Some(entry) = services.sessions().entry(&key).await.map_err(|error| session_fault(&error))? else {
        return Ok(untouched(&key, "no sessionId"));
    };
    quiet(&services, &key, Whose::Session).await?;
    let lines = params.max_lines.and_then(|lines| usize::try_from(lines.get()).ok());
    keep_newest(&services, &key, &entry, lines.unwrap_or(USUAL_LINES)).await
}

async fn keep_newest(
    services: &AgentServices,
    key: &SessionKey,
    entry: &SessionEntry,
    lines: usize,
) -> Result<SessionsCompactResult, ErrorShape> {
    let query = BranchQuery {
        agent: services.agent_of(key),
        session: entry.session_id.clone(),
        leaf: None,
        reach: BranchReach::Newest(lines.saturating_add(1)),
    };
    let store = &services.flow.agent().parts().sessions;
    let newest = store.branch(query).await.map_err(|error| ErrorShape::unavailable(error.to_string()))?;
    if newest.is_empty() {
        return Ok(untouched(key, "no transcript"));
    }
    if newest.len() <= lines {
        let kept = u64::try_from(newest.len()).ok();
        return Ok(SessionsCompactResult { kept, reason: None, ..untouched(key, "") });
    }
    // A conversation begins with a person: what is kept does too, so no result stands without its call.
    let kept = newest.get(1..).unwrap_or_default();
    let Some((first_kept, kept)) = from_person(kept) else {
        return Ok(untouched(key, "no message to begin with among the kept lines"));
    };
    let body = EntryBody::Compaction(Compaction {
        summary: "What was said before was set aside by a person. Ask when something of it is needed."
            .to_owned(),
        first_kept: Some(first_kept),
        tokens_before: entry.facts.total_tokens,
        tokens_after: None,
        details: None,
        author: SummaryAuthor::Agent,
    });
    services.sessions().append(key, vec![body]).await.map_err(|error| session_fault(&error))?;
    let counted = services.sessions().change(key, |entry| {
        entry.facts.compaction_count = Some(entry.facts.compaction_count.unwrap_or(0) + 1);
        entry.facts.total_tokens_fresh = Some(false);
    });
    counted.await.map_err(|error| session_fault(&error))?;
    let kept = u64::try_from(kept).ok();
    // The original names a copy it makes. Here the transcript itself keeps everything.
    let archived = Some(entry.session_id.to_string());
    Ok(SessionsCompactResult { compacted: true, kept, reason: None, archived, ..untouched(key, "") })
}

/// The first entry that is a person's message, and how many there are from it on.
fn from_person(entries: &[StoredEntry]) -> Option<(EntryId, usize)> {
    entries.iter().enumerate().find_map(|(index, stored)| match &stored.line.record {
        LineRecord::Entry(entry) => match (&entry.id, &entry.body) {
            (Some(id), EntryBody::Message(message)) if matches!(**message, Message::User(_)) => {
                Some((id.clone(), entries.len() - index))
            }
            _ => None,
        },
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    })
}

fn untouched(key: &SessionKey, reason: &str) -> SessionsCompactResult {
    SessionsCompactResult {
        ok: Yes,
        key: key.to_string(),
        compacted: false,
        reason: Some(reason.to_owned()),
        kept: None,
        archived: None,
    }
}
