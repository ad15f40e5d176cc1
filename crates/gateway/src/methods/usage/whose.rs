//! How the ledger's sessions are called on the wire, and what their keys say about them.
//!
//! The ledger notes a session by its key, or by its id for sessions that have no key. LedgerCalls outside of any session go
//! by the key for that, `unknown`.

use openclaw_ports::stores::UsageQuery;
use openclaw_types::{AgentId, SessionId, SessionKey, SessionKeyError};

/// A session as clients know it.
#[derive(Debug, Clone)]
pub(super) struct Whose {
    /// The key.
    pub(super) key: SessionKey,
    /// The id, where the ledger noted that.
    pub(super) session_id: Option<String>,
}

impl Whose {
    /// The session that a note in the ledger means.
    pub(super) fn noted(agent: &AgentId, session: Option<&str>) -> Self {
        let Some(text) = session.filter(|text| !text.is_empty()) else {
            return Self { key: SessionKey::unknown(), session_id: None };
        };
        match text.parse::<SessionKey>() {
            Ok(key) => Self { key, session_id: None },
            Err(SessionKeyError::Short(_)) => Self {
                key: SessionKey::named(agent, text).unwrap_or_else(|_| SessionKey::unknown()),
                session_id: Some(text.to_owned()),
            },
            Err(_) => Self { key: SessionKey::unknown(), session_id: None },
        }
    }
}

/// The session that a client names; short names belong to the default agent.
///
/// # Errors
/// Why the text names no session.
pub(super) fn named(written: &str, default_agent: &AgentId) -> Result<SessionKey, SessionKeyError> {
    match written.parse::<SessionKey>() {
        Err(SessionKeyError::Short(name)) => SessionKey::named(default_agent, &name),
        outcome => outcome,
    }
}

/// The questions that find what the ledger noted about a session: under its key, under the name in its key, which can be
/// the id of a session without a key, or under the id of its transcript. LedgerCalls without a session can be asked for only
/// together with all others, so what comes back still has to be looked at.
pub(super) fn ledger_queries(key: &SessionKey, transcript: Option<&SessionId>) -> Vec<UsageQuery> {
    if *key == SessionKey::unknown() {
        return vec![UsageQuery::default()];
    }
    let of = |session: &str, agent: Option<&AgentId>| UsageQuery {
        session: Some(session.to_owned()),
        agent: agent.cloned(),
        ..UsageQuery::default()
    };
    let by_key = of(key.as_str(), None);
    let ids = [Some(key.short_text()), transcript.map(SessionId::as_str)];
    let mut ids: Vec<&str> = ids.into_iter().flatten().collect();
    ids.dedup();
    let by_id = key.agent().map(|agent| ids.into_iter().map(|id| of(id, Some(agent))).collect::<Vec<_>>());
    std::iter::once(by_key).chain(by_id.into_iter().flatten()).collect()
}
