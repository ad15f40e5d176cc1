//! The branches of long conversations that were read last, so that the next answer reads only what came since.
//!
//! What stands in a branch never changes and a branch grows at its end alone. So what is remembered up to an entry is
//! true as long as that entry lies on the way from the leaf, which `branch` makes sure of. Bounded in branches and in
//! text; short conversations are read anew each time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{AgentId, SessionId};

/// A branch with fewer entries is not worth remembering.
const LEAST_ENTRIES: usize = 200;
/// How many branches are remembered.
const BRANCHES: usize = 4;
/// How much text one of them may hold.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// The branches that were read last, the newest at the back.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<VecDeque<Remembered>>);

#[derive(Debug)]
struct Remembered {
    agent: AgentId,
    session: SessionId,
    known: Arc<Known>,
}

/// A branch since its newest compaction, as far as it is remembered.
#[derive(Debug)]
pub(super) struct Known {
    /// The number of its last entry.
    pub(super) leaf: i64,
    /// Its entries, oldest first.
    pub(super) entries: Vec<StoredEntry>,
}

impl Recent {
    /// What is remembered of a session's branch.
    pub(super) fn of(&self, agent: &AgentId, session: &SessionId) -> Option<Arc<Known>> {
        let all = self.all();
        let found = all.iter().find(|one| one.agent == *agent && one.session == *session)?;
        Some(Arc::clone(&found.known))
    }

    /// Remembers a branch whose lines take so many bytes, where it is long enough and not too large.
    pub(super) fn put(
        &self,
        (agent, session): (&AgentId, &SessionId),
        leaf: i64,
        entries: &[StoredEntry],
        bytes: usize,
    ) {
        self.forget(agent, Some(session));
        if entries.len() < LEAST_ENTRIES || bytes > MOST_BYTES {
            return;
        }
        let known = Arc::new(Known { leaf, entries: entries.to_vec() });
        let mut all = self.all();
        if all.len() == BRANCHES {
            all.pop_front();
        }
        all.push_back(Remembered { agent: agent.clone(), session: session.clone(), known });
    }

    /// Forgets a session's branch, or those of all sessions of an agent.
    pub(super) fn forget(&self, agent: &AgentId, session: Option<&SessionId>) {
        self.all()
            .retain(|one| one.agent != *agent || session.is_some_and(|session| one.session != *session));
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<Remembered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
