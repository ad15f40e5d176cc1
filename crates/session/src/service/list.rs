//! Lists and finds sessions.

use std::sync::PoisonError;
use std::time::Duration;

use openclaw_ports::stores::{BranchQuery, BranchReach};
use openclaw_types::{AgentId, ChatKind, SessionEntry, SessionId, SessionKey, SessionScope};

use super::{Sessions, key_context};
use crate::SessionError;
use crate::entry::group_name;
use crate::show::{first_words, last_words, title};

/// How many first words are remembered.
const REMEMBERED: usize = 2_000;
/// How many entries are read to find the last words.
const LAST_ENTRIES: usize = 12;

/// Which sessions are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// How many at most.
    pub limit: Option<usize>,
    /// Only those that changed within so many minutes.
    pub active_minutes: Option<u64>,
    /// Only the one with this label.
    pub label: Option<String>,
    /// Only those that this session started.
    pub spawned_by: Option<String>,
    /// Only those of this agent.
    pub agent: Option<AgentId>,
    /// Only those whose key, id, label or names hold this, in any case.
    pub search: Option<String>,
    /// Whether the session that everybody shares is listed.
    pub include_global: bool,
    /// Whether runs whose conversation is not known are listed.
    pub include_unknown: bool,
    /// Whether a title is made from the first words.
    pub titles: bool,
    /// Whether the last words are told.
    pub last_messages: bool,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its key.
    pub key: SessionKey,
    /// What is stored about it.
    pub entry: SessionEntry,
    /// What kind of session it is.
    pub kind: ListedKind,
    /// A name for people: of the group, else the label, else what the conversation is called.
    pub display_name: Option<String>,
    /// A title from the first words, when titles are wanted.
    pub derived_title: Option<String>,
    /// The last words, when they are wanted.
    pub last_message: Option<String>,
}

/// What kind of session a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListedKind {
    /// With one person, or no conversation with people at all.
    Direct,
    /// With several people.
    Group,
    /// The one that everybody shares.
    Global,
    /// Runs whose conversation is not known.
    Unknown,
}

impl ListedKind {
    /// The kind as clients are told it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Group => "group",
            Self::Global => "global",
            Self::Unknown => "unknown",
        }
    }

    /// The kind of a session, by its key and what is stored about it.
    #[must_use]
    pub fn of(key: &SessionKey, entry: &SessionEntry) -> Self {
        let chat = ChatKind::from_word(entry.facts.chat_type.as_deref().unwrap_or_default());
        match (key.scope(), chat) {
            (SessionScope::Global, _) => Self::Global,
            (SessionScope::Unknown, _) => Self::Unknown,
            (_, Some(ChatKind::Group | ChatKind::Channel)) => Self::Group,
            _ if key.is_group() => Self::Group,
            _ => Self::Direct,
        }
    }
}

/// What a session is looked for by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionSelector {
    /// Its key, in full or in short.
    Key(String),
    /// The id of its transcript.
    Id(String),
    /// Its label.
    Label {
        /// The label.
        label: String,
        /// Only sessions of this agent.
        agent: Option<AgentId>,
        /// Only sessions that this one started.
        spawned_by: Option<String>,
    },
}

