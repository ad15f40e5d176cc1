//! Puts old sessions and archived transcripts away, or says which ones it would.
//!
//! Main sessions and sessions with a run under way always stay, and so does every transcript that a session uses.
//! `decide` is pure.

use std::collections::HashSet;

use openclaw_config::{Care, Config, MaintenanceSettings};
use openclaw_ports::stores::Archived;
use openclaw_types::{AgentId, SessionEntry, SessionId, SessionKey, UnixMillis};

use super::lifecycle::Leaving;
use super::{Sessions, key_context};
use crate::SessionError;

/// What was put away, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maintained {
    /// Whether it was done or is only said.
    pub care: Care,
    /// The sessions.
    pub sessions: Vec<Removal>,
    /// The archived transcripts.
    pub transcripts: Vec<(AgentId, SessionId)>,
}

/// A session that goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Which.
    pub key: SessionKey,
    /// Why.
    pub cause: RemovalCause,
}

/// Why a session goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RemovalCause {
    /// Nothing happened in it for too long.
    Age,
    /// There are too many, and it is among the oldest.
    Count,
}

impl Sessions {
    /// Puts away what is old, as the settings say. `busy` are sessions with something under way that the store does
    /// not know of.
    ///
    /// # Errors
    /// When the store cannot do it; what was put away until then stays away. What cannot be read of one agent is told
    /// after that of the others was put away.
    pub async fn maintain(&self, busy: &HashSet<SessionKey>) -> Result<Maintained, SessionError> {
        let config = (self.parts.settings)();
        let care = config.session.maintenance.care;
        let mut done = Maintained { care, sessions: Vec::new(), transcripts: Vec::new() };
        let mut fault = None;
        for agent in self.agents(&config).await? {
            if let Err(error) = self.add_old(&agent, &config, busy, &mut done).await {
                fault = fault.or(Some(error));
            }
        }
        if care == Care::Enforce {
            self.put_away(&done).await?;
        }
        fault.map_or(Ok(done), Err)
    }

    /// Adds what is old of one agent: all of it or, where something cannot be read, nothing.
    async fn add_old(
        &self,
        agent: &AgentId,
        config: &Config,
        busy: &HashSet<SessionKey>,
        done: &mut Maintained,
    ) -> Result<(), SessionError> {
        let (settings, now) = (config.session.maintenance, self.parts.clock.now());
        let context = key_context(config);
        let unfinished = self.parts.store.unfinished(agent).await?;
        let running: HashSet<&SessionKey> = unfinished.iter().map(|run| &run.start.key).collect();
        let entries = self.parts.store.entries(agent).await?;
        let archived = self.parts.store.archived(agent).await?;
        let stays = |key: &SessionKey| key.is_main(&context) || running.contains(key) || busy.contains(key);
        done.sessions.extend(old_sessions(&entries, &settings, now, stays));
        let used: HashSet<&SessionId> = entries
            .iter()
            .map(|(_, entry)| &entry.session_id)
            .chain(unfinished.iter().map(|run| &run.start.session))
            .collect();
        let archived = archived.into_iter().filter(|one| !used.contains(&one.archive.session)).collect();
        let gone = old_transcripts(archived, &settings, now);
        done.transcripts.extend(gone.into_iter().map(|session| (agent.clone(), session)));
        Ok(())
    }

    /// Every transcript of an agent that a session or a run uses or that is archived.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn transcripts(&self, agent: &AgentId) -> Result<HashSet<SessionId>, SessionError> {
        let store = &self.parts.store;
        let sessions = store.entries(agent).await?.into_iter().map(|(_, entry)| entry.session_id);
        let archived = store.archived(agent).await?.into_iter().map(|one| one.archive.session);
        let running = store.unfinished(agent).await?.into_iter().map(|run| run.start.session);
        Ok(sessions.chain(archived).chain(running).collect())
    }

    async fn put_away(&self, done: &Maintained) -> Result<(), SessionError> {
        for removal in &done.sessions {
            self.remove(&removal.key, Leaving::Archive).await?;
        }
        for (agent, session) in &done.transcripts {
            self.parts.store.erase(agent, session).await?;
        }
        Ok(())
    }
}

/// The sessions that are too old, and of the others the oldest that are too many. `entries` have the newest first.
fn old_sessions(
    entries: &[(SessionKey, SessionEntry)],
    settings: &MaintenanceSettings,
    now: UnixMillis,
    stays: impl Fn(&SessionKey) -> bool,
) -> Vec<Removal> {
    let since = now.minus(settings.prune_after);
    let (old, recent): (Vec<_>, Vec<_>) =
        entries.iter().partition(|(key, entry)| entry.updated_at < since && !stays(key));
    let too_many = recent.len().saturating_sub(settings.max_entries);
    let oldest = recent.iter().rev().filter(|(key, _)| !stays(key)).take(too_many);
    let removal = |key: &SessionKey, cause| Removal { key: key.clone(), cause };
    old.iter()
        .map(|(key, _)| removal(key, RemovalCause::Age))
        .chain(oldest.map(|(key, _)| removal(key, RemovalCause::Count)))
        .collect()
}

/// The archived transcripts that are too old, and of the others the oldest that take too much. `archived` has the
/// newest first.
fn old_transcripts(
    archived: Vec<Archived>,
    settings: &MaintenanceSettings,
    now: UnixMillis,
) -> Vec<SessionId> {
    let since = settings.archive_retention.map(|retention| now.minus(retention));
    let (old, recent): (Vec<_>, Vec<_>) =
        archived.into_iter().partition(|one| since.is_some_and(|since| one.archive.at < since));
    let mut gone: Vec<SessionId> = old.into_iter().map(|one| one.archive.session).collect();
    let mut bytes: u64 = recent.iter().map(|one| one.bytes).sum();
    if settings.max_disk_bytes.is_none_or(|most| bytes <= most) {
        return gone;
    }
    let down_to = settings.high_water_bytes.unwrap_or(0);
    for one in recent.into_iter().rev() {
        if bytes <= down_to {
            break;
        }
        bytes = bytes.saturating_sub(one.bytes);
        gone.push(one.archive.session);
    }
    gone
}
