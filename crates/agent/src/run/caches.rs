//! What runs share in memory: which old results a session's requests leave out, where pictures are made fit, what
//! workspaces hold, and the prompts of late.
//!
//! The first is kept only so that requests stay the same byte for byte while a vendor's cache is warm. Losing it costs
//! one cold request, so it is bounded and not stored.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use openclaw_types::SessionId;

use super::known::KnownPrompts;
use crate::pictures::PictureRoom;
use crate::pruning::PruneMarks;
use crate::workspace::KnownWorkspaces;

/// How many sessions are remembered. The one that was marked first is forgotten first.
const SESSIONS: usize = 256;

/// What runs share in memory.
#[derive(Debug, Default)]
pub(super) struct RunCaches {
    marks: Mutex<Marks>,
    /// Where pictures are made fit.
    pub(super) pictures: PictureRoom,
    /// What workspaces held when they were read last.
    pub(super) workspaces: KnownWorkspaces,
    /// The prompts of late.
    pub(super) prompts: KnownPrompts,
}

#[derive(Debug, Default)]
struct Marks {
    of: HashMap<SessionId, PruneMarks>,
    order: VecDeque<SessionId>,
}

impl RunCaches {
    /// What the requests of a session leave out.
    pub(super) fn marks(&self, session: &SessionId) -> PruneMarks {
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.of.get(session).cloned().unwrap_or_default()
    }

    /// Remembers what they leave out from now on.
    pub(super) fn put(&self, session: &SessionId, new: PruneMarks) {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if marks.of.insert(session.clone(), new).is_none() {
            marks.order.push_back(session.clone());
        }
        while marks.of.len() > SESSIONS {
            let Some(oldest) = marks.order.pop_front() else { return };
            marks.of.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use openclaw_types::SessionId;

    use super::{RunCaches, SESSIONS};
    use crate::pruning::PruneMarks;

    #[test]
    fn the_oldest_sessions_are_forgotten_first() {
        let caches = RunCaches::default();
        let name = |number: usize| SessionId::new(format!("s{number}")).unwrap();
        for number in 0..=SESSIONS {
            caches.put(&name(number), PruneMarks::new());
            caches.put(&name(number), PruneMarks::new());
        }
        let marks = caches.marks.lock().unwrap();
        assert_eq!(marks.of.len(), SESSIONS);
        assert!(!marks.of.contains_key(&name(0)) && marks.of.contains_key(&name(SESSIONS)));
    }
}
