//! Opens sessions, begins them anew, patches and removes them.
//!
//! A transcript is noted as archived before its session leaves it, so that a crash in between loses neither; putting
//! away never touches an archived transcript that a session still uses.

use openclaw_config::Config;
use openclaw_ports::stores::{Archive, ArchiveReason};
use openclaw_types::{ChannelId, SessionEntry, SessionId, SessionKey, UnixMillis};

use super::{Sessions, key_context};
use crate::SessionError;
use crate::entry::{AnewReason, PatchBounds, SessionPatch, apply, begin_anew, wanted_label};
use crate::rules::{Freshness, StaleCause, freshness, session_kind};
use crate::transcript::session_id;

/// A session that a message is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Which session.
    pub key: SessionKey,
    /// The platform the message came over.
    pub channel: Option<ChannelId>,
}

/// A session that is open.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// What is stored about it now.
    pub entry: SessionEntry,
    /// How it was opened.
    pub how: OpenedHow,
}

/// How a session was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenedHow {
    /// It was there and goes on.
    Continued,
    /// It was not there.
    Created,
    /// It was stale and begins anew.
    BeganAnew {
        /// The transcript it had.
        previous: SessionId,
        /// Why it was stale.
        cause: StaleCause,
    },
}

/// What becomes of the transcript of a session that is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leaving {
    /// It is archived, and goes when archives go.
    Archive,
    /// It stays where it is.
    Keep,
}

/// A session that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deleted {
    /// Its transcript, when it had an entry.
    pub session: Option<SessionId>,
    /// The transcripts that were archived.
    pub archived: Vec<SessionId>,
}

impl Sessions {
    /// Opens a session for a message that is about to be answered: makes it when it is not there, and begins it anew
    /// when it is stale. Not for messages that are steered into a run under way: those use the run's own transcript.
    ///
    /// # Errors
    /// When the store cannot do it.
    pub async fn open(&self, opening: Opening) -> Result<Opened, SessionError> {
        let now = self.parts.clock.now();
        let key = &opening.key;
        let stored = self.entry(key).await?;
        let fresh = stored.as_ref().map_or(Freshness::Fresh, |entry| self.judge(&opening, entry, now));
        let stale = match (&stored, fresh) {
            (Some(entry), Freshness::Stale(cause)) => Some((entry.session_id.clone(), cause)),
            _ => None,
        };
        if let Some((previous, _)) = &stale {
            self.archive(key, previous.clone(), ArchiveReason::Reset).await?;
        }
        let next = session_id()?;
        self.decide(key, move |stored| {
            let opened = match (stored, stale) {
                (None, _) => Opened { entry: SessionEntry::new(next, now), how: OpenedHow::Created },
                // Somebody else may have begun it anew in between.
                (Some(entry), Some((previous, cause))) if entry.session_id == previous => Opened {
                    entry: begin_anew(&entry, next, now, AnewReason::Stale),
                    how: OpenedHow::BeganAnew { previous, cause },
                },
                (Some(mut entry), _) => {
                    entry.updated_at = entry.updated_at.max(now);
                    Opened { entry, how: OpenedHow::Continued }
                }
            };
            (Some(opened.entry.clone()), opened)
        })
        .await
    }

    /// Begins a session anew, whatever its age, and gives what is stored now. Stop its run first.
    ///
    /// # Errors
    /// When the store cannot do it; `Moved` when somebody else did it at the same moment.
    pub async fn reset(&self, key: &SessionKey, reason: AnewReason) -> Result<SessionEntry, SessionError> {
        let now = self.parts.clock.now();
        let previous = self.entry(key).await?.map(|entry| entry.session_id);
        if let Some(previous) = &previous {
            self.archive(key, previous.clone(), ArchiveReason::Reset).await?;
        }
        let next = session_id()?;
        let begun = self.decide(key, move |stored| {
            let same = stored.as_ref().map(|entry| &entry.session_id) == previous.as_ref();
            match (stored, same) {
                (stored, false) => (stored, None),
                (stored, true) => {
                    let old = stored.unwrap_or_else(|| SessionEntry::new(next.clone(), now));
                    let begun = begin_anew(&old, next, now, reason);
                    (Some(begun.clone()), Some(begun))
                }
            }
        });
        begun.await?.ok_or(SessionError::Moved)
    }

