//! How long what failed is left alone: the arithmetic of pauses on one health record. Pure.
//!
//! Invariants: a pause ends at the latest its longest length after the present, whatever the clock did meanwhile;
//! a failure during a pause does not lengthen it, unless the server asks for more; an answer ends everything.

use std::time::Duration;

use openclaw_config::CooldownRules;
use openclaw_ports::model::{ModelFault, normal_provider};
use openclaw_ports::stores::HealthRecord;
use openclaw_types::{ProviderId, UnixMillis};

/// The pauses after the first, second, third and any further failure in a row.
const LADDER: [Duration; 4] = [minutes(1), minutes(5), minutes(25), minutes(60)];

/// The longest pause a server can ask for.
pub(crate) const LONGEST_PAUSE: Duration = minutes(24 * 60);

/// The shortest time a credential without money is switched off, whatever is configured.
const SHORTEST_BILLING: Duration = minutes(1);

/// How long a failing credential of one vendor is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PauseRules {
    pub(crate) billing_first: Duration,
    pub(crate) billing_longest: Duration,
    pub(crate) window: Duration,
}

impl PauseRules {
    pub(crate) fn of(rules: &CooldownRules, provider: &ProviderId) -> Self {
        let own = rules
            .billing_backoff_by_provider
            .iter()
            .find(|(key, _)| normal_provider(key) == provider.as_str());
        let first = own.map_or(rules.billing_backoff, |(_, backoff)| *backoff).max(SHORTEST_BILLING);
        Self {
            billing_first: first,
            billing_longest: rules.billing_max.max(first),
            window: rules.failure_window,
        }
    }
}

/// Takes note of a failure that another try may not have.
pub(crate) fn failed(record: &mut HealthRecord, fault: &ModelFault, rules: &PauseRules, now: UnixMillis) {
    forget_old(record, rules, now);
    if !is_ahead(record.paused_until, now) {
        record.failures = record.failures.saturating_add(1);
        record.paused_until = Some(now.plus(rung(record.failures)));
    }
    if let Some(wish) = fault.retry_after {
        let wished = now.plus(wish.min(LONGEST_PAUSE));
        record.paused_until = record.paused_until.max(Some(wished));
    }
    note(record, fault, now);
}

/// Takes note that there is no money.
pub(crate) fn unpaid(record: &mut HealthRecord, fault: &ModelFault, rules: &PauseRules, now: UnixMillis) {
    forget_old(record, rules, now);
    if !is_ahead(record.disabled_until, now) {
        record.billing_failures = record.billing_failures.saturating_add(1);
        let doublings = record.billing_failures.saturating_sub(1).min(16);
        let length = rules.billing_first.saturating_mul(1 << doublings).min(rules.billing_longest);
        record.disabled_until = Some(now.plus(length));
    }
    note(record, fault, now);
}

/// Takes note of an answer: everything is well again.
pub(crate) fn answered(record: &mut HealthRecord, now: UnixMillis) {
    record.last_used = Some(now);
    record.last_good = Some(now);
    record.reason = None;
    record.failures = 0;
    record.billing_failures = 0;
    record.paused_until = None;
    record.disabled_until = None;
}

/// Puts right what a clock that was set back left in the future. Says whether anything was.
///
/// The pause starts over at the present with its length, which is bounded, so that nothing waits for a moment that
/// the clock may reach in years.
pub(crate) fn mend(record: &mut HealthRecord, longest_billing: Duration, now: UnixMillis) -> bool {
    let before = record.clone();
    let anchor = record.last_failure.unwrap_or(now);
    for (until, longest) in
        [(&mut record.paused_until, LONGEST_PAUSE), (&mut record.disabled_until, longest_billing)]
    {
        let Some(moment) = until.as_mut() else { continue };
        if anchor > now {
            *moment = now.plus(moment.since(anchor));
        }
        *moment = (*moment).min(now.plus(longest));
    }
    for moment in [&mut record.last_failure, &mut record.last_used, &mut record.last_good] {
        *moment = moment.map(|moment| moment.min(now));
    }
    *record != before
}

/// Until when a record says to leave alone, when it does.
pub(crate) fn resting_until(record: &HealthRecord, now: UnixMillis) -> Option<UnixMillis> {
    record.paused_until.max(record.disabled_until).filter(|until| *until > now)
}

/// Until when the server itself asked to be left alone, as far as a record tells: its pause is longer than ours are.
pub(crate) fn asked_until(record: &HealthRecord) -> Option<UnixMillis> {
    let (until, failed) = (record.paused_until?, record.last_failure?);
    (until > failed.plus(rung(record.failures))).then_some(until)
}

/// The failures in a row start over when the last one is long ago.
fn forget_old(record: &mut HealthRecord, rules: &PauseRules, now: UnixMillis) {
    if record.last_failure.is_some_and(|last| now.since(last) > rules.window) {
        record.failures = 0;
        record.billing_failures = 0;
    }
}

fn note(record: &mut HealthRecord, fault: &ModelFault, now: UnixMillis) {
    record.last_used = Some(now);
    record.last_failure = Some(now);
    record.reason = Some(fault.reason.as_str().to_owned());
}

fn rung(failures: u32) -> Duration {
    let place = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX).min(LADDER.len() - 1);
    LADDER.get(place).copied().unwrap_or(minutes(60))
}

fn is_ahead(moment: Option<UnixMillis>, now: UnixMillis) -> bool {
    moment.is_some_and(|moment| moment > now)
}

const fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}
