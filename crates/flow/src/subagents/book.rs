//! The book of sub-agents: every row in memory, and every change in the store before it counts.
//!
//! Holding the book keeps others from changing it, so that what is decided from it is still true when it is written.

use std::collections::{HashMap, HashSet};
use std::sync::PoisonError;
use std::time::Duration;

use openclaw_ports::stores::{StoreError, Subagent, SubagentStore};
use openclaw_types::{RunId, SessionKey, UnixMillis};
use tokio::sync::{Mutex, MutexGuard};

/// The sub-agents that are kept. Read from the store when they are first asked for.
#[derive(Default)]
pub(crate) struct Book {
    rows: Mutex<Option<Vec<Subagent>>>,
    /// When something was last said to the sub-agent of a session. Only those of the last moments.
    spoken: std::sync::Mutex<HashMap<SessionKey, UnixMillis>>,
    /// Sub-agents whose announcement found no place before it was noted as made.
    unheard: std::sync::Mutex<HashSet<RunId>>,
}

/// The book in one's hand.
pub(super) struct Held<'a> {
    rows: MutexGuard<'a, Option<Vec<Subagent>>>,
    store: &'a dyn SubagentStore,
}

impl Book {
    /// Takes the book. Others wait.
    pub(super) async fn hold<'a>(&'a self, store: &'a dyn SubagentStore) -> Result<Held<'a>, StoreError> {
        let mut rows = self.rows.lock().await;
        if rows.is_none() {
            *rows = Some(store.all().await?);
        }
        Ok(Held { rows, store })
    }

    /// Notes that an announcement found no place while it is being made.
    pub(super) fn unheard(&self, run: &RunId) {
        self.unheard.lock().unwrap_or_else(PoisonError::into_inner).insert(run.clone());
    }

    /// Whether an announcement found a place. What was noted of it is forgotten.
    pub(super) fn was_heard(&self, run: &RunId) -> bool {
        !self.unheard.lock().unwrap_or_else(PoisonError::into_inner).remove(run)
    }

    /// Whether so much time has passed since something was said to the sub-agent of a session. If so, the time counts
    /// from now.
    pub(super) fn may_speak(&self, child: &SessionKey, now: UnixMillis, pause: Duration) -> bool {
        let mut spoken = self.spoken.lock().unwrap_or_else(PoisonError::into_inner);
        spoken.retain(|_, at| now.since(*at) < pause);
        if spoken.contains_key(child) {
            return false;
        }
        spoken.insert(child.clone(), now);
        true
    }
}

impl Held<'_> {
    /// Every sub-agent, oldest first.
    pub(super) fn all(&self) -> &[Subagent] {
        self.rows.as_deref().unwrap_or_default()
    }

    /// The sub-agent that works in a session and is not over.
    pub(super) fn open_in(&self, child: &SessionKey) -> Option<&Subagent> {
        self.all().iter().rev().find(|row| row.child == *child && row.ended_at.is_none())
    }

    /// One sub-agent.
    pub(super) fn get(&self, run: &RunId) -> Option<&Subagent> {
        self.all().iter().find(|row| row.run == *run)
    }

    /// Writes a sub-agent down.
    pub(super) async fn save(&mut self, row: Subagent) -> Result<(), StoreError> {
        self.store.save(&row).await?;
        let rows = self.rows.get_or_insert_default();
        match rows.iter_mut().find(|known| known.run == row.run) {
            Some(known) => *known = row,
            None => rows.push(row),
        }
        Ok(())
    }

    /// Forgets a sub-agent.
    pub(super) async fn remove(&mut self, run: &RunId) -> Result<(), StoreError> {
        self.store.remove(run).await?;
        self.rows.get_or_insert_default().retain(|row| row.run != *run);
        Ok(())
    }
}