    /// Removes a session. Stop its run first.
    ///
    /// # Errors
    /// `MainStays` for the main session, or when the store cannot do it.
    pub async fn delete(&self, key: &SessionKey, leaving: Leaving) -> Result<Deleted, SessionError> {
        let config = (self.parts.settings)();
        let context = key_context(&config);
        if *key == context.main_session(context.default_agent()) {
            return Err(SessionError::MainStays { key: key.clone() });
        }
        self.remove(key, leaving).await
    }

    /// Changes the preferences of a session, and makes it when it is not there.
    ///
    /// # Errors
    /// `Refused` when a field is wrong or the label belongs to another session; nothing changes then.
    pub async fn patch(
        &self,
        key: &SessionKey,
        patch: SessionPatch,
        bounds: PatchBounds,
    ) -> Result<SessionEntry, SessionError> {
        if let Some(label) = wanted_label(&patch)? {
            self.check_label(key, &label).await?;
        }
        let now = self.parts.clock.now();
        let next = session_id()?;
        let of = key.clone();
        let patched = self.decide(key, move |stored| {
            let mut entry = stored.clone().unwrap_or_else(|| SessionEntry::new(next, now));
            entry.updated_at = entry.updated_at.max(now);
            match apply(&mut entry, &of, &patch, &bounds) {
                Ok(()) => (Some(entry.clone()), Ok(entry)),
                Err(error) => (stored, Err(error)),
            }
        });
        patched.await?
    }

    pub(super) async fn remove(&self, key: &SessionKey, leaving: Leaving) -> Result<Deleted, SessionError> {
        let known = self.entry(key).await?.map(|entry| entry.session_id);
        let archived: Vec<SessionId> = match leaving {
            Leaving::Archive => known.iter().cloned().collect(),
            Leaving::Keep => Vec::new(),
        };
        for session in &archived {
            self.archive(key, session.clone(), ArchiveReason::Deleted).await?;
        }
        let session = self.decide(key, |stored| (None, stored.map(|entry| entry.session_id))).await?;
        Ok(Deleted { session, archived })
    }

    pub(super) async fn archive(
        &self,
        key: &SessionKey,
        session: SessionId,
        reason: ArchiveReason,
    ) -> Result<(), SessionError> {
        let at = self.parts.clock.now();
        let agent = self.agent_of(key);
        // A session that was opened and never written to has nothing to keep.
        if self.parts.store.leaf(&agent, &session).await?.is_none() {
            return Ok(());
        }
        Ok(self.parts.store.archive(Archive { agent, session, key: key.clone(), reason, at }).await?)
    }

    /// Delegated tasks go on whatever the hour: their transcript is their whole order.
    fn judge(&self, opening: &Opening, entry: &SessionEntry, now: UnixMillis) -> Freshness {
        if opening.key.is_subagent() || opening.key.is_acp() {
            return Freshness::Fresh;
        }
        let config: std::sync::Arc<Config> = (self.parts.settings)();
        let channel = opening.key.channel().or(opening.channel.as_ref()).map(|channel| channel.as_str());
        let rule = config.session.reset.of(session_kind(&opening.key, Some(entry)), channel);
        freshness(rule, entry.updated_at, now, &self.parts.zone)
    }

    async fn check_label(&self, key: &SessionKey, label: &str) -> Result<(), SessionError> {
        let config = (self.parts.settings)();
        for agent in self.agents(&config).await? {
            let taken = self
                .parts
                .store
                .entries(&agent)
                .await?
                .into_iter()
                .any(|(other, entry)| other != *key && entry.facts.label.as_deref() == Some(label));
            if taken {
                return Err(SessionError::refused(format!("label already in use: {label}")));
            }
        }
        Ok(())
    }
}
