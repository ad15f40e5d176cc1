//! Orders the submissions of a session: acceptance one after the other, then the steps before the queue.
//!
//! A submission holds its accept lock only until the one before it is stored. Slower steps (files, commands, bursts) run
//! in the pipeline of the session, one at a time, while new submissions are still accepted. The number of locks is fixed:
//! sessions that share one wait for each other for a moment.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use openclaw_types::SessionKey;

use crate::flow::Inner;
use crate::pipeline::PipelineStep;

const LOCKS: usize = 64;
/// How many steps may wait in one pipeline. Submissions that come then are not taken; their senders try again.
const MOST_STEPS: usize = 1_000;

/// One lock for the sessions that share it, held while a submission is accepted.
pub(crate) struct AcceptLocks([tokio::sync::Mutex<()>; LOCKS]);

impl Default for AcceptLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| tokio::sync::Mutex::new(())))
    }
}

impl AcceptLocks {
    /// Waits for the turn of a submission; first come, first served.
    pub(crate) async fn turn(&self, key: &SessionKey) -> tokio::sync::MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let place = usize::try_from(hasher.finish() % LOCKS as u64).unwrap_or(0);
        self.0[place].lock().await
    }
}

/// The steps that wait, by session. A session is here as long as somebody takes its steps.
#[derive(Default)]
pub(crate) struct SessionPipelines(Mutex<HashMap<SessionKey, VecDeque<PipelineStep>>>);

impl SessionPipelines {
    /// Whether no more submissions are let in.
    pub(crate) fn is_full(&self, key: &SessionKey) -> bool {
        self.all().get(key).is_some_and(|steps| steps.len() >= MOST_STEPS)
    }

    /// Adds a step. Gives whether somebody must begin to take them.
    fn add(&self, key: &SessionKey, step: PipelineStep) -> bool {
        let mut all = self.all();
        let is_new = !all.contains_key(key);
        all.entry(key.clone()).or_default().push_back(step);
        is_new
    }

    /// The next step; nothing when there is none, and the pipeline is removed then.
    fn next(&self, key: &SessionKey) -> Option<PipelineStep> {
        let mut all = self.all();
        let next = all.get_mut(key)?.pop_front();
        if next.is_none() {
            all.remove(key);
        }
        next
    }

    /// The submissions on their way, and what they take in bytes.
    pub(crate) fn held(&self) -> (usize, usize) {
        let all = self.all();
        let submissions = all.values().flatten().flat_map(|step| match step {
            PipelineStep::Came(submission) | PipelineStep::Found(submission) => {
                std::slice::from_ref(&**submission)
            }
            PipelineStep::Together(burst) => burst.as_slice(),
            PipelineStep::Alarm(_) => &[],
        });
        submissions
            .fold((0, 0), |(count, bytes), submission| (count + 1, bytes + submission.submission().bytes()))
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionKey, VecDeque<PipelineStep>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Has a step taken after those of the session that came before it.
    pub(crate) fn then(self: &Arc<Self>, key: &SessionKey, step: PipelineStep) {
        if !self.pipelines.add(key, step) {
            return;
        }
        let (flow, key) = (Arc::clone(self), key.clone());
        self.parts.tasks.start("corridor", async move {
            while let Some(step) = flow.pipelines.next(&key) {
                // The process stops: the next one finds the submissions in the inbox.
                if flow.parts.tasks.is_cancelled() {
                    return;
                }
                // One submission that we fail at keeps no other from its answer.
                if AssertUnwindSafe(flow.walk(&key, step)).catch_unwind().await.is_err() {
                    tracing::error!(subsystem = "flow", session = %key, "a message broke off on its way");
                }
            }
        });
    }
}
