//! Which runs are under way, and how the last ones ended.
//!
//! Only memory: what must survive a crash is in the stores. A run stands here from the moment its submission is accepted, so
//! that it can be waited for and stopped before it begins. Ends are kept for ten minutes for those who ask late, the
//! newest of them with everything that came of the run, the others with how it ended alone.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_agent::{RunControl, RunOutcome};
use openclaw_ports::stores::InboxId;
use openclaw_types::{AbortCause, RunEnding, RunId, SessionKey, UnixMillis};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How long an end is remembered.
const REMEMBERED: Duration = Duration::from_secs(600);

/// How many ends are remembered at most; the oldest go first. The store knows of the others that they ended.
const MOST_ENDS: usize = 1_000;

/// How many of them are remembered with everything that came of the run. A report on a prompt and a long answer take
/// room, and who asks for them asks at once.
const MOST_WHOLE: usize = 64;

/// The runs of this process.
#[derive(Default)]
pub(crate) struct Runs(Mutex<Known>);

#[derive(Default)]
struct Known {
    active: HashMap<RunId, Active>,
    ended: HashMap<RunId, EndedRun>,
    order: VecDeque<(UnixMillis, RunId)>,
}

struct Active {
    key: SessionKey,
    raw_key: String,
    /// Its submission, once that is stored.
    submission: Option<InboxId>,
    control: Option<RunControl>,
    /// A stop that came before the run began.
    stopped: Option<AbortCause>,
    /// Cancelled with it, for those who wait meanwhile.
    stopping: CancellationToken,
    started_at: Option<UnixMillis>,
    /// More than one person is behind it.
    shared: bool,
    end: watch::Sender<Option<EndedRun>>,
}

/// How a run ended, as those who wait for it are told.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedRun {
    /// When it began; nothing when it never did.
    pub started_at: Option<UnixMillis>,
    /// When it ended.
    pub ended_at: UnixMillis,
    /// How.
    pub how: RunEnding,
    /// What came of it; nothing when it never began, or joined another run.
    pub outcome: Option<Arc<RunOutcome>>,
}

/// How a run stands.
#[derive(Debug, Clone)]
pub(crate) enum RunState {
    /// It is under way, or waits for its turn.
    Active(watch::Receiver<Option<EndedRun>>),
    /// It ended.
    Ended(EndedRun),
    /// Nobody here knows it.
    Unknown,
}

impl Runs {
    /// Notes a run that was accepted.
    pub(crate) fn accepted(&self, run: &RunId, key: &SessionKey, raw_key: &str) {
        let (end, _) = watch::channel(None);
        let active = Active {
            key: key.clone(),
            raw_key: raw_key.to_owned(),
            submission: None,
            control: None,
            stopped: None,
            stopping: CancellationToken::new(),
            started_at: None,
            shared: false,
            end,
        };
        self.known().active.entry(run.clone()).or_insert(active);
    }

    /// Notes under which number the submission of a run is stored.
    pub(crate) fn stored(&self, run: &RunId, submission: InboxId) {
        if let Some(active) = self.known().active.get_mut(run) {
            active.submission = Some(submission);
        }
    }

    /// The stored submissions of runs that are under way or wait.
    pub(crate) fn submissions(&self, runs: &[RunId]) -> Vec<InboxId> {
        let known = self.known();
        runs.iter().filter_map(|run| known.active.get(run)?.submission).collect()
    }

    /// Forgets a run that was not taken after all.
    pub(crate) fn forget(&self, run: &RunId) {
        self.known().active.remove(run);
    }

    /// Notes that words of somebody else are part of a run.
    pub(crate) fn share(&self, run: &RunId) {
        if let Some(active) = self.known().active.get_mut(run) {
            active.shared = true;
        }
    }

    /// Whether more than one person is behind a run.
    pub(crate) fn is_shared(&self, run: &RunId) -> bool {
        self.known().active.get(run).is_some_and(|active| active.shared)
    }

    /// Notes that a run began. Gives the cause when it was stopped before.
    pub(crate) fn began(&self, run: &RunId, control: RunControl, at: UnixMillis) -> Option<AbortCause> {
        let mut known = self.known();
        let active = known.active.get_mut(run)?;
        active.control = Some(control);
        active.started_at = Some(at);
        active.stopped
    }

