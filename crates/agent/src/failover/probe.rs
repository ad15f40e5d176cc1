//! When the first model of a chain is tried before its rest is over, although another model could answer.
//!
//! So that calls come back to it soon after it recovers: at most one early try of a model in half a minute for each
//! agent, counted from its last failure. Where no other model can answer, what rests is asked without any wait.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use openclaw_types::{AgentId, ModelRef, UnixMillis};

use super::health::{RestCause, Resting};

/// The time from a failure or an early try to the next early try.
pub(crate) const PROBE_EVERY: Duration = Duration::from_secs(30);

/// How long before the end of its rest the first model of a chain is tried again.
const NEAR_END: Duration = Duration::from_secs(120);

/// Whether a resting first model is so near the end of its rest that it is worth a try, while others could answer.
pub(crate) fn is_near_end(resting: &Resting, now: UnixMillis) -> bool {
    resting.cause == RestCause::Passing && now.plus(NEAR_END) >= resting.until && !just_failed(resting, now)
}

/// Whether it failed less than a turn ago. Looked up in what is stored, so that a restart is no way around the wait.
fn just_failed(resting: &Resting, now: UnixMillis) -> bool {
    resting.failed_at.is_some_and(|failed| failed <= now && now < failed.plus(PROBE_EVERY))
}

/// Remembers the last failures and early tries.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    last: Mutex<BTreeMap<(AgentId, ModelRef), Duration>>,
}

impl Probes {
    /// Takes the turn for an early try, unless another had it a moment ago. `elapsed` is monotonic time.
    pub(crate) fn take_turn(&self, agent: &AgentId, model: &ModelRef, elapsed: Duration) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (agent.clone(), model.clone());
        if last.get(&key).is_some_and(|last| elapsed.saturating_sub(*last) < PROBE_EVERY) {
            return false;
        }
        last.insert(key, elapsed);
        true
    }

    /// Takes note of a failure.
    pub(crate) fn failed(&self, agent: &AgentId, model: &ModelRef, elapsed: Duration) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.insert((agent.clone(), model.clone()), elapsed);
    }
}
