//! The two hands on a run: steering messages into it, and stopping it.
//!
//! `RunControl` is what others hold, `RunInbox` what the run itself looks at. A message that was taken is never lost: the
//! run writes it into the transcript before it ends, or hands it back with its outcome.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_types::{AbortCause, UserMessage};
use tokio_util::sync::CancellationToken;

use crate::turn::decide::SteeringQueue;

/// Steers and stops a run. Cloning is cheap; every clone is for the same run.
#[derive(Debug, Clone)]
pub struct RunControl {
    inbox: Arc<RunInbox>,
}

/// What the run itself looks at.
#[derive(Debug)]
pub(super) struct RunInbox {
    post: Mutex<Post>,
    stop: CancellationToken,
}

#[derive(Debug)]
struct Post {
    waiting: Vec<UserMessage>,
    door: Door,
    cause: Option<AbortCause>,
}

/// Whether the run takes messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Open,
    Shut,
}

impl RunControl {
    pub(super) fn new() -> (Self, Arc<RunInbox>) {
        let post = Post { waiting: Vec::new(), door: Door::Open, cause: None };
        let inbox = Arc::new(RunInbox { post: Mutex::new(post), stop: CancellationToken::new() });
        (Self { inbox: Arc::clone(&inbox) }, inbox)
    }

    /// Gives the run a message to take up before its next call of the model.
    ///
    /// # Errors
    /// Gives the message back when the run takes no more: it is ending or was stopped. The caller queues it instead.
    #[expect(clippy::result_large_err, reason = "the message goes back to whoever gave it")]
    pub fn steer(&self, message: UserMessage) -> Result<(), UserMessage> {
        let mut post = self.inbox.lock();
        match post.door {
            Door::Open => {
                post.waiting.push(message);
                Ok(())
            }
            Door::Shut => Err(message),
        }
    }

    /// Stops the run at once: its call of a model and its tools are cut off. The first cause is the one that counts; a
    /// run that is ending by itself goes on to its end.
    pub fn abort(&self, cause: AbortCause) {
        self.inbox.abort(cause);
    }
}

impl RunInbox {
    /// Everything that waits to be steered in, oldest first.
    pub(super) fn take(&self) -> Vec<UserMessage> {
        std::mem::take(&mut self.lock().waiting)
    }

    /// Whether something waits to be steered in.
    pub(super) fn steering(&self) -> SteeringQueue {
        if self.lock().waiting.is_empty() { SteeringQueue::None } else { SteeringQueue::Waiting }
    }

    /// Takes no more messages, unless one waits already: then the run has to go on.
    pub(super) fn close(&self) -> Closing {
        let mut post = self.lock();
        if !post.waiting.is_empty() {
            return Closing::Waiting;
        }
        post.door = Door::Shut;
        Closing::Closed
    }

    /// Takes no more messages and gives back those that wait.
    pub(super) fn shut(&self) -> Vec<UserMessage> {
        let mut post = self.lock();
        post.door = Door::Shut;
        std::mem::take(&mut post.waiting)
    }

    pub(super) fn abort(&self, cause: AbortCause) {
        {
            let mut post = self.lock();
            post.cause.get_or_insert(cause);
            post.door = Door::Shut;
        }
        self.stop.cancel();
    }

    /// Cancelled when the run is stopped.
    pub(super) fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Why the run was stopped; nothing while it was not.
    pub(super) fn cause(&self) -> Option<AbortCause> {
        self.lock().cause
    }

    fn lock(&self) -> MutexGuard<'_, Post> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a run that wants to end may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    /// It may: nothing is taken any more.
    Closed,
    /// It may not: a message came in at the last moment.
    Waiting,
}
