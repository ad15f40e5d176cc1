//! Sessions over a store: opens, lists, changes, reads, branches and puts them away.
//!
//! The decisions are in `rules`, `entry`, `transcript` and `show`; here they meet the store and the clock. `flow`,
//! `gateway` and the tools about sessions call this. One for the whole process.

mod branch;
mod lifecycle;
mod list;
mod maintain;
mod read;
mod write;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use openclaw_config::Config;
use openclaw_config::sections::SessionScope as Breadth;
use openclaw_ports::Clock;
use openclaw_ports::stores::{SessionStore, StoreError};
use openclaw_types::{AgentId, KeyContext, SessionBreadth, SessionEntry, SessionId, SessionKey};

pub use branch::{BranchTo, Forked};
pub use lifecycle::{Deleted, Leaving, Opened, OpenedHow, Opening};
pub use list::{ListQuery, Listed, ListedKind, SessionSelector};
pub use maintain::{Maintained, Removal, RemovalCause};
pub use read::{History, Preview, PreviewStatus};
pub use write::Injection;

use crate::SessionError;
use crate::rules::Zone;
use crate::transcript::Journal;

/// Gives the configuration of the moment.
pub type ConfigSource = Arc<dyn Fn() -> Arc<Config> + Send + Sync>;

/// What sessions are put together from.
#[derive(Clone)]
pub struct SessionParts {
    /// Keeps them.
    pub store: Arc<dyn SessionStore>,
    /// Writes to transcripts; shared with everything that does.
    pub journal: Arc<Journal>,
    /// The configuration of the moment.
    pub settings: ConfigSource,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where a day begins.
    pub zone: Zone,
}

/// Sessions over a store. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    parts: SessionParts,
    /// The first words of transcripts, which never change. Bounded: emptied when full.
    first_words: Arc<Mutex<HashMap<SessionId, String>>>,
}

impl Sessions {
    /// Sessions over these parts.
    #[must_use]
    pub fn new(parts: SessionParts) -> Self {
        Self { parts, first_words: Arc::default() }
    }

    /// The writer of transcripts.
    #[must_use]
    pub fn journal(&self) -> &Arc<Journal> {
        &self.parts.journal
    }

    /// Whose session it is; sessions of no agent are kept with the default agent.
    #[must_use]
    pub fn agent_of(&self, key: &SessionKey) -> AgentId {
        key.agent_or(&(self.parts.settings)().agents.default_agent).clone()
    }

    /// One session, as it is stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn entry(&self, key: &SessionKey) -> Result<Option<Arc<SessionEntry>>, SessionError> {
        Ok(self.parts.store.entry(&self.agent_of(key), key).await?)
    }

    /// Changes a session in one transaction and gives what is stored afterwards. The moment it last changed stays
    /// unless the change sets it.
    ///
    /// # Errors
    /// `Missing` when there is no such session, or when the store cannot do it.
    pub async fn change(
        &self,
        key: &SessionKey,
        change: impl FnOnce(&mut SessionEntry) + Send + 'static,
    ) -> Result<SessionEntry, SessionError> {
        let changed = self.decide(key, |stored| {
            let changed = stored.map(|mut entry| {
                change(&mut entry);
                entry
            });
            (changed.clone(), changed)
        });
        changed.await?.ok_or_else(|| missing(key))
    }

    /// Decides inside of a transaction: gets what is stored, gives what to store and what to say about it.
    async fn decide<T: Send + 'static>(
        &self,
        key: &SessionKey,
        decide: impl FnOnce(Option<SessionEntry>) -> (Option<SessionEntry>, T) + Send + 'static,
    ) -> Result<T, SessionError> {
        let said = Arc::new(Mutex::new(None));
        let telling = Arc::clone(&said);
        let change = Box::new(move |stored| {
            let (next, verdict) = decide(stored);
            *telling.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict);
            next
        });
        self.parts.store.change(&self.agent_of(key), key, change).await?;
        let verdict = said.lock().unwrap_or_else(PoisonError::into_inner).take();
        verdict.ok_or(SessionError::Store(StoreError::Closed))
    }

    /// The sessions of some agents. One whose store cannot be read does not hide those of the others; where none can
    /// be read, that is told.
    async fn entries_of(
        &self,
        agents: Vec<AgentId>,
    ) -> Result<Vec<(SessionKey, SessionEntry)>, SessionError> {
        let (mut entries, mut is_any_read, mut fault) = (Vec::new(), false, None);
        for agent in agents {
            match self.parts.store.entries(&agent).await {
                Ok(found) => {
                    is_any_read = true;
                    entries.extend(found);
                }
                Err(error @ (StoreError::Failed { .. } | StoreError::Corrupt { .. })) => {
                    tracing::warn!(subsystem = "sessions", %agent, %error, "the sessions of an agent cannot be read; the others are shown");
                    fault = Some(error);
                }
                Err(error) => return Err(error.into()),
            }
        }
        match fault {
            Some(error) if !is_any_read => Err(error.into()),
            _ => Ok(entries),
        }
    }

    /// The agents that are configured or have sessions.
    async fn agents(&self, config: &Config) -> Result<Vec<AgentId>, SessionError> {
        let mut agents: Vec<AgentId> = config.agents.list.iter().map(|agent| agent.id.clone()).collect();
        agents.push(config.agents.default_agent.clone());
        agents.extend(self.parts.store.agents().await?);
        agents.sort();
        agents.dedup();
        Ok(agents)
    }
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Sessions")
    }
}

/// What short keys and main sessions depend on.
fn key_context(config: &Config) -> KeyContext {
    let breadth = match config.session.scope {
        Breadth::Global => SessionBreadth::Global,
        Breadth::PerSender => SessionBreadth::PerSender,
    };
    KeyContext::new(&config.agents.default_agent, openclaw_config::SessionSettings::MAIN_KEY, breadth)
}

fn missing(key: &SessionKey) -> SessionError {
    SessionError::Missing { what: key.to_string() }
}
