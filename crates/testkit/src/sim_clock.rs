//! Time that moves only when a test says so.
//!
//! `advance` wakes sleepers one by one in the order they are due, lets woken tasks run in between, and only then
//! moves on. With tokio's current-thread runtime (the default of `#[tokio::test]`) this is deterministic; work on
//! other threads (a database writer, blocking calls) is not steered by it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::Clock;
use openclaw_types::UnixMillis;
use tokio::sync::{Notify, oneshot};

/// The wall clock of a new simulated clock: 2026-01-01T00:00:00Z.
const START: UnixMillis = UnixMillis(1_767_225_600_000);

/// How often runnable tasks get a turn before the clock moves on. A chain of tasks that wake each other may be
/// this long; every turn also lets sockets report.
const TURNS: usize = 64;

/// A clock that a test steers.
#[derive(Debug)]
pub struct SimClock {
    state: Mutex<State>,
    slept: Notify,
}

#[derive(Debug)]
struct State {
    wall_start: UnixMillis,
    elapsed: Duration,
    next_sleeper: u64,
    /// By due moment, then by the order in which they lay down.
    sleepers: BTreeMap<(Duration, u64), oneshot::Sender<()>>,
}

impl SimClock {
    /// A clock that shows the first moment of 2026.
    #[must_use]
    pub fn new() -> Self {
        Self::starting_at(START)
    }

    /// A clock that shows `wall_start`.
    #[must_use]
    pub fn starting_at(wall_start: UnixMillis) -> Self {
        let state = State { wall_start, elapsed: Duration::ZERO, next_sleeper: 0, sleepers: BTreeMap::new() };
        Self { state: Mutex::new(state), slept: Notify::new() }
    }

    /// Moves time forward. Sleepers wake in the order they are due, each at its own moment, and what they start
    /// runs before the next one wakes.
    pub async fn advance(&self, span: Duration) {
        let target = self.lock().elapsed.saturating_add(span);
        settle().await;
        while let Some(sleeper) = self.next_due(target) {
            // A sleeper that gave up between the look and the wake has nothing to do now.
            if sleeper.send(()).is_ok() {
                settle().await;
            }
        }
        self.lock().elapsed = target;
        settle().await;
    }

    /// Sets the wall clock, as a person may, without moving monotonic time.
    pub fn set_wall(&self, now: UnixMillis) {
        let mut state = self.lock();
        state.wall_start = now.minus(state.elapsed);
    }

    /// How many tasks are asleep.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        self.lock().sleepers.values().filter(|sleeper| !sleeper.is_closed()).count()
    }

    /// Waits until at least `count` tasks are asleep; for tests whose work runs on other threads.
    pub async fn until_asleep(&self, count: usize) {
        loop {
            let slept = self.slept.notified();
            tokio::pin!(slept);
            slept.as_mut().enable();
            if self.sleepers() >= count {
                return;
            }
            slept.await;
        }
    }

    /// Takes the first sleeper due by `target` and moves time to its moment.
    fn next_due(&self, target: Duration) -> Option<oneshot::Sender<()>> {
        let mut state = self.lock();
        state.sleepers.retain(|_, sleeper| !sleeper.is_closed());
        let first = state.sleepers.first_entry()?;
        let (due, _) = *first.key();
        if due > target {
            return None;
        }
        let sleeper = first.remove();
        state.elapsed = state.elapsed.max(due);
        Some(sleeper)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives every runnable task its turns.
async fn settle() {
    for _ in 0..TURNS {
        tokio::task::yield_now().await;
    }
}

impl Default for SimClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SimClock {
    fn now(&self) -> UnixMillis {
        let state = self.lock();
        state.wall_start.plus(state.elapsed)
    }

    fn elapsed(&self) -> Duration {
        self.lock().elapsed
    }

    async fn sleep(&self, span: Duration) {
        if span.is_zero() {
            return tokio::task::yield_now().await;
        }
        let woken = {
            let mut state = self.lock();
            let (wake, woken) = oneshot::channel();
            let place = (state.elapsed.saturating_add(span), state.next_sleeper);
            state.next_sleeper += 1;
            state.sleepers.insert(place, wake);
            woken
        };
        self.slept.notify_waiters();
        if woken.await.is_err() {
            // The clock drops no sleeper while it lives, and we borrow it: this cannot be woken otherwise.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests;
