//! The branches that were read last, so that the next answer, or a person who looks again, reads only what came since.
//!
//! What stands in a branch never changes and a branch grows at its end alone. So what is remembered up to an entry is
//! true as long as that entry lies on the way from the leaf, which `branch` makes sure of. Bounded in branches and in
//! memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_ports::stores::{BranchReach, StoredEntry};
use openclaw_types::{AgentId, LineRecord, SessionId};

/// How many branches are remembered: about as many conversations as go on at a time.
const BRANCHES: usize = 32;
/// How many of them may be there for people who look at them.
const PAGES: usize = 4;
/// How much memory all of them may take, and what an entry takes beside its text.
const MOST_BYTES: usize = 2_560 * 1024;
const ENTRY_BYTES: usize = 936;

/// The branches that were read last, the newest at the back.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<VecDeque<Remembered>>);

#[derive(Debug)]
struct Remembered {
    agent: AgentId,
    session: SessionId,
    known: Arc<Known>,
}

/// How far back a branch is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// To the oldest entry that its newest compaction kept.
    SinceCompaction,
    /// Its newest entries, as people look at them.
    Newest,
}

/// The end of a branch, as far as it is remembered.
#[derive(Debug)]
pub(super) struct Known {
    /// How far back that is.
    pub(super) extent: Extent,
    /// The number of its last entry.
    pub(super) leaf: i64,
    /// Its entries, oldest first.
    pub(super) entries: Vec<StoredEntry>,
    /// How many bytes their lines take.
    pub(super) bytes: usize,
}

/// Entries that were written one behind the other.
#[derive(Debug)]
pub(super) struct Added {
    /// The number of the entry that they follow.
    pub(super) after: Option<i64>,
    /// The number of the last of them.
    pub(super) leaf: i64,
    /// The entries.
    pub(super) entries: Vec<StoredEntry>,
    /// How many bytes their lines take.
    pub(super) bytes: usize,
}

impl Remembered {
    fn is_of(&self, agent: &AgentId, session: &SessionId) -> bool {
        self.agent == *agent && self.session == *session
    }
}

impl Known {
    /// Whether it goes back so far, or to the root.
    pub(super) fn serves(&self, reach: BranchReach) -> bool {
        match reach {
            BranchReach::Whole => false,
            BranchReach::SinceCompaction => self.extent == Extent::SinceCompaction,
            BranchReach::Newest(most) => self.entries.len() >= most || self.is_rooted(),
        }
    }

    /// How much memory it takes, about.
    fn weight(&self) -> usize {
        self.bytes + self.entries.len() * ENTRY_BYTES
    }

    /// Whether nothing stands before what is remembered.
    fn is_rooted(&self) -> bool {
        let first = self.entries.first().map(|stored| &stored.line.record);
        matches!(first, Some(LineRecord::Entry(entry)) if entry.parent.is_none())
    }
}

impl Recent {
    /// What is remembered of a session's branch that serves one who reaches so far.
    pub(super) fn of(&self, agent: &AgentId, session: &SessionId, reach: BranchReach) -> Option<Arc<Known>> {
        let mut all = self.all();
        let at = all.iter().rposition(|one| one.is_of(agent, session) && one.known.serves(reach))?;
        let found = all.remove(at)?;
        let known = Arc::clone(&found.known);
        all.push_back(found);
        Some(known)
    }

    /// Remembers a branch, and forgets the oldest ones where it takes their room: first what people only look at.
    pub(super) fn put(&self, agent: &AgentId, session: &SessionId, known: Known) {
        let mut all = self.all();
        all.retain(|one| !one.is_of(agent, session) || one.known.extent != known.extent);
        if known.entries.is_empty() || known.weight() > MOST_BYTES {
            return;
        }
        let held = all.iter().filter(|one| one.known.extent == Extent::Newest).count();
        if known.extent == Extent::Newest
            && held >= PAGES
            && let Some(oldest) = oldest_page(&all)
        {
            all.remove(oldest);
        }
        all.push_back(Remembered { agent: agent.clone(), session: session.clone(), known: Arc::new(known) });
        make_room(&mut all);
    }

