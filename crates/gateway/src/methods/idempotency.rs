//! Remembers the outcome of requests that carry an idempotency key, so that a repeated request has one effect.
//!
//! While a request runs, its duplicates wait for the same outcome; for five minutes after its end they get it again.
//! The cache is bounded: when it is full the oldest finished outcome makes room, and a running one never does.
//! Which method uses which key is decided by the methods; keys of different methods never meet.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::Clock;
use tokio::sync::watch;

use super::outcome::MethodOutcome;

/// How long an outcome is remembered.
const TTL: Duration = Duration::from_secs(5 * 60);
/// How many outcomes are remembered.
const CAPACITY: usize = 1000;

/// What makes two requests the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct IdempotencyKey {
    /// The method that was called.
    pub(crate) method: &'static str,
    /// The key the client chose.
    pub(crate) key: String,
}

/// What the cache knows about a request.
pub(crate) enum IdempotencyClaim {
    /// It is new. The ticket must be finished; dropping it counts as a failure that may be tried again.
    New(Ticket),
    /// The same request is running.
    Running(Duplicate),
    /// The same request has ended.
    Ended(MethodOutcome),
}

/// Outcomes of recent requests.
pub(crate) struct IdempotencyCache {
    clock: Arc<dyn Clock>,
    entries: Mutex<HashMap<IdempotencyKey, Entry>>,
}

enum Entry {
    Running(watch::Receiver<Option<MethodOutcome>>),
    Ended { outcome: MethodOutcome, at: Duration },
}

/// The right and the duty to run a request.
pub(crate) struct Ticket {
    cache: Arc<IdempotencyCache>,
    key: IdempotencyKey,
    announce: watch::Sender<Option<MethodOutcome>>,
}

/// A request that waits for the outcome of its twin.
pub(crate) struct Duplicate(watch::Receiver<Option<MethodOutcome>>);

impl IdempotencyCache {
    /// An empty cache.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { clock, entries: Mutex::default() })
    }

    /// Asks for the right to run a request.
    pub(crate) fn claim(self: &Arc<Self>, key: IdempotencyKey) -> IdempotencyClaim {
        let now = self.clock.elapsed();
        let mut entries = self.entries();
        match entries.get(&key) {
            Some(Entry::Running(outcome)) => return IdempotencyClaim::Running(Duplicate(outcome.clone())),
            Some(Entry::Ended { outcome, at }) if now.saturating_sub(*at) < TTL => {
                return IdempotencyClaim::Ended(outcome.clone());
            }
            Some(Entry::Ended { .. }) | None => {}
        }
        make_room(&mut entries, now);
        let (announce, outcome) = watch::channel(None);
        entries.insert(key.clone(), Entry::Running(outcome));
        IdempotencyClaim::New(Ticket { cache: self.clone(), key, announce })
    }

    /// Forgets what is older than five minutes. Called once a minute.
    pub(crate) fn sweep(&self) {
        let now = self.clock.elapsed();
        self.entries().retain(|_, entry| !is_stale(entry, now));
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<IdempotencyKey, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// Publishes the outcome to all duplicates, those that wait and those to come.
    pub(crate) fn finish(self, outcome: MethodOutcome) {
        let ended = Entry::Ended { outcome: outcome.clone(), at: self.cache.clock.elapsed() };
        self.cache.entries().insert(self.key.clone(), ended);
        self.announce.send_replace(Some(outcome));
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.announce.borrow().is_none() {
            self.cache.entries().remove(&self.key);
        }
    }
}

impl Duplicate {
    /// The outcome of the twin; `None` when it was given up, so that this request may be tried again.
    pub(crate) async fn outcome(mut self) -> Option<MethodOutcome> {
        match self.0.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone(),
            Err(_closed) => None,
        }
    }
}

/// Does the work of a request once, however often it is asked for.
pub(crate) async fn once(
    cache: &Arc<IdempotencyCache>,
    key: IdempotencyKey,
    work: impl Future<Output = MethodOutcome>,
) -> MethodOutcome {
    loop {
        match cache.claim(key.clone()) {
            IdempotencyClaim::New(ticket) => {
                let outcome = work.await;
                ticket.finish(outcome.clone());
                return outcome;
            }
            IdempotencyClaim::Ended(outcome) => return outcome,
            IdempotencyClaim::Running(duplicate) => {
                if let Some(outcome) = duplicate.outcome().await {
                    return outcome;
                }
            }
        }
    }
}

fn is_stale(entry: &Entry, now: Duration) -> bool {
    matches!(entry, Entry::Ended { at, .. } if now.saturating_sub(*at) >= TTL)
}

fn make_room(entries: &mut HashMap<IdempotencyKey, Entry>, now: Duration) {
    if entries.len() < CAPACITY {
        return;
    }
    entries.retain(|_, entry| !is_stale(entry, now));
    if entries.len() < CAPACITY {
        return;
    }
    let oldest = entries
        .iter()
        .filter_map(|(key, entry)| match entry {
            Entry::Ended { at, .. } => Some((*at, key)),
            Entry::Running(_) => None,
        })
        .min_by_key(|(at, _)| *at)
        .map(|(_, key)| key.clone());
    if let Some(key) = oldest {
        entries.remove(&key);
    }
}

#[cfg(test)]
mod tests;
