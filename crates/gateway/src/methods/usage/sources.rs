//! Where usage is read from: the ledger of calls, and the sessions with their transcripts.
//!
//! Only reads, and never more than one transcript at a time. What the two say together is decided in `breakdown` and
//! `listing`; `activity` and `logs` read the lines. Without anybody who knows sessions the ledger is all there is.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use openclaw_ports::stores::{SessionStore, StoreError, StoredEntry, UsageLedger};
use openclaw_protocol::ErrorShape;
use openclaw_session::{ListQuery, SessionError, SessionSelector};
use openclaw_types::{AgentId, SessionEntry, SessionId, SessionKey, SessionKeyError, UnixMillis};

use super::{unreadable, whose};
use crate::methods::agents::AgentServices;
use crate::methods::chat::session_fault;
use crate::methods::models::ModelServices;

/// What usage is read from.
pub(super) struct UsageSources {
    pub(super) ledger: Arc<dyn UsageLedger>,
    agents: Option<Arc<AgentServices>>,
}

/// A session that a request names.
#[derive(Debug, Clone)]
pub(super) struct RequestedSession {
    pub(super) key: SessionKey,
    /// What is stored about it; nothing for sessions that only the ledger or an archive knows.
    pub(super) entry: Option<Arc<SessionEntry>>,
}

impl RequestedSession {
    /// The transcript in use.
    pub(super) fn transcript(&self) -> Option<&SessionId> {
        self.entry.as_ref().map(|entry| &entry.session_id)
    }
}

/// The transcripts that were put away, with the moment when, by the key of their session. The newest stands first.
pub(super) type Archives = HashMap<SessionKey, Vec<(UnixMillis, SessionId)>>;

impl UsageSources {
    /// Reads from what the gateway was given.
    pub(super) fn new(models: &ModelServices, agents: Option<&Arc<AgentServices>>) -> Self {
        Self { ledger: models.ledger.clone(), agents: agents.cloned() }
    }

    /// The key that a request writes; short names belong to the default agent.
    ///
    /// # Errors
    /// Why the text names no session.
    pub(super) fn key(&self, written: &str, default_agent: &AgentId) -> Result<SessionKey, SessionKeyError> {
        let key = whose::named(written, default_agent)?;
        let settled = self.agents.as_ref().and_then(|agents| agents.key(key.as_str()).ok());
        Ok(settled.unwrap_or(key))
    }

    /// The session that a request names by its key or by the id of its transcript.
    ///
    /// # Errors
    /// For clients, when the sessions cannot be read.
    pub(super) async fn named(&self, key: SessionKey) -> Result<RequestedSession, ErrorShape> {
        let Some(agents) = &self.agents else { return Ok(RequestedSession { key, entry: None }) };
        let sessions = agents.sessions();
        let fault = |error: SessionError| session_fault(&error);
        if let Some(entry) = sessions.entry(&key).await.map_err(fault)? {
            return Ok(RequestedSession { key, entry: Some(entry) });
        }
        match sessions.resolve(&SessionSelector::Id(key.short_text().to_owned())).await {
            Ok(key) => {
                let entry = sessions.entry(&key).await.map_err(fault)?;
                Ok(RequestedSession { key, entry })
            }
            Err(SessionError::Missing { .. } | SessionError::Refused { .. }) => {
                Ok(RequestedSession { key, entry: None })
            }
            Err(error) => Err(fault(error)),
        }
    }

    /// What is stored about every session.
    ///
    /// # Errors
    /// For clients, when the sessions cannot be read.
    pub(super) async fn entries(&self) -> Result<Vec<(SessionKey, SessionEntry)>, ErrorShape> {
        let Some(agents) = &self.agents else { return Ok(Vec::new()) };
        let all = ListQuery { include_global: true, include_unknown: true, ..ListQuery::default() };
        let listed = agents.sessions().list(&all).await.map_err(|error| session_fault(&error))?;
        Ok(listed.into_iter().map(|one| (one.key, one.entry)).collect())
    }

    /// The transcripts of these sessions that were put away.
    ///
    /// # Errors
    /// For clients, when an agent's sessions cannot be read.
    pub(super) async fn archives(
        &self,
        sessions: impl Iterator<Item = &SessionKey>,
    ) -> Result<Archives, ErrorShape> {
        let mut archives = Archives::new();
        let Some((agents, store)) = self.agents.as_ref().zip(self.store()) else { return Ok(archives) };
        let owners: BTreeSet<AgentId> = sessions.map(|key| agents.agent_of(key)).collect();
        for agent in owners {
            for archived in store.archived(&agent).await.map_err(unreadable)? {
                let archive = archived.archive;
                archives.entry(archive.key).or_default().push((archive.at, archive.session));
            }
        }
        Ok(archives)
    }

    /// Every line of a transcript, whatever its branch, in the order in which they were written; none when there is no
    /// such transcript.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) async fn lines(
        &self,
        of: &SessionKey,
        transcript: &SessionId,
    ) -> Result<Vec<StoredEntry>, StoreError> {
        match self.agents.as_ref().zip(self.store()) {
            Some((agents, store)) => store.transcript(&agents.agent_of(of), transcript).await,
            None => Ok(Vec::new()),
        }
    }

    /// Whether anything was ever written in the session as it is now.
    ///
    /// # Errors
    /// For clients, when the store cannot be read.
    pub(super) async fn has_transcript(&self, session: &RequestedSession) -> Result<bool, ErrorShape> {
        let parts = self.agents.as_ref().zip(self.store()).zip(session.transcript());
        let Some(((agents, store), transcript)) = parts else { return Ok(false) };
        let leaf = store.leaf(&agents.agent_of(&session.key), transcript).await.map_err(unreadable)?;
        Ok(leaf.is_some())
    }

    fn store(&self) -> Option<&Arc<dyn SessionStore>> {
        self.agents.as_ref().map(|agents| &agents.flow.agent().parts().sessions)
    }
}

/// The transcripts of a session, the newest first: the one in use, then those put away at a moment or later.
pub(super) fn transcripts(
    in_use: Option<&SessionId>,
    archived: &[(UnixMillis, SessionId)],
    since: UnixMillis,
) -> Vec<SessionId> {
    let put_away = archived.iter().filter(|(at, _)| *at >= since).map(|(_, session)| session);
    let mut transcripts: Vec<SessionId> = Vec::new();
    for session in in_use.into_iter().chain(put_away) {
        if !transcripts.contains(session) {
            transcripts.push(session.clone());
        }
    }
    transcripts
}
