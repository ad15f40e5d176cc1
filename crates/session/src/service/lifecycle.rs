//! Opens sessions, begins them anew, patches and removes them.
//!
//! A transcript is noted as archived before its session leaves it, so that a crash in between loses neither; putting
//! away never touches an archived transcript that a session still uses.

use std::sync::Arc;
use std::time::Duration;

use openclaw_config::Config;
use openclaw_ports::stores::{Archive, ArchiveReason};
use openclaw_types::{AgentId, ChannelId, SessionEntry, SessionId, SessionKey, SessionScope, UnixMillis};

use super::{SessionSelector, Sessions, key_context};
use crate::SessionError;
use crate::entry::{
    AnewReason, PatchBounds, SessionPatch, Sighting, apply, begin_anew, update_route, wanted_label,
};
use crate::rules::{Freshness, StaleCause, Zone, freshness, session_kind};
use crate::transcript::session_id;

/// How long ago a session may have changed to count as in use: to the minute, as lists show it.
const LATELY: Duration = Duration::from_secs(60);

/// A session that a message is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Which session.
    pub key: SessionKey,
    /// The platform the message came over.
    pub channel: Option<ChannelId>,
    /// Where it was seen and where answers go, where that is to be noted.
    pub seen: Option<Sighting>,
}

impl Opening {
    /// A session that is opened without a message of its own.
    #[must_use]
    pub fn new(key: SessionKey, channel: Option<ChannelId>) -> Self {
        Self { key, channel, seen: None }
    }
}

