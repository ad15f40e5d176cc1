//! Tasks with a name, a parent and an end.
//!
//! A `TaskScope` is a node of the process's task tree. Work is started on it, children hang below it, cancelling it
//! cancels everything below, and `join` waits until nothing is left. A panic ends one task and is logged; it never
//! takes its siblings along.

use std::future::Future;
use std::pin::Pin;

use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

use crate::{Clock, Deadline};

/// A node of the task tree.
#[derive(Debug, Clone)]
pub struct TaskScope {
    name: &'static str,
    cancel: CancellationToken,
    tasks: TaskTracker,
    /// The trackers above: a task counts in each of them.
    above: Vec<TaskTracker>,
}

/// Tasks that had not ended when the deadline passed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{left} task(s) below '{scope}' had not ended in time")]
pub struct TasksLeft {
    /// The scope that was joined.
    pub scope: &'static str,
    /// How many tasks were still running.
    pub left: usize,
}

impl TaskScope {
    /// The root of a tree. A process has one.
    #[must_use]
    pub fn root(name: &'static str) -> Self {
        Self { name, cancel: CancellationToken::new(), tasks: TaskTracker::new(), above: Vec::new() }
    }

    /// A child scope: cancelled with this one, joined by its own `join` and by those above.
    #[must_use]
    pub fn child(&self, name: &'static str) -> Self {
        let mut above = self.above.clone();
        above.push(self.tasks.clone());
        Self { name, cancel: self.cancel.child_token(), tasks: TaskTracker::new(), above }
    }

    /// Starts a task. It should watch `cancelled` and end soon after.
    pub fn start<F>(&self, name: &'static str, work: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        // Into its box at once: what is wrapped around it moves it about, and some are many kilobytes large.
        self.start_boxed(name, Box::pin(work));
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that starts tasks")]
    fn start_boxed(&self, name: &'static str, work: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let span = tracing::debug_span!("task", scope = self.name, name);
        let counted: Vec<_> = self.above.iter().map(TaskTracker::token).collect();
        let guarded = async move {
            let _counted = counted;
            if std::panic::AssertUnwindSafe(work).catch_unwind().await.is_err() {
                tracing::error!(task = name, "a task panicked; its siblings go on");
            }
        };
        tokio::spawn(self.tasks.track_future(guarded.instrument(span)));
    }

    /// Starts a task that is dropped at its next await when the scope is cancelled.
    pub fn start_cancellable<F>(&self, name: &'static str, work: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let cancel = self.cancel.clone();
        let mut work = Box::pin(work);
        self.start(name, async move {
            // The work may be dropped half way: callers use this only for work that may be cut anywhere.
            tokio::select! {
                () = cancel.cancelled() => {}
                () = &mut work => {}
            }
        });
    }

    /// Ends when the scope, or one above it, is cancelled.
    pub async fn cancelled(&self) {
        self.cancel.cancelled().await;
    }

    /// Whether the scope has been cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Asks everything below to end.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Waits until every task of this tree has ended.
    ///
    /// # Errors
    /// Says how many tasks were left when the deadline passed.
    pub async fn join(&self, clock: &dyn Clock, deadline: Deadline) -> Result<(), TasksLeft> {
        self.tasks.close();
        deadline
            .bound(clock, self.tasks.wait())
            .await
            .map_err(|crate::TimedOut| TasksLeft { scope: self.name, left: self.tasks.len() })
    }
}

#[cfg(test)]
mod tests;
