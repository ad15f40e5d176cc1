//! How credentials fare: kept in memory, written through to its store, read at start and wherever something rests.
//!
//! Deciding what a failure means is `pause`'s business. What is known changes at once in memory; the store follows
//! and may fail, which is said and costs nothing but memory after a restart. What another process changed in the
//! store, such as a person who forgets a rest at the command line, wins over memory and is never written back.
//!
//! Records belong to the agent that calls, also where the credential is one that all agents share with the main one:
//! each agent finds out for itself, and one agent's trouble stops no other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_ports::stores::{HealthKey, HealthRecord, HealthStore, StoreError};
use openclaw_types::{AgentId, AuthProfileId, ModelRef, ProviderId, UnixMillis};
use tokio::sync::Semaphore;

use super::decide::{Blame, blame};
use super::pause::{self, PauseRules};
use crate::profiles::Rest;

/// How often it is written down that a credential was used, when nothing else is to be written.
const USE_NOTED_EVERY: Duration = Duration::from_secs(60);

/// What all credentials are known to do.
pub(crate) struct Health {
    known: Mutex<BTreeMap<HealthKey, Known>>,
    store: Arc<dyn HealthStore>,
    clock: Arc<dyn Clock>,
    /// One writer at a time, so that an older state never overwrites a newer one.
    writing: Semaphore,
}

#[derive(Debug, Clone)]
struct Known {
    record: HealthRecord,
    /// The record as the store last held it, as far as we know.
    stored: Option<HealthRecord>,
    /// Until when the server itself asked to be left alone.
    asked_until: Option<UnixMillis>,
    /// When the store last heard of it.
    written: Option<UnixMillis>,
}

/// Whom a failure or an answer is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HealthSubject<'a> {
    pub(crate) agent: &'a AgentId,
    pub(crate) profile: &'a AuthProfileId,
    pub(crate) model: &'a ModelRef,
    pub(crate) rules: &'a PauseRules,
}

/// Why a credential rests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resting {
    pub(crate) until: UnixMillis,
    pub(crate) cause: RestCause,
    /// The reason as `FaultReason` writes it.
    pub(crate) reason: FaultReason,
    /// When it last failed, also in an earlier process.
    pub(crate) failed_at: Option<UnixMillis>,
}

/// What a rest can be ended by. Ordered: a later one outweighs an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RestCause {
    /// Time; trying early may work.
    Passing,
    /// Time; the server said so itself.
    Asked,
    /// Most likely a person.
    Lasting,
}

impl Health {
    /// Reads what earlier processes learned.
    pub(crate) async fn load(store: Arc<dyn HealthStore>, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let records = store.load().await?;
        let known = records.into_iter().map(|record| (record.key.clone(), Known::read(record))).collect();
        Ok(Self { known: Mutex::new(known), store, clock, writing: Semaphore::new(1) })
    }

    /// Takes over what other processes changed in the store about an agent's credentials.
    pub(crate) async fn refresh(&self, agent: &AgentId) {
        // While nobody writes, what the store holds is what we wrote or what someone else did.
        let Ok(_turn) = self.writing.acquire().await else { return };
        let rows = match self.store.load_agent(agent).await {
            Ok(rows) => rows,
            Err(fault) => {
                tracing::warn!(subsystem = "models", %fault, "how credentials fare could not be read again");
                return;
            }
        };
        let mut rows: BTreeMap<HealthKey, HealthRecord> =
            rows.into_iter().map(|record| (record.key.clone(), record)).collect();
        let mut known = self.lock();
        known.retain(|key, entry| {
            if key.agent != *agent {
                return true;
            }
            match (rows.remove(key), &entry.stored) {
                (None, None) => true,
                // Someone forgot it.
                (None, Some(_)) => false,
                (Some(row), Some(stored)) if row == *stored => true,
                (Some(row), _) => {
                    let (written, used) = (entry.written, entry.record.last_used);
                    *entry = Known { written, ..Known::read(row) };
                    entry.record.last_used = entry.record.last_used.max(used);
                    true
                }
            }
        });
        known.extend(rows.into_iter().map(|(key, row)| (key, Known::read(row))));
    }

    /// How a credential is, seen from a model.
    pub(crate) fn rest(&self, subject: HealthSubject<'_>) -> Rest {
        let now = self.clock.now();
        let mut known = self.lock();
        let mut rest = Rest::default();
        for key in keys(subject) {
            let Some(entry) = known.get_mut(&key) else { continue };
            pause::mend(&mut entry.record, subject.rules.billing_longest, now);
            rest.last_used = rest.last_used.max(entry.record.last_used);
            rest.until = rest.until.max(pause::resting_until(&entry.record, now));
        }
        rest
    }

    /// Why a credential rests, when it does.
    pub(crate) fn resting(&self, subject: HealthSubject<'_>) -> Option<Resting> {
        let now = self.clock.now();
        let known = self.lock();
        let resting = keys(subject).into_iter().filter_map(|key| {
            let entry = known.get(&key)?;
            let until = pause::resting_until(&entry.record, now)?;
            let reason = entry.record.reason.as_deref().map_or(FaultReason::Unknown, reason_of);
            let cause = match reason {
                FaultReason::Auth | FaultReason::Billing => RestCause::Lasting,
                _ if entry.asked_until.is_some_and(|asked| asked > now) => RestCause::Asked,
                _ => RestCause::Passing,
            };
            Some(Resting { until, cause, reason, failed_at: entry.record.last_failure })
        });
        resting.reduce(|one, other| {
            let until = one.until.max(other.until);
            let failed_at = one.failed_at.max(other.failed_at);
            let heavier = if other.cause > one.cause { other } else { one };
            Resting { until, failed_at, ..heavier }
        })
    }