/// A session that is open.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// What is stored about it now.
    pub entry: Arc<SessionEntry>,
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
    /// Opens a session for a message that is about to be answered: makes it when it is not there, begins it anew when it
    /// is stale, and notes where the message was seen. Not for messages that are steered into a run under way: those use
    /// the run's own transcript.
    ///
    /// # Errors
    /// When the store cannot do it.
    pub async fn open(&self, opening: Opening) -> Result<Opened, SessionError> {
        let now = self.parts.clock.now();
        if let Some(entry) = self.in_use(&opening, now).await? {
            return Ok(Opened { entry, how: OpenedHow::Continued });
        }
        match self.take_up(&opening, None, now).await? {
            TakenUp::Open(opened) => Ok(*opened),
            TakenUp::Stale(previous, cause) => {
                self.archive(&opening.key, previous.clone(), ArchiveReason::Reset).await?;
                match self.take_up(&opening, Some((previous, cause)), now).await? {
                    TakenUp::Open(opened) => Ok(*opened),
                    TakenUp::Stale(..) => Err(SessionError::Moved),
                }
            }
        }
    }

    /// A session about which there is nothing to note: it is fresh, changed lately, and the message comes from where they
    /// come. While people write to each other that is the rule, and the end of each run says when it was.
    async fn in_use(
        &self,
        opening: &Opening,
        now: UnixMillis,
    ) -> Result<Option<Arc<SessionEntry>>, SessionError> {
        let config = (self.parts.settings)();
        let is_in_use = |entry: &Arc<SessionEntry>| {
            let routed = |seen: &Sighting| {
                let mut routed = SessionEntry::clone(entry);
                update_route(&mut routed, seen);
                routed == **entry
            };
            now.since(entry.updated_at) < LATELY
                && judge(&config, &self.parts.zone, opening, entry, now) == Freshness::Fresh
                && opening.seen.as_ref().is_none_or(routed)
        };
        Ok(self.entry(&opening.key).await?.filter(is_in_use))
    }

    /// Opens a session in one step. One that is stale is left as it is, unless its transcript is put away.
    async fn take_up(
        &self,
        opening: &Opening,
        put_away: Option<(SessionId, StaleCause)>,
        now: UnixMillis,
    ) -> Result<TakenUp, SessionError> {
        let next = self.first_id(&opening.key).await?;
        let (config, zone) = ((self.parts.settings)(), self.parts.zone.clone());
        let opening = opening.clone();
        self.decide(&opening.key.clone(), move |stored| {
            let (mut entry, how) = match (stored, put_away) {
                (None, _) => (SessionEntry::new(next, now), OpenedHow::Created),
                (Some(entry), Some((previous, cause))) if entry.session_id == previous => {
                    let begun = begin_anew(&entry, next, now, AnewReason::Stale);
                    (begun, OpenedHow::BeganAnew { previous, cause })
                }
                // Somebody else began it anew in between.
                (Some(entry), Some(_)) => (entry, OpenedHow::Continued),
                (Some(entry), None) => match judge(&config, &zone, &opening, &entry, now) {
                    Freshness::Fresh => (entry, OpenedHow::Continued),
                    Freshness::Stale(cause) => {
                        let previous = entry.session_id.clone();
                        return (Some(entry), TakenUp::Stale(previous, cause));
                    }
                },
            };
            if let Some(seen) = &opening.seen {
                update_route(&mut entry, seen);
            }
            entry.updated_at = entry.updated_at.max(now);
            (Some(entry.clone()), TakenUp::Open(Box::new(Opened { entry: Arc::new(entry), how })))
        })
        .await
    }

    /// Begins a session anew, whatever its age, and gives what is stored now. Stop its run first.
    ///
    /// # Errors
    /// When the store cannot do it; `Moved` when somebody else did it at the same moment.
    pub async fn reset(&self, key: &SessionKey, reason: AnewReason) -> Result<SessionEntry, SessionError> {
        let now = self.parts.clock.now();
        let previous = self.entry(key).await?.map(|entry| entry.session_id.clone());
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
        let next = self.first_id(key).await?;
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

    /// Finds the session whose transcript has this id, and begins it when nobody knows it.
    ///
    /// # Errors
    /// `Refused` when the id cannot be one or several sessions have it, or when the store cannot do it.
    pub async fn resolve_or_begin(&self, agent: &AgentId, id: &str) -> Result<SessionKey, SessionError> {
        match self.resolve(&SessionSelector::Id(id.to_owned())).await {
            Err(SessionError::Missing { .. }) => {}
            found => return found,
        }
        let chosen = chosen_id(id)?;
        let key = SessionKey::new(agent, SessionScope::Explicit(chosen.clone()));
        let (session, now) = (self.unused(&key, chosen).await?, self.parts.clock.now());
        let begin = move |stored: Option<SessionEntry>| {
            (Some(stored.unwrap_or_else(|| SessionEntry::new(session, now))), ())
        };
        self.decide(&key, begin).await?;
        Ok(key)
    }

    /// The id for the first transcript of a session.
    async fn first_id(&self, key: &SessionKey) -> Result<SessionId, SessionError> {
        match key.explicit_id() {
            Some(chosen) if chosen_id(chosen.as_str()).is_ok() => self.unused(key, chosen.clone()).await,
            _ => Ok(session_id()?),
        }
    }

    /// This id, or another one where a transcript has it already: a session that was removed does not come back.
    async fn unused(&self, key: &SessionKey, chosen: SessionId) -> Result<SessionId, SessionError> {
        match self.parts.store.leaf(&self.agent_of(key), &chosen).await? {
            None => Ok(chosen),
            Some(_) => Ok(session_id()?),
        }
    }

    pub(super) async fn remove(&self, key: &SessionKey, leaving: Leaving) -> Result<Deleted, SessionError> {
        let known = self.entry(key).await?.map(|entry| entry.session_id.clone());
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

    async fn check_label(&self, key: &SessionKey, label: &str) -> Result<(), SessionError> {
        let config = (self.parts.settings)();
        let entries = self.entries_of(self.agents(&config).await?).await?;
        let has_it = |(other, entry): &(SessionKey, SessionEntry)| {
            other != key && entry.facts.label.as_deref() == Some(label)
        };
        if entries.iter().any(has_it) {
            return Err(SessionError::refused(format!("label already in use: {label}")));
        }
        Ok(())
    }
}

/// What came of opening a session in one step.
enum TakenUp {
    Open(Box<Opened>),
    /// It is stale, and its transcript is to be put away first.
    Stale(SessionId, StaleCause),
}

/// An id that a client chose: 1 to 128 letters, digits, dots, hyphens and underscores, a letter or digit first.
fn chosen_id(id: &str) -> Result<SessionId, SessionError> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric();
    let fits = id.len() <= 128
        && id.starts_with(is_word)
        && id.chars().all(|letter| is_word(letter) || matches!(letter, '.' | '-' | '_'));
    if !fits {
        return Err(SessionError::refused(format!(
            "\"{id}\" cannot be a session id: use at most 128 letters, digits, dots, hyphens and underscores, beginning \
             with a letter or a digit"
        )));
    }
    Ok(SessionId::new(id)?)
}

/// Delegated tasks go on whatever the hour: their transcript is their whole order. So do sessions under an id that a
/// client chose: who asks for that id wants that transcript.
fn judge(
    config: &Config,
    zone: &Zone,
    opening: &Opening,
    entry: &SessionEntry,
    now: UnixMillis,
) -> Freshness {
    if opening.key.is_subagent() || opening.key.is_acp() || opening.key.explicit_id().is_some() {
        return Freshness::Fresh;
    }
    let channel = opening.key.channel().or(opening.channel.as_ref()).map(|channel| channel.as_str());
    let rule = config.session.reset.of(session_kind(&opening.key, Some(entry)), channel);
    freshness(rule, entry.updated_at, now, zone)
}