impl Sessions {
    /// Lists sessions, the one that changed last first. Single runs of scheduled jobs are left out.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list(&self, query: &ListQuery) -> Result<Vec<Listed>, SessionError> {
        let config = (self.parts.settings)();
        let agents = match &query.agent {
            Some(agent) => vec![agent.clone()],
            None => self.agents(&config).await?,
        };
        let stored = self.entries_of(agents).await?.into_iter();
        let mut listed: Vec<Listed> = stored.map(named).filter(|one| self.wanted(query, one)).collect();
        listed.sort_by(|one, two| {
            two.entry.updated_at.cmp(&one.entry.updated_at).then_with(|| one.key.cmp(&two.key))
        });
        listed.truncate(query.limit.unwrap_or(usize::MAX));
        for one in &mut listed {
            self.add_words(query, one).await?;
        }
        Ok(listed)
    }

    /// Finds one session.
    ///
    /// # Errors
    /// `Missing` when there is none, `Refused` when there are several or the text is no key.
    pub async fn resolve(&self, finding: &SessionSelector) -> Result<SessionKey, SessionError> {
        match finding {
            SessionSelector::Key(text) => {
                let context = key_context(&(self.parts.settings)());
                let key = SessionKey::resolve(text, &context)
                    .map_err(|error| SessionError::refused(format!("this is no session key: {error}")))?;
                match self.entry(&key).await? {
                    Some(_) => Ok(key),
                    None => Err(SessionError::Missing { what: text.clone() }),
                }
            }
            SessionSelector::Id(id) => {
                let query = ListQuery { search: Some(id.clone()), ..everything() };
                let found = self.list(&query).await?;
                let found = found.into_iter().filter(|one| one.entry.session_id.as_str() == id);
                only(found.map(|one| one.key).collect(), id)
            }
            SessionSelector::Label { label, agent, spawned_by } => {
                let query = ListQuery {
                    label: Some(label.clone()),
                    agent: agent.clone(),
                    spawned_by: spawned_by.clone(),
                    ..everything()
                };
                let found = self.list(&query).await?;
                only(found.into_iter().map(|one| one.key).collect(), label)
            }
        }
    }

    fn wanted(&self, query: &ListQuery, one: &Listed) -> bool {
        let shown = match one.kind {
            ListedKind::Global => query.include_global && query.agent.is_none(),
            ListedKind::Unknown => query.include_unknown && query.agent.is_none(),
            ListedKind::Direct | ListedKind::Group => !one.key.is_cron_run(),
        };
        let facts = &one.entry.facts;
        let since = query.active_minutes.map(|minutes| {
            self.parts.clock.now().minus(Duration::from_secs(minutes.max(1).saturating_mul(60)))
        });
        shown
            && query.label.as_deref().is_none_or(|label| facts.label.as_deref() == Some(label.trim()))
            && query.spawned_by.as_deref().is_none_or(|by| facts.spawned_by.as_deref() == Some(by))
            && since.is_none_or(|since| one.entry.updated_at >= since)
            && query.search.as_deref().is_none_or(|search| holds(one, search))
    }

    async fn add_words(&self, query: &ListQuery, one: &mut Listed) -> Result<(), SessionError> {
        let session = &one.entry.session_id;
        let agent = self.agent_of(&one.key);
        if query.titles {
            let words = self.first_words(&agent, session).await?;
            one.derived_title = Some(title(&one.entry, words.as_deref()));
        }
        if query.last_messages {
            let reach = BranchReach::Newest(LAST_ENTRIES);
            let branch = BranchQuery { agent, session: session.clone(), leaf: None, reach };
            one.last_message = last_words(&self.parts.store.branch(branch).await?);
        }
        Ok(())
    }

    /// The first words of a transcript. Read once, since a transcript only grows.
    async fn first_words(
        &self,
        agent: &AgentId,
        session: &SessionId,
    ) -> Result<Option<String>, SessionError> {
        let known = self.first_words.lock().unwrap_or_else(PoisonError::into_inner).get(session).cloned();
        if known.is_some() {
            return Ok(known);
        }
        let branch = BranchQuery {
            agent: agent.clone(),
            session: session.clone(),
            leaf: None,
            reach: BranchReach::Whole,
        };
        let words = first_words(&self.parts.store.branch(branch).await?);
        if let Some(words) = &words {
            let mut remembered = self.first_words.lock().unwrap_or_else(PoisonError::into_inner);
            if remembered.len() >= REMEMBERED {
                remembered.clear();
            }
            // A title needs no more than this of a long message.
            remembered.insert(session.clone(), words.chars().take(400).collect());
        }
        Ok(words)
    }
}

fn everything() -> ListQuery {
    ListQuery { include_global: true, include_unknown: true, ..ListQuery::default() }
}

fn only(mut found: Vec<SessionKey>, what: &str) -> Result<SessionKey, SessionError> {
    match (found.pop(), found.is_empty()) {
        (None, _) => Err(SessionError::Missing { what: what.to_owned() }),
        (Some(key), true) => Ok(key),
        (Some(key), false) => {
            found.push(key);
            let keys: Vec<&str> = found.iter().map(SessionKey::as_str).collect();
            Err(SessionError::refused(format!(
                "several sessions fit {what}: {}; name one by its key",
                keys.join(", ")
            )))
        }
    }
}

fn named((key, entry): (SessionKey, SessionEntry)) -> Listed {
    let kind = ListedKind::of(&key, &entry);
    let facts = &entry.facts;
    let group = || {
        let channel = facts.channel.as_deref().or(key.channel().map(|channel| channel.as_str()))?;
        let id = match key.scope() {
            SessionScope::Group(_, id) | SessionScope::Room(_, id) => id.as_str(),
            _ => facts.group_id.as_deref()?,
        };
        Some(group_name(facts, channel, id))
    };
    let called = || Some(facts.origin.as_ref()?.get("label")?.as_str()?.to_owned());
    let display_name =
        facts.display_name.clone().or_else(group).or_else(|| facts.label.clone()).or_else(called);
    Listed { key, kind, display_name, derived_title: None, last_message: None, entry }
}

fn holds(one: &Listed, search: &str) -> bool {
    let search = search.trim().to_lowercase();
    let facts = &one.entry.facts;
    let texts = [
        Some(one.key.as_str()),
        Some(one.entry.session_id.as_str()),
        one.display_name.as_deref(),
        facts.label.as_deref(),
        facts.subject.as_deref(),
    ];
    search.is_empty() || texts.into_iter().flatten().any(|text| text.to_lowercase().contains(&search))
}
