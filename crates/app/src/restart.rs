//! Restarting in place: who asked for it, when it happens, and how this process becomes a fresh one.
//!
//! The process id stays, memory starts from zero, and a binary that was replaced on disk takes effect. Everything
//! must be closed before: file locks and sockets end with the old image.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use openclaw_gateway::RestartRequest;
use openclaw_ports::{Clock, TaskScope};
use openclaw_protocol::methods::config::{RestartMode, RestartPlan};
use tokio::sync::mpsc;

use crate::signals::ExitRequest;

/// Between asking and doing, so that the answer and whatever else is under way arrives.
const USUAL_DELAY: Duration = Duration::from_secs(2);
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// Takes requests to restart; those that come while one is scheduled join it.
pub(crate) struct RestartLine {
    clock: Arc<dyn Clock>,
    tasks: TaskScope,
    wishes: mpsc::Sender<ExitRequest>,
    /// When the scheduled restart happens, on the monotonic clock.
    scheduled: Mutex<Option<Duration>>,
}

impl RestartLine {
    pub(crate) fn new(clock: Arc<dyn Clock>, tasks: TaskScope, wishes: mpsc::Sender<ExitRequest>) -> Self {
        Self { clock, tasks, wishes, scheduled: Mutex::new(None) }
    }

    /// Schedules a restart and says what will happen.
    pub(crate) fn request(&self, request: RestartRequest) -> RestartPlan {
        let now = self.clock.elapsed();
        let mut scheduled = self.scheduled.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, coalesced) = match *scheduled {
            Some(at) => (at, true),
            None => (now + request.delay.unwrap_or(USUAL_DELAY).min(LONGEST_DELAY), false),
        };
        *scheduled = Some(at);
        drop(scheduled);
        let delay = at.saturating_sub(now);
        if !coalesced {
            tracing::info!(
                subsystem = "gateway",
                delay_ms = delay.as_millis(),
                "restart scheduled: {}",
                request.reason
            );
            self.restart_after(delay);
        }
        RestartPlan {
            ok: true,
            pid: std::process::id(),
            signal: "SIGUSR1".to_owned(),
            delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
            reason: Some(request.reason),
            mode: RestartMode::Emit,
            coalesced,
            cooldown_ms_applied: 0,
        }
    }

    /// Forgets the scheduled restart, so that a later one can be asked for.
    pub(crate) fn give_up(&self) {
        *self.scheduled.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn restart_after(&self, delay: Duration) {
        let (clock, wishes) = (Arc::clone(&self.clock), self.wishes.clone());
        self.tasks.start_cancellable("restart", async move {
            clock.sleep(delay).await;
            if wishes.send(ExitRequest::Restart).await.is_err() {
                tracing::debug!("the process is ending already");
            }
        });
    }
}

/// What to run again.
#[derive(Debug, Clone)]
pub(crate) struct Reexec {
    binary: PathBuf,
    arguments: Vec<OsString>,
}

impl Reexec {
    /// Remembers how this process was started. Called early: after an upgrade the path of a running binary changes.
    ///
    /// # Errors
    /// When the system does not say which binary runs.
    pub(crate) fn of_this_process() -> std::io::Result<Self> {
        Ok(Self { binary: std::env::current_exe()?, arguments: std::env::args_os().skip(1).collect() })
    }

    /// Becomes the new process. Returns only when that failed.
    #[must_use]
    pub(crate) fn exec(&self) -> std::io::Error {
        Command::new(&self.binary).args(&self.arguments).exec()
    }
}
