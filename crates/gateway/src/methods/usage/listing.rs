//! Which sessions `sessions.usage` looks at, and in which order.
//!
//! Pure. The ledger names those that called a model within the range, the stores those that changed since it began: a
//! session can have transcripts without a call, and calls without a transcript.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use openclaw_ports::stores::UsageSum;
use openclaw_types::{AgentId, SessionEntry, SessionId, SessionKey, UnixMillis};

use super::activity::Activity;
use super::whose::Whose;

/// A session that may be listed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UsageCandidate {
    pub(super) key: SessionKey,
    /// The id of its transcript, where it is known.
    pub(super) session_id: Option<SessionId>,
    /// How the ledger notes it: agents and names. More than one note can mean the same session.
    pub(super) notes: Vec<(String, String)>,
    /// When it changed last.
    pub(super) updated_at: UnixMillis,
    /// What is stored about it.
    pub(super) entry: Option<SessionEntry>,
    /// What its transcripts say; nothing when it has none.
    pub(super) activity: Option<Activity>,
}

impl UsageCandidate {
    fn new(key: SessionKey, updated_at: UnixMillis) -> Self {
        Self { key, session_id: None, notes: Vec::new(), updated_at, entry: None, activity: None }
    }

    /// Whether anything happened in it within the range.
    pub(super) fn was_active(&self) -> bool {
        !self.notes.is_empty() || self.activity.as_ref().is_some_and(|activity| activity.span.is_some())
    }
}

/// The sessions that may have been active since a moment, the one that changed last first.
pub(super) fn candidates(
    sums: &[UsageSum],
    entries: Vec<(SessionKey, SessionEntry)>,
    since: UnixMillis,
) -> Vec<UsageCandidate> {
    let by_id: HashMap<String, SessionKey> =
        entries.iter().map(|(key, entry)| (entry.session_id.to_string(), key.clone())).collect();
    let mut listed = BTreeMap::<SessionKey, UsageCandidate>::new();
    for sum in sums {
        let [agent, session] = sum.group.as_slice() else { continue };
        let Ok(id) = AgentId::new(agent) else { continue };
        let Whose { key, session_id } = Whose::noted(&id, Some(session));
        let known =
            session_id.as_ref().and_then(|id| by_id.get(id)).filter(|known| known.agent() == Some(&id));
        let key = known.cloned().unwrap_or(key);
        let one = listed.entry(key.clone()).or_insert_with(|| UsageCandidate::new(key, sum.last));
        one.session_id = one.session_id.take().or_else(|| SessionId::new(session_id?).ok());
        one.notes.push((agent.clone(), session.clone()));
        one.updated_at = one.updated_at.max(sum.last);
    }
    for (key, entry) in entries {
        if entry.updated_at < since && !listed.contains_key(&key) {
            continue;
        }
        let one = listed.entry(key.clone()).or_insert_with(|| UsageCandidate::new(key, entry.updated_at));
        one.updated_at = entry.updated_at;
        one.session_id = Some(entry.session_id.clone());
        one.entry = Some(entry);
    }
    let mut listed: Vec<UsageCandidate> = listed.into_values().collect();
    listed.sort_by_key(|one| Reverse(one.updated_at));
    listed
}

#[cfg(test)]
mod tests;
