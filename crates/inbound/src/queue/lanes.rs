//! How many answers are made at once over all sessions.
//!
//! A run asks for a place in its lane before it begins and frees it when it ends. Who asks first begins first. That a
//! session has one run at a time is the business of `SessionQueue`, so a ticket here stands for a run.
//! Invariant: a lane never has more runs than its limit, unless the limit was lowered while they ran.

use std::collections::VecDeque;

use openclaw_config::LaneLimits;

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// People.
    Main,
    /// Another agent.
    Subagent,
    /// A schedule.
    Cron,
}

/// Whether a run may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaneAdmission {
    /// It may.
    Start,
    /// It waits.
    Wait {
        /// How many begin before it.
        ahead: usize,
    },
}

/// The lanes with those that wait in them.
#[derive(Debug, Clone)]
pub struct Lanes<T> {
    main: Places<T>,
    subagent: Places<T>,
    cron: Places<T>,
}

#[derive(Debug, Clone)]
struct Places<T> {
    limit: usize,
    taken: usize,
    waiting: VecDeque<T>,
}

impl<T: PartialEq> Lanes<T> {
    /// Empty lanes.
    #[must_use]
    pub fn new(limits: LaneLimits) -> Self {
        Self {
            main: Places::new(limits.main),
            subagent: Places::new(limits.subagent),
            cron: Places::new(limits.cron),
        }
    }

    /// Asks for a place. A run that waits is named by `free` or `resize` when its turn comes.
    pub fn request(&mut self, lane: Lane, ticket: T) -> LaneAdmission {
        let places = self.places(lane);
        if places.taken < places.limit && places.waiting.is_empty() {
            places.taken += 1;
            return LaneAdmission::Start;
        }
        places.waiting.push_back(ticket);
        LaneAdmission::Wait { ahead: places.waiting.len() - 1 }
    }

    /// Gives a place back, and says who may begin now.
    pub fn free(&mut self, lane: Lane) -> Vec<T> {
        let places = self.places(lane);
        places.taken = places.taken.saturating_sub(1);
        places.admit()
    }

    /// Takes back the request of a run that has not begun. Says whether it waited.
    pub fn withdraw(&mut self, lane: Lane, ticket: &T) -> bool {
        let places = self.places(lane);
        let found = places.waiting.iter().position(|waiting| waiting == ticket);
        found.is_some_and(|index| places.waiting.remove(index).is_some())
    }

    /// Changes the limits, and says who may begin now and in which lane. Runs under way go on.
    pub fn resize(&mut self, limits: LaneLimits) -> Vec<(Lane, T)> {
        let mut begin = Vec::new();
        for (lane, limit) in
            [(Lane::Main, limits.main), (Lane::Subagent, limits.subagent), (Lane::Cron, limits.cron)]
        {
            let places = self.places(lane);
            places.limit = limit.max(1);
            begin.extend(places.admit().into_iter().map(|ticket| (lane, ticket)));
        }
        begin
    }

    /// How many runs of a lane are under way.
    #[cfg(test)]
    pub(super) fn running(&self, lane: Lane) -> usize {
        self.view(lane).taken
    }

    /// How many wait in a lane.
    #[cfg(test)]
    pub(super) fn waiting(&self, lane: Lane) -> usize {
        self.view(lane).waiting.len()
    }

    fn places(&mut self, lane: Lane) -> &mut Places<T> {
        match lane {
            Lane::Main => &mut self.main,
            Lane::Subagent => &mut self.subagent,
            Lane::Cron => &mut self.cron,
        }
    }

    #[cfg(test)]
    fn view(&self, lane: Lane) -> &Places<T> {
        match lane {
            Lane::Main => &self.main,
            Lane::Subagent => &self.subagent,
            Lane::Cron => &self.cron,
        }
    }
}

impl<T> Places<T> {
    fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), taken: 0, waiting: VecDeque::new() }
    }

    fn admit(&mut self) -> Vec<T> {
        let room = self.limit.saturating_sub(self.taken).min(self.waiting.len());
        self.taken += room;
        self.waiting.drain(..room).collect()
    }
}