    /// Adds what was written behind a branch that is remembered. Left alone while somebody reads it, and where the branch
    /// goes on elsewhere: the next one who reads finds that out.
    pub(super) fn grow(&self, agent: &AgentId, session: &SessionId, added: &Added) {
        let mut all = self.all();
        for one in all.iter_mut().filter(|one| one.is_of(agent, session)) {
            if let Some(known) = Arc::get_mut(&mut one.known)
                && Some(known.leaf) == added.after
            {
                known.leaf = added.leaf;
                known.entries.extend_from_slice(&added.entries);
                known.bytes += added.bytes;
            }
        }
        make_room(&mut all);
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

/// The branch that only people look at and that was looked at longest ago.
fn oldest_page(all: &VecDeque<Remembered>) -> Option<usize> {
    all.iter().position(|one| one.known.extent == Extent::Newest)
}

/// Forgets what is too long, then the oldest branches until the newest have room.
fn make_room(all: &mut VecDeque<Remembered>) {
    all.retain(|one| one.known.weight() <= MOST_BYTES);
    let mut weight = all.iter().map(|one| one.known.weight()).sum::<usize>();
    while all.len() > BRANCHES || weight > MOST_BYTES {
        let oldest = oldest_page(all).filter(|page| page + 1 < all.len()).unwrap_or(0);
        let Some(oldest) = all.remove(oldest) else { break };
        weight -= oldest.known.weight();
    }
}

#[cfg(test)]
mod tests {
    use openclaw_types::TranscriptLine;

    use super::*;

    fn entries(count: usize) -> Vec<StoredEntry> {
        let line = Arc::new(TranscriptLine::new(LineRecord::Foreign(serde_json::Value::Null)));
        let entry = |sequence| StoredEntry { sequence, run: None, line: Arc::clone(&line) };
        (0..count).filter_map(|number| i64::try_from(number).ok()).map(entry).collect()
    }

    fn known(extent: Extent, bytes: usize) -> Known {
        Known { extent, leaf: 1, entries: entries(2), bytes }
    }

    fn session(number: usize) -> SessionId {
        SessionId::new(format!("session-{number}")).unwrap()
    }

    fn held(recent: &Recent) -> (usize, usize) {
        let all = recent.all();
        (all.len(), all.iter().map(|one| one.known.weight()).sum())
    }

    #[test]
    fn branches_that_grow_make_room_for_each_other() {
        let (recent, agent) = (Recent::default(), AgentId::sanitized("main"));
        for number in 0..8 {
            recent.put(&agent, &session(number), known(Extent::SinceCompaction, 1024));
        }
        for leaf in 1..=3 {
            for number in 0..8 {
                let bytes = 200 * 1024;
                let added = Added { after: Some(leaf), leaf: leaf + 1, entries: entries(2), bytes };
                recent.grow(&agent, &session(number), &added);
                assert!(held(&recent).1 <= MOST_BYTES);
            }
        }
        assert!(recent.of(&agent, &session(7), BranchReach::SinceCompaction).is_some());
        assert!(recent.of(&agent, &session(0), BranchReach::SinceCompaction).is_none());
    }

    #[test]
    fn a_page_takes_the_room_of_other_pages_first_and_nothing_holds_too_much() {
        let (recent, agent) = (Recent::default(), AgentId::sanitized("main"));
        recent.put(&agent, &session(1), known(Extent::SinceCompaction, MOST_BYTES / 2));
        recent.put(&agent, &session(2), known(Extent::Newest, MOST_BYTES / 4));
        recent.put(&agent, &session(3), known(Extent::Newest, MOST_BYTES / 4));
        assert_eq!(held(&recent).0, 2);
        assert!(recent.of(&agent, &session(1), BranchReach::SinceCompaction).is_some());
        assert!(recent.of(&agent, &session(3), BranchReach::Newest(2)).is_some());
        for number in 4..4 + PAGES {
            recent.put(&agent, &session(number), known(Extent::Newest, 1));
        }
        let full = held(&recent);
        // One that is too long takes nobody's room.
        for extent in [Extent::SinceCompaction, Extent::Newest] {
            recent.put(&agent, &session(9), known(extent, MOST_BYTES));
            assert_eq!(held(&recent), full);
        }
    }
}