    /// Remembers that a credential is being used. The store hears of it with the outcome.
    pub(crate) fn used(&self, subject: HealthSubject<'_>) {
        let now = self.clock.now();
        self.lock_entry(profile_key(subject), |entry| entry.record.last_used = Some(now));
    }

    /// Takes note of a failure. Returns what the store must hear, for `write`.
    pub(crate) fn failed(&self, subject: HealthSubject<'_>, fault: &ModelFault) -> Vec<HealthKey> {
        let now = self.clock.now();
        let key = match blame(fault.reason) {
            Blame::Nobody => return Vec::new(),
            Blame::ProfileWithModel => model_key(subject),
            Blame::Profile | Blame::BudgetHold => profile_key(subject),
        };
        self.lock_entry(key.clone(), |entry| {
            pause::mend(&mut entry.record, subject.rules.billing_longest, now);
            match blame(fault.reason) {
                Blame::BudgetHold => pause::unpaid(&mut entry.record, fault, subject.rules, now),
                _ => pause::failed(&mut entry.record, fault, subject.rules, now),
            }
            if let Some(wish) = fault.retry_after {
                entry.asked_until = Some(now.plus(wish.min(pause::LONGEST_PAUSE)));
            }
        });
        vec![key]
    }

    /// Takes note of an answer. Returns what the store must hear, for `write`.
    pub(crate) fn answered(&self, subject: HealthSubject<'_>) -> Vec<HealthKey> {
        let now = self.clock.now();
        let mut dirty = Vec::new();
        for key in keys(subject) {
            let is_model = key.model.is_some();
            if is_model && !self.lock().contains_key(&key) {
                continue;
            }
            self.lock_entry(key.clone(), |entry| {
                let was_unwell = entry.record.failures > 0
                    || entry.record.billing_failures > 0
                    || entry.record.paused_until.is_some()
                    || entry.record.disabled_until.is_some();
                let stale = entry.written.is_none_or(|written| now.since(written) >= USE_NOTED_EVERY);
                pause::answered(&mut entry.record, now);
                entry.asked_until = None;
                if was_unwell || (stale && !is_model) {
                    dirty.push(key);
                }
            });
        }
        dirty
    }

    /// Brings the store up to date about some records.
    pub(crate) async fn write(&self, keys: Vec<HealthKey>) {
        if keys.is_empty() {
            return;
        }
        let Ok(_turn) = self.writing.acquire().await else { return };
        let now = self.clock.now();
        let records: Vec<HealthRecord> = {
            let mut known = self.lock();
            keys.iter()
                .filter_map(|key| {
                    let entry = known.get_mut(key)?;
                    entry.written = Some(now);
                    Some(entry.record.clone())
                })
                .collect()
        };
        if let Err(fault) = self.store.put(records.clone()).await {
            tracing::warn!(subsystem = "models", %fault, "how a credential fares could not be stored");
            return;
        }
        let mut known = self.lock();
        for record in records {
            if let Some(entry) = known.get_mut(&record.key) {
                entry.stored = Some(record);
            }
        }
    }

    /// Forgets what is known of one profile, or of all profiles of an agent.
    pub(crate) async fn clear(
        &self,
        agent: &AgentId,
        profile: Option<&AuthProfileId>,
    ) -> Result<(), StoreError> {
        let about =
            |key: &HealthKey| key.agent == *agent && profile.is_none_or(|profile| key.profile == *profile);
        let Ok(_turn) = self.writing.acquire().await else { return Err(StoreError::Closed) };
        self.lock().retain(|key, _| !about(key));
        self.store.forget(agent, profile).await
    }

    /// Everything that is known.
    pub(crate) fn records(&self) -> Vec<HealthRecord> {
        self.lock().values().map(|known| known.record.clone()).collect()
    }

    fn lock_entry(&self, key: HealthKey, change: impl FnOnce(&mut Known)) {
        let mut known = self.lock();
        let entry = known.entry(key).or_insert_with_key(|key| Known {
            record: HealthRecord::new(key.clone()),
            stored: None,
            asked_until: None,
            written: None,
        });
        change(entry);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<HealthKey, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Health {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Health").field("records", &self.lock().len()).finish_non_exhaustive()
    }
}

impl Known {
    /// What the store holds.
    fn read(record: HealthRecord) -> Self {
        let asked_until = pause::asked_until(&record);
        Self { stored: Some(record.clone()), record, asked_until, written: None }
    }
}

fn keys(subject: HealthSubject<'_>) -> [HealthKey; 2] {
    [profile_key(subject), model_key(subject)]
}

fn profile_key(subject: HealthSubject<'_>) -> HealthKey {
    HealthKey { agent: subject.agent.clone(), profile: subject.profile.clone(), model: None }
}

fn model_key(subject: HealthSubject<'_>) -> HealthKey {
    HealthKey { model: Some(subject.model.model().to_lowercase()), ..profile_key(subject) }
}

fn reason_of(word: &str) -> FaultReason {
    const KNOWN: [FaultReason; 9] = [
        FaultReason::RateLimit,
        FaultReason::Auth,
        FaultReason::Billing,
        FaultReason::Overloaded,
        FaultReason::ModelNotFound,
        FaultReason::Timeout,
        FaultReason::Network,
        FaultReason::Truncated,
        FaultReason::Unknown,
    ];
    KNOWN.into_iter().find(|reason| reason.as_str() == word).unwrap_or(FaultReason::Unknown)
}

/// Rules that hold for a vendor under a configuration.
pub(crate) fn rules_for(config: &openclaw_config::Config, provider: &ProviderId) -> PauseRules {
    PauseRules::of(&config.models.sign_in.cooldowns, provider)
}
