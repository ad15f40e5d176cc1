//! Nodes that want to see a session: they get copies of its events beside what everybody is told, without a number.
//!
//! Only memory, and only while a node is connected. `node.event` adds and takes away, `run_events` asks who gets a copy.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use openclaw_types::{ConnectionId, SessionKey};

/// How many sessions one node may follow.
pub(super) const MOST_FOLLOWED: usize = 256;

/// Who follows which sessions.
#[derive(Default)]
pub(crate) struct Subscribers(Mutex<HashMap<ConnectionId, HashSet<SessionKey>>>);

/// What came of a wish to follow a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Followed {
    /// It is followed from now on.
    Yes,
    /// This node follows as many as it may.
    TooMany,
}

impl Subscribers {
    /// Lets a connection follow a session.
    pub(crate) fn follow(&self, connection: &ConnectionId, key: SessionKey) -> Followed {
        let mut state = self.state();
        let sessions = state.entry(connection.clone()).or_default();
        if sessions.len() >= MOST_FOLLOWED && !sessions.contains(&key) {
            return Followed::TooMany;
        }
        sessions.insert(key);
        Followed::Yes
    }

    /// Takes back what `follow` gave.
    pub(crate) fn unfollow(&self, connection: &ConnectionId, key: &SessionKey) {
        let mut state = self.state();
        if let Some(sessions) = state.get_mut(connection) {
            sessions.remove(key);
            if sessions.is_empty() {
                state.remove(connection);
            }
        }
    }

    /// A connection is gone.
    pub(crate) fn leave(&self, connection: &ConnectionId) {
        self.state().remove(connection);
    }

    /// Who follows a session.
    pub(super) fn of(&self, key: &SessionKey) -> Vec<ConnectionId> {
        let state = self.state();
        state
            .iter()
            .filter(|(_, keys)| keys.contains(key))
            .map(|(connection, _)| connection.clone())
            .collect()
    }

    /// Everybody who follows something.
    pub(crate) fn all(&self) -> Vec<ConnectionId> {
        self.state().keys().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, HashMap<ConnectionId, HashSet<SessionKey>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_follows_so_many_sessions_and_none_once_it_is_gone() {
        let subscribers = Subscribers::default();
        let node = ConnectionId::new("node").unwrap();
        let key = |number: usize| format!("agent:main:s{number}").parse::<SessionKey>().unwrap();
        for number in 0..MOST_FOLLOWED {
            assert_eq!(subscribers.follow(&node, key(number)), Followed::Yes);
        }
        assert_eq!(subscribers.follow(&node, key(MOST_FOLLOWED)), Followed::TooMany);
        assert_eq!(subscribers.follow(&node, key(0)), Followed::Yes, "it follows that one already");
        subscribers.unfollow(&node, &key(0));
        assert_eq!((subscribers.of(&key(0)).len(), subscribers.of(&key(1)).len()), (0, 1));
        subscribers.leave(&node);
        assert_eq!((subscribers.of(&key(1)).len(), subscribers.all().len()), (0, 0));
    }
}
