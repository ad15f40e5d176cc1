//! Branches sessions: goes on from an earlier message, in place or in a session of its own, and gives threads the
//! conversation they hang below.

use std::sync::Arc;

use openclaw_ports::stores::{Append, BranchReach, Flush, StoredEntry};
use openclaw_types::{
    AgentId, EntryId, LineRecord, SessionEntry, SessionHeader, SessionId, SessionKey, TranscriptLine,
};
use serde_json::Value;

use super::{Sessions, missing};
use crate::SessionError;
use crate::entry::{AnewReason, FORKED, begin_anew};
use crate::transcript::session_id;

/// The version of the transcript format.
const FORMAT: u64 = 3;

/// Where a branch goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchTo {
    /// It stays in its session: what is said next follows the chosen entry. Nothing is lost; the other branch stays.
    Here,
    /// It becomes this session, which must not exist yet.
    Session(SessionKey),
}

/// What became of a thread that should begin with the conversation it hangs below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forked {
    /// It did, with this transcript.
    Copied(SessionId),
    /// The conversation is too long: the thread begins empty.
    TooLong {
        /// How long it is, in tokens.
        tokens: u64,
    },
    /// It did before, or has words of its own.
    Already,
    /// There is nothing to begin with.
    Nothing,
}

impl Sessions {
    /// Goes on from an entry of a session, and gives what is stored about the session that goes on. Stop a run first.
    ///
    /// # Errors
    /// `Missing` when there is no such session or entry, `Refused` when the other session exists already.
    pub async fn branch_from(
        &self,
        key: &SessionKey,
        from: &EntryId,
        to: BranchTo,
    ) -> Result<SessionEntry, SessionError> {
        let entry = self.entry(key).await?.ok_or_else(|| missing(key))?;
        let agent = self.agent_of(key);
        let unknown = || SessionError::Missing { what: format!("entry {from} of {key}") };
        match to {
            BranchTo::Here => {
                let set = self.parts.store.set_leaf(&agent, &entry.session_id, from);
                match self.parts.journal.alone(&entry.session_id, set).await? {
                    true => Ok(Arc::unwrap_or_clone(entry)),
                    false => Err(unknown()),
                }
            }
            BranchTo::Session(other) => {
                let way =
                    self.branch(&agent, &entry.session_id, Some(from.clone()), BranchReach::Whole).await?;
                if way.is_empty() {
                    return Err(unknown());
                }
                self.branch_into(&entry, way, other).await
            }
        }
    }

    /// Lets a thread begin with the conversation it hangs below. Called once the thread's session is open.
    ///
    /// # Errors
    /// `Missing` when the thread's session is not there, or when the store cannot do it.
    pub async fn fork(&self, parent: &SessionKey, thread: &SessionKey) -> Result<Forked, SessionError> {
        let (from, to) = (self.agent_of(parent), self.agent_of(thread));
        let Some(above) = self.entry(parent).await?.filter(|_| parent != thread) else {
            return Ok(Forked::Nothing);
        };
        let below = self.entry(thread).await?.ok_or_else(|| missing(thread))?;
        let begun = self.parts.store.leaf(&to, &below.session_id).await?.is_some();
        if begun || below.other.get(FORKED) == Some(&Value::Bool(true)) {
            return Ok(Forked::Already);
        }
        let tokens = above.facts.total_tokens.unwrap_or(0);
        let most = (self.parts.settings)().session.parent_fork_max_tokens;
        if most.is_some_and(|most| tokens > most) {
            self.change(thread, |entry| mark_forked(entry, None)).await?;
            return Ok(Forked::TooLong { tokens });
        }
        let way = self.branch(&from, &above.session_id, None, BranchReach::Whole).await?;
        if way.is_empty() {
            return Ok(Forked::Nothing);
        }
        let copy = session_id()?;
        self.copy(&to, &copy, &above.session_id, way).await?;
        let session = copy.clone();
        self.change(thread, move |entry| mark_forked(entry, Some(session))).await?;
        Ok(Forked::Copied(copy))
    }

    async fn branch_into(
        &self,
        from: &SessionEntry,
        way: Vec<StoredEntry>,
        to: SessionKey,
    ) -> Result<SessionEntry, SessionError> {
        let taken = || SessionError::refused(format!("the session {to} exists already; choose another key"));
        if self.entry(&to).await?.is_some() {
            return Err(taken());
        }
        let session = session_id()?;
        self.copy(&self.agent_of(&to), &session, &from.session_id, way).await?;
        let mut begun = begin_anew(from, session, self.parts.clock.now(), AnewReason::Asked);
        begun.facts.label = None;
        begun.facts.session_file = None;
        let made = self.decide(&to, move |stored| match stored {
            Some(stored) => (Some(stored), None),
            None => (Some(begun.clone()), Some(begun)),
        });
        made.await?.ok_or_else(taken)
    }

    /// Copies a branch into a new transcript. Entries keep their ids, so that marks on them still hold.
    async fn copy(
        &self,
        agent: &AgentId,
        session: &SessionId,
        from: &SessionId,
        way: Vec<StoredEntry>,
    ) -> Result<(), SessionError> {
        let header = SessionHeader {
            id: Some(session.clone()),
            version: Some(FORMAT),
            at: Some(self.parts.clock.now()),
            cwd: None,
            parent_session: Some(from.as_str().to_owned()),
        };
        let header = TranscriptLine::new(LineRecord::Header(Box::new(header)));
        let lines = std::iter::once(header)
            .chain(way.into_iter().map(|stored| Arc::unwrap_or_clone(stored.line)))
            .collect();
        let append = Append {
            agent: agent.clone(),
            session: session.clone(),
            run: None,
            begins: None,
            flush: Flush::Now,
            lines,
        };
        self.parts.store.append(append).await?;
        Ok(())
    }
}

fn mark_forked(entry: &mut SessionEntry, session: Option<SessionId>) {
    if let Some(session) = session {
        entry.session_id = session;
        entry.facts.session_file = None;
    }
    entry.other.insert(FORKED.to_owned(), Value::Bool(true));
}
