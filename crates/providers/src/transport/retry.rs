//! Decides whether an attempt that gave nothing is made again on the same server, and when.
//!
//! Pure. `stream` asks only while nothing of the answer was handed on. What takes longer than a few seconds, or wants
//! another key or model, is left to failover.

use std::time::Duration;

use openclaw_ports::model::{FaultReason, ModelFault};

/// The longest wait a server may ask for before failover does better.
const SHORT_WAIT: Duration = Duration::from_secs(5);
/// The wait before the first repetition, doubled for each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// What to do after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The fault goes up.
    GiveUp,
    /// The attempt is made again after this long.
    Again(Duration),
}

/// Where a call stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// How often it was repeated already.
    pub(super) repeated: u32,
    /// How often it may be.
    pub(super) allowed: u32,
    /// What is left of its whole time.
    pub(super) left: Duration,
    /// Any number: it spreads the waits of many callers.
    pub(super) chance: u32,
}

/// The verdict on a fault.
pub(super) fn decide(fault: &ModelFault, standing: &Standing) -> Verdict {
    if standing.repeated >= standing.allowed || !may_pass(fault) {
        return Verdict::GiveUp;
    }
    let wait = match fault.retry_after {
        Some(asked) if asked > SHORT_WAIT => return Verdict::GiveUp,
        Some(asked) => asked + spread(asked.max(FIRST_WAIT) / 4, standing.chance),
        None => {
            let full = FIRST_WAIT.saturating_mul(1 << standing.repeated.min(8)).min(LONGEST_WAIT);
            full / 2 + spread(full / 2, standing.chance)
        }
    };
    if wait < standing.left { Verdict::Again(wait) } else { Verdict::GiveUp }
}

/// Whether the same call may fare better in a moment.
fn may_pass(fault: &ModelFault) -> bool {
    let broken_server = fault.status.is_some_and(|status| (500..600).contains(&status) && status != 501);
    match fault.reason {
        // Nothing was sent.
        FaultReason::Network => true,
        // An overload may be told inside a stream, without a status of its own.
        FaultReason::Overloaded => broken_server || fault.status.is_none_or(|status| status < 500),
        // What broke or fell silent after the request went out may have been done, and charged, all the same.
        FaultReason::Truncated | FaultReason::Timeout | FaultReason::Unknown => broken_server,
        FaultReason::RateLimit => fault.retry_after.is_some(),
        _ => false,
    }
}

/// A part of a span that a random number picks.
fn spread(span: Duration, chance: u32) -> Duration {
    span.mul_f64(f64::from(chance) / f64::from(u32::MAX))
}