    /// Notes that a run ended, and wakes those who wait for it.
    pub(crate) fn ended(
        &self,
        run: &RunId,
        how: RunEnding,
        outcome: Option<Arc<RunOutcome>>,
        now: UnixMillis,
    ) {
        let mut known = self.known();
        let Some(active) = known.active.remove(run) else { return };
        let ended = EndedRun { started_at: active.started_at, ended_at: now, how, outcome };
        active.end.send_replace(Some(ended.clone()));
        known.ended.insert(run.clone(), ended);
        known.order.push_back((now, run.clone()));
        known.tidy(now);
    }

    /// How a run stands.
    pub(crate) fn state(&self, run: &RunId) -> RunState {
        let known = self.known();
        if let Some(active) = known.active.get(run) {
            return RunState::Active(active.end.subscribe());
        }
        known.ended.get(run).cloned().map_or(RunState::Unknown, RunState::Ended)
    }

    /// The session of a run that is under way.
    pub(crate) fn session_of(&self, run: &RunId) -> Option<SessionKey> {
        self.known().active.get(run).map(|active| active.key.clone())
    }

    /// The runs of a session that are under way or wait, and how their senders wrote the session.
    pub(crate) fn of_session(&self, key: &SessionKey) -> Vec<(RunId, String)> {
        let known = self.known();
        let of_key = known.active.iter().filter(|(_, active)| active.key == *key);
        let mut runs: Vec<_> = of_key.map(|(run, active)| (run.clone(), active.raw_key.clone())).collect();
        runs.sort();
        runs
    }

    /// The other runs of a run's session whose submissions were stored before its own.
    pub(crate) fn before(&self, run: &RunId) -> Vec<RunId> {
        let known = self.known();
        let Some(own) = known.active.get(run) else { return Vec::new() };
        let is_before = |(_, other): &(&RunId, &Active)| {
            other.key == own.key
                && other
                    .submission
                    .is_some_and(|submission| own.submission.is_none_or(|own| submission < own))
        };
        known.active.iter().filter(is_before).map(|(other, _)| other.clone()).collect()
    }

    /// Stops a run, now or as soon as it begins. False when it is not under way.
    pub(crate) fn stop(&self, run: &RunId, cause: AbortCause) -> bool {
        let mut known = self.known();
        let Some(active) = known.active.get_mut(run) else { return false };
        active.stopped.get_or_insert(cause);
        active.stopping.cancel();
        if let Some(control) = &active.control {
            control.abort(cause);
        }
        true
    }

    /// Why a run that is under way or waits was stopped; nothing when it was not.
    pub(crate) fn stopped(&self, run: &RunId) -> Option<AbortCause> {
        self.known().active.get(run).and_then(|active| active.stopped)
    }

    /// Is cancelled when a run is stopped. Never for a run that nobody knows.
    pub(crate) fn stopping(&self, run: &RunId) -> CancellationToken {
        self.known().active.get(run).map(|active| active.stopping.clone()).unwrap_or_default()
    }

    /// The control of the run that is under way in a session.
    pub(crate) fn control(&self, run: &RunId) -> Option<RunControl> {
        self.known().active.get(run).and_then(|active| active.control.clone())
    }

    /// How many runs are under way or wait.
    pub(crate) fn count(&self) -> usize {
        self.known().active.len()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn tidy(&mut self, now: UnixMillis) {
        let newest = self.order.len().checked_sub(MOST_WHOLE + 1);
        if let Some((_, run)) = newest.and_then(|place| self.order.get(place))
            && let Some(ended) = self.ended.get_mut(run)
        {
            ended.outcome = ended.outcome.take().map(|outcome| Arc::new(bare(&outcome)));
        }
        while let Some((at, _)) = self.order.front() {
            if self.order.len() <= MOST_ENDS && now.since(*at) < REMEMBERED {
                return;
            }
            if let Some((_, run)) = self.order.pop_front() {
                self.ended.remove(&run);
            }
        }
    }
}

/// What is kept of an outcome for long: how it ended, what it took, and with which model.
fn bare(outcome: &RunOutcome) -> RunOutcome {
    RunOutcome {
        end: outcome.end.clone(),
        replies: Vec::new(),
        model: outcome.model.clone(),
        profile: outcome.profile.clone(),
        context_window: outcome.context_window,
        usage: outcome.usage,
        last_call: outcome.last_call,
        stop: outcome.stop.clone(),
        compactions: outcome.compactions,
        client_calls: Vec::new(),
        said: Vec::new(),
        prompt_report: None,
        fault: outcome.fault.clone(),
        left_over: Vec::new(),
        session: None,
    }
}

#[cfg(test)]
mod tests;
